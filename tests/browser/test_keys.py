"""Whoever has no mouse: where the keys go on from when the page has gone on."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Screens, by_keys, tab_to
from tests.conftest import RunCornet


def following(page: Page) -> Locator:
    """What Tab leads to from here."""
    page.keyboard.press("Tab")
    return page.locator(":focus")


def test_after_each_step_of_a_game_the_keys_go_on_from_where_its_next_one_is(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/operator", 820, 1180)
        page.locator("#games input[value=vingt-cinq]").check()
        by_keys(page.get_by_role("button", name="Start"))
        expect(page.locator("#turn")).to_be_focused()
        expect(following(page)).to_have_text("Throw 5 dice")
        page.keyboard.press("Enter")
        expect(page.locator("#moves .keeping")).to_be_visible()
        expect(page.locator("#moves")).to_be_focused()
        *dice, last = map(str, cornet.ask("/api/state")["last"]["faces"])
        expect(page.locator("#said")).to_have_text(f"{', '.join(dice)}, and {last}. Player 1: set dice aside")
        expect(following(page)).to_have_attribute("aria-pressed", "true")


def test_a_phone_that_has_a_seat_goes_on_from_whose_turn_it_is(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        phone = screens.open(f"{cornet.address}/play", 360, 640)
        tab_to(phone.get_by_label("Your name at the table"))
        phone.keyboard.type("Ana")
        phone.keyboard.press("Enter")
        expect(phone.locator("#turn")).to_be_focused()
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        by_keys(phone.get_by_role("button", name="Throw 5 dice"))
        # What could be pressed is gone while the dice are thrown, if the phone hears of that before they lie.
        expect(phone.locator("#moves .keeping")).to_be_visible()
        expect(phone.locator("#turn:focus, #moves:focus")).to_have_count(1)
        expect(following(phone)).to_have_attribute("aria-pressed", "true")


def test_the_panel_of_a_correction_is_left_by_escape_and_leads_back_to_where_it_was_opened(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path
) -> None:
    by_hand = tmp_path / "hand.toml"
    by_hand.write_text('tumble_s = 0.0\nby_hand = "yes"\n')
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", str(by_hand)) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/operator", 820, 1180)
        entry = page.get_by_role("button", name="Enter a throw by hand")
        by_keys(entry)
        expect(page.get_by_role("button", name="a 1", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        by_keys(page.get_by_role("button", name="Take the 1 away"))
        expect(page.get_by_role("button", name="a 1", exact=True)).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#mend")).to_be_hidden()
        expect(entry).to_be_focused()
        cornet.ask("/api/throw", {})
        cornet.at_rest()
        die = page.locator("#dice button").nth(1)
        by_keys(die)
        page.keyboard.press("Escape")
        expect(die).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        # The dice are drawn anew with the one that was corrected among them.
        expect(page.locator("#picture .corrected")).to_be_visible()
        expect(page.locator("#dice:focus-within")).to_be_visible()
