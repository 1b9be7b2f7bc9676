"""The pages as people use them: a game led by the bartender while the television follows."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screens
from tests.conftest import RunCornet, Running

HOSTILE = '<img src=x onerror="alert(1)">'
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}


def begin(page: Page, game: str, *names: str, **options: str) -> None:
    while page.locator("#players input").count() < len(names):
        page.get_by_role("button", name="Add a player").click()
    for field, name in zip(page.locator("#players input").all(), names, strict=True):
        field.fill(name)
    page.get_by_text(game, exact=True).click()
    page.get_by_text("Options", exact=True).click()
    for option, value in options.items():
        field = page.locator(f"[name={option}]")
        (field.select_option if field.evaluate("field => field.tagName") == "SELECT" else field.fill)(value)
    page.get_by_role("button", name="Start").click()


def step(page: Page) -> bool:
    """Do the last thing that the page offers, which brings a game on; False when the game is over."""
    ready = page.locator("body[data-phase=ready]")
    expect(page.locator("body[data-game=over]").or_(ready.locator("#moves button:enabled").last)).to_be_visible()
    if page.locator("body[data-game=over]").count():
        return False
    seq = page.locator("body").get_attribute("data-seq") or ""
    page.locator("#moves button:enabled").last.click()
    expect(page.locator("body")).not_to_have_attribute("data-seq", seq)
    expect(page.locator("body")).to_have_attribute("data-phase", "ready")
    return True


def play_on(cornet: Running) -> None:
    """Play the running game to its end without a browser: a long game is long."""
    for _ in range(5000):
        state = cornet.ask("/api/state")
        if state["game"]["finished"]:
            return
        if state["machine"]["phase"] != "ready":
            continue
        if state["offers"]:
            offer = state["offers"][-1 if len(state["throws"]) % 3 else 0]
            fields = {name: choice["one_of"][-1] for name, choice in offer.items() if name != "do"}
            cornet.ask("/api/actions", {"action": {"do": offer["do"], **fields}, "expected_seq": state["seq"]})
        else:
            cornet.ask("/api/throw", {"expected_seq": state["seq"]})
    raise AssertionError("the game has no end")


def test_a_whole_game_of_25_is_led_on_one_screen_and_followed_on_another(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--seed", "7", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        expect(television.locator("#attract .simulated")).to_have_text("Simulated dice")
        begin(operator, "Le 25", "Ana", HOSTILE, life="8")
        expect(television.locator("#turn .who")).to_have_text("Ana")
        operator.get_by_role("button", name="Throw 5 dice").click()
        expect(operator.locator("#dice .die")).to_have_count(10)
        expect(operator.locator("#dice .die.counted")).to_have_count(5)
        for screen in (operator, television):
            picture = screen.locator("#picture img")
            expect(picture).to_have_js_property("complete", True)
            assert picture.evaluate("image => image.naturalWidth") == 1456
            expect(screen.locator("#picture .mark")).to_have_count(10)
            expect(screen.locator("#picture .mark.counted")).to_have_count(5)
        while step(operator):
            pass
        winner = cornet.ask("/api/state")["game"]["result"]["winner"]
        expect(television.locator("#turn .who")).to_have_text(f"{winner} wins")
        expect(television.locator("#sheet")).to_contain_text(HOSTILE)
        assert television.locator("#sheet img").count() == 0


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("Le Vingt-Six", {}),
        ("Le Quatorze", {"fourteen": "exactly"}),
        ("421", {"version": "41", "manches": "1"}),
        ("Thousand", {"preset": "home", "entry": "0", "ending": "reach"}),
    ],
)
def test_every_dice_game_is_played_to_its_end(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, game: str, options: dict[str, str]
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        begin(operator, game, "Ana", "Bo", **options)
        expect(operator.locator("#sheet h2")).to_contain_text(game)
        while step(operator):
            pass
        finished = cornet.ask("/api/state")["game"]
        assert finished["finished"]
        assert {name: str(finished["options"][name]) for name in options} == options
        expect(operator.locator("#turn")).to_contain_text("The game is over")


def test_a_reload_and_a_restart_come_back_to_the_same_turn(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    words = ("--camera", "none", "--seed", "7", "--config", quick)
    with run_cornet(tmp_path, *words) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        begin(operator, "Le Vingt-Six", "Ana", "Bo")
        step(operator)
        step(operator)
        step(operator)
        sheet = operator.locator("#sheet").inner_text()
        operator.reload()
        expect(operator.locator("#sheet")).to_have_text(re.compile("Le Vingt-Six"))
        assert operator.locator("#sheet").inner_text() == sheet
        operator.close()
    with run_cornet(tmp_path, *words) as cornet:
        again = screens.open(f"{cornet.address}/operator")
        expect(again.locator("#sheet")).to_have_text(re.compile("Le Vingt-Six"))
        assert again.locator("#sheet").inner_text() == sheet


def test_a_wrong_option_and_a_void_game_are_answered_in_words(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        operator.on("dialog", lambda dialog: dialog.accept())
        begin(operator, "Le 25", "Ana", "Ana")
        expect(operator.locator("#answer")).to_contain_text("same name")
        operator.locator("#players input").last.fill("Bo")
        operator.get_by_role("button", name="Start").click()
        operator.get_by_role("button", name="Void this game").click()
        expect(operator.locator("#turn .who")).to_have_text("Nobody plays")


@pytest.mark.parametrize(("path", "size"), [("/", (390, 844)), ("/operator", (820, 1180)), ("/tv", (1920, 1080))])
def test_pages_are_accessible_before_during_and_after_a_throw(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, path: str, size: tuple[int, int]
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(cornet.address + path, *size)
        asked: tuple[tuple[str, Any, str], ...] = (
            ("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]}, "place the stake"),
            ("/api/actions", {"action": {"do": "bet", "chips": 2}}, "name a face"),
            ("/api/actions", {"action": {"do": "call", "face": 6}}, "throw 10 dice"),
            ("/api/throw", {}, "throw 1:"),
        )
        for request, body, shown in asked:
            found = Axe().run(page, options=RULES)
            assert not found.response["violations"], found.generate_report()
            cornet.ask(request, body)
            if path != "/":
                expect(page.locator("main")).to_contain_text(shown)
