"""Cameras: recorded pictures in their order, and when the scene is at rest."""

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, FolderCamera, Frame, NoPictures
from vision.picture import Image
from vision.rest import STILL_FRAMES, CameraFrozen, await_rest


def grey(level: int) -> Image:
    return np.full((40, 60, 3), level, np.uint8)


def keep(folder: Path, **levels: int) -> None:
    for name, level in levels.items():
        cv2.imwrite(str(folder / f"{name}.png"), grey(level))


def test_a_folder_plays_in_the_order_of_names_and_begins_again(tmp_path: Path) -> None:
    keep(tmp_path, b=20, a=10, c=30)
    (tmp_path / "notes.txt").write_text("no picture")
    camera = FolderCamera(tmp_path)
    assert camera.recorded == 3
    frames = [camera.frame(1) for _ in range(5)]
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [10, 20, 30, 10, 20]
    assert [frame.source for frame in frames] == ["a.png", "b.png", "c.png", "a.png", "b.png"]
    assert [frame.again for frame in frames] == [False, False, False, True, False]
    assert [frame.count for frame in frames] == [None] * 5
    camera.close()


def labels(folder: Path, *images: object) -> None:
    (folder / "labels.json").write_text(json.dumps({"format": 1, "images": images}))


def test_labels_give_the_order_and_the_number_of_dice(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    keep(tmp_path / "images", a=10, b=20)
    labels(tmp_path, {"file": "images/b.png", "count": 4}, {"file": "images/a.png", "count": 0})
    camera = FolderCamera(tmp_path)
    frames = [camera.frame(1) for _ in range(2)]
    assert [(frame.source, frame.count) for frame in frames] == [("b.png", 4), ("a.png", 0)]


def test_a_folder_that_cannot_serve_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoPictures, match="no folder"):
        FolderCamera(tmp_path / "none")
    with pytest.raises(NoPictures, match="There are no pictures"):
        FolderCamera(tmp_path)
    for broken in ("{", "[]", '{"images": [3]}', '{"images": [{}]}', '{"images": 3}'):
        (tmp_path / "labels.json").write_text(broken)
        with pytest.raises(NoPictures, match="cannot be used"):
            FolderCamera(tmp_path)
    labels(tmp_path, {"file": "none.png"})
    with pytest.raises(NoPictures, match=r"names none\.png, which is not there"):
        FolderCamera(tmp_path)
    keep(tmp_path, a=10)
    labels(tmp_path, {"file": "a.png", "count": "two"})
    with pytest.raises(NoPictures, match="whole number"):
        FolderCamera(tmp_path)


def test_a_broken_picture_is_named_and_the_next_one_follows(tmp_path: Path) -> None:
    keep(tmp_path, b=20)
    (tmp_path / "a.png").write_bytes(b"no picture")
    camera = FolderCamera(tmp_path)
    with pytest.raises(CameraLost, match=r"a\.png"):
        camera.frame(1)
    assert camera.frame(1).source == "b.png"


class Scripted:
    """Shows these pictures, one a frame, the last one for ever with fresh noise; a clock that goes 40 ms a frame."""

    recorded = 0
    lost = ""

    def __init__(self, images: Sequence[Image], noise: bool = True) -> None:
        self.images = list(images)
        self.noise = np.random.default_rng(7) if noise else None
        self.now_s = 0.0
        self.shown = 0

    def frame(self, timeout_s: float) -> Frame:
        image = self.images[min(self.shown, len(self.images) - 1)].astype(np.int16)
        self.shown += 1
        self.now_s += 0.04
        if self.noise is not None:
            image = image + self.noise.normal(0, 3, image.shape).astype(np.int16)
        return Frame(np.clip(image, 0, 255).astype(np.uint8), int(self.now_s * 1e9))

    def close(self) -> None:
        self.images.clear()


def with_die_at(x_px: int) -> Image:
    image = np.full((480, 640, 3), 60, np.uint8)
    image[200:240, x_px : x_px + 40] = 220
    return image


def test_rest_is_several_frames_alike_after_the_last_movement() -> None:
    moving = [with_die_at(100 + 8 * step) for step in range(20)]
    camera = Scripted(moving)
    frame, still = await_rest(camera, 5.0, lambda: camera.now_s)
    assert still
    assert camera.shown == 20 + STILL_FRAMES - 1
    assert np.abs(frame.image.astype(int) - moving[-1]).mean() < 4


def test_what_never_rests_is_not_at_rest_when_the_time_is_up() -> None:
    camera = Scripted([with_die_at(100 + 8 * (step % 50)) for step in range(500)])
    _, still = await_rest(camera, 2.0, lambda: camera.now_s)
    assert not still
    assert camera.now_s < 3


def test_a_frozen_camera_is_told_from_a_still_scene() -> None:
    camera = Scripted([with_die_at(100)], noise=False)
    with pytest.raises(CameraFrozen):
        await_rest(camera, 5.0, lambda: camera.now_s)
