"""A reading on a calibrated floor: where the dice lie, what they are called, and what else lies there."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.floor import calibrate_floor
from firmware.dimensions import size
from firmware.simulated import Lying, SimulatedTower
from tests.vision.conftest import top_face
from vision.die_shape import styles_named
from vision.picture import Image, decode, encode_jpeg
from vision.placing import body_colour, placed, told_apart
from vision.reader import read
from vision.reading import Die, Reading, Verdict, as_json
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.tray import Dice, Enrolled, Made, Tray

MADE = Made("", "", ())
STYLES = ("white", "red", "blue", "green", "wood")


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(np.random.default_rng(5), Rig.of(size))


@pytest.fixture(scope="module")
def tray(stage: Stage) -> Tray:
    return Tray(floor=calibrate_floor([shot(stage, (), "ivory")], Rig.of(size), None, MADE)[0])


def thrown(seed: str, dice: int = 10) -> tuple[Lying, ...]:
    tower = SimulatedTower(seed, dice)
    tower.tumble()
    return tower.lying


def shot(stage: Stage, lying: tuple[Lying, ...], style: str | tuple[str, ...]) -> Image:
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in lying]
    return decode(encode_jpeg(stage.expose(stage.draw(dice, styles_named(style)))))


def seen(stage: Stage, lying: tuple[Lying, ...]) -> Reading:
    """What a reader without a fault would say."""
    dice = []
    for die in lying:
        top = top_face(stage, LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation))
        side = round(top.side_px)
        box = (round(top.x_px - side / 2), round(top.y_px - side / 2), side, side)
        dice.append(Die(top.face, top.x_px, top.y_px, box, 1.0))
    return Reading(Verdict.OK, "All dice lie flat.", len(dice), tuple(dice))


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_every_die_has_its_place_and_turn(stage: Stage, tray: Tray, seed: str) -> None:
    lying = thrown(seed)
    reading = placed(seen(stage, lying), shot(stage, lying, "ivory"), tray)
    assert reading.ok, reading.message
    for die, truth in zip(reading.dice, lying, strict=True):
        assert (die.x_mm, die.y_mm) == pytest.approx((truth.x_mm, truth.y_mm), abs=1.2)
        flat = next(axis for axis in range(3) if abs(truth.rotation[2][axis]) < 0.5)
        turn = np.degrees(np.arctan2(truth.rotation[1][flat], truth.rotation[0][flat]))
        assert die.turn_deg is not None
        assert abs((turn - die.turn_deg + 45) % 90 - 45) < 12


def test_the_reader_says_millimetres_with_a_tray(stage: Stage, tray: Tray) -> None:
    lying = thrown("a")
    image = shot(stage, lying, "ivory")
    told = as_json(read(image, 10, tray))
    assert told["verdict"] == "ok"
    seen = [die["mm"] for die in told["dice"]]
    assert len(seen) == len(lying)
    assert all(min(math.dist((die.x_mm, die.y_mm), mm) for mm in seen) < 4 for die in lying)
    assert "mm" not in as_json(read(image, 10))["dice"][0]


def test_a_thing_on_the_floor_is_foreign_wherever_it_lies(stage: Stage, tray: Tray) -> None:
    lying = thrown("a", dice=3)
    image = shot(stage, lying, "ivory")
    reading = seen(stage, lying)
    assert placed(reading, image, tray).ok
    for turn in np.arange(0, 2 * np.pi, np.pi / 4):
        at = round(728 + 330 * np.cos(turn)), round(544 - 330 * np.sin(turn))
        if min(np.hypot(die.x_px - at[0], die.y_px - at[1]) for die in reading.dice) < 100:
            continue
        with_coin = image.copy()
        cv2.circle(with_coin, at, 18, (60, 130, 160), -1, cv2.LINE_AA)
        assert placed(reading, with_coin, tray).verdict is Verdict.FOREIGN_OBJECT


def test_a_thing_alone_is_foreign_too(stage: Stage, tray: Tray) -> None:
    nothing = Reading(Verdict.OK, "There are no dice.", None, ())
    empty = shot(stage, (), "ivory")
    assert placed(nothing, empty, tray).ok
    cv2.circle(empty, (700, 500), 20, (200, 200, 200), -1)
    assert placed(nothing, empty, tray).verdict is Verdict.FOREIGN_OBJECT


def test_a_die_outside_of_the_floor_does_not_count(stage: Stage, tray: Tray) -> None:
    lying = thrown("a")
    astray = (replace(lying[0], x_mm=118.0, y_mm=0.0), *lying[1:])
    assert placed(seen(stage, astray), shot(stage, astray, "ivory"), tray).verdict is Verdict.WRONG_COUNT


@pytest.mark.parametrize(
    ("side_mm", "verdict"),
    [(10.0, Verdict.FOREIGN_OBJECT), (14.0, Verdict.OK), (18.0, Verdict.OK), (25.0, Verdict.FOREIGN_OBJECT)],
)
def test_dice_of_another_size_are_of_another_set(stage: Stage, tray: Tray, side_mm: float, verdict: Verdict) -> None:
    """These have sides of 16 mm."""
    lying = thrown("a")
    enrolled = replace(tray, dice=Dice("casino", side_mm, 10, (), (), MADE))
    assert placed(seen(stage, lying), shot(stage, lying, "ivory"), enrolled).verdict is verdict


def test_the_first_verdict_that_holds_counts(stage: Stage, tray: Tray) -> None:
    lying = thrown("a")
    image = shot(stage, lying, "ivory")
    dark = np.asarray(image * 0.5, np.uint8)
    hand = Reading(Verdict.OBSTRUCTED, "A hand.", 10, ())
    assert placed(hand, dark, tray) == hand
    ill_lit = placed(replace(hand, verdict=Verdict.COCKED, amiss=(0,)), dark, tray)
    assert (ill_lit.verdict, ill_lit.amiss) == (Verdict.BAD_LIGHT, ())
    assert placed(seen(stage, lying), np.roll(image, 60, axis=1), tray).verdict is Verdict.MOVED


@pytest.fixture(scope="module")
def coloured(stage: Stage, tray: Tray) -> Tray:
    looks = []
    for seed in ("enrolment", "again", "once more"):
        lying = thrown(seed, len(STYLES))
        image = shot(stage, lying, STYLES)
        looks.append([body_colour(die, image, 1.0) for die in seen(stage, lying).dice])
    colours = [(float(blue), float(green), float(red)) for blue, green, red in np.median(looks, axis=0)]
    assert told_apart(colours)
    assert not told_apart([*colours, colours[0]])
    dice = tuple(Enrolled(name, colour) for name, colour in zip(STYLES, colours, strict=True))
    return replace(tray, dice=Dice("five", 16.0, len(STYLES), dice, (), MADE))


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_each_die_of_five_colours_has_its_name(stage: Stage, coloured: Tray, seed: str) -> None:
    lying = thrown(seed, len(STYLES))
    reading = placed(seen(stage, lying), shot(stage, lying, STYLES), coloured)
    assert reading.ok, reading.message
    assert tuple(die.colour for die in reading.dice) == STYLES
    assert [die["colour"] for die in as_json(reading)["dice"]] == list(STYLES)


@pytest.mark.parametrize("third", ["red", "black"], ids=["one twice", "one that was not enrolled"])
def test_dice_that_cannot_be_told_apart_are_unsure(stage: Stage, coloured: Tray, third: str) -> None:
    lying = thrown("a", len(STYLES))
    styles = ("white", "red", third, "green", "wood")
    reading = placed(seen(stage, lying), shot(stage, lying, styles), coloured)
    assert reading.verdict is Verdict.UNSURE
    assert [die.colour for die in reading.dice] == ["white", "red", "red" if third == "red" else None, "green", "wood"]
