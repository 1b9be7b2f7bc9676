"""The last good calibration stays in force whatever happens, and each one can be undone."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.keeping import Keeper, NothingBefore
from vision.tray import Dice, Light, Made, Tray

MADE = Made("", "", ())
FIRST = Tray(light=Light(0.8, 1.1, 0.0, 0.01, MADE))
SECOND = replace(FIRST, dice=Dice("ivory", 16.0, 10, (), (), MADE))


def test_each_step_can_be_undone(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    assert keeper.current() == Tray()
    keeper.put_in_force(FIRST)
    keeper.put_in_force(SECOND)
    assert keeper.current() == SECOND
    assert keeper.undo() == FIRST == keeper.current()
    assert keeper.undo() == Tray() == keeper.current()
    with pytest.raises(NothingBefore):
        keeper.undo()


class Crash(BaseException):
    """The power is cut."""


def test_the_power_may_be_cut_at_any_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync, done = os.fsync, 0
    for last in range(1, 20):
        keeper = Keeper(tmp_path / str(last))
        keeper.path.parent.mkdir()
        keeper.put_in_force(FIRST)
        done = 0

        def fall(descriptor: int, last: int = last) -> None:
            nonlocal done
            done += 1
            if done == last:
                raise Crash
            sync(descriptor)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fall)
            try:
                keeper.put_in_force(SECOND)
            except Crash:
                assert Keeper(keeper.path.parent).current() in (FIRST, SECOND)
                continue
        assert keeper.current() == SECOND
        assert keeper.undo() == FIRST
        assert last == 5
        return
    pytest.fail("it never came to an end")


def test_pictures_are_kept_under_their_own_hash(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    names = keeper.keep_pictures([b"one", b"two", b"one"])
    assert names[0] == names[2] != names[1]
    assert (tmp_path / "calibration" / f"{names[1]}.jpg").read_bytes() == b"two"
    assert keeper.keep_drawing("floor", b"drawn").read_bytes() == b"drawn"
