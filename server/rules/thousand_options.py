"""The options of Thousand: three houses to begin with, and whatever a table changes in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from server.rules.game import BadRecord, Flag, OneOf, Option, Options, Whole, short

PRESETS = ("shop", "home", "club")
MOST_BARRELS = 5


@dataclass(frozen=True, slots=True)
class Barrels:
    """An option that is a list of stretches [lo, hi], each wholly above the one before it."""

    name: str
    default: Any
    sentence: str

    def demand(self, players: int) -> str:
        return (
            f"a list of at most {MOST_BARRELS} pairs [lo, hi] of multiples of 5 with 5 <= lo < hi <= 1000, "
            "every lo greater than the hi before it"
        )

    def allows(self, value: object, players: int) -> bool:
        if type(value) is not list or len(value) > MOST_BARRELS:
            return False
        ends = []
        for pair in value:
            if type(pair) is not list or len(pair) != 2:
                return False
            ends += pair
        return all(_is_end(end) for end in ends) and all(low < high for low, high in pairwise(ends))


def _is_end(value: object) -> bool:
    return type(value) is int and 5 <= value <= 1000 and value % 5 == 0


def _usual(shop: Any, home: Any, club: Any) -> Callable[[Mapping[str, Any], int], Any]:
    values = dict(zip(PRESETS, (shop, home, club), strict=True))

    def default(options: Mapping[str, Any], players: int) -> Any:
        return values[options["preset"]]

    return default


_SHOP_BARRELS = [[200, 300], [600, 700], [900, 1000]]
_CLUB_BARRELS = [[300, 400], [750, 900]]
_ENDINGS = ("reach", "above", "exact", "barrel")

OPTIONS: tuple[Option, ...] = (
    OneOf("preset", "shop", PRESETS, "Whose house rules hold where nothing else is chosen."),
    Whole("entry", _usual(50, 75, 50), 0, 300, "The points of one turn that bring a player into the game.", 5),
    OneOf(
        "set_aside",
        _usual("all", "some", "all"),
        ("all", "some"),
        "After a throw, set aside all the dice that score, or at least one.",
    ),
    Flag("straights", _usual(True, True, False), "1-2-3-4-5 counts 125 points, 2-3-4-5-6 counts 250."),
    OneOf(
        "four_of_a_kind",
        _usual("double", "double", "plus_ten"),
        ("double", "plus_ten"),
        "Four equal dice count twice as much as three, or 10 points more.",
    ),
    OneOf(
        "five_ones",
        _usual("points", "points", "win"),
        ("points", "win"),
        "Five ones in one throw count 1000 points, or win the game at once.",
    ),
    Flag(
        "second_try", _usual(False, False, True), "Who throws nothing with the first throw of a turn repeats it once."
    ),
    Barrels(
        "barrels",
        _usual(_SHOP_BARRELS, [], _CLUB_BARRELS),
        "Stretches of the score that a player must leave in a single turn once there.",
    ),
    OneOf(
        "barrel_exit",
        _usual("reach", "reach", "pass"),
        ("reach", "pass"),
        "A barrel is left by reaching its upper end, or only by passing it.",
    ),
    OneOf(
        "ending",
        _usual("reach", "barrel", "above"),
        _ENDINGS,
        "The game is won by reaching 1000, going above it, hitting it exactly, or in one turn from the final barrel.",
    ),
    Whole(
        "final_barrel",
        _usual(900, 850, 900),
        600,
        995,
        "Where the final barrel stands, in a game won from it; no score stops beyond it.",
        5,
    ),
    Whole("barrel_attempts", _usual(3, 0, 3), 0, 10, "How many turns a player has on the final barrel; 0: no limit."),
    OneOf(
        "barrel_fall",
        _usual("down", "entry", "down"),
        ("down", "entry"),
        "Who falls off the final barrel loses points, or is back at the points of coming into the game.",
    ),
    Whole(
        "barrel_fall_points",
        _usual(100, 100, 100),
        5,
        1000,
        "The points lost by falling off the final barrel, where points are lost.",
        5,
    ),
    Whole(
        "barrel_falls_to_zero",
        _usual(3, 0, 3),
        0,
        10,
        "With this many falls off the final barrel a player goes to zero; 0: never.",
    ),
    Flag(
        "barrel_knock_off",
        _usual(True, True, True),
        "Who climbs on the final barrel throws off whoever stands there.",
    ),
    Whole("bolts", _usual(3, 0, 3), 0, 10, "How many bolts, marks for an empty throw, cost a fine; 0: no bolts."),
    Whole("bolt_fine", _usual(50, 50, 100), 5, 500, "The points lost with the last of those bolts.", 5),
    OneOf(
        "bolt_on",
        _usual("first_throw", "first_throw", "turn"),
        ("first_throw", "turn"),
        "A bolt is written for an empty first throw only, or for every turn lost.",
    ),
    Flag("bolts_in_a_row", _usual(True, True, False), "A turn without a bolt wipes out a player's bolts."),
    Flag(
        "bolts_before_entry",
        _usual(True, False, False),
        "Bolts are also written for players who have not come into the game yet.",
    ),
    Whole("overtaking", _usual(50, 0, 55), 0, 500, "The points lost by a player who is overtaken; 0: none.", 5),
    Whole("dump_truck", _usual(555, 0, 555), 0, 995, "Who gets exactly this many points goes to zero; 0: off.", 5),
    Flag(
        "reenter_after_zero",
        _usual(False, False, True),
        "Who went to zero must come into the game again.",
    ),
    Whole(
        "bust_fine_at",
        _usual(5, 5, 5),
        0,
        20,
        "Every so many busts, turns beyond exactly 1000, cost a fine; 0: none.",
    ),
    Whole("bust_fine", _usual(100, 100, 100), 5, 500, "The points lost by that fine.", 5),
    Whole("bust_zero_at", _usual(10, 10, 10), 0, 20, "With this many busts a player goes to zero; 0: never."),
)


def settle_barrels(options: Options) -> None:
    """Make the barrels this game's own lists; BadRecord where one that must be passed ends at 1000."""
    barrels = [list(pair) for pair in options["barrels"]]
    if options["barrel_exit"] == "pass" and any(high > 995 for _, high in barrels):
        raise BadRecord(
            f'With the option "barrel_exit" "pass" every barrel must end at 995 or less, not {short(barrels)}; '
            'choose other "barrels" or "reach".'
        )
    options["barrels"] = barrels
