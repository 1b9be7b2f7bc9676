"""Games played on the engine, and every throw that may come next."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from server.odds.chance import throws
from server.rules import Game, new_game
from server.strategy import chosen

Played = Callable[..., Iterator[Game]]
AfterThrow = Callable[[Game], Iterator[tuple[float, Game]]]


@pytest.fixture
def played() -> Played:
    """The positions of a game that is played by these aims with dice of chance, the first one included."""

    def positions(name: str, players: str, options: dict[str, Any], aims: str | list[str], seed: int) -> Iterator[Game]:
        chance = random.Random(seed)
        game = new_game(name, list(players), options)
        every = aims if isinstance(aims, list) else [aims] * len(players)
        while game.legal():
            yield game
            action = chosen(game, every[game.players.index(game.actor)])
            if action == {"do": "throw"}:
                action = {"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)}
            game.play(action)
        yield game

    return positions


@pytest.fixture
def after_throw() -> AfterThrow:
    """Every throw that may come in a position where one is due: its chance, and the game after it."""

    def every(game: Game) -> Iterator[tuple[float, Game]]:
        for faces, ways in throws(game.dice).items():
            after = game.fork()
            after.play({"do": "throw", "dice": list(faces)})
            yield ways / 6**game.dice, after

    return every
