"""Le 421: which dice to keep, when to stop, when to say "le bon"; between two players the whole manche is solved."""

from collections.abc import Mapping
from functools import lru_cache
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from server.rules.combinations_421 import combinations
from server.rules.game import Game
from server.rules.le_421 import DECHARGE_THROWS
from server.strategy.coup_421 import PLACE, RANKS, Coup, Plan, Rules, Scale, Stakes, solve, solved, tables
from server.strategy.weighing import Choice, Weighed, ranked

_NO_STAKES = Stakes((0.0,) * RANKS, (0.0,) * RANKS)
_CHARACTERS = {
    "careful": Stakes((0.0,) * RANKS, (-1.0,) * RANKS),
    "bold": Stakes((1.0,) * RANKS, (0.0,) * RANKS),
    "even": Stakes((1.0,) * RANKS, (-1.0,) * RANKS),
}
_SETTLED = 1e-12


def weigh(game: Game, aim: str) -> Weighed:
    """What may be done at a decision, with what it is worth."""
    table = game.table()
    hand = _hand(game, table, aim)
    made = table["throws"]
    scale = combinations(*_scale(game.options))
    rank = scale[tuple(table["dice"])].rank
    announced = game.log[-1]["event"] == "le_bon"
    choices = []
    for action in game.awaits:
        if action == "keep":
            means = hand.last if announced else hand.keep[made - 1]
            every = game.choices("keep")["dice"]["one_of"]
            choices += [Choice({"do": "keep", "dice": dice}, _at(means, dice)) for dice in every]
        elif action == "stop" or game.options["le_bon"] == "stand":
            choices.append(Choice({"do": action}, float(hand.end[made - 1][rank])))
        else:
            best = max(_at(hand.last, dice) for dice in game.choices("keep")["dice"]["one_of"])
            choices.append(Choice({"do": action}, best))
    if aim == "perfect" and solvable(game):
        choices = [choice._replace(worth=1 + choice.worth) for choice in choices]
        return Weighed("chance not to lose the manche", "Exact: both play as well as can be.", ranked(choices))
    if aim != "perfect":
        return Weighed("chance", "Exact for this coup as far as it is thrown.", ranked(choices))
    return Weighed("fiches", _basis(game, table), ranked(choices))


def _at(means: Any, dice: list[int]) -> float:
    return float(means[PLACE[tuple(sorted(dice))]])


def _basis(game: Game, table: Mapping[str, Any]) -> str:
    later = len(_order(game, table)) - len(table["done"]) - 1
    if game.options["cumulative"] and table["phase"] == "charge":
        return "For this coup; what the hands to come add up to is estimated."
    if later <= 1:
        return "Exact for this coup; who follows answers as well as can be." if later else "Exact for this coup."
    return "For this coup; those who follow are taken to play for beating a single throw."


def solvable(game: Game) -> bool:
    """Whether the manche is solved: two players, and fiches that do not add up over throws."""
    return len(game.players) == 2 and not game.options["cumulative"]


def chance(game: Game) -> float:
    """The chance that the one whose turn it is does not lose this manche, where it is solvable."""
    table = game.table()
    if table["rampeau"]:
        return 1 + _in_rampeau(game, table)
    if not table["throws"]:
        return 1 + float(_hand(game, table, "perfect").begin)
    if not table["kept"] and game.awaits != ("throw",):
        return weigh(game, "perfect").choices[0].worth
    hand = _hand(game, table, "perfect")
    announced = game.log[-1]["event"] == "le_bon"
    return 1 + _at(hand.last if announced else hand.keep[table["throws"] - 1], table["kept"])


def _in_rampeau(game: Game, table: dict[str, Any]) -> float:
    """What a rampeau between two, which decides coup or manche, is worth to the one who throws next."""
    scale = _scale(game.options)
    names = ranks(scale)
    dry = tables(scale).after[PLACE[()]]
    wins = 0.5
    for thrown in table["rampeau"]["done"]:
        rank = names[thrown["combination"]]
        wins = float(dry[:rank].sum() + dry[rank] / 2)
    top = min(names[hand["combination"]] for hand in table["done"])
    stakes = _stakes(game, table, game.actor, "perfect")
    return wins * stakes.win[top] + (1 - wins) * stakes.lose[top]


