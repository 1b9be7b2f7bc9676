"""A real Chromium, or the reason why there is none."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium")
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


class Screens:
    """Pages of browsers that do not know each other; what goes wrong in one is kept."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.errors: list[str] = []

    def open(self, url: str, width: int = 1366, height: int = 900) -> Page:
        page = self._browser.new_context(viewport={"width": width, "height": height}).new_page()
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
