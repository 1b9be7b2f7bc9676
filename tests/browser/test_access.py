"""Whoever sees little, hears the screen or has big fingers: axe, on every page and in every state of a game."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from server.stage import CLOCK_WARNING
from tests.browser.conftest import Screens
from tests.browser.gallery import PLAYERS, altered, hanging, judged, staged
from tests.conftest import RunCornet, Running

WARNED = {
    "fr": "L’horloge n’est pas synchronisée",
    "en": "The clock is not synchronised",
    "ru": "Часы не сверены",
}

UNCOVERED = """each => {
  const { left, bottom } = each.getBoundingClientRect();
  return each.contains(document.elementFromPoint(left + 20, bottom - 2));
}"""

# What ends right of the window.
WIDE = """[...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
  .map((each) => each.outerHTML.slice(0, 80))"""

# How a field stands out from its ground, and in it what it says before it is filled in.
CONTRASTS = """each => {
  const light = (colour) => colour.match(/[0-9]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + [0.2126, 0.7152, 0.0722][at] * part, 0.05);
  const { backgroundColor, borderTopColor } = getComputedStyle(each);
  const drawn = [borderTopColor, getComputedStyle(each, "::placeholder").color];
  return drawn.map((one) => light(one) / light(backgroundColor));
}"""


@pytest.fixture
def words(quick: str) -> tuple[str, ...]:
    return ("--camera", "none", "--seed", "7", "--config", quick)


def spoken(screens: Screens, cornet: Running, language: str, width: int, height: int) -> Page:
    """An empty page of somebody who has chosen this language."""
    page = screens.open(f"{cornet.address}/healthz", width, height, still=True)
    page.context.add_cookies([{"name": "cornet_language", "value": language, "url": cornet.address}])
    return page


def begun(cornet: Running) -> dict[str, Any]:
    """The state of a game of 421 after its first throw."""
    cornet.ask("/api/games", {"game": "421", "players": PLAYERS, "options": {"version": "41"}})
    cornet.ask("/api/throw", {})
    state: dict[str, Any] = cornet.at_rest()
    return state


@pytest.mark.parametrize(
    ("path", "language", "size"),
    [("/tv", "ru", (1920, 1080)), ("/play", "fr", (360, 640)), ("/operator", "en", (820, 1180))],
)
def test_whatever_befalls_a_game_its_screens_are_accessible(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...], path: str, language: str, size: Any
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        state = begun(cornet)
        page = spoken(screens, cornet, language, *size)
        page.add_init_script(staged(state))
        page.goto(cornet.address + path)
        page.locator("body[data-seq]").wait_for()  # the stream is opened some time after the page is there
        moments = {name: told for name, _, told in altered(state) if told}
        moments |= {"warned": {**state, "warnings": [CLOCK_WARNING]}, "nobody": {**state, "game": None, "last": None}}
        for number, (name, told) in enumerate(moments.items()):
            page.evaluate("state => tell(state)", {**told, "seq": number})
            page.locator(f"body[data-seq='{number}'][data-phase={told['machine']['phase']}]").wait_for()
            if name == "warned" and path != "/play":
                expect(page.locator("#lights, #foot")).to_contain_text(WARNED[language])
            assert judged(page) == [], (name, language, path)
            if path == "/tv":
                page.set_viewport_size({"width": 820, "height": 1180})
                assert hanging(page) == [], name
                page.set_viewport_size({"width": 1920, "height": 1080})


def test_every_page_is_accessible_in_every_language(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        begun(cornet)
        number = cornet.ask("/api/state")["game_id"]
        for language, paths in {
            "fr": ("/", "/operator", "/history", "/rules/421"),
            "ru": ("/play", f"/history/{number}", "/rules/421", "/rules/"),
            "en": ("/tv", "/play", "/rules/421", "/fairness"),
        }.items():
            page = spoken(screens, cornet, language, 360, 640)
            for path in paths:
                page.goto(cornet.address + path)
                expect(page.locator("html")).to_have_attribute("lang", language)
                expect(page.locator("main")).to_contain_text(
                    "Cornet" if path == "/" else "dice" if path == "/fairness" else "421"
                )
                assert judged(page) == [], (language, path)


def test_twice_as_large_no_page_hangs_out_of_a_phone_nor_hides_on_its_side_whose_turn_it_is(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        begun(cornet)
        # A phone of 360 pixels on which everything is twice as large.
        page = spoken(screens, cornet, "fr", 180, 320)
        for path in ("/", "/play", "/operator", "/operator/calibration", "/rules/421", "/rules/thousand"):
            page.goto(cornet.address + path)
            expect(page.locator("main")).to_contain_text(re.compile("[a-z]"))
            assert hanging(page) == [], path
        cornet.ask("/api/games/current", method="DELETE")
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": PLAYERS})
        cornet.ask("/api/throw", {})
        cornet.at_rest()
        mine = {"id": 1, "name": PLAYERS[0], "approved": True, "player": 0}
        me = {"role": "guest", "token": "", "pin": False, "seat": mine}
        page.route("**/api/me", lambda route: route.fulfill(json=me))
        page.set_viewport_size({"width": 640, "height": 320})
        page.goto(f"{cornet.address}/play")
        expect(page.locator("#moves .keeping")).to_be_visible()
        assert page.locator("#turn").evaluate(UNCOVERED)


def test_the_form_of_a_new_game_fits_a_window_of_320_pixels(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    # WCAG 2.2, 1.4.10: nothing is scrolled to both ways.
    with run_cornet(tmp_path, *words) as cornet:
        for language in ("fr", "en", "ru"):
            page = spoken(screens, cornet, language, 320, 800)
            page.goto(f"{cornet.address}/operator")
            expect(page.locator("#players button").first).to_be_visible()
            page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            assert page.evaluate(WIDE) == [], language
            assert hanging(page) == [], language


def test_names_of_forty_letters_hang_out_of_no_page_however_large_the_letters(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    names = [f"{number}{'W' * 39}" for number in range(8)]
    with run_cornet(tmp_path, *words) as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": names})
        number = cornet.ask("/api/state")["game_id"]
        page = spoken(screens, cornet, "en", 320, 800)
        # As if it were over, with what the choices have cost.
        over = {**cornet.ask(f"/api/history/{number}"), "finished": True}
        costs = {"grades": [{"event": 0, "cost": 0}], "cost": {name: {"chips": 2.16} for name in names}}
        page.route(f"**/api/history/{number}", lambda route: route.fulfill(json=over))
        page.route(f"**/api/history/{number}/grades", lambda route: route.fulfill(json=costs))
        for path in ("/operator", "/play", f"/history/{number}", "/rules/vingt-six"):
            page.goto(cornet.address + path)
            expect(page.locator("main")).to_contain_text(names[0])
            if "history" in path:
                expect(page.locator("#costs")).to_contain_text(names[0])
            for width, letters in ((320, "100%"), (640, "200%")):
                page.set_viewport_size({"width": width, "height": 800})
                page.evaluate("size => { document.documentElement.style.fontSize = size; }", letters)
                assert hanging(page) == [], (path, width)


def test_a_field_is_seen_and_what_it_says_before_it_is_filled_in_is_read(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        page = spoken(screens, cornet, "en", 820, 1180)
        for path in ("/operator", "/play", "/history", "/operator/calibration"):
            page.goto(cornet.address + path)
            fields = page.locator("main input:not([type=radio], [type=checkbox], [type=range])")
            expect(fields.first).to_be_visible()
            for field in fields.all():
                border, said = field.evaluate(CONTRASTS)
                assert border >= 3, (path, border)
                assert said >= 4.5, (path, said)


def test_what_a_step_of_calibration_asks_for_and_what_came_of_it_is_heard(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        page = screens.open(f"{cornet.address}/healthz")
        step: dict[str, Any] = {"step": "lens", "picture": False, "at": None, "came": None}
        standing: dict[str, Any] = {"steps": [step], "running": None, "undo": None}
        page.route("**/api/calibration", lambda route: route.fulfill(json=standing))
        page.goto(f"{cornet.address}/operator/calibration")
        expect(page.get_by_role("button", name="Begin")).to_be_visible()
        said = page.get_by_role("status").and_(page.locator("#said"))
        expect(said).to_be_empty()
        standing["running"] = {"step": "lens", "taken": 0, "of": None, "do": "Hold the board nearer."}
        expect(said).to_have_text("Hold the board nearer.")
        step["came"] = {"done": False, "message": "The board was not seen.", "figures": {}}
        standing["running"] = None
        expect(said).to_have_text("The board was not seen.")


def test_on_paper_the_rules_are_dark_on_light_and_nothing_can_be_pressed(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        begun(cornet)
        page = spoken(screens, cornet, "en", 794, 1123)
        page.emulate_media(media="print")
        for path in ("/rules/421", "/fairness", "/history"):
            page.goto(cornet.address + path)
            expect(page.locator("h1")).to_have_css("color", "rgb(0, 0, 0)")
            expect(page.locator("body")).to_have_css("background-image", "none")
            expect(page.locator("header .simulated")).to_be_visible()
            expect(page.locator("button:visible, form:visible, .tongues:visible")).to_have_count(0)
