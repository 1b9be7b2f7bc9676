import re
from pathlib import Path

import cv2
import numpy as np

from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from hardware.cad.floor import floor_picture, floor_svg
from vision.die_shape import styles_named
from vision.reader import read
from vision.reading import Verdict
from vision.rendered import CAMERA_MM, LyingDie, Stage

FOLDER = Path(__file__).parents[2] / "hardware"
TEXT = (FOLDER / "ASSEMBLY.md").read_text("utf-8")


def test_every_size_in_the_assembly_guide_is_that_of_the_file() -> None:
    named = re.findall(r"([\d.]+) mm \(`(\w+)`\)", TEXT)
    assert len(named) == 14
    assert [float(value) for value, _ in named] == [size(name) for _, name in named]
    assert len(re.findall(r"\d mm\b", TEXT)) == len(named)


def test_the_steps_are_numbered_without_a_gap_and_each_has_its_picture() -> None:
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", TEXT, re.MULTILINE)]
    assert steps == list(range(1, 13))
    pictures = re.findall(r"\((cad/views/step-\d+\.png)\)", TEXT)
    assert pictures == [f"cad/views/step-{number}.png" for number in steps[:-1]]
    for name in pictures:
        picture = cv2.imread(str(FOLDER / name))
        assert picture is not None
        assert picture.std() > 5


def test_the_floor_that_is_committed_is_that_of_the_sizes_and_to_scale() -> None:
    page = (FOLDER / "floor.svg").read_text("utf-8")
    assert page == floor_svg()
    found = re.search(r'width="([\d.]+)mm" height="([\d.]+)mm" viewBox="(-[\d.]+) \3 \1 \2"', page)
    assert found is not None
    assert f'<circle r="{size("floor_diameter_mm") / 2:g}" fill="none"' in page


def test_the_reader_reads_on_the_marked_floor_what_it_reads_on_a_plain_one() -> None:
    stage = Stage(np.random.default_rng(3), size_px=(1014, 760))
    height, width = stage._empty.shape[:2]
    to_px = stage._focal_px / CAMERA_MM
    page = np.asarray(floor_picture(to_px), np.float32)
    rows, columns = np.mgrid[:height, :width] - np.array([[[height / 2]], [[width / 2]]])
    on_page = (np.rint(axis + page.shape[0] / 2).astype(int) for axis in (rows, columns))
    ground = page[page.shape[0] // 2, page.shape[0] // 2]
    printed = page[tuple(np.clip(axis, 0, page.shape[0] - 1) for axis in on_page)] / ground
    floor = np.hypot(rows, columns) < size("floor_diameter_mm") / 2 * to_px
    share = np.where(floor, np.sqrt(printed), 1.0)
    marked = np.asarray(np.clip(stage._empty * share[..., None], 0, 255), np.uint8)
    assert (marked != stage._empty).mean() > 0.002
    lying = SimulatedTower("marked", 10).lying
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in lying]
    stage._empty = marked
    reading = read(stage.expose(stage.draw(dice, styles_named("ivory"))))
    assert reading.verdict is Verdict.OK
    assert sorted(die.face or 0 for die in reading.dice) == sorted(die.face or 0 for die in lying)
