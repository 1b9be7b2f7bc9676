"""What goes wrong, as everybody at the table sees it: simulated parts misbehave on a script."""

import re
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Screens
from tests.conftest import RunCornet, Running, running

# The command with other parts: the tower's tumbles and the camera's pictures with faults, both counted from 1.
TROUBLED = """
import sys
from functools import partial
from server import cli, parts
parts.SimulatedTower = partial(parts.SimulatedTower, faults={tumbles})
parts.RenderedCamera = partial(parts.RenderedCamera, style={style!r}, faults={pictures})
sys.exit(cli.main())
"""
SIZES = {"/tv": (1920, 1080), "/play": (360, 640), "/operator": (820, 1180)}


def troubled(
    data: Path,
    *words: str,
    tumbles: dict[int, str] | None = None,
    pictures: dict[int, str] | None = None,
    style: str = "ivory",
) -> AbstractContextManager[Running]:
    script = TROUBLED.format(tumbles=tumbles or {}, pictures=pictures or {}, style=style)
    return running(data, "--seed", "7", *words, program=[sys.executable, "-c", script])


def everybody(screens: Screens, cornet: Running) -> dict[str, Page]:
    return {path: screens.open(cornet.address + path, *size) for path, size in SIZES.items()}


def press(bartender: Page) -> None:
    bartender.get_by_role("button", name="Throw 5 dice").click()


def test_a_refusal_is_told_on_every_screen_and_is_thrown_again(screens: Screens, tmp_path: Path, quick: str) -> None:
    # The throw that follows the refusal has no end, so that nobody need be quick to see it.
    faults = {1: "cocked", 2: "hang"}
    with troubled(tmp_path, "--camera", "none", "--config", quick, tumbles=faults) as cornet:
        seen = everybody(screens, cornet)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        press(seen["/operator"])
        expect(seen["/tv"].locator("#tale .refused h2")).to_have_text("A die leans")
        expect(seen["/tv"].locator("#tale .refused")).to_contain_text("It is not counted. The cornet throws again.")
        for path in ("/operator", "/play"):
            expect(seen[path].locator("#picture .caption.refused")).to_contain_text("A die leans: not counted.")
            expect(seen[path].locator("#picture .caption.refused")).to_contain_text("Thrown again.")
        expect(seen["/operator"].locator("#history .refused")).to_have_text("⚄A die leans")
        for page in seen.values():
            expect(page.locator("body")).to_have_attribute("data-phase", "tumbling")
            expect(page.locator("#said")).to_have_text("A die leans. Thrown again.")
        expect(seen["/operator"].locator("#moves button.throw")).to_be_disabled()
        # Nothing of it has come into the game: it is still the first throw that is due.
        assert cornet.ask("/api/state")["game"]["table"]["rolled"] == []


def test_a_latched_fault_is_told_with_its_instruction_and_the_game_goes_on_when_it_is_cleared(
    screens: Screens, tmp_path: Path, quick: str
) -> None:
    instruction = "The cone does not turn: switch off, look for what blocks it, then clear the fault."
    with troubled(tmp_path, "--camera", "none", "--config", quick, tumbles={1: "jam"}) as cornet:
        seen = everybody(screens, cornet)
        bartender = seen["/operator"]
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        press(bartender)
        for path, place in {"/tv": "#picture .fault", "/play": "#fault", "/operator": "#fault"}.items():
            expect(seen[path].locator(place)).to_contain_text("The cornet is stuck")
            expect(seen[path].locator(place)).to_contain_text(instruction)
            expect(seen[path].locator(place)).to_have_attribute("role", "alert")
        expect(bartender.locator("#lights")).to_contain_text("Tower: out of order")
        expect(seen["/play"].get_by_role("button", name="clear it")).to_have_count(0)
        bartender.get_by_role("button", name="The fault is mended: clear it").click()
        for page in seen.values():
            expect(page.locator("body")).to_have_attribute("data-phase", "ready")
            expect(page.locator(".fault:visible")).to_have_count(0)
        press(bartender)
        expect(seen["/tv"].locator("#dice .counted")).to_have_count(5)


