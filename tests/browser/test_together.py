"""Several people at one table: a television, two phones, a bartender, each in a browser of its own."""

import re
import socket
import urllib.request
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import ADDRESS, Screens
from tests.conftest import RunCornet, Running

HOSTILE = "<b onclick=1>Z"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
# A name that is mapped to this machine's address: whoever comes by it is a guest, in the insecure context of phones.
GUEST = f"{socket.gethostname().lower()}.local"


def of_guest(cornet: Running, path: str) -> str:
    return cornet.address.replace("127.0.0.1", GUEST) + path


def of_console(cornet: Running, path: str) -> str:
    return cornet.address.replace("0.0.0.0", "127.0.0.1") + path


def sit_down(screens: Screens, cornet: Running, name: str) -> Page:
    phone = screens.open(of_guest(cornet, "/play"), 360, 640)
    phone.get_by_label("Your name at the table").fill(name)
    phone.get_by_role("button", name="Sit down").click()
    expect(phone.locator("#me")).to_have_text(name)
    return phone


def ready(page: Page) -> None:
    expect(page.locator("body")).to_have_attribute("data-phase", "ready")


@pytest.fixture
def words(quick: str) -> tuple[str, ...]:
    return ("--host", "0.0.0.0", "--camera", "none", "--seed", "7", "--config", quick)


def test_two_phones_play_a_game_to_its_end_while_everybody_watches(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        phones = {name: sit_down(screens, cornet, name) for name in ("Ana", HOSTILE)}
        assert phones["Ana"].evaluate("isSecureContext") is False
        body = {"game": "vingt-cinq", "players": list(phones), "options": {"life": 2}}
        cornet.ask("/api/games", body)
        for _ in range(200):
            state = cornet.ask("/api/state")
            if state["game"]["finished"]:
                break
            name = state["game"]["turn"]["player"]
            phone, other = phones[name], next(page for who, page in phones.items() if who != name)
            expect(phone.locator("body")).to_have_attribute("data-mine", "true")
            expect(other.locator("#moves button")).to_have_count(0)
            seq = phone.locator("body").get_attribute("data-seq") or ""
            phone.locator("#moves button:enabled").last.click()
            expect(phone.locator("body")).not_to_have_attribute("data-seq", seq)
            ready(phone)
        winner = cornet.ask("/api/state")["game"]["result"]["winner"]
        for page in (television, *phones.values()):
            expect(page.locator("#turn .who")).to_have_text(f"{winner} wins")
        assert television.locator("#sheet b[onclick]").count() == 0


def test_a_doubt_is_corrected_by_two_taps_and_everybody_sees_it(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        phone.get_by_role("button", name="Throw 5 dice").click()
        phone.get_by_role("button", name="This throw is wrong").click()
        expect(bartender.locator("#picture .disputed")).to_be_visible()
        before = cornet.ask("/api/state")["last"]
        first = before["counted"][0]
        bartender.locator("#picture .pick button").nth(first).click()
        bartender.locator("#mend .pick button").first.click()
        expect(television.locator("#tale .corrected")).to_contain_text("The camera read it wrong")
        after = cornet.ask("/api/state")["last"]
        assert after["corrected"]["faces"][0] != before["faces"][0]
        assert after["corrected"]["faces"][1:] == before["faces"][1:]
        expect(phone.locator("#picture .corrected")).to_be_visible()


def test_a_phone_keeps_its_seat_through_reload_sleep_and_restart_and_two_hands_throw_once(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with run_cornet(tmp_path, *words, "--port", port) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        phone.reload()
        expect(phone.locator("#me")).to_have_text("Ana")
        both = [page.get_by_role("button", name="Throw 5 dice") for page in (phone, bartender)]
        for button in both:
            expect(button).to_be_enabled()
        # Neither waits for what the other one did.
        for hand in [button.element_handle() for button in both]:
            hand.evaluate("button => button.click()")
        expect(phone.locator("#moves .keeping")).to_be_visible()
        assert len(cornet.ask("/api/state")["throws"]) == 1
        assert len(cornet.ask("/api/state")["seats"]["list"]) == 1
    with run_cornet(tmp_path, *words, "--port", port) as cornet:
        # The stream comes back by itself; another start loads the page anew, and the seat is the same.
        cornet = cornet._replace(address=of_console(cornet, ""))
        boot = cornet.ask("/api/state")["boot"]
        expect(phone.locator("body")).to_have_attribute("data-boot", boot, timeout=20_000)
        expect(phone.locator("#moves .keeping")).to_be_visible()
        expect(phone.locator("#me")).to_have_text("Ana")
        phone.locator("#moves .keeping .main").click()
        expect(phone.get_by_role("button", name=re.compile("Throw"))).to_be_visible()


@pytest.mark.skipif(ADDRESS == "127.0.0.1", reason="this machine has no address but its own loop: nobody is a guest")
def test_the_bartender_opens_the_page_with_the_pin(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        put = urllib.request.Request(f"{cornet.address}/api/pin", data=b'{"pin": "271828"}', method="PUT")
        with urllib.request.urlopen(put, timeout=30):
            pass
        tablet = screens.open(of_guest(cornet, "/operator"), 820, 1180)
        tablet.get_by_label("The PIN of the house").fill("000000")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.locator("#answer")).to_have_text("That is not the PIN.")
        tablet.get_by_label("The PIN of the house").fill("271828")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.locator("#start-title")).to_be_visible()


def test_every_page_is_accessible_in_every_language(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"], "options": {"version": "41"}})
        cornet.ask("/api/throw", {})
        number = cornet.ask("/api/state")["game_id"]
        page = screens.open(cornet.address + "/", 360, 640)
        for language, paths in {
            "fr": ("/", "/play", "/history", "/rules/421"),
            "ru": ("/tv", "/operator", f"/history/{number}", "/rules/421", "/rules/"),
            "en": ("/play", "/rules/421"),
        }.items():
            for path in paths:
                page.goto(f"{cornet.address}/language/{language}?to={path}")
                expect(page.locator("html")).to_have_attribute("lang", language)
                expect(page.locator("main")).to_contain_text("Cornet" if path == "/" else "421")
                found = Axe().run(page, options=RULES)
                assert not found.response["violations"], (language, path, found.generate_report())
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (language, path)
