"""Pictures: whatever the bytes, an upright picture or one sentence."""

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow

from vision.picture import MAX_SIDE, BrokenPicture, Image, decode, encode_jpeg, load

COLOURS = np.array([[(200, 30, 40), (20, 180, 60)], [(10, 20, 250), (240, 240, 20)]], np.uint8)


def blocks(size: int = 64) -> Image:
    """Four blocks of colour, red, green, blue, so that a turn or a swapped channel shows."""
    return np.asarray(np.kron(COLOURS, np.ones((size // 2, size, 1), np.uint8)), np.uint8)


def file(image: Pillow.Image, kind: str, **more: object) -> bytes:
    held = io.BytesIO()
    image.save(held, kind, **more)
    return held.getvalue()


def corners(image: Image) -> list[list[int]]:
    height, width = image.shape[:2]
    return [list(map(int, image[y, x])) for y in (5, height - 5) for x in (5, width - 5)]


def close(found: Image, wanted: Image) -> bool:
    return (
        found.shape == wanted.shape
        and found.dtype == np.uint8
        and bool(np.abs(np.array(corners(found)) - np.array(corners(wanted))).max() < 12)
    )


BGR = blocks()[:, :, ::-1]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "BMP", "TIFF"])
def test_every_kind_of_file_is_decoded_whatever_its_name(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "picture.txt"
    path.write_bytes(file(Pillow.fromarray(blocks()), kind))
    assert close(load(path), BGR)


@pytest.mark.parametrize(("orientation", "turns"), [(1, 0), (3, 2), (6, 3), (8, 1)])
def test_a_photograph_is_turned_upright(orientation: int, turns: int) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    data = file(Pillow.fromarray(blocks()), "JPEG", exif=exif, quality=95)
    assert close(decode(data), np.rot90(BGR, turns))


@pytest.mark.parametrize(
    "tag", [(0x010F, 5, struct.pack(">II", 72, 1)), (0x0128, 2, b"2\0"), (0x02BC, 11, b"\x7f\x80\0\0")]
)
def test_odd_data_beside_the_orientation_break_no_photograph(tag: tuple[int, int, bytes]) -> None:
    """A make that is a fraction, a unit that is a letter, an infinite number."""
    number, kind, value = tag
    entries = (0x0112, 3, 1, struct.pack(">HH", 6, 0)), (number, kind, 1 if kind != 2 else len(value), value)
    far, table, held = 8 + 2 + 12 * len(entries) + 4, b"", b""
    for name, form, count, body in sorted(entries):
        inside = body.ljust(4, b"\0") if len(body) <= 4 else struct.pack(">I", far + len(held))
        held += body if len(body) > 4 else b""
        table += struct.pack(">HHI", name, form, count) + inside
    exif = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, len(entries)) + table + bytes(4) + held
    assert close(decode(file(Pillow.fromarray(blocks()), "JPEG", exif=exif, quality=95)), np.rot90(BGR, 3))


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "1", "CMYK"])
def test_every_mode_becomes_colour(mode: str) -> None:
    kind = "TIFF" if mode == "CMYK" else "PNG"
    found = decode(file(Pillow.fromarray(blocks()).convert(mode), kind))
    assert found.shape == BGR.shape
    if mode in ("RGBA", "CMYK"):
        assert close(found, BGR)


def test_sixteen_bits_become_eight() -> None:
    levels = np.repeat(np.linspace(0, 65535, 64).astype(np.uint16)[None], 8, axis=0)
    found = decode(file(Pillow.fromarray(levels), "PNG"))
    assert found.shape == (8, 64, 3)
    assert np.array_equal(found[0, :, 0], levels[0] >> 8)


def test_one_pixel_is_a_picture() -> None:
    assert decode(file(Pillow.new("RGB", (1, 1), (1, 2, 3)), "PNG")).tolist() == [[[3, 2, 1]]]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "BMP"])
def test_half_a_file_is_no_picture(kind: str) -> None:
    rng = np.random.default_rng(7)
    data = file(Pillow.fromarray(rng.integers(0, 255, (200, 300, 3), np.uint8)), kind)
    for share in (0.1, 0.5, 0.9, 0.99):
        with pytest.raises(BrokenPicture):
            decode(data[: int(len(data) * share)])


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_that_ends_early_is_no_picture_though_its_end_is_marked(progressive: bool) -> None:
    rng = np.random.default_rng(7)
    data = file(Pillow.fromarray(rng.integers(0, 255, (200, 300, 3), np.uint8)), "JPEG", progressive=progressive)
    assert decode(data).shape == (200, 300, 3)
    for share in (0.3, 0.6, 0.95):
        with pytest.raises(BrokenPicture, match="its data end before the picture does"):
            decode(data[: int(len(data) * share)] + b"\xff\xd9")


def test_a_jpeg_of_which_the_last_scan_is_there_many_times_is_refused_before_it_takes_the_time() -> None:
    data = file(Pillow.fromarray(blocks()), "JPEG", progressive=True)
    scan = data[data.rindex(b"\xff\xda") : -2]
    assert close(decode(data[:-2] + 9 * scan + data[-2:]), BGR)
    with pytest.raises(BrokenPicture, match="it has more than 50 scans"):
        decode(data[:-2] + 50 * scan + data[-2:])


def test_a_huge_picture_is_refused_before_it_takes_the_memory() -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    with pytest.raises(BrokenPicture, match="too large: 64 megapixels"):
        decode(data)


def test_a_picture_just_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = file(Pillow.new("RGB", (100, 50)), "PNG")
    assert decode(data).shape == (50, 100, 3)
    monkeypatch.setattr("vision.picture.MAX_PIXELS", 4999)
    with pytest.raises(BrokenPicture, match="too large"):
        decode(data)


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"%PDF-1.7"])
def test_what_is_no_picture_is_said(data: bytes) -> None:
    with pytest.raises(BrokenPicture, match="the file"):
        decode(data)


@given(st.data())
def test_no_change_of_bytes_does_more_than_break_a_picture(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF"]))
    whole = bytearray(file(Pillow.fromarray(blocks(16)), kind))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert decode(bytes(whole)).ndim == 3
    except BrokenPicture as broken:
        said = str(broken)
        if not said.startswith("the file"):
            pytest.fail(said)


def test_a_missing_file_and_a_folder_are_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jpg", tmp_path, tmp_path / "zero\0byte.jpg", tmp_path / "half\ud800.jpg"):
        with pytest.raises(BrokenPicture, match=r"cannot be opened \(.+\): name a picture that may be read"):
            load(path)


def test_nobody_waits_for_a_pipe_or_reads_a_device_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    for path in (tmp_path / "pipe.jpg", Path("/dev/zero")):
        with pytest.raises(BrokenPicture, match="It is no file"):
            load(path)


def test_a_picture_that_no_jpeg_holds_is_named() -> None:
    with pytest.raises(BrokenPicture, match="the file is 70000 x 3 pixels, a side has 65500 at most"):
        decode(file(Pillow.new("RGB", (70_000, 3)), "PNG"))
    assert len(encode_jpeg(decode(file(Pillow.new("RGB", (MAX_SIDE, 3)), "PNG")))) > 0


def test_a_jpeg_comes_back_as_it_looks() -> None:
    assert close(decode(encode_jpeg(BGR)), BGR)
