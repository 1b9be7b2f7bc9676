"""Settings: defaults, a file, and what is wrong with one."""

from pathlib import Path

import pytest

from server.settings import SETTINGS, BadSettings, Setting, Settings, read_settings


def test_without_a_file_all_defaults_hold() -> None:
    assert read_settings(None) == Settings(**{setting.name: setting.default for setting in SETTINGS})  # type: ignore[arg-type]


def test_a_file_says_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "cornet.toml"
    path.write_text("dice = 6\ntumble_s = 2\n")
    assert read_settings(path) == Settings(dice=6, tumble_s=2.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dices = 6", 'no setting "dices"'),
        ("dice = 0", "from 1 to 24"),
        ("dice = 6.0", "whole number"),
        ("dice = true", "whole number"),
        ("tumble_s = 'long'", "a number"),
        ("tumble_s = nan", "a number"),
        ("dice =", "no TOML"),
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
def test_every_setting_has_a_sentence_and_a_default_within_its_limits(setting: Setting) -> None:
    assert setting.sentence.endswith(".")
    assert setting.low <= setting.default <= setting.high
