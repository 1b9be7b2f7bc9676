"""Pictures: from the bytes of a file to an array and back."""

import io
import struct
import warnings
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow
from PIL import UnidentifiedImageError
from PIL.ExifTags import Base

from vision.files import read_file
from vision.jpeg import filled_up

Image = npt.NDArray[np.uint8]
"""A picture: height x width x 3, blue, green, red, 0 to 255."""

MAX_PIXELS = 64_000_000
"""Larger pictures are refused by their header, before anything is decoded."""
MAX_BYTES = 256_000_000
MAX_SIDE = 65_500
"""Longer sides have no place in a JPEG file (libjpeg, JPEG_MAX_DIMENSION)."""

_FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF")
_SIXTEEN_BITS = ("I", "I;16", "I;16L", "I;16B")
_UPRIGHT = 1
_TURNS = {
    2: Pillow.Transpose.FLIP_LEFT_RIGHT,
    3: Pillow.Transpose.ROTATE_180,
    4: Pillow.Transpose.FLIP_TOP_BOTTOM,
    5: Pillow.Transpose.TRANSPOSE,
    6: Pillow.Transpose.ROTATE_270,
    7: Pillow.Transpose.TRANSVERSE,
    8: Pillow.Transpose.ROTATE_90,
}
"""What makes pictures of each EXIF orientation upright."""
_DAMAGED = (
    *(OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError),
    *(ArithmeticError, AttributeError, struct.error),
)
"""What Pillow's decoders raise on bytes that are not what the header promised."""
_JPEG = ("JPEG", "MPO")


class BrokenPicture(ValueError):
    """A file that cannot be read as a picture; the message says why."""


def load(path: Path) -> Image:
    """The picture in a file, upright as its EXIF orientation says; BrokenPicture if there is none."""
    return decode(bytes_of(path), str(path))


def bytes_of(path: Path) -> bytes:
    """The bytes of a file that may be a picture; BrokenPicture if it cannot be read, or has more than MAX_BYTES."""
    try:
        return read_file(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise BrokenPicture(f"{path} cannot be opened ({reason}): name a picture that may be read.") from None


def decode(data: bytes, name: str = "the file") -> Image:
    """The picture in the bytes of a file, upright as its EXIF orientation says.

    Whatever the file holds (grey, 16 bits, transparency) becomes 8-bit blue, green, red. BrokenPicture for anything
    that is not the whole of a picture, or has more than MAX_PIXELS pixels, or a side longer than MAX_SIDE.
    """
    try:
        # Pillow warns of large pictures and odd metadata; what counts here is decided below.
        with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(data), formats=_FORMATS) as found:
            if found.width * found.height > MAX_PIXELS:
                raise Pillow.DecompressionBombError
            if max(found.size) > MAX_SIDE:
                raise BrokenPicture(f"{name} is {found.width} x {found.height} pixels, a side has {MAX_SIDE} at most.")
            if found.format not in _JPEG:
                return _upright(found)
            more = filled_up(data)
            picture = _upright(found)
            if cv2.norm(picture, _decoded(more), cv2.NORM_INF):
                raise BrokenPicture(f"{name} is damaged: its data end before the picture does.")
            return picture
    except BrokenPicture:
        raise
    except Pillow.DecompressionBombError:
        raise BrokenPicture(
            f"{name} is too large: {MAX_PIXELS // 1_000_000} megapixels are the most that are read."
        ) from None
    except UnidentifiedImageError:
        raise BrokenPicture(f"{name} is no picture that can be read: give a JPEG or PNG file.") from None
    except _DAMAGED as error:
        raise BrokenPicture(f"{name} is damaged: {str(error).rstrip('.') or 'it cannot be decoded'}.") from None


def _decoded(data: bytes) -> Image:
    with Pillow.open(io.BytesIO(data), formats=_FORMATS) as found:
        return _upright(found)


def _upright(found: Pillow.Image) -> Image:
    found.load()
    turn = _TURNS.get(_orientation(found))
    upright = found if turn is None else found.transpose(turn)
    if upright.mode in _SIXTEEN_BITS:
        levels = np.clip(np.asarray(upright), 0, 65535)
        grey = (levels >> 8 if levels.max(initial=0) > 255 else levels).astype(np.uint8)
        return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
    if upright.mode != "RGB":
        # Palettes keep their transparency only by way of RGBA.
        upright = upright.convert("RGBA").convert("RGB")
    return np.ascontiguousarray(np.asarray(upright, np.uint8)[:, :, ::-1])


def _orientation(found: Pillow.Image) -> int:
    """How the picture lies as its EXIF data say; what cannot be read there says nothing, as where there are none."""
    try:
        said = found.getexif().get(Base.Orientation)
    except _DAMAGED:
        return _UPRIGHT
    return said if isinstance(said, int) else _UPRIGHT


def encode_jpeg(image: Image, quality: int = 92) -> bytes:
    """The bytes of a JPEG file of the picture; quality 1 to 100."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"a picture of shape {image.shape} cannot be a JPEG")
    return data.tobytes()
