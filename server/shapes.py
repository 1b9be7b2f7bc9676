"""The shapes of events: what the body of each kind has by itself, whatever came before it."""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from vision.reading import Verdict

Check = Callable[[Any], bool]
Fields = Mapping[str, Check]


class Shape:
    """What an object has, and what it may have besides; of anything else nothing is said."""

    def __init__(self, has: Fields, may: Fields) -> None:
        self._has, self._checks = has.keys(), {**has, **may}

    def wrong(self, body: Mapping[str, Any]) -> str:
        """A field that is missing or is not what it must be; empty where there is none."""
        if not self._has <= body.keys():
            return min(self._has - body.keys())
        checks = self._checks
        for name, value in body.items():
            if name in checks and not checks[name](value):
                return name
        return ""


def misshapen(kind: str, body: Mapping[str, Any]) -> str:
    """The field by which a body cannot be of its kind; empty where it can. Kinds that nobody knows have any others."""
    return _SHAPES.get(kind, _ANY).wrong(body)


def is_halved(text: str) -> bool:
    """Whether a text in ASCII has half of a letter that is written as two; no screen could be told of it."""
    try:
        if "\\ud" in text or "\\uD" in text:
            json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def unhalved(text: str) -> str:
    """A body's canonical text with a question mark in the place of each half letter."""
    if not is_halved(text):
        return text
    letters = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return json.dumps(json.loads(letters), separators=(",", ":"))


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number.")
    return number


decoded = json.JSONDecoder(parse_float=_finite, parse_constant=_finite).decode
"""Reads JSON; ValueError also for what is endless or no number, which no browser reads."""


_MOST = 2**53
"""Beyond it whole numbers are not the same in every program."""
_NUMBERS = {int, float}
_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_HASH, _COLOUR = re.compile("[0-9a-f]{64}"), re.compile("#[0-9a-f]{6}")


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _face(value: Any) -> bool:
    return type(value) is int and 1 <= value <= 6


def _number(value: Any) -> bool:
    return type(value) in _NUMBERS and -_MOST <= value <= _MOST


def _flag(value: Any) -> bool:
    return type(value) is bool


def _text(value: Any) -> bool:
    return type(value) is str


def _sentence(value: Any) -> bool:
    return type(value) is str and bool(value.strip())


def _hash(value: Any) -> bool:
    return type(value) is str and _HASH.fullmatch(value) is not None


def _colour(value: Any) -> bool:
    return type(value) is str and _COLOUR.fullmatch(value) is not None


def _verdict(value: Any) -> bool:
    return type(value) is str and value in _VERDICTS


def _time(value: Any) -> bool:
    try:
        # The first and the last year have no place in every time zone.
        time = datetime.fromisoformat(value)
        return time.tzinfo is not None and 1 < time.year < 9999
    except (TypeError, ValueError):
        return False