def _scale(options: dict[str, Any]) -> Scale:
    return options["order"], options["nenette"], options["version"]


@lru_cache(maxsize=8)
def ranks(scale: Scale) -> Mapping[str, int]:
    """The rank of each combination by its name."""
    return {hand.name: hand.rank for hand in combinations(*scale).values()}


def _order(game: Game, table: Mapping[str, Any]) -> list[str]:
    """Those who take part in the coup, the leader first."""
    taking = [player for player in game.players if player not in table["withdrawn"]]
    seat = taking.index(table["leader"])
    return taking[seat:] + taking[:seat]


def _hand(game: Game, table: Mapping[str, Any], aim: str) -> Plan:
    options = game.options
    names = ranks(_scale(options))
    ended = [names[hand["combination"]] for hand in table["done"]]
    # The hands between the best and the worst decide nothing: without them far fewer coups are different ones.
    done = tuple(sorted(rank for rank in ended if rank in (min(ended), max(ended))))
    order = _order(game, table)
    later = order[len(ended) + 1 :]
    charge = table["phase"] == "charge"
    leads = table["limit"] is None
    most = table["limit"] or (options["charge_throws"] if charge else DECHARGE_THROWS)
    le_bon = "off" if charge else options["le_bon"]
    followers = Rules(_scale(options), most, options["followers"] == "at_most", le_bon)
    # Who follows is taken to play perfectly, but where all play evenly.
    answering = "even" if aim == "even" else "perfect"
    answers = _stakes(game, table, later[0], answering) if len(later) == 1 else _NO_STAKES
    mine = _stakes(game, table, game.actor, aim)
    rules = followers._replace(free=leads or followers.free)
    return solved(Coup(rules, leads, followers, done, mine, answers, len(later), options["ties"] == "first"))


def _stakes(game: Game, table: Mapping[str, Any], player: str, aim: str) -> Stakes:
    """What the coup brings that player, by the rank of the best combination."""
    if aim in _CHARACTERS:
        return _CHARACTERS[aim]
    fiches = game.scores()
    if solvable(game):
        (other,) = (name for name in game.players if name != player)
        found = race(*_manche(game.options))
        at = Standing(table["pot"], fiches[player], fiches[other], table["leader"] == player)
        return found.stakes(at)
    return _fiches(game, table, fiches, player)


def _fiches(game: Game, table: Mapping[str, Any], fiches: dict[str, int], player: str) -> Stakes:
    """The fiches that the coup brings and takes; where the winner is not known, the mean of those who may be."""
    scale = _scale(game.options)
    worth = tables(scale).worth
    names = ranks(scale)
    done = [(names[hand["combination"]], hand) for hand in table["done"] if hand["player"] != player]
    best = min((rank for rank, _ in done), default=RANKS)
    holders = [hand for rank, hand in done if rank == best]
    if table["phase"] == "charge":
        due = worth.copy()
        if game.options["cumulative"]:
            dry = float(tables(scale).after[PLACE[()]] @ worth)
            due += ((table["limit"] or game.options["charge_throws"]) - 1) * dry
            if holders:
                due[best] = sum(hand["fiches"] for hand in holders)
        return Stakes(_NO_STAKES.win, tuple((-np.minimum(due, table["pot"])).tolist()))
    held = {hand["player"] for _, hand in done}
    others = [name for name in _order(game, table) if name != player]
    to_come = [fiches[name] for name in others if name not in held] or [fiches[name] for name in others]
    lose = [-fmean(min(due, own) for own in to_come) for due in worth.tolist()]
    if holders:
        lose[best] = -fmean(min(worth[best], fiches[hand["player"]]) for hand in holders)
    return Stakes(tuple(np.minimum(worth, fiches[player]).tolist()), tuple(lose))


class Standing(NamedTuple):
    """Where two players stand in a manche: the pot, the fiches of one and of the other, and whether the one leads."""

    pot: int
    mine: int
    theirs: int
    leads: bool


