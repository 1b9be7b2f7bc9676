"""The pages of what was played: each game says how it ended, and one that changes is told as it is now."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screens
from tests.conftest import RunCornet


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
