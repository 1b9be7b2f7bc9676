"""`cornet settle` before videos that are damaged or say what is not so."""

import json
import os
import struct
import subprocess
import weakref
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from server.commands.settle import run
from tests.conftest import CORNET, ENVIRONMENT, cornet
from vision.picture import Image, load
from vision.reading import Reading, Verdict

RECORDINGS = Path(__file__).parents[2] / "recordings"
QUIET = {name: value for name, value in ENVIRONMENT.items() if name != "OPENCV_FFMPEG_LOGLEVEL"}


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Twenty frames of noise."""
    path = tmp_path / "noise.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 25.0, (320, 240))
    noise = np.random.default_rng(3)
    for _ in range(20):
        writer.write(noise.integers(0, 255, (240, 320, 3), np.uint8))
    writer.release()
    return path


def settle(video: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The whole process, so that what FFmpeg writes past Python is seen too."""
    call = [*CORNET, "settle", str(video)]
    return subprocess.run(call, capture_output=True, text=True, env=environment, timeout=60, check=False)


@pytest.mark.parametrize(
    "name",
    [b"12:30.mp4", b"roll:1.mp4", b"file:v.mp4", b"%03d.mp4", b"a|b.mp4", b"d\xff.mp4", b"v.\xff", b"v." + b"a" * 250],
)
def test_a_video_may_have_any_name(video: Path, name: bytes) -> None:
    plain = os.fsdecode(name)
    video.rename(video.with_name(plain))
    settled = cornet("settle", plain, cwd=video.parent)
    assert (settled.returncode, settled.stderr) == (0, b"")
    assert json.loads(settled.stdout)["frames"] == 20


def test_a_video_that_was_cut_off_is_one_sentence(video: Path) -> None:
    video.write_bytes(video.read_bytes()[:-2000])
    settled = settle(video, QUIET)
    assert (settled.returncode, settled.stdout) == (2, "")
    assert settled.stderr == f"There are no frames in {video}: name a video, or a folder of pictures.\n"


@pytest.mark.parametrize("asked", [{}, {"OPENCV_FFMPEG_LOGLEVEL": "16"}], ids=["quiet", "talkative"])
def test_a_video_that_is_damaged_inside_is_read_without_a_word_of_ffmpeg(video: Path, asked: dict[str, str]) -> None:
    content = bytearray(video.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    video.write_bytes(content)
    settled = settle(video, QUIET | asked)
    assert (settled.returncode, settled.stderr) == (0, "")
    assert 10 <= json.loads(settled.stdout)["frames"] <= 20


def test_a_video_that_lost_frames_says_so_and_keeps_the_numbers_of_the_others(video: Path) -> None:
    content = bytearray(video.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 120_000] = np.random.default_rng(1).bytes(120_000)
    video.write_bytes(content)
    settled = settle(video, QUIET)
    assert settled.returncode == 0
    assert json.loads(settled.stdout)["frames"] == 20
    assert f"{video} is damaged: " in settled.stderr
    assert len(settled.stderr.splitlines()) == 1


def by_a_browser(folder: Path) -> Path:
    """Twenty frames of dice at rest."""
    shown = load(RECORDINGS / "studio_640_7_00019.jpg")
    path = folder / "browser.webm"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"VP80"), 25.0, shown.shape[1::-1])
    for _ in range(20):
        writer.write(shown)
    writer.release()
    return path


def test_a_video_whose_header_announces_the_ticks_of_a_clock_goes_by_the_times_of_its_frames(tmp_path: Path) -> None:
    path = by_a_browser(tmp_path)
    # The header says how long a frame is shown; what browsers write there is a thousandth of a second.
    true, announced = (duration_ns.to_bytes(4, "big") for duration_ns in (40_000_000, 1_000_000))
    content = path.read_bytes()
    assert content.count(true) == 1
    path.write_bytes(content.replace(true, announced))
    settled = settle(path, QUIET)
    assert (settled.returncode, settled.stderr) == (0, "")
    assert json.loads(settled.stdout) == {"frames": 20, "rests": [[0, 19]]}


def lengthen(path: Path) -> bytearray:
    """What the file would hold if it announced 1.84 s instead of 0.8 s."""
    length, as_float = b"\x44\x89\x88", struct.Struct(">d")
    content = path.read_bytes()
    assert content.count(length + as_float.pack(800)) == 1
    return bytearray(content.replace(length + as_float.pack(800), length + as_float.pack(1840)))


def test_a_video_whose_camera_left_frames_out_is_not_damaged(tmp_path: Path) -> None:
    path = by_a_browser(tmp_path)
    content = lengthen(path)
    # The last frame comes at 1.8 s: its time stands behind its track, in milliseconds from 0.48 s on.
    track, time_ms = b"\x81", struct.Struct(">h")
    begins = content.rindex(track + time_ms.pack(280))
    content[begins : begins + 3] = track + time_ms.pack(1320)
    path.write_bytes(content)
    settled = settle(path, QUIET)
    assert (settled.returncode, settled.stderr) == (0, "")
    assert json.loads(settled.stdout) == {"frames": 20, "rests": [[0, 19]]}


def test_a_video_that_ends_too_soon_says_by_how_much(tmp_path: Path) -> None:
    path = by_a_browser(tmp_path)
    path.write_bytes(lengthen(path))
    settled = settle(path, QUIET)
    assert json.loads(settled.stdout) == {"frames": 20, "rests": [[0, 19]]}
    said = "lacks 24 of the frames that it announces: unless it was trimmed, rests may be missing; record it again."
    assert settled.stderr == f"{path} {said}\n"


def test_a_video_that_was_trimmed_is_not_called_damaged(video: Path) -> None:
    # What a telephone trims it only hides: the list of what is shown begins later.
    content = bytearray(video.read_bytes())
    (second,) = struct.unpack_from(">I", content, content.index(b"mdhd") + 16)
    struct.pack_into(">I", content, content.index(b"elst") + 16, second // 5)
    video.write_bytes(content)
    settled = settle(video, QUIET)
    assert json.loads(settled.stdout)["frames"] == 15
    assert "damaged" not in settled.stderr


def test_no_frame_is_kept_until_all_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(12):
        cv2.imwrite(str(tmp_path / f"{number:02}.png"), np.full((48, 64, 3), 10 * number, np.uint8))
    held: list[weakref.ref[Image]] = []
    alive: list[int] = []

    def read_shade(image: Image) -> Reading:
        held.append(weakref.ref(image))
        alive.append(sum(one() is not None for one in held))
        return Reading(Verdict.OK, str(image[0, 0, 0]), None, ())

    def rests(images: Iterable[Image], *_: object) -> Iterator[tuple[int, int]]:
        assert sum(1 for _ in images) == 12
        yield from [(0, 2), (4, 6), (8, 11)]

    monkeypatch.setenv("OPENCV_FFMPEG_LOGLEVEL", "-8")  # is set by the command
    monkeypatch.setattr("server.commands.settle.find_rests", rests)
    monkeypatch.setattr("server.commands.settle.read", read_shade)
    assert run(Namespace(recording=tmp_path, read=True)) == 0
    readings = json.loads(capsys.readouterr().out)["readings"]
    assert [reading["message"] for reading in readings] == ["10", "50", "90"]
    assert max(alive) <= 2
