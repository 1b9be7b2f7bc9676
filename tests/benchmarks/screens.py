"""What the television weighs, how soon it paints and has the game, how smoothly it turns, what 2,000 throws leave.

`python -m tests.benchmarks.screens` needs Chromium, and a machine that does nothing else.
"""

import argparse
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser.conftest import CHROMIUM, SWITCHES
from tests.conftest import Running, running

LANGUAGES = ("fr", "en", "ru")
LOADS = 9
PLAYERS = ["Marguerite", "Анна", "Bo"]
GAMES = ("vingt-six", "quatorze", "vingt-cinq", "421")
TUMBLE_S = 6.0
WATCHED_MS = 4000
# The animations that run, and when each frame began, while the cone turns.
FRAMES = """
async (watched_ms) => {
  const frame = ({ offset, computedOffset, easing, composite, ...properties }) => Object.keys(properties);
  const moved = document.getAnimations().flatMap((each) => each.effect.getKeyframes()).flatMap(frame);
  const began = await new Promise(requestAnimationFrame);
  const frames = [began];
  while (frames.at(-1) - began < watched_ms) frames.push(await new Promise(requestAnimationFrame));
  return { frames, moved: [...new Set(moved)], phase: document.body.dataset.phase };
}
"""
PAINTS = """
() => new Promise((done) => new PerformanceObserver((list) => {
  const [first, shown] = ["first-contentful-paint", "shown"].map((name) => performance.getEntriesByName(name)[0]);
  if (first) done([first.startTime, list.getEntries().at(-1).startTime, shown.startTime]);
}).observe({ type: "largest-contentful-paint", buffered: true }))
"""
# Notes when the page has drawn its first state.
SHOWN = """
new MutationObserver((changes, watcher) => {
  if (!document.body?.dataset.phase) return;
  performance.mark("shown");
  watcher.disconnect();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-phase"] });
"""


def opened(browser: Browser, cornet: Running, language: str) -> Page:
    """An empty page of a browser that has never been here, 1920 x 1080."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    context.add_cookies([{"name": "cornet_language", "value": language, "url": cornet.address}])
    return context.new_page()


def television(page: Page, cornet: Running) -> CDPSession:
    """Show the television there until it shows the game; the session by which Chromium tells more of it."""
    inside = page.context.new_cdp_session(page)
    page.goto(f"{cornet.address}/tv")
    page.locator("body[data-seq]").wait_for()
    return inside


def weight(browser: Browser, cornet: Running, language: str) -> int:
    """The bytes that came over the wire, headers included, until everything is there; but for the endless stream."""
    page = opened(browser, cornet, language)
    came: list[float] = []
    inside = page.context.new_cdp_session(page)
    inside.send("Network.enable")
    inside.on("Network.loadingFinished", lambda event: came.append(event["encodedDataLength"]))
    television(page, cornet)
    page.wait_for_timeout(1500)
    page.context.close()
    return round(sum(came))


def paints_ms(browser: Browser, cornet: Running, language: str) -> list[list[float]]:
    """Of several first visits each: when something was painted, when the largest thing was, when the game was there."""
    found = []
    for _ in range(LOADS):
        page = opened(browser, cornet, language)
        page.add_init_script(SHOWN)
        television(page, cornet)
        page.wait_for_timeout(500)
        found.append(page.evaluate(PAINTS))
        page.context.close()
    return found


def smoothness(browser: Browser, cornet: Running) -> dict[str, Any]:
    """The frames of a tumble, in ms, and the properties that it moves."""
    page = opened(browser, cornet, "fr")
    television(page, cornet)
    cornet.ask("/api/throw", {})
    page.locator("body[data-phase=tumbling] .cup").wait_for()
    watched: dict[str, Any] = page.evaluate(FRAMES, WATCHED_MS)
    page.context.close()
    return watched


def throws(cornet: Running, dice: random.Random) -> Iterator[None]:
    """Play one game after the other, any legal action each time; yields after every throw."""
    games = cycle(GAMES)
    while True:
        state = cornet.ask("/api/state")
        if not state["game"] or state["game"]["finished"]:
            cornet.ask("/api/games", {"game": next(games), "players": PLAYERS})
        elif state["machine"]["phase"] != "ready":
            continue
        elif state["offers"] and ("throw" not in state["game"]["turn"]["legal"] or dice.random() < 0.3):
            offer = dice.choice(state["offers"])
            fields = {
                name: choice.get("one_of", [choice.get("to")])[0] for name, choice in offer.items() if name != "do"
            }
            cornet.ask("/api/actions", {"action": {"do": offer["do"], **fields}})
        else:
            cornet.ask("/api/throw", {})
            yield


def held(page: Page, inside: CDPSession, cornet: Running) -> tuple[float, int, int]:
    """MB of the page's heap after a collection, its nodes and its listeners, at the beginning of the same game."""
    while cornet.ask("/api/state")["machine"]["phase"] != "ready":
        page.wait_for_timeout(20)
    if cornet.ask("/api/state")["game"]:
        cornet.ask("/api/games/current", method="DELETE")
    cornet.ask("/api/games", {"game": "vingt-cinq", "players": PLAYERS})
    page.locator(f"body[data-seq='{cornet.ask('/api/state')['seq']}']").wait_for()
    page.wait_for_timeout(3000)
    for _ in range(2):
        inside.send("HeapProfiler.collectGarbage")
    counted = inside.send("Memory.getDOMCounters")
    used = inside.send("Runtime.getHeapUsage")["usedSize"]
    return used / 1e6, counted["nodes"], counted["jsEventListeners"]


