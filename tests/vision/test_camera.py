"""Cameras: recorded pictures in their order, and when the scene is at rest."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, FolderCamera, NoPictures
from vision.picture import Image


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
