"""A real Chromium, or the reason why there is none."""

import shutil
import socket
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright

from tests.browser.nursery import forked
from tests.conftest import RunCornet

# What is waited for comes at once; on a machine that is busy with other things, at once is some seconds.
expect.set_options(timeout=30_000)

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")


def _own_address() -> str:
    """This machine's address in its network; its own loop where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Choosing a route sends nothing; the address of documentation is never reached.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        name: str = probe.getsockname()[0]
        return name


ADDRESS = _own_address()
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A guest's phone comes by a name, from an address that is not the console's.
    f"--host-resolver-rules=MAP *.local {ADDRESS}",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def run_cornet() -> RunCornet:
    """Forks a cornet, which is there at once; the pages are no others."""
    return forked


class Screens:
    """Pages of browsers that do not know each other; what goes wrong in one is kept."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.errors: list[str] = []

    def open(self, url: str, width: int = 1366, height: int = 900, *, still: bool = False) -> Page:
        """A page of its own browser; one that wants it `still` has asked for reduced motion."""
        motion: Literal["reduce"] | None = "reduce" if still else None
        context = self._browser.new_context(viewport={"width": width, "height": height}, reduced_motion=motion)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self._hear(line.type, line.text))
        page.goto(url)
        return page

    def _hear(self, kind: str, text: str) -> None:
        # Chromium writes every refused request, and every server that ends, to the console as well.
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.errors.append(text)


@pytest.fixture
def screens(browser: Browser) -> Iterator[Screens]:
    screens = Screens(browser)
    yield screens
    for context in browser.contexts:
        context.close()
    assert screens.errors == []


class Held:
    """The requests of a page for some address, each held back until it is answered; the oldest is the next."""

    def __init__(self, page: Page, url: str) -> None:
        self._page = page
        self.routes: list[Route] = []
        page.route(url, lambda route: self.routes.append(route))

    def next(self) -> Route:
        """The next, which the page has sent or is about to send."""
        # The browser tells of a request first, and hands it over a moment later: between two answers of the page.
        for _ in range(1000):
            if self.routes:
                break
            self._page.evaluate("new Promise(requestAnimationFrame)")
        return self.routes.pop(0)


def settled(page: Page, turned: int) -> None:
    """Wait until the page shows the turn that this event began, and the machine stands still."""
    page.locator(f"body[data-turned='{turned}'][data-phase=ready]").wait_for()


def move(page: Page, press: Callable[[Locator], Any] = Locator.click) -> None:
    """Take the last move that the page offers, which brings a game on, and wait until it is done."""
    turned = page.locator("body").get_attribute("data-turned")
    press(page.locator("#moves button:enabled").last)
    page.locator(f"body[data-phase=ready]:not([data-turned='{turned}'])").wait_for()


def by_keys(wanted: Locator) -> None:
    """Press Tab until this has the focus, as somebody without a mouse does, then Enter."""
    tab_to(wanted)
    wanted.page.keyboard.press("Enter")


def tab_to(wanted: Locator) -> None:
    element: Any = wanted.element_handle()
    for _ in range(80):
        if element.evaluate("each => each === document.activeElement"):
            assert element.evaluate("each => getComputedStyle(each).outlineStyle") != "none"
            return
        wanted.page.keyboard.press("Tab")
    raise AssertionError("no number of Tabs leads there")


def begin(page: Page, game: str, *names: str, **options: str) -> None:
    """Fill in the bartender's form of a new game, and start it."""
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
