"""Small telephones: what stands side by side there can still be read, in every language."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screens
from tests.browser.gallery import hanging, staged
from tests.conftest import RunCornet

# How far the text of a caption ends from what stands to the right of it, in pixels; none where that has its own line.
GAP = """each => {
  const text = document.createRange();
  text.selectNode(each.firstChild);
  const [written, mark] = [[...text.getClientRects()].at(-1), each.querySelector(".head").getBoundingClientRect()];
  return mark.top >= written.bottom ? null : mark.left - written.right;
}"""
# How wide an element is that breaks no word.
NARROWEST = "each => (each.style = 'width: min-content; overflow-wrap: normal', each.offsetWidth)"
LINES = "all => all.map(each => Math.round(each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight)))"


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_the_dice_that_count_are_not_run_together_with_the_head_of_the_chain(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"], "options": {"bet_mode": "free"}})
        cornet.ask("/api/actions", {"action": {"do": "bet", "chips": 1}})
        cornet.ask("/api/actions", {"action": {"do": "call", "face": 3}})
        cornet.ask("/api/throw", {})
        cornet.at_rest()
        page = screens.open(f"{cornet.address}/language/{language}?to=/play", 320, 844, still=True)
        caption = page.locator("#picture .caption")
        expect(caption).to_be_visible()
        for width in range(320, 440, 5):
            page.set_viewport_size({"width": width, "height": 844})
            gap = caption.evaluate(GAP)
            assert gap is None or gap >= 10, width


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_ones_own_name_stands_in_the_head_of_a_small_phone_that_plays_with_simulated_dice(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 320, 640, still=True)
        page.add_init_script(staged(cornet.ask("/api/state")))
        mine = {"id": 1, "name": "Jean-Baptiste", "approved": True, "player": 0}
        me = {"role": "guest", "token": "", "pin": False, "seat": mine}
        page.route("**/api/me", lambda route: route.fulfill(json=me))
        page.goto(f"{cornet.address}/play")
        expect(page.locator("header .simulated")).to_be_visible()
        for width in (320, 360, 390):
            page.set_viewport_size({"width": width, "height": 640})
            expect(page.locator("#me")).to_have_text("Jean-Baptiste")
            assert page.locator("#me").evaluate("each => each.scrollWidth <= each.clientWidth"), width
            assert hanging(page) == []


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_a_game_in_the_history_is_read_word_by_word_in_a_window_of_320_pixels(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        for game in ("vingt-six", "thousand"):
            cornet.ask("/api/games", {"game": game, "players": ["Ana", "Bo"]})
            cornet.ask("/api/games/current", method="DELETE")
        cornet.ask("/api/games", {"game": "421", "players": ["Marguerite", "Jean-Baptiste"]})
        answer = cornet.ask("/api/history")
        for game in answer["games"]:
            game |= {"throws": 124, "refused": 12, "entered": 3}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 320, 800)
        page.route("**/api/history?*", lambda route: route.fulfill(json=answer))
        page.goto(f"{cornet.address}/history")
        expect(page.locator("#games li")).to_have_count(3)
        assert set(page.locator("#games :is(b, time, span, strong)").evaluate_all(LINES)) == {1}
        assert hanging(page) == []


def test_twice_as_large_scores_leaders_and_hits_stand_whole_on_a_phone(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/language/ru?to=/healthz", 360, 800, still=True)
        leaders = [{"game": "421", "player": "Jean-Baptiste", "games": 12, "wins": 10}]
        page.route("**/api/history/leaders*", lambda route: route.fulfill(json={"leaders": leaders, "seasons": []}))
        for game in ("421", "vingt-six"):
            cornet.ask("/api/games", {"game": game, "players": ["Marguerite", "Jean-Baptiste"]})
            for path, part in (("/play", ".scores"), ("/rules/421", ".tariff"), ("/history", "#leaders .scores")):
                page.goto(cornet.address + path)
                expect(page.locator(part).first).to_be_visible()
                page.evaluate("document.documentElement.style.fontSize = '200%'")
                assert hanging(page) == [], (game, path)
                for sheet in page.locator("#sheet").all():
                    assert sheet.evaluate("each => each.scrollWidth <= each.clientWidth"), game
            cornet.ask("/api/games/current", method="DELETE")
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        page.goto(f"{cornet.address}/play")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        cells = page.locator("#sheet .cells li")
        expect(cells).to_have_count(13)
        assert min(cells.evaluate_all("all => all.map(each => each.clientWidth)")) > 24


@pytest.mark.parametrize("language", ["fr", "ru"])
def test_no_word_of_the_rules_in_force_and_no_odds_are_broken_on_a_small_phone(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        options = {"fourteen": "exactly"}
        cornet.ask("/api/games", {"game": "quatorze", "players": ["Ana", "Bo"], "options": options})
        page = screens.open(f"{cornet.address}/language/{language}?to=/rules/quatorze", 360, 640, still=True)
        page.locator(".agreed summary").click()
        said = page.locator("#option-fourteen dd")
        wide = said.evaluate("each => each.offsetWidth")
        assert wide >= said.evaluate(NARROWEST)
        page.goto(f"{cornet.address}/play")
        expect(page.locator("#sheet .odds b").first).to_be_visible()
        assert set(page.locator("#sheet .odds b").evaluate_all(LINES)) == {1}
