"""The rules for people: a page for each game, words from the templates, numbers from the rules that are played."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from flask import Blueprint, abort, render_template

from server.rules import (
    GAMES,
    Game,
    cards,
    le_421,
    new_game,
    quatorze,
    sheet,
    thousand,
    thousand_cards,
    vingt_cinq,
    vingt_six,
)
from server.rules.combinations_421 import ACES, BRELANS, SEQUENCES, Combination, combinations
from server.rules.game import Options
from server.rules.thousand_scoring import STRAIGHTS, value
from server.web.handed import handed
from server.web.wording import AIMS, CHOICES, TITLES

USUAL_PLAYERS = ("1", "2", "3", "4")
"""Those who are taken to play a game that is not on the table."""

rulebook = Blueprint("rulebook", __name__, url_prefix="/rules")

_KIND_OF = {
    **dict.fromkeys(ACES, "two aces"),
    **dict.fromkeys(BRELANS, "brelans"),
    **dict.fromkeys(SEQUENCES, "sequences"),
    **{name: name for name in ("421", "111", "221")},
}


@rulebook.get("/")
def contents() -> str:
    """The games whose rules are told."""
    return render_template(
        "rules/index.html", games=list(GAMES), played=_record().get("game"), titles=TITLES, aims=AIMS
    )


@rulebook.get("/<game>")
def rules(game: str) -> str:
    """The rules of a game: as it is played now, if it is on the table, else as it is usually played."""
    if game not in GAMES:
        abort(404, "There are no rules of such a game in this house.")
    record = _record()
    played = record.get("game") == game
    told = new_game(game, record["players"], record["options"]) if played else new_game(game, USUAL_PLAYERS)
    return render_template(
        f"rules/{game}.html",
        game=game,
        played=played,
        told=told,
        options=told.options,
        titles=TITLES,
        aims=AIMS,
        choices=CHOICES,
        **_FACTS[game](told),
    )


def _record() -> dict[str, Any]:
    return handed().table.record() or {}


def tariff(options: Options) -> list[tuple[str, list[Combination]]]:
    """The 56 combinations of 421, best first, neighbours of one kind together."""
    every = set(combinations(options["order"], options["nenette"], options["version"]).values())
    ranked = sorted(every, key=lambda combination: combination.rank)
    return [(kind, list(group)) for kind, group in groupby(ranked, lambda found: _KIND_OF.get(found.name, "simple"))]


def _vingt_six(game: Game) -> dict[str, Any]:
    return {"dice": vingt_six.DICE, "throws": vingt_six.THROWS}


def _quatorze(game: Game) -> dict[str, Any]:
    return {"dice": quatorze.DICE, "throws": quatorze.THROWS}


def _vingt_cinq(game: Game) -> dict[str, Any]:
    return {"dice": vingt_cinq.DICE, "aim": vingt_cinq.AIM}


def _421(game: Game) -> dict[str, Any]:
    return {
        "dice": le_421.DICE,
        "decharge_throws": le_421.DECHARGE_THROWS,
        "cow_fiches": le_421.COW_FICHES,
        "pot": int(game.options["version"]),
        "tariff": tariff(game.options),
    }


def _thousand(game: Game) -> dict[str, Any]:
    options = game.options
    scale = options["straights"], options["four_of_a_kind"]

    def worth(sets: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
        return {dice: value(dice, *scale) for dice in sets}

    numbers = range(1, thousand.DICE + 1)
    return {
        "dice": thousand.DICE,
        "aim": thousand.AIM,
        "least": max(thousand.LEAST_POINTS, options["entry"]),
        "step": thousand.LEAST_POINTS,
        "equal": {face: worth((face,) * number for number in numbers) for face in range(1, 7)},
        "straights": worth(STRAIGHTS) if options["straights"] else {},
    }


def _thousand_cards(game: Game) -> dict[str, Any]:
    return {"cards": cards, "sheet": sheet, "deal": thousand_cards}


_FACTS: Mapping[str, Callable[[Game], dict[str, Any]]] = {
    "vingt-six": _vingt_six,
    "quatorze": _quatorze,
    "vingt-cinq": _vingt_cinq,
    "421": _421,
    "thousand": _thousand,
    "thousand-cards": _thousand_cards,
}
