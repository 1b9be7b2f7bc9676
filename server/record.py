"""Game records: read strictly, replayed, answered as `cornet replay` prints them."""

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from server.rules import BadRecord, Game, IllegalAction, new_game, short

FORMAT = 1
_KEYS = ("format", "game", "players", "options", "actions")
_NEEDED = ("format", "game", "players")

# Python refuses to turn longer texts into numbers; a number of this length is out of every range anyway.
_LONGEST_NUMBER = 4000
_DEEPEST, _BOTTOM = 50, 1_000_000
"""Levels of nesting that no record needs, and those below which nobody looks any more."""
# Of a JSON text: a bracket or brace, a string, what stands between them, a string that does not end.
_PARTS = re.compile(r'[\[{\]}]|"(?:[^"\\]++|\\.)*+"|[^\[{\]}"]+|"')


class Refused(ValueError):
    """A record that cannot be replayed: at the action of that index, or (None) the record itself."""

    def __init__(self, action: int | None, message: str) -> None:
        super().__init__(message)
        self.action = action

    def as_json(self) -> dict[str, Any]:
        """The error object of the record's page."""
        return {"error": {"action": self.action, "message": str(self)}}


def parse(text: bytes) -> Any:
    """The JSON value of a text in UTF-8, duplicate keys and NaN refused; Refused (action None) if it is none."""
    if text.startswith(BOM_UTF8):
        raise Refused(None, "This begins with a byte order mark: save it as plain UTF-8, without one.")
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(None, f"This is no text in UTF-8: {error.reason} at byte {error.start}.") from None
    try:
        return _value(decoded)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(None, f"This is no JSON: {error.msg.removesuffix(' at')} at {where}.") from None
    except RecursionError:
        return _shallow(decoded)


def replay(record: object, viewer: str | None = None) -> Game:
    """The game after the last action of a record; Refused where the record or an action is wrong.

    With a viewer, who must be one of the players, a refusal says nothing that only another player may know.
    """
    fields = _check_form(record)
    try:
        game = new_game(fields["game"], fields["players"], fields.get("options", {}))
    except BadRecord as error:
        raise Refused(None, str(error)) from None
    if viewer is not None and viewer not in game.players:
        names = ", ".join(map(short, game.players))
        raise Refused(None, f"Nobody called {short(viewer)} plays; the players are {names}.")
    taken = 0
    try:
        for action in fields.get("actions", ()):
            game.play(action)
            taken += 1
    except IllegalAction as error:
        secret = game.HIDES and bool(game.legal()) and viewer not in (None, game.actor)
        message = f"{game.actor} cannot do that now; what would be legal is for {game.actor} to see."
        raise Refused(taken, message if secret else str(error)) from None
    return game


def record_of(game: Game, actions: Iterable[Any]) -> dict[str, Any]:
    """The record that replays these actions of this game."""
    return {
        "format": FORMAT,
        "game": game.NAME,
        "players": list(game.players),
        "options": game.options,
        "actions": list(actions),
    }


def answer_lines(lines: Iterable[bytes]) -> Iterator[str]:
    """One line of JSON, a state or an error, for each line that holds a record; as lazy as its input."""
    encode = json.JSONEncoder().encode
    for line in lines:
        try:
            yield encode(replay(parse(line.rstrip(b"\r\n"))).state())
        except Refused as error:
            yield encode(error.as_json())


def _check_form(record: object) -> Mapping[str, Any]:
    if type(record) is not dict:
        raise Refused(None, f"A record is a JSON object, not {short(record)}.")
    unknown = record.keys() - set(_KEYS)
    if unknown:
        raise Refused(None, f"A record has no {short(min(unknown))}; its keys are {', '.join(_KEYS)}.")
    for key in _NEEDED:
        if key not in record:
            raise Refused(None, f'The record lacks "{key}".')
    if type(record["format"]) is not int or record["format"] != FORMAT:
        raise Refused(None, f'"format" must be {FORMAT}, not {short(record["format"])}.')
    if type(record["players"]) is not list:
        raise Refused(None, f'"players" must be a list of names, not {short(record["players"])}.')
    if type(record.get("options", {})) is not dict:
        raise Refused(None, f'"options" must be an object, not {short(record["options"])}.')
    if type(record.get("actions", [])) is not list:
        raise Refused(None, f'"actions" must be a list, not {short(record["actions"])}.')
    return record


def _value(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except (json.JSONDecodeError, Refused):
        raise
    except ValueError:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_number)


def _shallow(text: str) -> Any:
    """The value of a text that is nested deeper than can be read, without what lies deeper than anything in a record.

    So it is refused where it stands: in an action at the index of that. What is left out must be JSON too.
    """
    open_parts: list[list[str]] = [[]]  # of the text, then of each container that has not ended
    for part in _PARTS.finditer(text):
        if part[0] in ("[", "{"):
            if len(open_parts) > _BOTTOM:
                raise Refused(None, "This is nested too deeply to be read.")
            open_parts.append([])
        open_parts[-1].append(part[0])
        if part[0] in ("]", "}") and len(open_parts) > 1:
            ended, depth = "".join(open_parts.pop()), len(open_parts)
            if depth > _DEEPEST:
                _checked(ended)
            open_parts[-1].append("null" if depth > _DEEPEST else ended)
    return _checked("".join(part for parts in open_parts for part in parts))


def _checked(text: str) -> Any:
    try:
        return _value(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg.removesuffix(' at')}, far within what is nested"
    except RecursionError:
        reason = "it is nested too deeply, and without an end"
    raise Refused(None, f"This is no JSON: {reason}.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise Refused(None, f"The key {short(twice)} stands twice in one object.")
    return found


def _no_constant(name: str) -> NoReturn:
    raise Refused(None, f"{name} is no JSON number.")


def _number(digits: str) -> float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float("inf")
