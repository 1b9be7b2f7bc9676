"""What the odds of a game come to, in words that go with the number in them."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screens
from tests.browser.gallery import staged
from tests.conftest import RunCornet

SAY = "async means => (await import('/static/figures.js')).figures({ means }, 4)"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "fr",
            [
                "Qui joue prudemment perd 1,58 point de vie par tour.",
                "Une main de la charge peut valoir 1,61 fiche en moyenne.",
                "Une main de la charge peut valoir 2 fiches en moyenne.",
                "Quatre joueurs vident le pot en 13,26 coups en moyenne.",
                "Le lanceur gagne 0,08 jeton pour chaque jeton misé.",
            ],
        ),
        (
            "en",
            [
                "Who plays safe loses 1.58 life points a turn.",
                "A hand of the charge can be worth 1.61 fiches on average.",
                "A hand of the charge can be worth 2 fiches on average.",
                "Four players empty the pot in 13.26 coups on average.",
                "The thrower gains 0.08 chips for each chip staked.",
            ],
        ),
        (
            "ru",
            [
                "Осторожный игрок теряет 1,58 очка жизни за ход.",
                "Рука на зарядке может стоить в среднем 1,61 жетона.",
                "Рука на зарядке может стоить в среднем 2 жетона.",
                "Вчетвером котёл опустошают в среднем за 13,26 захода.",
                "Бросающий выигрывает 0,08 фишки на каждую поставленную.",
            ],
        ),
    ],
)
def test_what_is_counted_goes_with_its_number_also_where_that_is_a_fraction(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str, said: list[str]
) -> None:
    means = [
        {"figure": "best_mean_own_loss", "value": 1.5806},
        {"figure": "best_mean_fiches_in_one_throw", "value": 1.6111},
        # It is told as 2, and so is what goes with it.
        {"figure": "best_mean_fiches_in_two_throws", "value": 1.9996},
        {"figure": "dry_charge_mean_coups_4_players", "value": 13.256},
        {"figure": "expectation_stake_returned", "value": 0.0796},
    ]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/language/{language}?to=/operator")
        assert page.evaluate(SAY, means) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", ["0 touche", "1 touche", "2 touches", "5 touches"]),
        ("en", ["0 hits", "1 hit", "2 hits", "5 hits"]),
        ("ru", ["0 попаданий", "1 попадание", "2 попадания", "5 попаданий"]),
    ],
)
def test_the_hits_of_an_attack_go_with_their_number(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str, said: list[str]
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        state = cornet.ask("/api/state")
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz")
        page.add_init_script(staged(state))
        page.goto(f"{cornet.address}/play")
        expect(page.locator("#sheet .scores")).to_be_visible()  # the page has been told once
        for hits, words in zip((0, 1, 2, 5), said, strict=True):
            table = {**state["game"]["table"], "phase": "attack", "attack_face": 6, "attack_kept": hits}
            page.evaluate("state => tell(state)", {**state, "game": {**state["game"], "table": table}})
            expect(page.locator("#sheet .attack")).to_contain_text(f": {words},")
            expect(page.locator("#sheet .attack b")).to_have_text(str(6 * hits))


def test_how_long_four_players_take_is_told_where_four_play(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        for names, told in ((["Ana", "Bo", "Cy"], 0), (["Ana", "Bo", "Cy", "Di"], 1)):
            cornet.ask("/api/games", {"game": "421", "players": names, "options": {"manches": 1}})
            phone = screens.open(f"{cornet.address}/play", 360, 740)
            phone.get_by_text("Chances to pay nothing").click()
            expect(phone.locator("#more .sayings")).to_contain_text("Three throws can bring 421")
            expect(phone.locator("#more .sayings li", has_text="Four players empty the pot")).to_have_count(told)
            cornet.ask("/api/games/current", method="DELETE")
