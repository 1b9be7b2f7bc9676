"""Corrections and undo: the running game played again from its start with what holds now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from server.looks import Look, counting
from server.rules import Game, IllegalAction, new_game


class CannotStand(ValueError):
    """A correction that is not possible; the message says why, and nothing has changed."""


@dataclass(frozen=True, slots=True)
class Move:
    """An action of the running game, as it holds now."""

    seq: int  # of its event
    action: dict[str, Any]
    actor: str  # who took it
    dice: int  # how many were to be thrown; 0 where no throw was due

    @property
    def is_throw(self) -> bool:
        """Whether dice decided it, and nobody may take it back."""
        return bool(self.action["do"] == "throw")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A game played again: where it stands, the moves that hold, and those that fell away at its end."""

    game: Game
    moves: list[Move]
    cut: list[int]  # their events


def rewrite(game: Game, moves: Sequence[Move], throw: int, faces: list[int]) -> Rewritten:
    """The game played again with other faces at that throw; none: it is taken out, to be thrown again.

    What was done after the last throw falls away from where it is no longer possible. A throw never does: CannotStand
    where one could not have been made then, by the same player and with as many dice.
    """
    again = new_game(game.NAME, game.players, game.options)
    kept: list[Move] = []
    for place, move in enumerate(moves):
        if move.seq == throw:
            if not faces:
                return Rewritten(again, kept, _cut(moves[place + 1 :], "there would be another throw before it."))
            move = replace(move, action={"do": "throw", "dice": faces})
        hindrance = _play(again, move)
        if hindrance:
            return Rewritten(again, kept, _cut(moves[place:], hindrance))
        kept.append(move)
    return Rewritten(again, kept, [])


def without_last(game: Game, moves: Sequence[Move]) -> Rewritten:
    """The game without its last action; CannotStand where there is none, or where it was a throw."""
    if not moves:
        raise CannotStand("There is nothing to undo.")
    if moves[-1].is_throw:
        raise CannotStand("The last thing was a throw, and a throw is never undone: correct it if it was read wrong.")
    again = new_game(game.NAME, game.players, game.options)
    for move in moves[:-1]:
        again.play(move.action)
    return Rewritten(again, list(moves[:-1]), [moves[-1].seq])


def _play(game: Game, move: Move) -> str:
    """Play a move if it is still the same player's, with as many dice; otherwise why not."""
    if game.legal() and game.actor != move.actor:
        return f"it would have been {game.actor}'s turn."
    if "throw" in game.legal() and move.is_throw and game.dice != move.dice:
        return f"{game.dice} dice would have been thrown, not {move.dice}."
    try:
        game.play(move.action)
    except IllegalAction as error:
        return str(error)
    return ""


def _cut(moves: Sequence[Move], hindrance: str) -> list[int]:
    if any(move.is_throw for move in moves):
        first = moves[0]
        raise CannotStand(
            f"Then what {first.actor} did next (event {first.seq}: {first.action['do']}) could not have been: "
            f"{hindrance} A scored throw is never taken back: let the game stand, or void it as a whole."
        )
    return [move.seq for move in moves]


def recounted(look: Look, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What holds of a throw as a person saw it: `faces`, and with `dice` also which of them `counted`.

    `asked` has either `faces`, those of the dice that count, or `dice`: for each die of the reading its face, or None
    where there is none, and after them the dice that were not seen, {"face", "center": [x, y]} in pixels. Empty means
    that nothing can be read, and the throw is made again. CannotStand where it is neither.
    """
    needs: int = look["needs"]
    if set(asked) == {"faces"} and isinstance(asked["faces"], list):
        faces = asked["faces"]
        if faces and (len(faces) != needs or not all(map(_is_face, faces))):
            raise CannotStand(f"This throw has {needs} faces, each from 1 to 6; none at all if nothing can be read.")
        return {"faces": faces}
    if set(asked) != {"dice"} or not isinstance(asked["dice"], list):
        raise CannotStand('A correction has either "faces" or "dice", a list.')
    if not asked["dice"]:
        return {"dice": [], "counted": [], "faces": []}
    dice = _placed(look, asked["dice"])
    there = {place: die for place, die in enumerate(dice) if die is not None}
    if len(there) < needs:
        raise CannotStand(
            f"This throw needs {needs} dice, {len(there)} would be left: add those that are missing, or say that "
            "nothing can be read."
        )
    # The dice that counted still do while none came or went: their faces have no say in it.
    same = len(there) == len(dice) == len(look["dice"])
    places = list(there)
    counted = look["counted"] if same else [places[one] for one in counting(list(there.values()), look)]
    return {"dice": asked["dice"], "counted": counted, "faces": [there[place]["face"] for place in counted]}


def _placed(look: Look, asked: list[Any]) -> list[dict[str, Any] | None]:
    """Each die with face and place; None where there is none."""
    seen, added = asked[: len(look["dice"])], asked[len(look["dice"]) :]
    if len(seen) < len(look["dice"]) or not all(face is None or _is_face(face) for face in seen):
        raise CannotStand(f"The picture shows {len(look['dice'])} dice: give each its face from 1 to 6, or null.")
    if not all(map(_is_die, added)):
        raise CannotStand('A die that was not seen is {"face": 1 to 6, "center": [x, y]}, in pixels of the picture.')
    known = [None if face is None else {**die, "face": face} for die, face in zip(look["dice"], seen, strict=True)]
    if added and "center" not in look["dice"][0]:
        raise CannotStand("This throw was entered by hand and has no picture: give each of its dice a face.")
    # All places are compared in pixels as soon as one die has no millimetres.
    if added:
        known = [die and {"face": die["face"], "center": die["center"]} for die in known]
    return [*known, *added]


def _is_face(value: object) -> bool:
    return type(value) is int and 1 <= value <= 6


def _is_die(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"face", "center"}
        and _is_face(value["face"])
        and isinstance(value["center"], list)
        and len(value["center"]) == 2
        and all(type(number) in (int, float) and 0 <= number <= 100_000 for number in value["center"])
    )


def other_faces(face: int | None) -> list[int]:
    """The faces that a reading may really have been, likeliest first: one pip more or less is missed most easily."""
    return list(_others(face))


@lru_cache
def _others(face: int | None) -> list[int]:
    # Asked of every die of the log at each start.
    return sorted((other for other in range(1, 7) if other != face), key=lambda other: abs(other - (face or 3)))
