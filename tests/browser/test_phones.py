"""Browsers as people bring them: without scripts or cookies, in a network that comes and goes, under fast fingers."""

import re
import socket
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import ADDRESS, Held, Screens
from tests.browser.gallery import staged
from tests.browser.test_together import COUNTED, of_console, of_guest
from tests.conftest import RunCornet

# A browser that was told to keep nothing.
FORGETFUL = """
Object.defineProperty(navigator, "cookieEnabled", { value: false });
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
"""
# How often something was clicked, whatever came of it.
COUNTS_CLICKS = """addEventListener("click", () => {
  document.body.dataset.clicks = Number(document.body.dataset.clicks ?? 0) + 1;
}, true);
"""
# Android's browsers do not say how often a finger tapped at one place.
UNCOUNTED = 'Object.defineProperty(MouseEvent.prototype, "detail", { get() { return this.pointerType ? 1 : 0; } })'
PRESSABLE = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('#moves button'))"


def middle(wanted: Locator) -> tuple[float, float]:
    """Where somebody presses this."""
    box = wanted.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click(page: Page, place: tuple[float, float], nth: int) -> None:
    """Click there for the nth time at once, as the system counts it."""
    page.mouse.move(*place)
    page.mouse.down(click_count=nth)
    page.mouse.up(click_count=nth)


def touch(page: Page, place: tuple[float, float], nth: int) -> None:
    """Tap there with a finger."""
    x, y = place
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.fixture
def words(quick: str) -> tuple[str, ...]:
    return ("--host", "0.0.0.0", "--camera", "none", "--seed", "7", "--config", quick)


