"""Whole games at one table: a television that watches, two phones that play, a bartender; and one by keys alone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screens
from tests.browser.test_together import HOSTILE, of_console, sit_down
from tests.conftest import RunCornet

MOST_MOVES = 120


def move(page: Page, by_keys: bool = False) -> None:
    """Take the last move that the page offers, which brings a game on, and wait until it is done."""
    expect(page.locator("body")).to_have_attribute("data-phase", "ready")
    seq = page.locator("body").get_attribute("data-seq") or ""
    button = page.locator("#moves button:enabled").last
    expect(button).to_be_visible()
    if by_keys:
        tab_to(page, button.element_handle())
        page.keyboard.press("Enter")
    else:
        button.click()
    expect(page.locator("body")).not_to_have_attribute("data-seq", seq)


def tab_to(page: Page, wanted: Any) -> None:
    """Press Tab until this has the focus, as somebody without a mouse does."""
    for _ in range(80):
        if wanted.evaluate("each => each === document.activeElement"):
            assert wanted.evaluate("each => getComputedStyle(each).outlineStyle") != "none"
            return
        page.keyboard.press("Tab")
    raise AssertionError("no number of Tabs leads there")


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("vingt-six", {}),
        ("quatorze", {}),
        ("421", {"version": "11", "manches": 1}),
    ],
)
def test_two_phones_play_a_whole_game_that_television_and_bartender_follow(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, game: str, options: dict[str, Any]
) -> None:
    room = ("--host", "0.0.0.0", "--camera", "none", "--seed", "7", "--config", quick)
    with run_cornet(tmp_path, *room) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phones = {name: sit_down(screens, cornet, name) for name in ("Ana", HOSTILE)}
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": game, "players": list(phones), "options": options})
        for _ in range(MOST_MOVES):
            state = cornet.ask("/api/state")
            if state["game"]["finished"]:
                break
            name = state["game"]["turn"]["player"]
            other = next(page for who, page in phones.items() if who != name)
            expect(phones[name].locator("body")).to_have_attribute("data-mine", "true")
            expect(television.locator("#turn .who")).to_have_text(name)
            expect(other.locator("#moves button")).to_have_count(0)
            move(phones[name])
            expect(phones[name].locator("body")).to_have_attribute("data-phase", "ready")
        assert cornet.ask("/api/state")["game"]["finished"]
        said = bartender.locator("#turn .who")
        expect(bartender.locator("body")).to_have_attribute("data-game", "over")
        for page in (television, *phones.values()):
            expect(page.locator("#turn .who")).to_have_text(said.inner_text())
        expect(television.locator("#sheet")).to_contain_text(HOSTILE)
        for page in (television, bartender):
            expect(page.locator("b[onclick]")).to_have_count(0)


def test_a_whole_game_is_begun_and_played_by_the_keyboard_alone(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/operator", 820, 1180)
        for number, name in enumerate(("Ana", "Bo")):
            tab_to(page, page.locator("#players input").nth(number).element_handle())
            page.keyboard.type(name)
        tab_to(page, page.locator("#games input").first.element_handle())
        while page.locator("#games input:checked").get_attribute("value") != "quatorze":
            page.keyboard.press("ArrowDown")
        tab_to(page, page.get_by_role("button", name="Start").element_handle())
        page.keyboard.press("Enter")
        expect(page.locator("body")).to_have_attribute("data-game", "running")
        for _ in range(MOST_MOVES):
            if cornet.ask("/api/state")["game"]["finished"]:
                break
            move(page, by_keys=True)
            expect(page.locator("body")).to_have_attribute("data-phase", "ready")
        expect(page.locator("body")).to_have_attribute("data-game", "over")
