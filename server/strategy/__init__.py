"""How the games of dice are played well: what every choice is worth, for three characters."""

from collections.abc import Callable, Mapping
from typing import Any

from server.rules.game import Game
from server.strategy import bank, le_421, thousand, vingt_cinq
from server.strategy.weighing import AIMS, Choice, Weighed

__all__ = ["AIMS", "Choice", "Weighed", "chosen", "knows", "weigh"]

_WEIGH: Mapping[str, Callable[[Game, str], Weighed]] = {
    "vingt-six": bank.weigh,
    "quatorze": bank.weigh,
    "vingt-cinq": vingt_cinq.weigh,
    "421": le_421.weigh,
    "thousand": thousand.weigh,
}


def knows(game: Game) -> bool:
    """Whether there is a strategy for this game."""
    return game.NAME in _WEIGH


def weigh(game: Game, aim: str = "perfect") -> Weighed | None:
    """The choices of whoever's turn it is, best first for that aim; None where there is nothing but a throw."""
    return None if game.awaits in ((), ("throw",)) else _WEIGH[game.NAME](game, aim)


def chosen(game: Game, aim: str = "perfect") -> dict[str, Any]:
    """The action of a player of that character; a throw stands without its faces."""
    forced = _forced(game)
    if forced is not None:
        return forced
    weighed = weigh(game, aim)
    return {"do": "throw"} if weighed is None else weighed.choices[0].action


def _forced(game: Game) -> dict[str, Any] | None:
    """The only action that is possible, where it is seen at once that there is no other."""
    if game.awaits != ("keep",):
        return None
    every = game.choices("keep")["dice"]["one_of"]
    return {"do": "keep", "dice": every[0]} if len(every) == 1 else None
