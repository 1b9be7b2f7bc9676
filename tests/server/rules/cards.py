"""What the tests of Thousand with cards share: players, cards, and a game played so far."""

import json
from collections.abc import Sequence
from typing import Any

from server.rules.thousand_cards import ThousandCards

Action = dict[str, Any]
State = dict[str, Any]
PLAYERS = ["Ana", "Bo", "Cyr", "Dee"]
DECK = [rank + suit for suit in "SCDH" for rank in "9JQKTA"]
ONLOOKER = "nobody"


def text(state: State) -> str:
    """As JSON, where true is not 1."""
    return json.dumps(state, sort_keys=True)


def play_all(
    actions: list[Any], players: Sequence[str] = PLAYERS[:3], options: dict[str, Any] | None = None
) -> ThousandCards:
    game = ThousandCards(players, options)
    for action in actions:
        game.play(action)
    return game
