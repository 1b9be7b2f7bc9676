"""The last good calibration stays in force whatever happens, and each one can be undone."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from calibration.keeping import Keeper, NothingBefore, kept_tray
from calibration.motor import Motor
from tests.calibration.crash import crashes
from vision.tray import BadTray, Dice, Light, Made, Tray

MADE = Made("", "", ())
FIRST = Tray(light=Light(0.8, 1.1, 0.0, 0.01, MADE))
SECOND = replace(FIRST, dice=Dice("ivory", 16.0, 10, (), (), MADE))


def test_each_step_can_be_undone(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    assert keeper.current() == Tray()
    keeper.put_in_force(FIRST)
    keeper.put_in_force(SECOND)
    assert keeper.current() == SECOND
    keeper.undo()
    assert keeper.current() == FIRST
    keeper.undo()
    assert keeper.current() == Tray()
    with pytest.raises(NothingBefore):
        keeper.undo()


def test_a_kept_calibration_that_is_no_text_is_said() -> None:
    sha256 = hashlib.sha256(b"\xff").hexdigest()
    with pytest.raises(BadTray, match=f"{sha256[:8]} .* is no text"):
        kept_tray(sha256, lambda _: b"\xff")


def test_copies_made_by_hand_are_neither_counted_nor_gone_back_to(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    keeper.put_in_force(FIRST)
    for name in ("tray-2026-old.toml", "tray-000001 (copy).toml", "tray-9999999.toml", "machine-1.toml"):
        (tmp_path / "calibration" / name).write_text("a copy")
    keeper.put_in_force(SECOND)
    assert keeper.undoes() == "dice"
    keeper.undo()
    assert keeper.current() == FIRST
    keeper.undo()
    assert keeper.current() == Tray()


MOTOR = Motor(1133, 0.4, 5.0, 0.25, 1.1, MADE)


@pytest.mark.parametrize("damaged", ["tray.toml", "machine.toml"])
def test_nothing_is_undone_while_the_other_file_is_damaged(tmp_path: Path, damaged: str) -> None:
    keeper = Keeper(tmp_path)
    for step in range(2):
        keeper.put_in_force(FIRST if step else SECOND)
        keeper.put_motor_in_force(replace(MOTOR, park_deg=8.0 + step))
    if damaged == "machine.toml":
        keeper.undo()  # then the last step was the tray's
    (tmp_path / damaged).write_text("not TOML")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(BadTray, match=damaged):
        keeper.undo()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("change", "tray", "motor"),
    [
        (lambda keeper: keeper.put_in_force(SECOND), SECOND, MOTOR),
        (lambda keeper: keeper.put_motor_in_force(replace(MOTOR, park_deg=8.0)), FIRST, replace(MOTOR, park_deg=8.0)),
        (lambda keeper: keeper.undo(), FIRST, None),
    ],
    ids=["tray", "machine", "undo"],
)
def test_the_power_may_be_cut_at_any_side_effect(
    tmp_path: Path, change: Callable[[Keeper], object], tray: Tray, motor: Motor | None, after: bool
) -> None:
    for last in range(1, 20):
        keeper = Keeper(tmp_path / str(last))
        keeper.path.parent.mkdir()
        keeper.put_in_force(FIRST)
        keeper.put_motor_in_force(MOTOR)
        ended = not crashes(partial(change, keeper), last, after)
        left = Keeper(keeper.path.parent)
        assert (left.current(), left.motor()) in ((FIRST, MOTOR), (tray, motor))
        if ended:
            assert (left.current(), left.motor()) == (tray, motor)
            assert last > 3
            return
        # Whoever comes back does it again, or goes back, and finds what was good.
        change(left)
        assert left.current() in (FIRST, SECOND, Tray())
    pytest.fail("it never came to an end")


def test_what_is_no_machine_file_is_said_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(BadTray, match=r"\(it is no text\): take it away"):
        Keeper(tmp_path).motor()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadTray, match=r"\(It is no file\): take it away"):
        Keeper(tmp_path).motor()


def test_pictures_are_kept_under_their_own_hash(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    names = keeper.keep_pictures([b"one", b"two", b"one"])
    assert names[0] == names[2] != names[1]
    assert (tmp_path / "calibration" / f"{names[1]}.jpg").read_bytes() == b"two"
    assert keeper.keep_drawing("floor", b"drawn").read_bytes() == b"drawn"
