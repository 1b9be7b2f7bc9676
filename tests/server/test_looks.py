"""Which dice count: the nearest, or by colour those that were named before the throw, and none that was kept."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.chain import Event
from server.looks import Look, counting, judged, nearest, unkept, unmoved
from server.parts import WrongParts, choose
from server.settings import read_settings
from server.standing import Standing
from vision.reading import Die, Reading, Verdict, as_json
from vision.tray import Dice, Enrolled, Made, Tray

from .conftest import MakeTable, ScriptedEye, dice, state

NAMES = ("red", "blue", "green", "black", "white", "amber", "pink")
KEEPING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("421", {}),
    ("vingt-cinq", {"attack_again": True}),
    ("vingt-cinq", {"attack_again": False}),
    ("thousand", {"set_aside": "some"}),
)


class Evening:
    """A game of chance with real dice: each has a face for as long as it is not thrown."""

    def __init__(self, game: str, options: dict[str, Any], seed: int) -> None:
        self.standing, self.chance, self._seq = Standing(), random.Random(seed), 0
        self.faces: dict[str, int] = {}
        self.tell("game", {"game": game, "players": ["Ana", "Bo"], "options": options})

    def tell(self, kind: str, body: dict[str, Any]) -> None:
        self._seq += 1
        self.standing.apply(Event(self._seq, kind, {"at": "", **body}, ""))

    def throw(self, named: Sequence[str]) -> None:
        """All dice roll about; those that are not named are left out of the game's sight."""
        lying = self.chance.sample(NAMES, len(NAMES))
        rolled = {name: self.chance.randint(1, 6) for name in lying}
        self.faces |= {name: rolled[name] for name in named}
        found = [{"face": rolled[name], "center": [1, 1], "colour": name} for name in lying]
        look = {"needs": len(named), "named": list(named), "dice": found, "size": [100, 100], "frame": None}
        counted = counting(found, look)
        faces = [found[place]["face"] for place in counted]
        self.tell("throw", {**look, "verdict": "ok", "counted": counted, "faces": faces})

    def act(self, offers: list[dict[str, Any]]) -> None:
        offer = self.chance.choice(offers)
        fields = {name: self.chance.choice(which["one_of"]) for name, which in offer.items() if name != "do"}
        self.tell("action", {"action": {"do": offer["do"], **fields}})


@pytest.mark.parametrize(("game", "options"), KEEPING)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_dice_that_are_not_named_are_those_that_were_kept(game: str, options: dict[str, Any], seed: int) -> None:
    evening = Evening(game, options, seed)
    standing = evening.standing
    kept_before: set[str] = set()
    for _ in range(60):
        running = standing.game
        assert running is not None
        if not running.legal():
            break
        offers = running.offers()
        if "throw" not in running.legal() or (offers and evening.chance.random() < 0.3):
            evening.act(offers)
            continue
        named = standing.named(NAMES)
        assert len(named) == len(set(named)) == running.dice
        assert named == sorted(named, key=NAMES.index)
        kept = running.kept()
        assert running.dice + len(kept) == (3 if game == "421" else 5)
        hand = NAMES[: running.dice + len(kept)]
        assert set(named) <= set(hand)
        assert Counter(evening.faces[name] for name in hand if name not in named) == Counter(kept)
        kept_before |= set(hand) - set(named)
        evening.throw(named)
    assert kept_before or game == "421"


@given(st.permutations(NAMES), st.lists(st.integers(1, 6), min_size=7, max_size=7), st.integers(0, 7))
def test_named_dice_count_wherever_they_lie_and_whatever_they_show(
    lying: list[str], faces: list[int], needs: int
) -> None:
    found = [{"face": face, "center": [9, 9], "colour": name} for name, face in zip(lying, faces, strict=True)]
    counted = counting(found, {"named": list(NAMES[:needs]), "needs": needs, "size": [10, 10]})
    assert [lying[place] for place in counted] == list(NAMES[:needs])


def test_kept_dice_without_names_leave_the_first_ones() -> None:
    assert unkept(NAMES, 2, [6], [[(None, 6), (None, 1), (None, 2)]]) == ["red", "blue"]
    assert unkept(NAMES, 2, [6], []) == ["red", "blue"]


def test_of_dice_with_one_face_those_stay_that_lay_there() -> None:
    throws = [[("blue", 4)], [("red", 4), ("green", 1), ("blue", 2)]]
    assert unkept(NAMES, 2, [4], throws) == ["blue", "green"]


def coloured(*faces: int) -> Reading:
    named = [replace(die, colour=NAMES[place], x_mm=0.0, y_mm=0.0) for place, die in enumerate(dice(*faces))]
    return Reading(Verdict.OK, "", None, tuple(named))


