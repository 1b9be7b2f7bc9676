"""Advice: a hint, the ranked choices with their worth, and afterwards what every choice has cost."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server.record import record_of
from server.rules import Game, new_game
from server.strategy import Choice, Weighed, knows, weigh

_HARDLY = {"chips": 0.05, "fiches": 0.05, "life points": 0.05}
_HARDLY_A_CHANCE = 0.002


def advised(game: Game, level: str) -> dict[str, Any]:
    """What the one whose turn it is had best do: a `hint`, and with `level` "full" the ranked `choices` too.

    Each of `choices` has `action`, `worth` in `unit`, and `cost`, what it is worth less than the best.
    """
    weighed = weigh(game) if knows(game) else None
    told: dict[str, Any] = {"player": game.actor or None, "level": level, "hint": None}
    if weighed is None:
        return {**told, "choices": []} if level == "full" else told
    told["hint"] = _hint(weighed)
    if level == "full":
        told |= {"unit": weighed.unit, "basis": weighed.basis, "choices": _choices(weighed)}
    return told


def grades(game: Game, actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each choice of a game cost, by the place of its action; where there was nothing to choose there is no grade.

    `game` stands before the first action. Each grade has `action` (its place), `player`, `taken`, `best`, `cost` in
    `unit`, which may change in the course of a game.
    """
    found: list[dict[str, Any]] = []
    if not knows(game):
        return found
    for place, action in enumerate(actions):
        weighed = weigh(game)
        if weighed is not None and len(weighed.choices) > 1:
            best, taken = weighed.choices[0], _taken(weighed, action)
            grade = {"action": place, "player": game.actor, "taken": taken.action, "best": best.action}
            found.append({**grade, "cost": best.worth - taken.worth, "unit": weighed.unit})
        game.play(action)
    return found


def advice_on(game: Game, actions: list[dict[str, Any]]) -> dict[str, Any]:
    """What `cornet advise` prints: advice for the position after these actions, and what each of them cost."""
    graded = grades(new_game(game.NAME, game.players, game.options), actions)
    record = record_of(game, actions)
    return {
        "game": record["game"],
        "options": record["options"],
        "turn": game.state()["turn"],
        "advice": advised(game, "full") if game.legal() else None,
        "grades": graded,
        "cost": costs(game.players, graded),
    }


def costs(players: Sequence[str], graded: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """What the choices of each player cost in all, by unit."""
    found: dict[str, dict[str, float]] = {player: {} for player in players}
    for grade in graded:
        so_far = found[grade["player"]]
        so_far[grade["unit"]] = so_far.get(grade["unit"], 0.0) + grade["cost"]
    return found


def _taken(weighed: Weighed, action: dict[str, Any]) -> Choice:
    wanted = _plain(action)
    return next(choice for choice in weighed.choices if _plain(choice.action) == wanted)


def _plain(action: dict[str, Any]) -> dict[str, Any]:
    """The action as far as it was chosen: a throw without its faces, dice in one order."""
    if action["do"] == "throw":
        return {"do": "throw"}
    return {name: sorted(value) if name == "dice" else value for name, value in action.items()}


def _choices(weighed: Weighed) -> list[dict[str, Any]]:
    best = weighed.choices[0].worth
    return [{"action": action, "worth": worth, "cost": best - worth} for action, worth in weighed.choices]


def _hint(weighed: Weighed) -> dict[str, Any]:
    """In which direction to go, without the whole answer: what to do, how many dice, and whether it matters."""
    action = weighed.choices[0].action
    others = [choice.worth for choice in weighed.choices[1:]]
    margin = weighed.choices[0].worth - min(others) if others else 0.0
    matters = margin > _HARDLY.get(weighed.unit, _HARDLY_A_CHANCE)
    hint: dict[str, Any] = {"do": action["do"], "matters": matters}
    if action["do"] == "keep":
        hint["number"] = len(action["dice"])
    return {**hint, "sentence": _sentence(hint) if matters else "It hardly matters what you do."}


def _sentence(hint: dict[str, Any]) -> str:
    if hint["do"] == "keep":
        return {0: "Throw all of them again.", 1: "Keep one die."}.get(hint["number"], f"Keep {hint['number']} dice.")
    return {
        "throw": "Throw on.",
        "bank": "Write it down.",
        "stop": "Stop here.",
        "le_bon": 'Say "le bon".',
        "bet": "Not every stake brings as much.",
        "call": "Name a face.",
    }[hint["do"]]
