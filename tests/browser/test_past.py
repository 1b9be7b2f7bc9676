"""The pages of what was played: each game says how it ended, and one that changes is told as it is now."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screens
from tests.browser.gallery import hanging
from tests.conftest import RunCornet, Running


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "Ana et Bo paient chacun une tournée"),
        ("en", "Ana and Bo pay a round each"),
        ("ru", "Ana и Bo ставят по круговой"),
    ],
)
def test_a_game_of_421_that_everybody_pays_is_won_by_nobody_in_the_history(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str, said: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        answer = cornet.ask("/api/history")
        result = {"losers": ["Ana", "Bo"], "grand_perdant": None, "rounds": {"Ana": 1, "Bo": 1}}
        answer["games"][0] |= {"finished": True, "winners": [], "result": result}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz")
        page.route("**/api/history?*", lambda route: route.fulfill(json=answer))
        page.goto(f"{cornet.address}/history")
        expect(page.locator("#games strong")).to_have_text(said)


def test_the_history_names_who_pays_a_game_of_421_and_says_why_it_cannot_be_told(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo", "Cy"]})
        answer = cornet.ask("/api/history")
        result = {"losers": ["Bo"], "grand_perdant": None, "rounds": {"Ana": 0, "Bo": 1, "Cy": 0}}
        answer["games"][0] |= {"finished": True, "winners": ["Ana", "Cy"], "result": result}
        page = screens.open(f"{cornet.address}/healthz")
        page.route("**/api/history?*", lambda route: route.fulfill(json=answer))
        page.goto(f"{cornet.address}/history")
        expect(page.locator("#games strong").first).to_have_text("Bo pays the round")
        broken = {"error": "The log cannot be replayed."}
        page.route("**/api/history**", lambda route: route.fulfill(json=broken, status=503))
        page.reload()
        for place in ("#games", "#leaders"):
            expect(page.locator(place)).to_have_text("The log cannot be replayed.")


def test_a_game_that_was_voided_before_anything_happened_has_no_steps_to_take(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo."]})
        number = cornet.ask("/api/state")["game_id"]
        page = screens.open(f"{cornet.address}/history/{number}")
        expect(page.locator("#told")).to_have_text("Nothing has happened in this game yet.")
        cornet.ask("/api/games/current", method="DELETE")
        page.reload()
        expect(page.locator("#told")).to_contain_text("voided")
        for button in ("#first", "#back", "#forward", "#end"):
            expect(page.locator(button)).to_be_disabled()


def corrected(cornet: Running, *faces: int) -> None:
    """Correct the last throw to these faces."""
    throw = cornet.at_rest()["last"]["event"]
    cornet.ask("/api/corrections", {"throw": throw, "faces": faces, "reason": "The camera read it wrong"})


def won(cornet: Running) -> int:
    """A game of Le 25 that Ana has won in two throws; its number."""
    cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
    cornet.ask("/api/throw", {})
    corrected(cornet, 6, 6, 6, 6, 6)
    cornet.ask("/api/actions", {"action": {"do": "keep", "dice": [6, 6, 6, 6, 6]}})
    cornet.ask("/api/throw", {})
    corrected(cornet, 5, 5, 5, 5, 5)
    state = cornet.ask("/api/state")
    assert state["game"]["finished"]
    number: int = state["game_id"]
    return number


def test_a_game_with_simulated_throws_is_marked_among_those_that_were_played(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        played = won(cornet)
        cornet.ask("/api/games", {"game": "421", "players": ["Cy", "Di"]})
        page = screens.open(f"{cornet.address}/language/ru?to=/history", 320)
        marked = page.locator("#games .simulated")
        expect(marked).to_have_text("Имитация костей")
        expect(page.locator("#games li").filter(has=page.locator(".simulated"))).to_contain_text("Ana")
        assert hanging(page) == []
        page.goto(f"{cornet.address}/history/{played}")
        expect(page.locator("#head .simulated")).to_be_in_viewport()
        assert hanging(page) == []


def test_who_looks_at_the_end_of_a_game_learns_that_it_goes_on_and_how_it_ends_then(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        number = won(cornet)
        page = screens.open(f"{cornet.address}/healthz")
        page.clock.install()
        page.goto(f"{cornet.address}/history/{number}")
        told, costs = page.locator("#told"), page.locator("#costs h2")
        expect(told).to_contain_text("Ana wins")
        expect(costs).to_be_visible()
        corrected(cornet, 5, 5, 5, 5, 4)
        with page.expect_response(f"**/api/history/{number}"):
            page.clock.run_for(5_000)
        expect(page.locator("#nth")).to_have_text("6 / 6")
        expect(told).not_to_contain_text("Ana wins")
        expect(costs).to_have_count(0)
        corrected(cornet, 5, 5, 5, 5, 5)
        for _ in range(2):
            with page.expect_response("**/healthz"):
                page.clock.run_for(5_000)
        expect(page.locator("#nth")).to_have_text("6 / 7")
        expect(costs).to_be_visible()


def test_an_arrow_beside_another_key_is_no_step(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/history/{won(cornet)}")
        nth = page.locator("#nth")
        expect(nth).to_have_text("5 / 5")
        for key in ("Control", "Alt", "Shift", "Meta"):
            page.keyboard.press(f"{key}+ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(nth).to_have_text("4 / 5")


def test_who_looks_at_a_game_learns_that_it_was_voided(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        number = cornet.at_rest()["game_id"]
        page = screens.open(f"{cornet.address}/healthz")
        page.clock.install()
        page.goto(f"{cornet.address}/history/{number}")
        expect(page.locator("#told")).to_contain_text("Ana")
        cornet.ask("/api/games/current", method="DELETE")
        with page.expect_response(f"**/api/history/{number}"):
            page.clock.run_for(5_000)
        expect(page.locator("#told")).to_have_text("The game was voided.")
        expect(page.locator("#nth")).to_have_text("2 / 2")
        expect(page.locator("#head")).to_contain_text("void")
        # It is seen as it stood before, and one that was over stays won.
        expect(page.locator("#sheet tbody tr")).to_have_count(2)
        expect(page.locator("#picture .caption")).to_be_visible()
        over = won(cornet)
        cornet.ask("/api/games/current", method="DELETE")
        page.goto(f"{cornet.address}/history/{over}")
        expect(page.locator("#told")).to_have_text("Ana wins.")
        expect(page.locator("#nth")).to_have_text("6 / 6")
        expect(page.locator("#head")).not_to_contain_text("void")
        # One that was begun too early is void without a word of its own.
        won(cornet)
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Cy", "Di"], "options": {"bet_mode": "free"}})
        cornet.ask("/api/actions", {"action": {"do": "bet", "chips": 1}})
        begun = cornet.ask("/api/state")
        page.goto(f"{cornet.address}/history/{begun['game_id']}")
        expect(page.locator("#told")).to_contain_text("Di stakes 1 chip.")
        throw = begun["earlier"]["throws"][-1]["event"]
        cornet.ask("/api/corrections", {"throw": throw, "faces": [5, 5, 5, 5, 4], "reason": "The die leaned"})
        with page.expect_response(f"**/api/history/{begun['game_id']}"):
            page.clock.run_for(5_000)
        expect(page.locator("#head")).to_contain_text("void")


def test_why_older_games_cannot_be_told_stands_beside_those_that_are_shown(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        answer = cornet.ask("/api/history") | {"more": True}
        page = screens.open(f"{cornet.address}/healthz")
        page.route("**/api/history?*", lambda route: route.fulfill(json=answer))
        page.goto(f"{cornet.address}/history")
        expect(page.locator("#games li")).to_have_count(1)
        page.unroute("**/api/history?*")
        broken = {"error": "The log cannot be replayed."}
        page.route("**/api/history?*", lambda route: route.fulfill(json=broken, status=503))
        page.get_by_role("button", name="Older games").click()
        expect(page.locator("#older-answer")).to_have_text("The log cannot be replayed.")
        expect(page.locator("#games li")).to_contain_text("Ana")
        page.unroute("**/api/history?*")
        page.get_by_role("button", name="Older games").click()
        expect(page.locator("#older-answer")).to_be_empty()


def test_a_search_that_the_machine_does_not_answer_says_so_and_is_answered_once_it_can(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/history")
        expect(page.locator("#games b")).to_have_text("421")
        expect(page.locator("#silence")).to_be_hidden()
        page.route("**/api/history**", lambda route: route.abort())
        page.locator("#player").fill("nobody")
        page.locator("#search button").click()
        expect(page.locator("#silence")).to_have_text("Reconnecting: the machine does not answer.")
        page.unroute("**/api/history**")
        expect(page.locator("#games")).to_have_text("Nothing was played that fits.")
        expect(page.locator("#silence")).to_be_hidden()
