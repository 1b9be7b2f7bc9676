"""Pictures: from the bytes of a file to an array and back."""

import os
import re
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""A picture: height x width x 3, blue, green, red, 0 to 255."""

MAX_PIXELS = 64_000_000
"""Larger pictures are refused by their header, before anything is decoded."""
MAX_BYTES = 256_000_000

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_START_OF_SCAN, _JPEG_END = 0xDA, b"\xff\xd9"
# What the decoders themselves say of a file that they decode all the same.
_DAMAGE = re.compile(rb"JPEG", re.IGNORECASE)
_CHATTER = re.compile(rb"JPEG|libpng|libwebp|\[ ?(WARN|ERROR|INFO)", re.IGNORECASE)
_stderr_lock = threading.Lock()


class BrokenPicture(ValueError):
    """A file that cannot be read as a picture; the message says why."""


def load(path: Path) -> Image:
    """The picture in a file, upright as its EXIF orientation says; BrokenPicture if there is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BrokenPicture(f"{path} is larger than {MAX_BYTES // 1_000_000} MB: give a smaller picture.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, BrokenPicture):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise BrokenPicture(f"{path} cannot be opened: {reason}.") from None
    return decode(data, str(path))


def decode(data: bytes, name: str = "the file") -> Image:
    """The picture in the bytes of a JPEG, PNG, WebP or BMP file, upright as its EXIF orientation says.

    Whatever the file holds (grey, 16 bits, transparency) becomes 8-bit blue, green, red. BrokenPicture for anything
    that is not the whole of a picture, or has more than MAX_PIXELS pixels.
    """
    try:
        width, height = _size(data)
    except (IndexError, _Cut):
        raise BrokenPicture(f"{name} is only part of a picture: its end is missing or damaged.") from None
    except _Unknown:
        raise BrokenPicture(f"{name} is no picture that can be read: give a JPEG, PNG, WebP or BMP file.") from None
    if width < 1 or height < 1:
        raise BrokenPicture(f"{name} is a picture without any pixels.")
    if width * height > MAX_PIXELS:
        raise BrokenPicture(
            f"{name} has {width} x {height} pixels: {MAX_PIXELS // 1_000_000} megapixels are the most that are read."
        )
    with _captured_stderr() as said:
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
    if image is None or any(_DAMAGE.search(line) for line in said):
        raise BrokenPicture(f"{name} is damaged: it cannot be decoded as a whole.")
    return np.asarray(image, np.uint8)


def encode_jpeg(image: Image, quality: int = 92) -> bytes:
    """The bytes of a JPEG file of the picture; quality 1 to 100."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"a picture of shape {image.shape} cannot be a JPEG")
    return data.tobytes()


class _Unknown(ValueError):
    """No format that is read here."""


class _Cut(ValueError):
    """The file ends too early."""


def _size(data: bytes) -> tuple[int, int]:
    """Width and height as the header says, of a file that is whole as far as its structure shows."""
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg_size(data)
    if data.startswith(_PNG):
        return _png_size(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp_size(data)
    if data.startswith(b"BM"):
        return _bmp_size(data)
    if data and (_PNG.startswith(data[:8]) or b"\xff\xd8\xff".startswith(data)):
        raise _Cut
    raise _Unknown


def _number(data: bytes, at: int, length: int, order: str = "big") -> int:
    if at + length > len(data):
        raise _Cut
    return int.from_bytes(data[at : at + length], "little" if order == "little" else "big")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """By the segments of ITU-T T.81, annex B."""
    at, size = 2, (0, 0)
    while True:
        if _number(data, at, 1) != 0xFF:
            raise _Cut
        marker = _number(data, at + 1, 1)
        if marker == 0xFF:
            at += 1
            continue
        if marker in _JPEG_FRAMES:
            size = _number(data, at + 7, 2), _number(data, at + 5, 2)
        if marker == _JPEG_START_OF_SCAN:
            # Inside a scan 0xFF is always followed by 0x00 or a restart: the first 0xFFD9 is the end.
            if data.find(_JPEG_END, at) < 0:
                raise _Cut
            return size
        at += 2 + _number(data, at + 2, 2)


def _png_size(data: bytes) -> tuple[int, int]:
    """By the chunks of the PNG specification, checksums included."""
    at = len(_PNG)
    while True:
        end = at + 8 + _number(data, at, 4)
        if _number(data, end, 4) != zlib.crc32(data[at + 4 : end]):
            raise _Cut
        if data[at + 4 : at + 8] == b"IEND":
            return _number(data, 16, 4), _number(data, 20, 4)
        at = end + 4


def _webp_size(data: bytes) -> tuple[int, int]:
    """By RFC 9649: three kinds of first chunk."""
    if _number(data, 4, 4, "little") + 8 > len(data):
        raise _Cut
    kind = data[12:16]
    if kind == b"VP8X":
        return _number(data, 24, 3, "little") + 1, _number(data, 27, 3, "little") + 1
    if kind == b"VP8L":
        bits = _number(data, 21, 4, "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _number(data, 26, 2, "little") & 0x3FFF, _number(data, 28, 2, "little") & 0x3FFF


def _bmp_size(data: bytes) -> tuple[int, int]:
    width, rows = _number(data, 18, 4, "little"), _number(data, 22, 4, "little")
    height = min(rows, (1 << 32) - rows)  # rows are negative where the first is the topmost
    uncompressed = _number(data, 30, 4, "little") == 0
    stride = (width * _number(data, 28, 2, "little") + 31) // 32 * 4
    if uncompressed and _number(data, 10, 4, "little") + stride * height > len(data):
        raise _Cut
    return width, height


@contextmanager
def _captured_stderr() -> Iterator[list[bytes]]:
    """What the decoders print, which Python cannot stop: they write to the process's standard error themselves.

    The list is filled at the end; lines of anybody else are passed on.
    """
    said: list[bytes] = []
    with _stderr_lock, tempfile.TemporaryFile() as caught:
        sys.stderr.flush()
        try:
            kept = os.dup(2)
        except OSError:  # a process without standard error has nothing to keep clean
            yield said
            return
        os.dup2(caught.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            said.extend(_pass_on(caught))


def _pass_on(caught: IO[bytes]) -> list[bytes]:
    caught.seek(0)
    lines = caught.read().splitlines(keepends=True)
    chatter = [line for line in lines if _CHATTER.search(line)]
    for line in lines:
        if line not in chatter:
            os.write(2, line)
    return chatter
