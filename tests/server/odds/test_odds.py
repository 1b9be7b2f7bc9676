"""The shape of the answer: every figure that is promised, every option, and what is refused."""

import re
from typing import Any

import pytest

from server.odds import odds
from server.rules import BadRecord, new_game

TURN = ("expectation_stake_returned", "expectation_stake_kept", "p_win")
POLICY = ("mean_sum", "p_below_25", "p_25", "p_above_25", "mean_own_loss", "mean_damage", "mean_net")
HANDS = ("p_421", "best_mean_fiches", "best_p_beat_dry")
PROMISED = {
    "vingt-six": {
        *TURN,
        *("mean_hits", "sd_hits", "most_likely_hits", "p_10_or_less", "p_13", "p_26", "p_27", "p_28", "p_29"),
        *("p_30_or_more", "p_lose", "mean_gain", "sd_stake_returned", "p_bank_broken_early"),
        "p_bank_empty_at_the_end",
    },
    "quatorze": {
        *TURN,
        *(f"p_highest_{count}" for count in range(2, 11)),
        *("p_choice_none_three", "p_choice_tie", "p_coup_blanc", "p_fourteen"),
    },
    "vingt-cinq": {
        *(f"keep_{dice}_{name}" for dice in ("one", "all") for name in POLICY),
        *(f"keep_{dice}_p_sum_{total}" for dice in ("one", "all") for total in range(5, 31)),
        *("best_mean_sum", "best_mean_own_loss", "best_mean_net", "best_p_25_or_more", "best_p_above_25"),
        *("attack_mean_dice_kept", "attack_again_mean_dice_kept", *(f"attack_p_kept_{n}" for n in range(6))),
    },
    "421": {
        *(
            f"{figure}_{kind}"
            for figure in ("combinations", "out_of_216")
            for kind in ("421", "brelan", "two_aces", "sequence", "simple", "nenette")
        ),
        *(f"{name}_in_{number}" for name in HANDS for number in ("one_throw", "two_throws", "three_throws")),
        *(
            f"dry_{name}_{players}_players"
            for name in ("mean_due", "p_tie_best", "p_tie_worst", "charge_mean_coups")
            for players in range(2, 7)
        ),
    },
    "thousand": {
        *(f"{name}_{n}_dice" for name in ("p_empty", "p_all_score", "mean_points") for n in range(1, 6)),
        *("best_turn_mean", "best_p_entry", *(f"throw_on_below_{n}_dice" for n in range(1, 5))),
        *(f"best_p_turn_{points}_points" for points in (5, 25, 50, 55, 75, 100, 150, 200)),
    },
}


@pytest.mark.parametrize("game", PROMISED)
def test_every_figure_and_every_option(game: str) -> None:
    answer = odds(game, {})
    assert list(answer) == ["game", "options", "figures"]
    assert answer["game"] == game
    assert answer["options"] == new_game(game, ["A", "B", "C", "D"]).options
    assert set(answer["figures"]) == PROMISED[game]
    for name, figure in answer["figures"].items():
        assert type(figure) is float
        if re.search("(^|_)p_", name):
            assert 0 <= figure <= 1, name


def test_four_play() -> None:
    assert odds("vingt-six", {"rotate_banker": True})["options"]["games"] == 4
    assert odds("quatorze", {})["options"]["bank_chips"] == 50


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("thousand-cards", {}),
        ("poker", {}),
        ("", {}),
        ("vingt-six", {"fourteen": "exactly"}),
        ("vingt-six", {"bet": 1001}),
        ("vingt-six", {"bet": 2.0}),
        ("vingt-six", {"banker_seat": 5}),
        ("quatorze", {"fourteen": 14}),
        ("vingt-cinq", {"life": 0}),
        ("421", {"version": 11}),
        ("421", {"version": "21", "cow_tail": 50}),
        ("thousand", {"entry": 52}),
        ("thousand", {"barrel_exit": "pass"}),
    ],
)
def test_what_is_wrong_is_refused(game: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadRecord) as refused:
        odds(game, options)
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)
