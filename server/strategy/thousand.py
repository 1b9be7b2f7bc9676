"""Thousand: keep, throw on or bank; each turn is solved exactly against the race that the scores make of it.

The race takes every later turn, one's own and the others', to be played for the most points; the fines of bolts,
overtaking and falls count where this turn brings them about, not in the turns to come.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from server.rules.game import Game
from server.rules.thousand import AIM, LEAST_POINTS, needed, on_final_barrel
from server.strategy.turn_thousand import Ends, House, Turn, Values, house, part_of
from server.strategy.weighing import Choice, Weighed, ranked

BOLD_POINTS = 150
"""What the bold want from a turn."""
_OUT = AIM // LEAST_POINTS
_FINISHED = _OUT + 1
_TURNS = 150
_MOST_STEPS = 60
"""A turn played for points stops long before so many fives."""


def weigh(game: Game, aim: str) -> Weighed:
    """What may be done at a decision, with what it is worth."""
    turn = _turn(game, aim)
    now = game.table()["turn"]
    points, rules = now["points"], house(game.options)
    choices = []
    if game.awaits == ("keep",):
        thrown = len(now["last_throw"])
        for dice in game.choices("keep")["dice"]["one_of"]:
            part = part_of(tuple(dice), thrown, rules)
            choices.append(Choice({"do": "keep", "dice": dice}, turn.after(part, points)))
    else:
        choices.append(Choice({"do": "throw"}, turn.on(game.dice, points)))
        if "bank" in game.awaits:
            choices.insert(0, Choice({"do": "bank"}, turn.bank(points)))
    if aim == "perfect":
        basis = "exact for this turn; every later turn is taken to be played for the most points"
        return Weighed("chance to win", basis, ranked(choices))
    return Weighed("points" if aim == "points" else "chance", "exact for this turn", ranked(choices))


def _turn(game: Game, aim: str) -> Turn:
    player = game.table()["players"][game.actor]
    score = game.scores()[game.actor]
    if aim == "points":
        return race_of(game).turns[place(score, player["entered"])]
    rules = house(game.options)
    if aim == "perfect":
        return _solved(rules, _chances(game))
    enough = LEAST_POINTS if aim == "careful" else BOLD_POINTS
    steps = range((AIM + LEAST_POINTS - score) // LEAST_POINTS + 1)
    banked = tuple(float(step * LEAST_POINTS >= enough or score + step * LEAST_POINTS >= AIM) for step in steps)
    return _solved(rules, Ends(score, player["needs"], banked, 0.0, 0.0, 0.0, 0.0, 1.0))


@lru_cache(maxsize=512)
def _solved(rules: House, ends: Ends) -> Turn:
    return Turn(rules, ends)


def place(score: int, entered: bool) -> int:
    """The place of a score in the tables of a race; below nothing is as nothing."""
    return max(score, 0) // LEAST_POINTS if entered else _OUT


class Race:
    """How many turns it takes to win, by where one stands, every turn being played for the most points."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options, self._rules = dict(options), house(options)
        self.turns: list[Turn] = []
        moves = np.zeros((_FINISHED + 1, _FINISHED + 1))
        moves[_FINISHED, _FINISHED] = 1
        for at in range(_FINISHED):
            score = 0 if at == _OUT else at * LEAST_POINTS
            turn, ends = _played(*self._turn(score, at != _OUT))
            self.turns.append(turn)
            for (way, points), chance in ends.items():
                moves[at, self._goes_to(at, score, way, points)] += chance
        within = [np.zeros(_FINISHED + 1)]
        within[0][_FINISHED] = 1
        for _ in range(_TURNS):
            within.append(moves @ within[-1])
        self.within: Values = np.stack(within, axis=1)
        """(place, turns): the chance to have won after so many turns of one's own."""

    def banked(self, score: int, points: int) -> int:
        """The place after banking."""
        total = score + points
        if self._options["ending"] == "barrel" and not on_final_barrel(self._options, score):
            return place(min(total, self._options["final_barrel"]), True)
        return _FINISHED if total >= AIM + LEAST_POINTS * (self._options["ending"] == "above") else place(total, True)

    def zero(self, entered: bool) -> int:
        """The place of a player who goes to zero."""
        return place(0, entered and not self._options["reenter_after_zero"])

    def win(self, mine: int, others: Sequence[int]) -> float:
        """The chance to win of one who has just ended a turn, by the places of all; the others throw first."""
        if mine == _FINISHED:
            return 1.0
        nobody = np.prod(1 - self.within[list(others)], axis=0)
        found = np.diff(self.within[mine]) @ nobody[1:]
        undecided = (1 - self.within[mine, -1]) * nobody[-1]
        return float(found + undecided / (1 + len(others)))

    def _turn(self, score: int, entered: bool) -> tuple[House, Ends]:
        climbs = self._options["ending"] == "barrel" and not on_final_barrel(self._options, score)
        most = (self._options["final_barrel"] if climbs else AIM + LEAST_POINTS) - score
        steps = min((AIM + LEAST_POINTS - score) // LEAST_POINTS, _MOST_STEPS)
        reach = steps * LEAST_POINTS
        banked = tuple(float(min(step * LEAST_POINTS, most)) for step in range(steps + 1))
        needs, won = needed(self._options, score, entered), float(AIM - score)
        if reach < most and not score < self._rules.dump_truck <= score + reach:
            # Nothing that depends on the score can be reached: this turn is that of many other scores.
            return self._rules._replace(dump_truck=0), Ends(0, needs, banked, 0.0, 0.0, 0.0, 0.0, float(AIM))
        return self._rules, Ends(score, needs, banked, 0.0, 0.0, float(-score), 0.0, won)

    def _goes_to(self, at: int, score: int, way: str, points: int) -> int:
        if way == "banked":
            return self.banked(score, points)
        if way == "five_ones":
            return _FINISHED
        return self.zero(at != _OUT) if way == "dumped" else at


@lru_cache(maxsize=512)
def _played(rules: House, ends: Ends) -> tuple[Turn, Mapping[tuple[str, int], float]]:
    """A turn and the chances of its ends."""
    turn = Turn(rules, ends)
    return turn, turn.ends()


def race_of(game: Game) -> Race:
    """The race under a game's options; about a second of work, done once."""
    return _race(json.dumps(game.options, sort_keys=True))


@lru_cache(maxsize=4)
def _race(options: str) -> Race:
    return Race(json.loads(options))


def _chances(game: Game) -> Ends:
    """The chance to win by how this turn ends."""
    found, options = race_of(game), game.options
    table, scores = game.table()["players"], game.scores()
    seat = game.players.index(game.actor)
    others = {name: (scores[name], table[name]["entered"]) for name in game.players[seat + 1 :] + game.players[:seat]}
    score, me = scores[game.actor], table[game.actor]

    def unmoved(mine: int) -> float:
        return found.win(mine, [place(*standing) for standing in others.values()])

    @cache
    def banked(total: int) -> float:
        after = found.banked(score, total - score)
        climbs = options["ending"] == "barrel" and after != _FINISHED and total >= options["final_barrel"]
        places = []
        for name, (theirs, entered) in others.items():
            if entered and score < theirs < min(total, after * LEAST_POINTS):
                theirs -= options["overtaking"]
            if climbs and options["barrel_knock_off"] and on_final_barrel(options, theirs):
                theirs = _fallen(options, theirs, table[name])
            places.append(place(theirs, entered))
        return found.win(after, places)

    steps = range((AIM + LEAST_POINTS - score) // LEAST_POINTS + 1)
    at_once = unmoved(_lost(found, options, score, me, at_once=True))
    return Ends(
        score,
        me["needs"],
        tuple(banked(score + step * LEAST_POINTS) for step in steps),
        at_once,
        unmoved(_lost(found, options, score, me, at_once=False)),
        unmoved(found.zero(me["entered"])),
        unmoved(_busted(found, options, score, me)),
        1.0,
    )


def _lost(found: Race, options: Mapping[str, Any], score: int, me: Mapping[str, Any], *, at_once: bool) -> int:
    """The place after a turn lost, with the fall and the bolt it may bring."""
    if me["on_final_barrel"] and me["attempts"] + 1 == options["barrel_attempts"]:
        score = _fallen(options, score, me)
    due = at_once or options["bolt_on"] == "turn"
    counts = me["entered"] or options["bolts_before_entry"]
    if due and counts and me["bolts"] + 1 == options["bolts"]:
        score -= options["bolt_fine"]
    return place(score, me["entered"])


def _fallen(options: Mapping[str, Any], score: int, player: Mapping[str, Any]) -> int:
    if player["falls"] + 1 == options["barrel_falls_to_zero"]:
        return 0
    down: int = score - options["barrel_fall_points"]
    return player["entry_score"] or 0 if options["barrel_fall"] == "entry" else down


def _busted(found: Race, options: Mapping[str, Any], score: int, me: Mapping[str, Any]) -> int:
    busts = me["busts"] + 1
    if busts == options["bust_zero_at"]:
        return found.zero(me["entered"])
    fined = options["bust_fine_at"] and busts % options["bust_fine_at"] == 0
    return place(score - options["bust_fine"] * bool(fined), me["entered"])