@pytest.fixture
def fixed(words: tuple[str, ...]) -> tuple[str, ...]:
    """The same at a port at which it can be started again."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return (*words, "--port", str(free.getsockname()[1]))


def test_a_page_without_scripts_says_what_it_needs_and_one_with_them_does_not(
    run_cornet: RunCornet, screens: Screens, browser: Browser, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        bare = browser.new_context(java_script_enabled=False).new_page()
        page = screens.open(of_console(cornet, "/healthz"))
        for path in ("/play", "/tv", "/operator", "/operator/calibration", "/history"):
            bare.goto(of_console(cornet, path))
            expect(bare.get_by_text("this page needs JavaScript")).to_be_visible()
            page.goto(of_console(cornet, path))
            expect(page.locator("#late")).to_have_count(0)


@pytest.mark.skipif(ADDRESS == "127.0.0.1", reason="this machine has no address but its own loop: nobody is a guest")
def test_where_nobody_new_may_join_a_phone_is_told_so_and_asked_for_no_name(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = screens.open(of_guest(cornet, "/play"), 360, 640)
        name = phone.get_by_label("Your name at the table")
        expect(name).to_be_visible()
        cornet.ask("/api/joining", {"joining": "locked"}, method="PUT")
        expect(phone.get_by_text("Nobody new may join now; ask the bartender.")).to_be_visible()
        expect(name).to_be_hidden()
        cornet.ask("/api/joining", {"joining": "open"}, method="PUT")
        expect(name).to_be_visible()


def test_a_browser_that_keeps_no_cookies_shows_the_game_and_says_why_it_can_hold_no_seat(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        phone = screens.open(f"{cornet.address}/healthz", 360, 640)
        phone.add_init_script(FORGETFUL)
        phone.goto(f"{cornet.address}/play")
        phone.get_by_role("button", name="Chime and buzz: off").click()
        expect(phone.get_by_role("button", name="Chime and buzz: on")).to_be_visible()
        phone.get_by_label("Your name at the table").fill("Ana")
        phone.get_by_role("button", name="Sit down").click()
        expect(phone.locator("#seat-answer")).to_contain_text("This browser keeps no cookies")
        assert cornet.ask("/api/state")["seats"]["list"] == []


def test_two_taps_on_one_button_are_one_request(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        phone = screens.open(of_console(cornet, "/play"), 360, 640)
        asked = Held(phone, "**/api/seats")
        phone.get_by_label("Your name at the table").fill("Ana")
        phone.get_by_role("button", name="Sit down").dblclick()
        asked.next().continue_()
        expect(phone.locator("#me")).to_have_text("Ana")
        expect(phone.locator("#seat-answer")).to_be_empty()
        assert asked.routes == []


@pytest.mark.parametrize("with_mouse", [False, True])
def test_the_second_tap_of_a_double_one_presses_nothing_that_has_come_under_the_finger_since(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...], with_mouse: bool
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = screens.open(f"{cornet.address}/healthz", 360, 640)
        phone.clock.install(time=0)
        phone.add_init_script(COUNTS_CLICKS if with_mouse else COUNTS_CLICKS + UNCOUNTED)
        phone.goto(f"{cornet.address}/play")
        phone.get_by_label("Your name at the table").fill("Ana")
        phone.get_by_role("button", name="Sit down").click()
        expect(phone.locator("#me")).to_have_text("Ana")
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Bo", "Ana"]})
        asked: list[Any] = []
        phone.on("request", lambda request: asked.append(request.post_data_json) if "actions" in request.url else None)
        stake, faces = phone.get_by_role("button", name="Stake 2 chips"), phone.get_by_role("group", name="Name a face")
        stake.wait_for()
        phone.clock.pause_at(600)
        clicks = int(phone.locator("body").get_attribute("data-clicks") or 0)
        x, y = middle(stake)
        # At its lower left, where the first face will be.
        place = (x / 4, y + 26)
        tap = partial(click if with_mouse else touch, phone)
        tap(place, 1)
        expect(faces).to_be_visible()
        assert phone.evaluate(PRESSABLE, place)
        tap(place, 2)
        expect(phone.locator("body")).to_have_attribute("data-clicks", str(clicks + 2))
        assert [sent["action"]["do"] for sent in asked] == ["bet"]
        # What is pressed elsewhere is meant, however quickly.
        tap(middle(faces.get_by_role("button").last), 1)
        expect(phone.get_by_role("button", name="Throw")).to_be_visible()
        assert [sent["action"] for sent in asked[1:]] == [{"do": "call", "face": 6}]
        # And so is what has been there for a while.
        phone.clock.run_for(500)
        tap(middle(phone.get_by_role("button", name="Throw")), 1)
        expect(phone.locator("#dice .die").first).to_be_visible()


def test_a_phone_that_is_in_no_network_says_so_at_once_and_comes_back_with_it(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        phone = screens.open(of_console(cornet, "/play"), 360, 640)
        phone.locator("body[data-seq]").wait_for()
        phone.context.set_offline(True)
        expect(phone.locator("#connection")).to_have_text("Reconnecting: the machine does not answer.", timeout=5_000)
        phone.context.set_offline(False)
        expect(phone.locator("#connection")).to_be_hidden()


def test_a_network_that_is_gone_without_a_word_is_told_though_no_question_is_answered(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        state = cornet.ask("/api/state")
        phone = screens.open(f"{cornet.address}/healthz", 360, 640)
        phone.add_init_script(staged(state))
        phone.clock.install()
        phone.goto(f"{cornet.address}/play")
        phone.clock.run_for(1000)
        expect(phone.locator("#turn .who")).to_have_text("Nobody plays")
        phone.route("**/healthz", lambda route: None)
        phone.evaluate("() => { EventSource = class { addEventListener() {} close() {} }; }")
        with phone.expect_request("**/healthz"):
            phone.clock.run_for(40_000)
        phone.clock.run_for(5_000)
        expect(phone.locator("#connection")).to_be_visible()


def test_a_stream_that_fell_silent_without_a_word_is_opened_again_once_the_machine_knows_more(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = screens.open(f"{cornet.address}/healthz", 360, 640)
        phone.add_init_script(staged(cornet.ask("/api/state")))
        phone.clock.install()
        phone.goto(f"{cornet.address}/play")
        phone.clock.run_for(1000)
        expect(phone.locator("#turn .who")).to_have_text("Nobody plays")
        phone.evaluate(COUNTED)
        with phone.expect_response("**/healthz"):
            phone.clock.run_for(40_000)
        expect(phone.locator("body[data-opened]")).to_have_count(0)
        cornet.ask("/api/joining", {"joining": "locked"}, method="PUT")
        with phone.expect_response("**/healthz"):
            phone.clock.run_for(40_000)
        expect(phone.locator("body")).to_have_attribute("data-opened", "yes")


def test_why_a_seat_is_refused_stands_beside_the_name_until_it_is_asked_for_again(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        first, second = (screens.open(f"{cornet.address}/play", 360, 640) for _ in range(2))
        first.get_by_label("Your name at the table").fill("Ana")
        first.get_by_role("button", name="Sit down").click()
        expect(first.locator("#me")).to_have_text("Ana")
        second.get_by_label("Your name at the table").fill("Ana")
        second.get_by_role("button", name="Sit down").click()
        refused = second.locator("#seat-answer")
        expect(refused).to_have_text("Ana is here already; choose another name.")
        expect(refused).to_be_in_viewport()
        # Another turn is no answer to what was typed.
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        expect(second.locator("#turn")).to_contain_text("Ana")
        expect(refused).to_have_text("Ana is here already; choose another name.")
        second.get_by_label("Your name at the table").fill("Bo")
        second.get_by_role("button", name="Sit down").click()
        expect(second.locator("#me")).to_have_text("Bo")


def test_a_request_that_nobody_answers_is_told_and_can_be_made_again(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        phone = screens.open(of_console(cornet, "/healthz"), 360, 640)
        phone.clock.install()
        phone.goto(of_console(cornet, "/play"))
        phone.route("**/api/seats", lambda route: None)
        phone.get_by_label("Your name at the table").fill("Ana")
        with phone.expect_request("**/api/seats"):
            phone.get_by_role("button", name="Sit down").click()
        phone.clock.run_for(15_000)
        expect(phone.locator("#seat-answer")).to_have_text("The machine does not answer; try again.")
        phone.unroute("**/api/seats")
        phone.get_by_role("button", name="Sit down").click()
        expect(phone.locator("#me")).to_have_text("Ana")


@pytest.mark.skipif(ADDRESS == "127.0.0.1", reason="this machine has no address but its own loop: nobody is a guest")
def test_what_somebody_was_writing_outlives_a_restart_and_can_be_sent(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, fixed: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *fixed) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = screens.open(of_guest(cornet, "/play"), 360, 640)
        bartender = screens.open(f"{cornet.address}/operator")
        phone.get_by_label("Your name at the table").fill("Ana")
        bartender.get_by_label("Player 1").fill("Bo")
    with run_cornet(tmp_path, *fixed) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        boot = cornet.ask("/api/state")["boot"]
        for page in (phone, bartender):
            expect(page.locator("body")).to_have_attribute("data-boot", boot)
            page.evaluate("() => { document.body.dataset.old = true; }")
        phone.get_by_role("button", name="Sit down").click()
        expect(phone.locator("#me")).to_have_text("Ana")
        bartender.get_by_role("button", name="Start").click()
        expect(bartender.locator("#sheet tbody th").first).to_have_text(re.compile("Bo"))
        # Nothing is written any more: with the next news the pages are those of this start.
        cornet.ask("/api/joining", {"joining": "code"}, method="PUT")
        for page in (phone, bartender):
            expect(page.locator("body")).not_to_have_attribute("data-old", "true")
            expect(page.locator("#sheet")).to_contain_text("Bo")


def test_what_the_bartender_has_chosen_outlives_a_restart(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, fixed: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *fixed) as cornet:
        bartender = screens.open(of_console(cornet, "/operator"))
        thousand, mode = bartender.locator("#games input[value=thousand]"), bartender.locator("#options select").first
        thousand.check()
        bartender.get_by_text("Options", exact=True).click()
        mode.select_option(index=1)
        chosen = mode.input_value()
    with run_cornet(tmp_path, *fixed) as cornet:
        boot = cornet._replace(address=of_console(cornet, "")).ask("/api/state")["boot"]
        expect(bartender.locator("body")).to_have_attribute("data-boot", boot)
        expect(thousand).to_be_checked()
        expect(mode).to_have_value(chosen)


def test_a_name_that_is_half_written_outlives_the_choice_of_a_language(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/joining", {"joining": "code"}, method="PUT")
        phone = screens.open(f"{cornet.address}/play", 360, 740)
        phone.get_by_label("Your name at the table").fill("Zoé & C")
        phone.get_by_label("Code on the television").fill("F7K2")
        phone.get_by_role("link", name="Français").click()
        expect(phone.get_by_label("Votre nom")).to_have_value("Zoé & C")
        expect(phone.locator("#code")).to_have_value("F7K2")
        assert phone.url == f"{cornet.address}/play"
