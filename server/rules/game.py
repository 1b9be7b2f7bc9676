"""What every game shares: the protocol of play, strict checks of fields, and options as a table."""

import copy
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

Options = dict[str, Any]
Entry = dict[str, Any]


class IllegalAction(ValueError):
    """An action that the game does not allow now; the message says what it would allow."""


class BadRecord(ValueError):
    """A fault in the record itself: its form, its game, its players or its options."""


class Option(Protocol):
    """One line of a game's table of options."""

    @property
    def name(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def default(self) -> Any: ...  # a value, or a function of (options so far, number of players)

    def demand(self, players: int) -> str: ...  # "a whole number from 1 to 1000"
    def allows(self, value: object, players: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class Flag:
    """An option that is on or off."""

    name: str
    default: Any
    sentence: str

    def demand(self, players: int) -> str:
        return "true or false"

    def allows(self, value: object, players: int) -> bool:
        return type(value) is bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """An option, or a setting, that is one of a few words."""

    name: str
    default: Any
    choices: tuple[str, ...]
    sentence: str

    def demand(self, players: int) -> str:
        choices = ", ".join(f'"{choice}"' for choice in self.choices)
        return f"one of {choices}"

    def allows(self, value: object, players: int) -> bool:
        return type(value) is str and value in self.choices


@dataclass(frozen=True, slots=True)
class Whole:
    """An option that is a whole number; `high` None means the number of players."""

    name: str
    default: Any
    low: int
    high: int | None
    sentence: str
    step: int = 1

    def demand(self, players: int) -> str:
        if self.step > 1:
            return f"a whole number from {self.low} to {self.top(players)} in steps of {self.step}"
        return f"a whole number from {self.low} to {self.top(players)}"

    def allows(self, value: object, players: int) -> bool:
        return type(value) is int and self.low <= value <= self.top(players) and value % self.step == 0

    def top(self, players: int) -> int:
        """The largest value where so many play."""
        return players if self.high is None else self.high


def fill_options(table: Sequence[Option], given: Mapping[str, Any], players: int) -> Options:
    """All options of a table, the given ones checked and the defaults filled in; BadRecord if one is wrong."""
    unknown = given.keys() - {option.name for option in table}
    if unknown:
        names = ", ".join(option.name for option in table)
        raise BadRecord(f"There is no option {short(min(unknown))}; the options are: {names}.")
    filled: Options = {}
    for option in table:
        if option.name in given:
            value = given[option.name]
            if not option.allows(value, players):
                demand = option.demand(players)
                raise BadRecord(f'The option "{option.name}" must be {demand}, not {short(value)}.')
        else:
            value = option.default(filled, players) if callable(option.default) else option.default
        filled[option.name] = value
    return filled


def short(value: object, most: int = 80) -> str:
    """A value as it stands in a message: as JSON of `most` letters at most; never fails, whatever the value."""
    if isinstance(value, (list, dict)) and len(value) > 20:
        return f"a list of {len(value)} entries" if isinstance(value, list) else f"an object of {len(value)} entries"
    # Whole numbers too long to be read stand as infinite.
    if (isinstance(value, int) and value.bit_length() > 200) or value == math.inf:
        return "a huge number"
    try:
        text = json.dumps(value[:most] if isinstance(value, str) else value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "something too deep or too long to show"
    text = harmless(text[: most + 1])
    if len(text) <= most:
        return text
    cut = ""
    for piece in _PIECE.finditer(text):
        if len(cut) + len(piece[0]) > most - len("..."):
            break
        cut += piece[0]
    return cut + "..."


def harmless(text: str) -> str:
    """The text with escapes for what moves a cursor, turns a line around, is not seen, or is a lone surrogate."""
    return "".join(
        letter if letter.isprintable() or letter in _JOINERS else letter.encode("unicode_escape").decode()
        for letter in text
    )


_PIECE = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|.", re.DOTALL)  # a letter, or an escape as a whole
_JOINERS = "\u200c\u200d"  # emoji and Persian are written with them


def whole(value: object, low: int, high: int, what: str) -> int:
    """The value, if it is a whole number from low to high; IllegalAction otherwise."""
    if type(value) is not int or not low <= value <= high:
        bounds = f"from {low} to {high}" if low < high else f"{low}"
        raise IllegalAction(f'"{what}" must be a whole number {bounds}, not {short(value)}.')
    return value


_FACES = frozenset(range(1, 7))
_WHOLE = {int}


def faces(value: object, least: int, most: int) -> list[int]:
    """The value, if it is a list of least to most faces of dice; IllegalAction otherwise."""
    if type(value) is not list or not least <= len(value) <= most:
        number = f"{least}" if least == most else f"{least}\u2013{most}"
        raise IllegalAction(f'"dice" must be a list of {number} faces, not {short(value)}.')
    # The types are compared as a set because True == 1 and 1.0 == 1 would pass for faces.
    if value and (set(map(type, value)) != _WHOLE or not _FACES.issuperset(value)):
        raise IllegalAction(f'Each of "dice" must be a whole number from 1 to 6, not {short(value)}.')
    return value


class Game(ABC):
    """A game that can be asked what is legal and told what was done.

    A subclass names its actions in MOVES (action to its fields) and has a method `do_ACTION` for each, which first
    checks everything and only then changes anything. It keeps `awaits`, `actor` and `dice` true; `awaits` is empty
    when the game is over.
    """

    NAME: ClassVar[str]
    OPTIONS: ClassVar[tuple[Option, ...]]
    MOVES: ClassVar[Mapping[str, tuple[str, ...]]]
    MOST_PLAYERS: ClassVar[int | None] = None
    LEAST_PLAYERS: ClassVar[int] = 2
    HIDES: ClassVar[bool] = False  # whether there is something that not every player may see

    awaits: tuple[str, ...] = ()
    actor: str = ""
    dice: int = 0

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        self.players = check_players(players, self.LEAST_PLAYERS, self.MOST_PLAYERS)
        self.options = fill_options(self.OPTIONS, options or {}, len(self.players))
        self.log: list[Entry] = []

    def legal(self) -> tuple[str, ...]:
        """The names of the actions that are legal now, sorted."""
        return self.awaits

    def play(self, action: object) -> None:
        """Take an action; IllegalAction if it is not legal now, and then nothing has changed."""
        if type(action) is not dict or type(action.get("do")) is not str:
            raise IllegalAction(f'An action is an object with a text "do"; {self._would_be_legal()}')
        name = action["do"]
        if name not in self.awaits:
            raise IllegalAction(f"{short(name)} is not legal now; {self._would_be_legal()}")
        fields = self.MOVES[name]
        if len(action) != len(fields) + 1 or not all(map(action.__contains__, fields)):
            raise IllegalAction(self._fields_of(name))
        getattr(self, "do_" + name)(*map(action.__getitem__, fields))

    def fork(self) -> Self:
        """A twin that can be played on without touching this game; log entries are shared, they never change."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            setattr(twin, name, self.log.copy() if name == "log" else copy.deepcopy(value))
        return twin

    def state(self) -> dict[str, Any]:
        """The state that `cornet replay` prints; later actions do not change it."""
        turn = None
        if self.awaits:
            turn = {"player": self.actor, "dice": self.dice, "legal": list(self.awaits)}
        return {
            "game": self.NAME,
            "options": copy.deepcopy(self.options),
            "players": list(self.players),
            "finished": not self.awaits,
            "result": None if self.awaits else self.result(),
            "turn": turn,
            "scores": self.scores(),
            "table": self.table(),
            "log": self.log.copy(),
        }

    def view(self, player: str) -> dict[str, Any]:
        """The state as that player may see it; a game that hides nothing shows it whole."""
        return self.state()

    def offers(self) -> list[dict[str, Any]]:
        """What a player may do now besides throwing, each action with the choices for its fields."""
        return [{"do": name, **self.choices(name)} for name in self.awaits if name != "throw"]

    def paid(self) -> list[dict[str, Any]]:
        """The lines of what is paid, for a sheet.

        Each has its `odds` and the totals or the way it needs, or its `fiches` and the combinations worth so many.
        """
        return []

    def kept(self) -> list[int]:
        """The faces of the dice of this hand that lie on the table and are not thrown again."""
        return []

    def choices(self, action: str) -> dict[str, Any]:
        """What each field of a legal action may be: {"from", "to"}, or {"one_of": [...]}."""
        return {}

    @abstractmethod
    def scores(self) -> dict[str, int]:
        """Each player's chips, points, life points or fiches."""

    @abstractmethod
    def table(self) -> dict[str, Any]:
        """What else a player at the table can see, as the game's page names it."""

    @abstractmethod
    def result(self) -> dict[str, Any]:
        """How the game ended; asked only when it is over."""

    def _fields_of(self, name: str) -> str:
        """What an action of this name must have, as a sentence."""
        return f'"{name}" has exactly these fields: {", ".join(("do", *self.MOVES[name]))}.'

    def _would_be_legal(self) -> str:
        if not self.awaits:
            return "the game is over."
        legal = ", ".join(self.awaits)
        if "throw" in self.awaits:
            return f"legal for {short(self.actor)}: {legal}, a throw has {self.dice} dice."
        return f"legal for {short(self.actor)}: {legal}."


def check_players(players: Sequence[object], least: int, most: int | None) -> tuple[str, ...]:
    """The names of those who play, in order; BadRecord unless they are different non-empty texts, enough of them."""
    names = tuple(name for name in players if isinstance(name, str) and name)
    if len(names) != len(players):
        raise BadRecord('"players" must be a list of non-empty names.')
    if len(set(names)) != len(names):
        raise BadRecord("Two players have the same name; give each a name of their own.")
    if len(names) < least or (most is not None and len(names) > most):
        number = f"{least} or more" if most is None else f"{least}\u2013{most}"
        raise BadRecord(f"This game is for {number} players, not {len(names)}.")
    return names
