"""What a game's options mean for the house and for those who play: a few of its figures, each as a sentence."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from server.odds import odds

Found = Mapping[str, float]


class Said(NamedTuple):
    """A figure and the sentence that says it; the sentence takes the value as {value}."""

    figure: str
    sentence: str
    value: float

    def as_json(self) -> dict[str, Any]:
        """The figure's name and value (chips, points, fiches, or a probability) and the finished sentence."""
        return {"figure": self.figure, "value": self.value, "sentence": self.sentence.format(value=self.value)}


@lru_cache(maxsize=64)
def _told(game: str, options: str) -> dict[str, Any]:
    answer = odds(game, json.loads(options))
    said = _SAID[game](answer["options"], answer["figures"])
    return {**answer, "means": [each.as_json() for each in said]}


def told(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The odds of a game as `cornet odds` prints them, and in `means` what they come to; BadRecord as there.

    Each of `means` has `figure`, `value` and `sentence`. Answers are remembered, so they must not be changed.
    """
    return _told(game, json.dumps(options, sort_keys=True))


def _thrower(options: Mapping[str, Any], found: Found) -> Said:
    """What the table of odds leaves the thrower, and so costs the house."""
    figure = "expectation_stake_returned" if options["stake_returned"] else "expectation_stake_kept"
    gain = found[figure]
    word = "gains" if gain >= 0 else "loses"
    bank = "pays" if gain >= 0 else "keeps"
    sentence = f"With this table the thrower {word} {abs(gain):.2f} chips a chip staked; the bank {bank} them."
    return Said(figure, sentence, gain)


def _vingt_six(options: Mapping[str, Any], found: Found) -> list[Said]:
    return [
        _thrower(options, found),
        Said("p_win", "The thrower wins {value:.1%} of the turns.", found["p_win"]),
        Said(
            "p_bank_broken_early",
            "Three throwers who stake the full bet break the bank before the last throws in {value:.2%} of the games.",
            found["p_bank_broken_early"],
        ),
    ]


def _quatorze(options: Mapping[str, Any], found: Found) -> list[Said]:
    return [_thrower(options, found), Said("p_win", "The thrower wins {value:.1%} of the turns.", found["p_win"])]


def _vingt_cinq(options: Mapping[str, Any], found: Found) -> list[Said]:
    kept = "attack_again_mean_dice_kept" if options["attack_again"] else "attack_mean_dice_kept"
    return [
        Said("best_p_25_or_more", "25 or more can be reached in {value:.1%} of the turns.", found["best_p_25_or_more"]),
        Said("best_mean_own_loss", "Who plays safe loses {value:.2f} life points a turn.", found["best_mean_own_loss"]),
        Said(kept, "An attack sets aside {value:.2f} dice on the average.", found[kept]),
    ]


def _421(options: Mapping[str, Any], found: Found) -> list[Said]:
    number = ("one_throw", "two_throws", "three_throws")[options["charge_throws"] - 1]
    said = [
        Said("p_421_in_three_throws", "Three throws can bring 421 with {value:.1%}.", found["p_421_in_three_throws"]),
        Said(
            f"best_mean_fiches_in_{number}",
            "A hand of the charge can be worth {value:.2f} fiches on the average.",
            found[f"best_mean_fiches_in_{number}"],
        ),
    ]
    if options["charge_throws"] == 1:
        coups = "dry_charge_mean_coups_4_players"
        said.append(Said(coups, "Four players empty the pot in {value:.1f} coups on the average.", found[coups]))
    return said


def _thousand(options: Mapping[str, Any], found: Found) -> list[Said]:
    return [
        Said("best_turn_mean", "A turn can bring {value:.1f} points on the average.", found["best_turn_mean"]),
        Said(
            "best_p_entry",
            f"The {options['entry']} points that bring a player in are within reach in {{value:.1%}} of the turns.",
            found["best_p_entry"],
        ),
        Said(
            "throw_on_below_2_dice",
            "With two dice left it pays to stop from {value:.0f} points on.",
            found["throw_on_below_2_dice"],
        ),
    ]


_SAID: Mapping[str, Callable[[Mapping[str, Any], Found], list[Said]]] = {
    "vingt-six": _vingt_six,
    "quatorze": _quatorze,
    "vingt-cinq": _vingt_cinq,
    "421": _421,
    "thousand": _thousand,
}
