"""Le Vingt-Six and Le Quatorze: the stake, by what one turn brings; the faces are all the same."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from server.odds.chance import hits, throws
from server.rules import quatorze, vingt_six
from server.rules.game import Game
from server.rules.quatorze import Quatorze
from server.strategy.weighing import Choice, Weighed, ranked

Outcomes = Mapping[int, float]
"""The chances of the odds that a turn is paid at, 0 where it is lost."""


def weigh(game: Game, aim: str) -> Weighed:
    """The stakes with the chips that a turn brings on the average, or the faces, which are all worth the same."""
    if game.awaits == ("call",):
        faces = game.choices("call")["face"]["one_of"]
        calls = [Choice({"do": "call", "face": face}, 0.0) for face in faces]
        return Weighed("chips", "Exact: fair dice favour no face.", calls)
    stakes = game.choices("bet")["chips"]
    outcomes = outcomes_of(game)
    bank = game.scores()[game.table()["banker"]]
    kept = not game.options["stake_returned"]

    def worth(stake: int) -> float:
        if aim == "perfect":
            return _turn(stake, bank, kept, outcomes)
        return float(stake if aim == "bold" else -stake)

    choices = [Choice({"do": "bet", "chips": stake}, worth(stake)) for stake in range(stakes["from"], stakes["to"] + 1)]
    return Weighed("chips", "Exact for this turn.", ranked(choices))


def _turn(stake: int, bank: int, kept: bool, outcomes: Outcomes) -> float:
    """The mean change of a thrower's chips: the bank pays no more than it has."""
    mean = 0.0
    for odds, chance in outcomes.items():
        gain = min(stake * odds, bank + stake * kept) - stake * kept if odds else -stake
        mean += chance * gain
    return mean


def outcomes_of(game: Game) -> Outcomes:
    """How the turn that is under way will be paid, by what has been thrown of it."""
    table = game.table()
    if game.NAME == "vingt-six":
        return _vingt_six(len(table["throws"]), table["total"])
    if isinstance(game, Quatorze) and game.awaits == ("call",):
        return _quatorze(1, game.credit, False, game.options["fourteen"])
    return _quatorze(len(table["throws"]), table["total"], any(table["throws"][1:]), game.options["fourteen"])


def totals(throws_made: int, total: int) -> list[float]:
    """The chances of the final totals of a turn of the 26 from 0 to 130, after so many throws with so many hits."""
    left = vingt_six.DICE * (vingt_six.THROWS - throws_made)
    missed = vingt_six.DICE * vingt_six.THROWS - left - total
    return [0.0] * total + [float(chance) for chance in hits(left)] + [0.0] * missed


@cache
def _vingt_six(throws_made: int, total: int) -> Outcomes:
    found: defaultdict[int, float] = defaultdict(float)
    for final, chance in enumerate(totals(throws_made, total)):
        found[vingt_six.ODDS.get(final, 0)] += chance
    return dict(found)


@cache
def _quatorze(throws_made: int, total: int, hit: bool, fourteen: str) -> Outcomes:
    if not throws_made:
        return _before_the_first(fourteen)
    later = hits(quatorze.DICE * (quatorze.THROWS - throws_made))
    won = 0.0
    for more, chance in enumerate(later):
        final = total + more
        reached = final == quatorze.AIM or (final > quatorze.AIM and fourteen == "at_least")
        won += float(chance) * (reached or not (hit or more))
    return {quatorze.ODDS: won, 0: 1 - won}


@cache
def _before_the_first(fourteen: str) -> Outcomes:
    won = 0.0
    for faces, ways in throws(quatorze.DICE).items():
        credit = max(3, *(faces.count(face) for face in range(1, 7)))
        won += ways / 6**quatorze.DICE * _quatorze(1, credit, False, fourteen)[quatorze.ODDS]
    return {quatorze.ODDS: won, 0: 1 - won}
