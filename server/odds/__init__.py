"""The exact odds of every dice game: enumeration, fractions and dynamic programming; nothing is simulated."""

from collections.abc import Callable, Mapping
from typing import Any

from server.odds import le_421, quatorze, thousand, vingt_cinq, vingt_six
from server.odds.chance import Figures
from server.rules import GAMES, BadRecord, short

PLAYERS = ("1", "2", "3", "4")
"""Some defaults depend on how many play: the figures are those of four."""

FIGURES: Mapping[str, Callable[[Mapping[str, Any]], Figures]] = {
    "vingt-six": vingt_six.figures,
    "quatorze": quatorze.figures,
    "vingt-cinq": vingt_cinq.figures,
    "421": le_421.figures,
    "thousand": thousand.figures,
}


def odds(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a game under these options, as `cornet odds` prints them.

    Probabilities are from 0 to 1; every figure is right to a relative 1e-9. BadRecord where the game has no odds, or
    an option is wrong.
    """
    if game not in FIGURES:
        raise BadRecord(f"There are no odds for {short(game)}; the games that have odds are: {', '.join(FIGURES)}.")
    filled = GAMES[game](PLAYERS, options).options
    figures = {name: float(figure) for name, figure in FIGURES[game](filled).items()}
    return {"game": game, "options": filled, "figures": figures}