def test_a_table_names_the_dice_at_the_press_and_rings_them(make_table: MakeTable) -> None:
    eye = ScriptedEye(coloured(4, 6, 1, 5, 5), coloured(2, 3, 6, 1, 1))
    table = make_table(eye=eye, names=list(NAMES[:5]))
    table.start_game("421", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    assert (state(table)["last"]["named"], state(table)["last"]["counted"]) == (["red", "blue", "green"], [0, 1, 2])


def enrolled(count: int) -> Tray:
    known = tuple(Enrolled(name, (float(40 * place), 0.0, 0.0)) for place, name in enumerate(NAMES[:count]))
    return Tray(dice=Dice("bar", 16.0, 7, known, (), Made("", "", ())))


def test_only_enrolled_dice_before_a_camera_count_by_colour(tmp_path: Path) -> None:
    asked = replace(read_settings(None), select="colour", dice=7)
    assert choose("sim", "rendered", 1, asked, enrolled(7)).about["names"] == list(NAMES)
    assert "names" not in choose("sim", "rendered", 1, replace(asked, select="nearest"), enrolled(7)).about
    for camera, chosen, tray in (
        ("none", asked, enrolled(7)),
        ("rendered", asked, None),
        ("rendered", asked, enrolled(0)),
        ("rendered", replace(asked, dice=6), enrolled(7)),
        (f"frames:{tmp_path}", asked, enrolled(7)),
    ):
        with pytest.raises(WrongParts, match="enrolled with names"):
            choose("sim", camera, 1, chosen, tray)


def look(lying: Sequence[Die]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = as_json(Reading(Verdict.OK, "", None, tuple(lying)))["dice"]
    return found


def test_the_nearest_dice_count_whatever_they_show() -> None:
    rng = np.random.default_rng(7)
    places = rng.uniform(0, 500, (10, 2))
    for faces in (range(10), range(10, 0, -1)):
        lying = [Die(face % 6 + 1, x, y, (0, 0, 9, 9), 1.0) for face, (x, y) in zip(faces, places, strict=True)]
        away = np.hypot(places[:, 0], 500 - places[:, 1])
        assert nearest(look(lying), 3, (500, 500)) == list(np.argsort(away)[:3])


def test_ties_go_by_angle() -> None:
    lying = [Die(1, 0.0, 0.0, (0, 0, 9, 9), 1.0), Die(1, 100.0, 100.0, (0, 0, 9, 9), 1.0)]
    assert nearest(look(lying), 2, (100, 100)) == [1, 0]


def lay(*placed: tuple[int, float], size: tuple[int, int] = (600, 400)) -> Look:
    """A look as it is about to be committed: dice of 40 pixels, each by its face and how far to the right it lies."""
    found = [Die(face, x_px, 200.0, (round(x_px) - 20, 180, 40, 40), 0.9) for face, x_px in placed]
    return {"dice": look(found), "size": size}


def logged(seen: Look) -> Look:
    """The same as the log has it."""
    before: Look = json.loads(json.dumps(seen))
    return before


LAY = (6, 100.0), (6, 200.0), (1, 300.0)


@pytest.mark.parametrize(
    ("seen", "still"),
    [
        (lay(*LAY), True),
        (lay(*reversed(LAY)), True),
        (lay((6, 104.9), (6, 195.1), (1, 304.9)), True),
        (lay((6, 105.1), *LAY[1:]), False),
        (lay((5, 100.0), *LAY[1:]), False),
        (lay(*LAY[1:]), False),
        (lay(*LAY, (1, 305.0)), False),
        (lay(*LAY, size=(400, 600)), False),
        (lay(), False),
    ],
    ids=[
        "as they lay",
        "in another order",
        "by an eighth",
        "one further",
        "a face",
        "one less",
        "more",
        "size",
        "none",
    ],
)
def test_dice_that_lie_within_an_eighth_of_a_side_of_where_they_lay_did_not_move(seen: Look, still: bool) -> None:
    assert unmoved(seen, logged(lay(*LAY))) is still


def test_the_first_look_of_all_is_of_dice_that_moved() -> None:
    assert not unmoved(lay(*LAY), None)
    assert not unmoved(lay(), logged(lay()))


TEN = "I see 3 dice, there must be 10."


@pytest.mark.parametrize(
    ("verdict", "said", "expected", "needs", "judgement"),
    [
        (Verdict.OK, "All lie flat.", None, 3, (Verdict.OK, "All lie flat.")),
        (Verdict.OK, "All lie flat.", None, 4, (Verdict.WRONG_COUNT, "I see 3 dice, this throw needs 4.")),
        (
            Verdict.WRONG_COUNT,
            "I see 3 dice, there must be 2.",
            2,
            2,
            (Verdict.WRONG_COUNT, "I see 3 dice, this throw needs 2."),
        ),
        (Verdict.WRONG_COUNT, TEN, 10, 5, (Verdict.WRONG_COUNT, TEN)),
        (
            Verdict.WRONG_COUNT,
            "A die is partly outside.",
            5,
            5,
            (Verdict.WRONG_COUNT, "A die is partly outside."),
        ),
        (Verdict.COCKED, "A die leans.", 10, 5, (Verdict.COCKED, "A die leans.")),
    ],
)
def test_a_throw_says_how_many_dice_it_needs_only_where_just_those_had_to_be_there(
    verdict: Verdict, said: str, expected: int | None, needs: int, judgement: tuple[Verdict, str]
) -> None:
    found = judged(Reading(verdict, said, expected, dice(1, 2, 3)), needs)
    assert (found.verdict, found.message) == judgement
