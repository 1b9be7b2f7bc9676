"""Thousand: keep, throw on or bank; each turn is solved exactly against the race that the scores make of it.

The race takes every later turn, one's own and the others', to be played for the most points; the fines of bolts,
overtaking and falls count where this turn brings them about, not in the turns to come.

The race of two is not solved by value iteration. Under `shop` a player stands at one of 603 places (200 scores from 0
to 995 with 0, 1 or 2 bolts, or not in with as many), under `club` as well, so that 364,000 pairs each need a turn
solved, 0.7 ms on one core: 4 minutes a pass. Lost turns lead back to the same pair: on the last barrel of `shop` both
lose with 0.72 (100 points come in 0.155 of the turns), so that some 40 passes reach 1e-6, about three hours for
one set of options. Under `home` the points one came in with count too: some 700 million pairs of 1.7 ms each.
"""

import json
from bisect import bisect
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from server.rules.game import Game
from server.rules.thousand import AIM, LEAST_POINTS, needed, on_final_barrel
from server.strategy.turn_thousand import Ends, House, Turn, Values, house, part_of
from server.strategy.weighing import Choice, Weighed, ranked

BOLD_POINTS = 150
"""What the bold want from a turn, unless its loss would be fined for the bolts: where 3 turns in 100 bring so many and
every third lost one costs 100, nobody who always wants them ever gets home."""
_OUT = AIM // LEAST_POINTS
_FINISHED = _OUT + 1
_TURNS = 150
_REMEMBERED = 1000
_MOST_STEPS = 60
"""A turn played for points stops long before so many fives, unless more are needed to bank."""
_BEYOND_NEED = 20
"""And so many fives after what is needed."""


def weigh(game: Game, aim: str) -> Weighed:
    """What may be done at a decision, with what it is worth."""
    table = game.table()
    turn = _turn(game, aim, table["players"])
    now = table["turn"]
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
        basis = "Exact for this turn; every later turn is taken to be played for the most points."
        return Weighed("chance to win", basis, ranked(choices))
    return Weighed("points" if aim == "points" else "chance", "Exact for this turn.", ranked(choices))


