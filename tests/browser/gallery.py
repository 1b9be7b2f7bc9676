"""Takes the pictures of every screen, in every language, at every size.

`python -m tests.browser.gallery DIRECTORY [WORD ...]` plays the games by itself; a picture's name says screen,
moment, language and size. Needs Chromium.
"""

import argparse
import contextlib
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import SWITCHES
from tests.conftest import Running, running

SIZES = {"wide": (1920, 1080), "laptop": (1366, 768), "tablet": (820, 1180), "phone": (390, 844), "small": (360, 640)}
LANGUAGES = ("fr", "en", "ru")
PLAYERS = ["Marguerite", "Анна", "Jean-Baptiste", "Bo"]
GAMES: dict[str, dict[str, Any]] = {
    "vingt-six": {},
    "quatorze": {},
    "vingt-cinq": {},
    "421": {"version": "41"},
    "thousand": {"preset": "home"},
}


def play(cornet: Running, moves: int, dice: random.Random) -> None:
    """Take so many actions of the running game, each any legal one."""
    while moves:
        state = cornet.ask("/api/state")
        if not state["game"] or state["game"]["finished"] or state["machine"]["fault"]:
            return
        if state["machine"]["phase"] != "ready":
            time.sleep(0.05)
            continue
        moves -= 1
        if state["offers"] and ("throw" not in state["game"]["turn"]["legal"] or dice.random() < 0.4):
            offer = dice.choice(state["offers"])
            fields = {
                name: choice["one_of"][0] if "one_of" in choice else choice["to"]
                for name, choice in offer.items()
                if name != "do"
            }
            cornet.ask("/api/actions", {"action": {"do": offer["do"], **fields}})
        else:
            cornet.ask("/api/throw", {})


def moments(cornet: Running, wanted: list[list[str]]) -> Iterator[str]:
    """Bring the cornet to one telling moment after the other."""
    yield "idle"
    dice = random.Random(4)
    named = {word for words in wanted for word in words} & GAMES.keys()
    for game, options in GAMES.items():
        if named and game not in named:
            continue
        cornet.ask("/api/games", {"game": game, "players": PLAYERS, "options": options})
        play(cornet, 14, dice)
        while cornet.ask("/api/state")["machine"]["phase"] != "ready":
            time.sleep(0.1)
        yield game
        cornet.ask("/api/games/current", method="DELETE")


def shoot(page: Page, path: Path) -> None:
    page.wait_for_timeout(900)
    page.screenshot(path=path)


def take(browser: Browser, cornet: Running, folder: Path, wanted: list[list[str]]) -> None:
    """Every screen at every moment, in every language and size, as far as it is one of each of the wanted lists."""
    for moment in moments(cornet, wanted):
        screens = {"tv": "/tv", "play": "/play", "operator": "/operator"}
        if moment == "idle":
            screens |= {"door": "/", "rules": "/rules/thousand"}
        if moment == "421":
            screens |= {"history": "/history"}
        for screen, path in screens.items():
            for language in LANGUAGES:
                for size, (width, height) in SIZES.items():
                    name = f"{screen}-{moment}-{language}-{size}"
                    if any(not {screen, moment, language, size} & set(words) for words in wanted):
                        continue
                    context = browser.new_context(viewport={"width": width, "height": height})
                    context.add_cookies([{"name": "cornet_language", "value": language, "url": cornet.address}])
                    page = context.new_page()
                    page.goto(cornet.address + path)
                    shoot(page, folder / f"{name}.png")
                    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes the pictures of every screen.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("only", nargs="*", help="some screens, moments, languages or sizes: tv,play fr wide")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as opened:
        data = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        settings = data / "quick.toml"
        settings.write_text("tumble_s = 0.0\n")
        cornet = opened.enter_context(running(data / "data", "--seed", "7", "--config", str(settings)))
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=SWITCHES)
        take(browser, cornet, given.directory, [words.split(",") for words in given.only])
        browser.close()


if __name__ == "__main__":
    main()
