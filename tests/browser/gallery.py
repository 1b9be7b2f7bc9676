"""Takes the pictures of every screen, in every state, in every language, at every size, and says what is wrong there.

`python -m tests.browser.gallery DIRECTORY [WORD ...]` plays the games by itself; a picture's name says screen,
moment, language and size. `--check` also judges each page by axe, as wide and as narrow as it gets, and tells what
hangs out of the screen. Needs Chromium.
"""

import argparse
import contextlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from server.standing import ENTERED
from tests.browser.conftest import CHROMIUM, SWITCHES
from tests.conftest import Running, running

SIZES = {"wide": (1920, 1080), "laptop": (1366, 768), "tablet": (820, 1180), "phone": (390, 844), "small": (360, 640)}
JUDGED = ("wide", "small")
LANGUAGES = ("fr", "en", "ru")
PLAYERS = ["Marguerite", "Анна", "Jean-Baptiste", "Bo"]
GAMES: dict[str, dict[str, Any]] = {
    "vingt-six": {},
    "quatorze": {},
    "vingt-cinq": {},
    "421": {"version": "41"},
    "thousand": {"preset": "home"},
}
LIVE = {"tv": "/tv", "play": "/play", "operator": "/operator"}
RESTING = {"door": "/", "rules": "/rules/", "fairness": "/fairness"}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
# Faults and refusals need no machine that misbehaves.
_STAGED = """
// Whoever tells before the page has opened its stream waits until it was told the first state.
const opening = new Promise((open) => { window.opened = open; });
window.tell = async (state) => { await opening; tell(state); };
window.EventSource = class {
  static CLOSED = 2;
  readyState = 0; // one that is broken tries again, and is not refused
  constructor() {
    window.tell = (state) => (state ? this.onmessage({ data: JSON.stringify(state) }) : this.onerror());
    setTimeout(() => { tell(STATE); opened(); });
  }
  addEventListener() {}
  close() {}
};
"""
COLLISIONS = """() => {
  const shown = (each) => each.checkVisibility({ visibilityProperty: true });
  const parts = [...document.querySelectorAll("#scene > *")].filter(shown);
  const boxes = parts.map((each) => [each.id, each.getBoundingClientRect()]);
  const lie = ([, one], [, other]) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 2;
  return boxes.flatMap((one, at) => (
    boxes.slice(at + 1).filter((other) => lie(one, other)).map(([id]) => `${id} lies on ${one[0]}`)
  ));
}"""
# Of the latest throws the oldest may be left out.
CUT_OFF = """() => [...document.querySelectorAll("#scene *")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches(".strip"))
  .filter((each) => getComputedStyle(each).overflowX === "hidden" && each.textContent.trim())
  .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 2)
  .map((each) => `${each.id || each.className || each.tagName} cuts off ${each.textContent.slice(0, 40)}`)"""

Moment = tuple[str, dict[str, str], Any]
"""Its name, the screens that show it, and the state that they are told; {} for the one that is, None for silence."""


def staged(state: Any) -> str:
    """A script after which a page is told this state, and what is given to its function `tell`, and nothing else."""
    return f"const STATE = {json.dumps(state)};{_STAGED}"


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


def begun(cornet: Running, game: str, moves: int, dice: random.Random, **options: Any) -> dict[str, Any]:
    """The state of a new game after so many actions, when the machine stands still."""
    cornet.ask("/api/games", {"game": game, "players": PLAYERS, "options": {**GAMES[game], **options}})
    play(cornet, moves, dice)
    while (machine := cornet.ask("/api/state")["machine"])["phase"] != "ready":
        if machine["fault"]:
            raise SystemExit(f"No pictures of {game}: {machine['fault']['message']}")
        time.sleep(0.1)
    state: dict[str, Any] = cornet.ask("/api/state")
    return state


def altered(state: dict[str, Any]) -> Iterator[Moment]:
    """What may befall the cornet in the middle of a game."""
    machine, last = state["machine"], state["last"]

    def told(**changes: Any) -> dict[str, Any]:
        return json.loads(json.dumps({**state, **changes}))  # type: ignore[no-any-return]

    def seen(**changes: Any) -> dict[str, Any]:
        look = {**last, **changes}
        return told(last=look, throws=[*state["throws"][:-1], look])

    yield "tumbling", LIVE, told(machine={**machine, "phase": "tumbling"})
    leans = "A die leans; its top face is not decided."
    yield "refused", LIVE, seen(verdict="cocked", message=leans, faces=[], counted=[], amiss=[2])
    mended = [7 - face for face in last["faces"]]
    corrected = {"event": 1, "faces": mended, "reason": "The camera read it wrong", "by": "console", "cut": []}
    yield "corrected", LIVE, seen(corrected=corrected)
    stuck = "All dice lie where they lay: look whether the cone turns, then clear the fault."
    fault = {"name": "dice-did-not-move", "message": stuck, "part": "tower", "clears": True}
    yield "fault", LIVE, told(machine={"phase": "fault", "fault": fault})
    by_hand = {"by_hand": "operator", "picture": None, "size": None, "dice": [{"face": face} for face in last["faces"]]}
    yield "by-hand", LIVE, seen(**by_hand, counted=list(range(len(last["faces"]))), message=ENTERED)
    over = {**state["game"], "finished": True, "turn": {**state["game"]["turn"], "legal": []}}
    rounds = {player: int(player == PLAYERS[1]) for player in PLAYERS}
    yield "won", LIVE, told(game={**over, "result": {"rounds": rounds}}, offers=[])
    yield "gone", LIVE, None


