"""The rules of every game: pure, of the standard library alone; no clock, no chance, no files."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.rules.game import BadRecord, Game, IllegalAction, harmless, short
from server.rules.le_421 import Le421
from server.rules.quatorze import Quatorze
from server.rules.thousand import Thousand
from server.rules.thousand_cards import ThousandCards
from server.rules.vingt_cinq import VingtCinq
from server.rules.vingt_six import VingtSix

__all__ = ["GAMES", "BadRecord", "Game", "IllegalAction", "harmless", "new_game", "short"]

GAMES: Mapping[str, type[Game]] = {
    game.NAME: game for game in (VingtSix, Quatorze, VingtCinq, Le421, Thousand, ThousandCards)
}


def new_game(name: object, players: Sequence[str], options: Mapping[str, Any] | None = None) -> Game:
    """A game of that name before its first action; BadRecord where name, players or options are wrong."""
    if type(name) is not str or name not in GAMES:
        raise BadRecord(f"There is no game {short(name)}; the games are: {', '.join(GAMES)}.")
    return GAMES[name](players, options)