def _manche(options: dict[str, Any]) -> tuple[Rules, int, str, str, bool]:
    rules = Rules(_scale(options), DECHARGE_THROWS, options["followers"] == "at_most", options["le_bon"])
    return rules, options["charge_throws"], options["lead"], options["opener"], options["ties"] == "first"


class Race:
    """A manche between two who both play as well as can be: a worth is the chance to lose it, less than nothing."""

    def __init__(self, rules: Rules, charge_throws: int, lead: str, opener: str, first_counts: bool) -> None:
        self._rules, self._charge_throws, self._lead, self._opener = rules, charge_throws, lead, opener
        self._first_counts = first_counts
        self._worth = tables(rules.scale).worth.astype(int).tolist()
        self._total = int(rules.scale[2])
        self._leads: dict[tuple[int, int], float] = {}  # by pot and one's own fiches, of who leads
        self._solve_decharge()
        self._solve_charge()

    def at(self, place: Standing) -> float:
        """What it is worth to stand there before a coup."""
        if place.leads:
            return self._leads[place.pot, place.mine]
        return -1 - self._leads[place.pot, place.theirs]

    def stakes(self, place: Standing) -> Stakes:
        """What winning and losing the coup is worth, by the rank of the best combination."""
        won = {due: self._won(place, due) for due in set(self._worth)}
        lost = {due: self._lost(place, due) for due in set(self._worth)}
        return Stakes(tuple(won[due] for due in self._worth), tuple(lost[due] for due in self._worth))

    def _won(self, place: Standing, due: int) -> float:
        mirrored = Standing(place.pot, place.theirs, place.mine, not place.leads)
        return -1 - self._lost(mirrored, due)

    def _lost(self, place: Standing, due: int) -> float:
        leads = place.leads or self._lead == "loser"
        if place.pot:
            taken = min(due, place.pot)
            return self._after_charge(Standing(place.pot - taken, place.mine + taken, place.theirs, leads))
        given = min(due, place.theirs)
        if given == place.theirs:
            return -1.0
        return self.at(Standing(0, place.mine + given, place.theirs - given, leads))

    def _after_charge(self, place: Standing) -> float:
        """The same place, where the charge may be over: then who has no fiche is out, and another may open."""
        if place.pot:
            return self.at(place)
        if not place.theirs:
            return -1.0
        if not place.mine:
            return 0.0
        # There is an odd number of fiches, so two never have as many.
        return self.at(place._replace(leads=(place.mine < place.theirs) == (self._opener == "fewest")))

    def _coup(self, place: Standing, rules: Rules) -> float:
        other = Standing(place.pot, place.theirs, place.mine, not place.leads)
        mine, answers = self.stakes(place), self.stakes(other)
        coup = Coup(rules._replace(free=True), True, rules, (), mine, answers, 1, self._first_counts)
        return float(solve(coup).begin)

    def _solve_decharge(self) -> None:
        places = [Standing(0, mine, self._total - mine, True) for mine in range(1, self._total)]
        self._leads = {(0, place.mine): -place.mine / self._total for place in places}
        change = 1.0
        while change > _SETTLED:
            change = 0.0
            for place in places:
                found = self._coup(place, self._rules)
                change = max(change, abs(found - self._leads[0, place.mine]))
                self._leads[0, place.mine] = found

    def _solve_charge(self) -> None:
        rules = self._rules._replace(most=self._charge_throws, le_bon="off")
        for pot in range(1, self._total + 1):
            for mine in range(self._total - pot + 1):
                place = Standing(pot, mine, self._total - pot - mine, True)
                self._leads[pot, mine] = self._coup(place, rules)


@lru_cache(maxsize=4)
def race(rules: Rules, charge_throws: int, lead: str, opener: str, first_counts: bool) -> Race:
    """The manche of two under these rules; a second or so of work, done once."""
    return Race(rules, charge_throws, lead, opener, first_counts)


def begun(game: Game, leads: bool) -> float:
    """The chance not to lose a manche that begins, by whether one leads; where it is solvable."""
    tail = max(game.options["cow_tail"] - int(game.options["version"]), 0)
    total = int(game.options["version"])
    found = race(*_manche(game.options))
    mine, theirs = (tail, 0) if leads else (0, tail)
    return 1 + found.at(Standing(total - tail, mine, theirs, leads))