def _action(value: Any) -> bool:
    """Faces come from the dice alone: a throw is an event of its own."""
    return type(value) is dict and _text(value.get("do")) and value["do"] != "throw"


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _each(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def _pair(value: Any) -> bool:
    # Spelt out: it is asked of every die of the log at each start.
    return type(value) is list and len(value) == 2 and _number(value[0]) and _number(value[1])


def _box(value: Any) -> bool:
    return type(value) is list and len(value) == 4 and _pair(value[:2]) and _pair(value[2:])


def _object(has: Fields, may: Fields | None = None) -> Check:
    shape = Shape(has, may or {})
    return lambda value: type(value) is dict and not shape.wrong(value)


_wholes, _faces, _texts = _each(_whole), _each(_face), _each(_text)

_PLACED: Fields = {"center": _pair, "box": _box}
_MEASURED: Fields = {
    "margin": _number,
    "mm": _pair,
    "turn_deg": _number,
    "colour": _text,
    "others": _faces,
    "body": _colour,
}
_guessed = _object({"face": _or_none(_face), **_PLACED}, _MEASURED)
_read = _object({"face": _face, **_PLACED}, _MEASURED)
_added = _object({"face": _face, "center": _pair})

_PRESS: Fields = {"needs": _whole, "named": _texts, "soak": _whole}
_LOOK: Fields = {
    "verdict": _verdict,
    "expected": _or_none(_whole),
    "size": _or_none(_pair),
    "frame": _or_none(_hash),
}
_LOOKED: Fields = {
    **_PRESS,
    "soak": _or_none(_whole),
    "press": _or_none(_whole),
    "source": _or_none(_text),
    "again": _flag,
    "disputes": _each(_object({"center": _pair})),
    "amiss": _wholes,
    **dict.fromkeys(("message", "warning"), _text),
    "tray": _hash,
    "draw": _whole,
}
_PARTS: Fields = {
    "set": _or_none(_text),
    "names": _texts,
    "calibration_sha256": _or_none(_hash),
    "machine_sha256": _or_none(_hash),
}
_MACHINE: Fields = {
    **_PARTS,
    **dict.fromkeys(("boot", "version", "tower", "camera", "reader", "loading"), _text),
    "dice": _or_none(_whole),
    "settings_sha256": _or_none(_hash),
    "turns": _number,
    "by_hand": _flag,
}
_SOAKED = _object({}, {"count": _whole, "set": _or_none(_text), "commission": _flag, "turns": _number})
_CORRECTED: Fields = {
    "throw": _whole,
    "faces": _faces,
    "before": _faces,
    "cut": _wholes,
    "reason": _text,
}

_COMMON: Fields = {"key": _or_none(_text), "by": _text, "synchronised": _or_none(_flag)}
_ANY = Shape({}, {"at": _time, **_COMMON})


def _event(has: Fields, may: Fields | None = None) -> Shape:
    return Shape({"at": _time, **has}, {**_COMMON, **(may or {})})


_SHAPES = {
    "boot": _event({"simulated": _flag}, _MACHINE),
    "seed": _event({"sha256": _hash}, {"given": _flag}),
    "reveal": _event({"sha256": _hash, "seed": _hash}),
    "game": _event(
        {"game": _text, "players": _texts, "options": _object({})},
        {"seed_sha256": _or_none(_hash), "simulated": _flag},
    ),
    "action": _event({"action": _action}),
    "press": _event({}, _PRESS),
    "void": _event({}, {"press": _whole, "reason": _text}),
    "throw": _event({**_LOOK, "dice": _each(_read), "needs": _whole, "counted": _wholes, "faces": _faces}, _LOOKED),
    "trial": _event({**_LOOK, "dice": _each(_read)}, _LOOKED),
    "refused": _event({**_LOOK, "dice": _each(_guessed)}, _LOOKED),
    "entry": _event({"needs": _whole, "faces": _faces, "by": _text}),
    "soak": _event({"asked": _SOAKED}),
    "abandon": _event({"game": _whole}),
    "correction": _event(
        {**_CORRECTED, "by": _text},
        {
            "dice": _each(lambda die: die is None or _face(die) or _added(die)),
            "counted": _wholes,
            "taken_back": _whole,
        },
    ),
    "undo": _event({"action": _whole}),
    "dispute": _event({"throw": _whole, "die": _or_none(_whole), "by": _text}),
    "fault": _event({"fault": _sentence, "message": _text}),
    "clear": _event({}),
    "calibrated": _event({}, {"step": _text, **_PARTS}),
    "seat": _event(
        {},
        {
            **dict.fromkeys(("seat", "instead"), _whole),
            "player": _or_none(_whole),
            **dict.fromkeys(("name", "secret"), _text),
            **dict.fromkeys(("approved", "gone"), _flag),
        },
    ),
    "joining": _event({"joining": _text}),
    "house": _event({"player": _whole, "plays": _or_none(_text)}),
    "advice": _event({"player": _or_none(_whole), "advice": _flag}),
}

KINDS = frozenset(_SHAPES)
"""Everything that an event can be."""
