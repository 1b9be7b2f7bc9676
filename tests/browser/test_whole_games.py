"""Whole games at one table: a television that watches, two phones that play, a bartender; and one by keys alone."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screens, begin, by_keys, move, settled, tab_to
from tests.browser.test_together import HOSTILE, of_console, sit_down
from tests.conftest import RunCornet

MOST_MOVES = 400


@pytest.mark.parametrize(
    ("title", "options"),
    [
        ("Le Vingt-Six", {}),
        ("Le Quatorze", {"fourteen": "exactly"}),
        ("Le 25", {"life": "2"}),
        ("421", {"version": "11", "manches": "1"}),
        ("Thousand", {"preset": "home", "entry": "0", "ending": "reach"}),
    ],
)
def test_two_phones_play_a_whole_game_that_television_and_bartender_follow(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, title: str, options: dict[str, str]
) -> None:
    room = ("--host", "0.0.0.0", "--camera", "none", "--seed", "3", "--config", quick)
    with run_cornet(tmp_path, *room) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phones = {name: sit_down(screens, cornet, name) for name in ("Ana", HOSTILE)}
        assert phones["Ana"].evaluate("isSecureContext") is False
        television = screens.open(f"{cornet.address}/tv", 1920, 1080, still=True)
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180, still=True)
        begin(bartender, title, *phones, **options)
        expect(bartender.locator("#sheet h2")).to_contain_text(title)
        for _ in range(MOST_MOVES):
            state = cornet.ask("/api/state")
            if state["game"]["finished"]:
                break
            name, turned = state["game"]["turn"]["player"], state["turned"]
            phones[name].locator(f"body[data-mine=true][data-turned='{turned}']").wait_for()
            settled(television, turned)
            assert television.locator("#turn .who").inner_text() == name
            other = next(page for who, page in phones.items() if who != name)
            settled(other, turned)
            assert other.locator("#moves button").count() == 0
            move(phones[name])
        game = cornet.ask("/api/state")["game"]
        assert game["finished"]
        assert {option: str(game["options"][option]) for option in options} == options
        expect(bartender.locator("body")).to_have_attribute("data-game", "over")
        expect(bartender.locator("#turn")).to_contain_text("The game is over")
        said = bartender.locator("#turn .who").inner_text()
        for page in (television, *phones.values()):
            expect(page.locator("#turn .who")).to_have_text(said)
        expect(television.locator("#sheet")).to_contain_text(HOSTILE)
        for page in (television, bartender):
            expect(page.locator("b[onclick]")).to_have_count(0)


def test_a_whole_game_is_begun_and_played_by_the_keyboard_alone(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/operator", 820, 1180)
        for number, name in enumerate(("Ana", "Bo")):
            tab_to(page.locator("#players input").nth(number))
            page.keyboard.type(name)
        tab_to(page.locator("#games input").first)
        while page.locator("#games input:checked").get_attribute("value") != "quatorze":
            page.keyboard.press("ArrowDown")
        by_keys(page.get_by_role("button", name="Start"))
        page.locator("body[data-game=running]").wait_for()
        # What is chosen is drawn anew by the news of it, and the keys stay where they are.
        tab_to(page.locator("#joining input:checked"))
        for joining in ("code", "approve"):
            before = page.locator("body").get_attribute("data-seq") or ""
            page.keyboard.press("ArrowRight")
            expect(page.locator("body")).not_to_have_attribute("data-seq", before)
            expect(page.locator("#joining :focus")).to_have_value(joining)
        while page.locator("body[data-game=running]").count():
            move(page, by_keys)
        assert cornet.ask("/api/state")["game"]["finished"]