def memory(browser: Browser, cornet: Running, marks: list[int]) -> Iterator[tuple[int, float, int, int]]:
    """What one page holds after so many throws each."""
    page = opened(browser, cornet, "fr")
    inside = television(page, cornet)
    for number, _ in enumerate(throws(cornet, random.Random(7)), 1):
        if number in marks:
            yield number, *held(page, inside, cornet)
        if number == marks[-1]:
            page.context.close()
            return


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the television's page in Chromium.")
    parser.add_argument("--throws", type=int, default=2000, help="over which memory is watched; a multiple of 200")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        slow, quick = Path(folder) / "slow.toml", Path(folder) / "quick.toml"
        slow.write_text(f"tumble_s = {TUMBLE_S}\n")
        quick.write_text("tumble_s = 0.0\n")
        with running(Path(folder) / "slow", "--camera", "none", "--seed", "7", "--config", str(slow)) as cornet:
            cornet.ask("/api/games", {"game": "421", "players": PLAYERS})
            for language in LANGUAGES:
                times = zip(*paints_ms(browser, cornet, language), strict=True)
                told = [f"{statistics.median(each):.0f} ms, most {max(each):.0f}" for each in times]
                print(
                    f"{language}: {weight(browser, cornet, language) / 1000:.0f} kB; first paint {told[0]};"
                    f" largest {told[1]}; the game is there {told[2]}, of {LOADS}"
                )
            watched = smoothness(browser, cornet)
            gaps = [later - earlier for earlier, later in zip(watched["frames"], watched["frames"][1:], strict=False)]
            print(
                f"{watched['phase']}: {1000 * len(gaps) / sum(gaps):.1f} frames/s, longest gap {max(gaps):.0f} ms;"
                f" moved: {', '.join(watched['moved'])}"
            )
        marks = list(range(200, given.throws + 1, 200))
        with running(Path(folder) / "quick", "--camera", "none", "--seed", "7", "--config", str(quick)) as cornet:
            for number, heap_mb, nodes, listeners in memory(browser, cornet, marks):
                print(f"{number:>5} throws: heap {heap_mb:.2f} MB, {nodes} nodes, {listeners} listeners")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