def moments(cornet: Running, wanted: list[list[str]]) -> Iterator[Moment]:
    """Bring the cornet to one telling moment after the other."""

    def asked(*names: str) -> bool:
        known = {*GAMES, "idle", *ALTERED}
        named = {word for words in wanted for word in words} & known
        return not named or bool(named & set(names))

    dice = random.Random(4)
    if asked("idle"):
        yield "idle", {**LIVE, **RESTING, **{f"rules-{game}": f"/rules/{game}" for game in GAMES}}, {}
    for game in GAMES:
        others = ALTERED if game == "421" else ()
        if not asked(game, *others):
            continue
        state = begun(cornet, game, 14, dice)
        yield game, LIVE, {}
        if others:
            yield from altered(state)
        if game == "421":
            yield "past", {"history": "/history", "replay": f"/history/{state['game_id']}"}, {}
        cornet.ask("/api/games/current", method="DELETE")


ALTERED = ("tumbling", "refused", "corrected", "fault", "by-hand", "won", "gone", "past")


def take(browser: Browser, cornet: Running, folder: Path, wanted: list[list[str]], check: bool) -> None:
    """Every screen at every moment, in every language and size, as far as it is one of each of the wanted lists."""
    for moment, screens, state in moments(cornet, wanted):
        for screen, language in product(screens, LANGUAGES):
            sizes = [size for size in SIZES if all({screen, moment, language, size} & set(words) for words in wanted)]
            if not sizes:
                continue
            page = opened(browser, cornet, language, state)
            page.set_viewport_size(area(sizes[0]))
            page.on("pageerror", partial(tell, f"{screen}-{moment}-{language}"))
            page.goto(cornet.address + screens[screen])
            if state is None:
                page.clock.run_for(9000)
            page.wait_for_timeout(900)
            for size in sizes:
                page.set_viewport_size(area(size))
                page.wait_for_timeout(100)
                name = f"{screen}-{moment}-{language}-{size}"
                page.screenshot(path=folder / f"{name}.png")
                if check:
                    for fault in judged(page) if size in JUDGED else hanging(page):
                        tell(name, fault)
            page.context.close()


def opened(browser: Browser, cornet: Running, language: str, state: Any) -> Page:
    """An empty page of somebody who has chosen this language, to be told this state."""
    context = browser.new_context()
    context.add_cookies([{"name": "cornet_language", "value": language, "url": cornet.address}])
    if state != {}:
        context.add_init_script(staged(state))
    page = context.new_page()
    if state is None:
        page.clock.install()
    return page


def tell(name: str, fault: Any) -> None:
    sys.stdout.write(f"{name}: {fault}\n")


def area(size: str) -> ViewportSize:
    width, height = SIZES[size]
    return {"width": width, "height": height}


def judged(page: Page) -> list[str]:
    """What axe finds, whether the page has its one main heading, and what hangs out of the screen."""
    found = [
        f"{violation['id']} at {', '.join(str(node['target'][0]) for node in violation['nodes'][:3])}"
        for violation in Axe().run(page, options=RULES).response["violations"]
    ]
    headings = page.get_by_role("heading", level=1).count()
    return found + [f"{headings} main headings"] * (headings != 1) + hanging(page)


def hanging(page: Page) -> list[str]:
    """What hangs out of the screen, which parts of the television lie on one another, and what they cut off."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found: list[str] = [*page.evaluate(COLLISIONS), *page.evaluate(CUT_OFF)]
    return [f"{wide} pixels hang out to the right"] * (wide > 0) + found


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes the pictures of every screen.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("only", nargs="*", help="some screens, moments, languages or sizes: tv,play fr wide")
    parser.add_argument("--check", action="store_true", help="also judge each page by axe")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as opened:
        data = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        settings = data / "quick.toml"
        settings.write_text('tumble_s = 0.0\nby_hand = "yes"\n')
        # Reached from the room, so that the screens show how to join.
        words = ("--host", "0.0.0.0", "--seed", "7", "--config", str(settings))
        cornet = opened.enter_context(running(data / "data", *words))
        cornet = cornet._replace(address=cornet.address.replace("0.0.0.0", "127.0.0.1"))
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        take(browser, cornet, given.directory, [words.split(",") for words in given.only], given.check)
        browser.close()


if __name__ == "__main__":
    main()