def test_a_camera_that_gives_no_picture_is_told_and_its_next_picture_counts_in_the_colour_of_its_dice(
    screens: Screens, tmp_path: Path
) -> None:
    # The first picture is asked for when the machine warms up, before anybody throws.
    lost = {1: "gone", 2: "gone"}
    by_hand = tmp_path / "hand.toml"
    by_hand.write_text('tumble_s = 0.0\nby_hand = "yes"\n')
    with troubled(tmp_path, "--config", str(by_hand), pictures=lost, style="red") as cornet:
        bartender = screens.open(f"{cornet.address}/operator", *SIZES["/operator"])
        television = screens.open(f"{cornet.address}/tv", *SIZES["/tv"])
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        press(bartender)
        expect(television.locator("#picture .fault h2")).to_have_text("The camera gives no picture")
        expect(bartender.locator("#lights")).to_contain_text("Camera: out of order")
        expect(bartender.locator("#lights")).to_contain_text("Tower: simulated")
        expect(bartender.get_by_role("button", name="Enter a throw by hand")).to_be_visible()
        bartender.get_by_role("button", name="The fault is mended: clear it").click()
        press(bartender)
        expect(television.locator("#picture .mark.counted")).to_have_count(5)
        expect(television.locator("#count .die.counted.red")).to_have_count(5)
        expect(television.locator("#rest .die.red")).to_have_count(5)
        expect(television.locator("body")).to_have_attribute("data-dye", "red")
        expect(bartender.locator("#moves .die .body").first).to_have_css("fill", "rgb(184, 38, 44)")


def test_a_win_that_was_misread_is_corrected_and_the_game_goes_on(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path
) -> None:
    by_hand = tmp_path / "hand.toml"
    by_hand.write_text('tumble_s = 0.0\nby_hand = "yes"\n')
    with run_cornet(tmp_path, "--camera", "none", "--config", str(by_hand)) as cornet:
        seen = everybody(screens, cornet)
        bartender = seen["/operator"]
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        # A perfect throw is an attack on Bo, whom five fives more end.
        cornet.ask("/api/entries", {"faces": [6, 6, 6, 6, 6]})
        cornet.ask("/api/actions", {"action": {"do": "keep", "dice": [6, 6, 6, 6, 6]}})
        cornet.ask("/api/entries", {"faces": [5, 5, 5, 5, 5]})
        for page in seen.values():
            expect(page.locator("#turn .who")).to_have_text("Ana wins")
        bartender.get_by_role("button", name="This 5 is wrong").last.click()
        bartender.get_by_role("button", name="It is a 4").click()
        for page in seen.values():
            expect(page.locator("body")).to_have_attribute("data-game", "running")
            expect(page.locator("#turn .who")).to_have_text("Ana")
        expect(seen["/tv"].locator("#tale .corrected").last).to_have_text(
            "Corrected by the bar: The camera read it wrong"
        )
        expect(bartender.locator("#history .corrected")).to_have_text("corrected")
        bartender.get_by_role("button", name="Throw 1 die").click()
        expect(seen["/tv"].locator("#dice .counted")).to_have_count(1)


def test_a_page_comes_though_the_first_of_each_of_its_questions_is_lost(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    lost: set[str] = set()

    def lose(route: Route) -> None:
        if route.request.url in lost:
            route.continue_()
        else:
            lost.add(route.request.url)
            route.abort()

    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        number = cornet.ask("/api/state")["game_id"]
        page = screens.open(f"{cornet.address}/healthz")
        page.route("**/api/**", lose)
        for path, place in {
            "/play": "#turn",
            "/tv": "#turn .due",
            "/operator": "#moves",
            "/history": "#games",
            f"/history/{number}": "#told",
            "/operator/calibration": "#steps",
        }.items():
            page.goto(cornet.address + path)
            expect(page.locator(place)).to_contain_text(re.compile("[a-z]"))
            assert lost, path
            lost.clear()