def _turn(game: Game, aim: str, players: Mapping[str, Any]) -> Turn:
    player, score = players[game.actor], game.scores()[game.actor]
    if aim == "perfect":
        return _perfect(game, players)
    if aim == "points":
        return race_of(game).turns[place(score, player["entered"])]
    rules = house(game.options)
    fined = bool(player["entered"]) and player["bolts"] + 1 == game.options["bolts"]
    enough = LEAST_POINTS if aim == "careful" or fined else BOLD_POINTS
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
        self.options, self.rules = dict(options), house(options)
        self.turns: list[Turn] = []
        self._ends: list[tuple[list[tuple[str, int]], list[float]]] = []
        moves = np.zeros((_FINISHED + 1, _FINISHED + 1))
        moves[_FINISHED, _FINISHED] = 1
        for at in range(_FINISHED):
            score = 0 if at == _OUT else at * LEAST_POINTS
            turn, ends = _played(*self._turn(score, at != _OUT))
            self.turns.append(turn)
            self._ends.append((list(ends), list(accumulate(ends.values()))))
            for (way, points), chance in ends.items():
                moves[at, self._goes_to(at, score, way, points)] += chance
        within = [np.zeros(_FINISHED + 1)]
        within[0][_FINISHED] = 1
        for _ in range(_TURNS):
            within.append(moves @ within[-1])
        self.within: Values = np.stack(within, axis=1)
        """(place, turns): the chance to have won after so many turns of one's own."""
        self._in_turn = np.diff(self.within, axis=1)
        self._wins: dict[tuple[int, ...], Values] = {}

    def banked(self, score: int, points: int) -> int:
        """The place after banking."""
        total = score + points
        if self.options["ending"] == "barrel" and not on_final_barrel(self.options, score):
            return place(min(total, self.options["final_barrel"]), True)
        return _FINISHED if total >= AIM + LEAST_POINTS * (self.options["ending"] == "above") else place(total, True)

    def drawn(self, score: int, entered: bool, at: float) -> tuple[str, int] | None:
        """How a turn from that score ends, with its points, by a number from 0 to 1; None where it has no place."""
        if score < 0 or (score and not entered):
            return None
        ends, reached = self._ends[place(score, entered)]
        return ends[min(bisect(reached, at), len(ends) - 1)]

    def zero(self, entered: bool) -> int:
        """The place of a player who goes to zero."""
        return place(0, entered and not self.options["reenter_after_zero"])

    def win(self, others: tuple[int, ...]) -> Values:
        """The chance to win of one who has just ended a turn, by the place; the others, at theirs, throw first."""
        if others not in self._wins:
            if len(self._wins) > _REMEMBERED:
                self._wins.clear()
            self._wins[others] = self._win(others)
        return self._wins[others]

    def _win(self, others: tuple[int, ...]) -> Values:
        nobody = np.prod(1 - self.within[list(others)], axis=0)
        # Who is undecided after so many turns is not told apart any more.
        found: Values = self._in_turn @ nobody[1:] + (1 - self.within[:, -1]) * nobody[-1] / (1 + len(others))
        found[_FINISHED] = 1
        return found

    def _turn(self, score: int, entered: bool) -> tuple[House, Ends]:
        climbs = self.options["ending"] == "barrel" and not on_final_barrel(self.options, score)
        most = (self.options["final_barrel"] if climbs else AIM + LEAST_POINTS) - score
        needs, won = needed(self.options, score, entered), float(AIM - score)
        enough = max(_MOST_STEPS, needs // LEAST_POINTS + _BEYOND_NEED)
        steps = min((AIM + LEAST_POINTS - score) // LEAST_POINTS, enough)
        reach = steps * LEAST_POINTS
        banked = tuple(float(min(step * LEAST_POINTS, most)) for step in range(steps + 1))
        if reach < most and not score < self.rules.dump_truck <= score + reach:
            # Nothing that depends on the score can be reached: this turn is that of many other scores.
            return self.rules._replace(dump_truck=0), Ends(0, needs, banked, 0.0, 0.0, 0.0, 0.0, float(AIM))
        return self.rules, Ends(score, needs, banked, 0.0, 0.0, float(-score), 0.0, won)

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
    return _race(_key(game))


def _key(game: Game) -> str:
    # Options are always filled in in the same order.
    return json.dumps(game.options)


@lru_cache(maxsize=4)
def _race(options: str) -> Race:
    return Race(json.loads(options))


class _Player(NamedTuple):
    """What the end of a turn may depend on of a player."""

    score: int
    entered: bool
    entry_score: int | None
    attempts: int
    falls: int
    bolts: int
    busts: int

    @property
    def place(self) -> int:
        """The place in the tables of a race."""
        return place(self.score, self.entered)


def _perfect(game: Game, told: Mapping[str, Any]) -> Turn:
    scores = game.scores()
    seat = game.players.index(game.actor)
    every = [
        _Player(scores[name], *(told[name][field] for field in _Player._fields[1:]))
        for name in game.players[seat:] + game.players[:seat]
    ]
    return _against(_key(game), every[0], tuple(every[1:]))


@lru_cache(maxsize=512)
def _against(options: str, me: _Player, others: tuple[_Player, ...]) -> Turn:
    """A turn played for the chance to win the race; the others in the order of play."""
    race = _race(options)
    unmoved = race.win(tuple(other.place for other in others))
    ends = Ends(
        me.score,
        needed(race.options, me.score, me.entered),
        tuple(_banked(race, me, others, unmoved)),
        float(unmoved[_lost(race, me, at_once=True)]),
        float(unmoved[_lost(race, me, at_once=False)]),
        float(unmoved[race.zero(me.entered)]),
        float(unmoved[_busted(race, me)]),
        1.0,
    )
    return Turn(race.rules, ends)


def _banked(race: Race, me: _Player, others: tuple[_Player, ...], unmoved: Values) -> Iterator[float]:
    """The chances to win after banking 0, 5, 10, ... points; `unmoved` are those where nobody else is moved by it."""
    options = race.options
    # Up to so many points nobody is overtaken.
    level = min((other.score for other in others if other.entered and other.score > me.score), default=AIM)
    for total in range(me.score, AIM + 2 * LEAST_POINTS, LEAST_POINTS):
        after = race.banked(me.score, total - me.score)
        climbs = options["ending"] == "barrel" and after != _FINISHED and total >= options["final_barrel"]
        if climbs or total > level:
            yield float(race.win(_moved(race, me, others, min(total, after * LEAST_POINTS), climbs=climbs))[after])
        else:
            yield float(unmoved[after])


def _moved(race: Race, me: _Player, others: tuple[_Player, ...], score: int, *, climbs: bool) -> tuple[int, ...]:
    """The places of the others after banking: who is overtaken is fined, who is thrown off the final barrel falls."""
    options, places = race.options, []
    for other in others:
        theirs = other
        if other.entered and me.score < other.score < score:
            theirs = other._replace(score=other.score - options["overtaking"])
        falls = climbs and options["barrel_knock_off"] and on_final_barrel(options, theirs.score)
        places.append(_fallen(race, theirs) if falls else theirs.place)
    return tuple(places)


def _lost(race: Race, me: _Player, *, at_once: bool) -> int:
    """The place after a turn lost, with the fall and the bolt it may bring."""
    options, found = race.options, me.place
    if on_final_barrel(options, me.score) and me.attempts + 1 == options["barrel_attempts"]:
        found = _fallen(race, me)
    due = at_once or options["bolt_on"] == "turn"
    # Who is not in has nothing that a fine could take from the race.
    if due and found != _OUT and me.bolts + 1 == options["bolts"]:
        fine: int = options["bolt_fine"] // LEAST_POINTS
        return max(found - fine, 0)
    return found


def _fallen(race: Race, player: _Player) -> int:
    """The place of one who falls off the final barrel."""
    options = race.options
    if player.falls + 1 == options["barrel_falls_to_zero"]:
        return race.zero(player.entered)
    if options["barrel_fall"] == "entry":
        return place(player.entry_score or 0, player.entered)
    return place(player.score - options["barrel_fall_points"], player.entered)


def _busted(race: Race, me: _Player) -> int:
    """The place after a bust."""
    options, busts = race.options, me.busts + 1
    if busts == options["bust_zero_at"]:
        return race.zero(me.entered)
    fined = options["bust_fine_at"] and busts % options["bust_fine_at"] == 0
    return place(me.score - options["bust_fine"] * bool(fined), me.entered)
