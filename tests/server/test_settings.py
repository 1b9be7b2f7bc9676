"""Settings: defaults, a file, and what is wrong with one."""

from pathlib import Path

import pytest

from firmware.pins import Pins
from firmware.settings import Line, tower_settings
from server.rules.game import OneOf
from server.settings import SETTINGS, BadSettings, page, read_settings
from vision.picam import Locks

ROOT = Path(__file__).parents[2]


def test_without_a_file_all_defaults_hold() -> None:
    settings = read_settings(None)
    assert (settings.dice, settings.tumble_s, settings.locks) == (10, 1.0, None)
    assert settings.tower == tower_settings()
    assert settings.pins == Pins()


def test_a_file_says_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "cornet.toml"
    path.write_text("dice = 6\ntumble_s = 2\nturns = 3\npin_lid = 6\nexposure_us = 8000\n")
    settings = read_settings(path)
    assert (settings.dice, settings.tumble_s, settings.tower.turns, settings.pins.lid) == (6, 2.0, 3.0, 6)
    assert settings.locks == Locks(8000, 1.0, (1.5, 1.5), 3.4)


def test_every_setting_can_be_told_as_it_was_said(tmp_path: Path) -> None:
    path = tmp_path / "cornet.toml"
    path.write_text('turns = 3\nselect = "colour"\npin_lid = 6\nred_gain = 2\n')
    values = read_settings(path).values
    assert list(values) == [setting.name for setting in SETTINGS]
    said = {"turns": 3.0, "select": "colour", "pin_lid": 6, "red_gain": 2.0, "exposure_us": 0, "dice": 10}
    assert said.items() <= values.items()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dices = 6", 'no setting "dices"'),
        ("dice = 0", "from 1 to 24"),
        ("dice = 6.0", "whole number"),
        ("dice = true", "a whole number from 1 to 24, not true"),
        ("dice = [false, 1.5]", r"not \[false, 1.5\]"),
        ("dice = 2026-11-22", "not 2026-11-22"),
        ("dice = 12:50:00", "not 12:50:00"),
        ("dice = -inf", "not -inf"),
        ("by_hand = true", "one of no, yes, not true"),
        ("tumble_s = 'long'", "a number"),
        ("tumble_s = nan", "a number"),
        ("dice =", "no TOML"),
        ("pin_lid = 17", 'GPIO 17 is given to "lid" and "button"'),
        ("pin_light = 5", "on from power-on"),
        ("turns = 0.25", "from 0.5 to 8.0"),
        ("lens_dioptres = -0.5", "-1 or a number from 0.0 to 15.0, not -0.5"),
        ("select = 'weight'", 'one of nearest, colour, not "weight"'),
        ("select = ['colour']", "one of nearest, colour"),
    ],
)
def test_a_wrong_file_is_said_in_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "cornet.toml"
    path.write_text(text)
    with pytest.raises(BadSettings, match=says):
        read_settings(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be read"):
        read_settings(tmp_path / "none.toml")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_has_a_sentence_and_a_default_within_its_limits(setting: Line | OneOf) -> None:
    assert setting.sentence.endswith(".")
    if isinstance(setting, OneOf):
        assert setting.default in setting.choices
        return
    assert setting.low <= setting.default <= setting.high


def test_the_page_of_settings_is_their_table() -> None:
    assert (ROOT / "hardware" / "SETTINGS.md").read_text("utf-8") == page(), "make it: python -m server.settings"


def test_no_two_settings_have_one_name() -> None:
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
