"""Le 421: the worst of each coup takes fiches from the pot, then from the best of it; whoever has them all has lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from itertools import combinations as subsets
from typing import Any, NamedTuple

from server.rules.combinations_421 import Combination, combinations
from server.rules.game import BadRecord, Flag, Game, IllegalAction, OneOf, Options, Whole, faces, short

DICE = 3
DECHARGE_THROWS = 3
COW_FICHES = 41
LEAST_COW_TAIL = COW_FICHES + 1
MOST_COW_TAIL = 2 * COW_FICHES - 1


class Hand(NamedTuple):
    """What one player threw in a coup, or in a rampeau; it counts with its last combination."""

    player: str
    combination: Combination
    throws: int
    fiches: int


@dataclass(slots=True)
class Rampeau:
    """One coup sec between players who are tied, in the order in which they throw."""

    purpose: str
    players: list[str]
    hands: list[Hand] = field(default_factory=list)


def _preset(classic: object, others: object) -> Callable[[Options, int], object]:
    """The default of an option: one for 11 fiches, one for 41 and 21."""
    return lambda options, players: classic if options["version"] == "11" else others


class Le421(Game):
    """Le 421 as the page `421` has it."""

    NAME = "421"
    OPTIONS = (
        OneOf("version", "11", ("11", "41", "21"), "How many fiches there are; it sets the other defaults."),
        OneOf(
            "order",
            _preset("aces_first", "triples_first"),
            ("aces_first", "triples_first", "mixed"),
            "How three of a kind and pairs of aces rank.",
        ),
        OneOf(
            "nenette",
            _preset("lowest", "above_simple"),
            ("lowest", "above_simple"),
            "Whether 221 is the lowest of all, or beats the simple combinations and is worth 4.",
        ),
        Whole("charge_throws", _preset(1, 3), 1, 3, "The most throws in a coup of the charge."),
        Flag("cumulative", _preset(False, True), "In the charge the fiches of all throws of a hand add up."),
        OneOf(
            "followers", "exact", ("exact", "at_most"), "Whether others throw as often as the leader, or at most so."
        ),
        OneOf(
            "le_bon",
            "stand",
            ("stand", "last_throw", "off"),
            'What "le bon" does in the décharge: this throw stands, or the next is the last.',
        ),
        OneOf("opener", _preset("fewest", "most"), ("fewest", "most"), "Who leads first in the décharge, by fiches."),
        OneOf("lead", "loser", ("loser", "stays"), "Who leads the later coups of a phase."),
        OneOf("ties", "rampeau", ("rampeau", "first"), "Whether ties are thrown for, or the first to throw is better."),
        Whole("manches", 2, 1, 2, "How many manches are played."),
        Whole(
            "cow_tail",
            0,
            0,
            MOST_COW_TAIL,
            "With 41 fiches, 42 or more: what the first manche costs; all above 41 is taken as the second begins.",
        ),
    )
    MOVES = {"throw": ("dice",), "keep": ("dice",), "stop": (), "le_bon": ()}

    _leader: str | None
    _limit: int | None
    _hands: list[Hand]
    _rampeau: Rampeau | None
    _kept: list[int]

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        super().__init__(players, options)
        self._check_cow_tail()
        self._scale = (self.options["order"], self.options["nenette"], self.options["version"])
        self._losers: list[str] = []
        self._begin_manche(self.players[0])

    def paid(self) -> list[dict[str, Any]]:
        """What the combinations are worth, the best first; neighbours of the same worth are one line."""
        ranked = sorted(set(combinations(*self._scale).values()), key=lambda each: each.rank)
        lines = groupby(ranked, key=lambda each: each.worth)
        return [{"fiches": worth, "combinations": [each.name for each in line]} for worth, line in lines]

    def do_throw(self, dice: object) -> None:
        """Throw the dice that are not kept, in a hand or in a rampeau."""
        thrown = faces(dice, self.dice, self.dice)
        if self._rampeau:
            self._rampeau_throw(self._rampeau, thrown)
            return
        combination = combinations(*self._scale)[(*self._kept, *thrown)]
        self._combination, self._kept = combination, []
        self._throws += 1
        self._earned += combination.worth
        entry = {"event": "throw", "player": self.actor, "throw": self._throws}
        self.log.append({**entry, "combination": combination.name, "fiches": combination.worth})
        if self._throws == self._most:
            self._end_hand()
        else:
            self.awaits, self.dice = self._decisions(), 0

    def do_keep(self, dice: object) -> None:
        """Leave none, one or two dice on the table, to throw the others again."""
        kept = faces(dice, 0, DICE - 1)
        shown = self._shown()
        for face in kept:
            if kept.count(face) > shown.count(face):
                raise IllegalAction(f"Keep none, one or two of the dice {short(shown)}, not {short(kept)}.")
        self._kept = sorted(kept, reverse=True)
        self.awaits, self.dice = ("throw",), DICE - len(kept)

    def do_stop(self) -> None:
        """End the hand with the last throw."""
        self._end_hand()

    def do_le_bon(self) -> None:
        """Let the first throw stand, or announce that the second will be the last."""
        self.log.append({"event": "le_bon", "player": self.actor})
        if self.options["le_bon"] == "stand":
            self._end_hand()
        else:
            self._most = 2
            self.awaits = ("keep",)

    def kept(self) -> list[int]:
        """The dice set aside."""
        return self._kept.copy()

    def choices(self, action: str) -> dict[str, Any]:
        """None, one or two of the dice on the table."""
        if action != "keep":
            return super().choices(action)
        every = chain.from_iterable(subsets(self._shown(), number) for number in range(DICE))
        return {"dice": {"one_of": [list(dice) for dice in dict.fromkeys(every)]}}

    def scores(self) -> dict[str, int]:
        """Each player's fiches."""
        return self._fiches.copy()

    def table(self) -> dict[str, Any]:
        """What the page calls `table`."""
        rampeau = self._rampeau
        return {
            "manche": self._manche,
            "phase": self._phase if self.awaits else "over",
            "pot": self._pot,
            "leader": self._leader,
            "limit": self._limit,
            "throws": self._throws,
            "dice": self._shown(),
            "kept": self._kept.copy(),
            "done": [
                {"player": player, "combination": combination.name, "throws": throws, "fiches": fiches}
                for player, combination, throws, fiches in self._hands
            ],
            "rampeau": rampeau
            and {
                "for": rampeau.purpose,
                "players": rampeau.players.copy(),
                "done": [{"player": hand.player, "combination": hand.combination.name} for hand in rampeau.hands],
            },
            "withdrawn": self._withdrawn.copy(),
            "losers": self._losers.copy(),
        }

    def result(self) -> dict[str, Any]:
        """Who lost each manche, who lost both of two, and the rounds that each owes."""
        rounds = dict.fromkeys(self.players, 0)
        for loser in self._losers:
            rounds[loser] += 1
        twice = [player for player in set(self._losers) if rounds[player] == 2]
        return {"losers": self._losers.copy(), "grand_perdant": twice[0] if twice else None, "rounds": rounds}

    def _check_cow_tail(self) -> None:
        tail = self.options["cow_tail"]
        if not tail:
            return
        if tail < LEAST_COW_TAIL:
            allowed = f"0 or a whole number from {LEAST_COW_TAIL} to {MOST_COW_TAIL}"
            raise BadRecord(f'The option "cow_tail" must be {allowed}, not {tail}.')
        if self.options["version"] != str(COW_FICHES) or self.options["manches"] != 2:
            raise BadRecord(f'The option "cow_tail" needs version "{COW_FICHES}" and two manches; here it must be 0.')

    def _shown(self) -> list[int]:
        return list(self._combination.dice) if self._throws else []

    def _begin_manche(self, leader: str) -> None:
        self._phase = "charge"
        self._manche = len(self._losers) + 1
        self._pot = int(self.options["version"])
        self._fiches = dict.fromkeys(self.players, 0)
        self._in = list(self.players)
        self._withdrawn: list[str] = []
        self.log.append({"event": "manche", "manche": self._manche, "pot": self._pot, "leader": leader})
        if self._losers and self.options["cow_tail"]:
            taken = self._take(leader, self.options["cow_tail"] - COW_FICHES)
            self.log.append({"event": "cow_tail", "player": leader, "fiches": taken, "pot": self._pot})
        self._begin_coup(leader)

    def _begin_coup(self, leader: str) -> None:
        self._clear_coup()
        seat = self._in.index(leader)
        self._leader = leader
        self._order = self._in[seat:] + self._in[:seat]
        self._begin_hand()

    def _clear_coup(self) -> None:
        self._leader = None
        self._limit = None
        self._hands = []
        self._rampeau = None
        self._clear_hand()

    def _clear_hand(self) -> None:
        self._throws = 0
        self._earned = 0
        self._kept = []

    def _begin_hand(self) -> None:
        first = self.options["charge_throws"] if self._phase == "charge" else DECHARGE_THROWS
        self._most = self._limit or first
        self.actor = self._order[len(self._hands)]
        self.awaits, self.dice = ("throw",), DICE

    def _decisions(self) -> tuple[str, ...]:
        """What may be done after a throw that does not end the hand."""
        stop = ("stop",) if self._limit is None or self.options["followers"] == "at_most" else ()
        if self._phase == "decharge" and self._throws == 1:
            way = self.options["le_bon"]
            if way == "stand" or (way == "last_throw" and self._most == DECHARGE_THROWS):
                return ("keep", "le_bon", *stop)
        return ("keep", *stop)

    def _end_hand(self) -> None:
        self._hands.append(Hand(self.actor, self._combination, self._throws, self._earned))
        if self._limit is None:
            self._limit = self._throws
        self._clear_hand()
        if len(self._hands) < len(self._order):
            self._begin_hand()
        else:
            self._judge()

    def _judge(self) -> None:
        """Find who is tied for best and for worst in the coup, and what is at stake."""
        self._best, self._worst = _best(self._hands), _worst(self._hands)
        self._top = self._best[0].combination
        if self.options["ties"] == "first":
            self._best, self._worst = self._best[:1], self._worst[-1:]
        self._stake = sum(hand.fiches for hand in self._best)
        self._decide()

    def _decide(self) -> None:
        """Throw the next rampeau of the coup, or settle it where winner and loser stand."""
        if len(self._best) > 1 and (self._phase == "decharge" or self.options["cumulative"]):
            self._begin_rampeau("both" if self._best == self._worst else "best", _names(self._best))
        elif len(self._worst) > 1:
            self._begin_rampeau("worst", _names(self._worst))
        elif self._phase == "charge":
            self._settle_charge(self._worst[0].player)
        else:
            self._settle_decharge(self._best[0].player, self._worst[0].player)

    def _begin_rampeau(self, purpose: str, players: list[str]) -> None:
        self._rampeau = Rampeau(purpose, players)
        self.actor = players[0]
        self.awaits, self.dice = ("throw",), DICE
        self.log.append({"event": "rampeau", "for": purpose, "players": players.copy()})

    def _rampeau_throw(self, rampeau: Rampeau, dice: list[int]) -> None:
        combination = combinations(*self._scale)[tuple(dice)]
        rampeau.hands.append(Hand(self.actor, combination, 1, combination.worth))
        entry = {"event": "rampeau_throw", "player": self.actor, "combination": combination.name}
        self.log.append({**entry, "fiches": combination.worth})
        if len(rampeau.hands) < len(rampeau.players):
            self.actor = rampeau.players[len(rampeau.hands)]
            return
        if rampeau.purpose == "opener":
            left = _best(rampeau.hands) if self.options["opener"] == "fewest" else _worst(rampeau.hands)
            self._open(_names(left))
            return
        if rampeau.purpose != "best":
            self._worst = _worst(rampeau.hands)
        if rampeau.purpose != "worst":
            self._best = _best(rampeau.hands)
            self._stake += sum(hand.fiches for hand in self._best)
        self._decide()

    def _settle_charge(self, loser: str) -> None:
        due = self._stake if self.options["cumulative"] else self._top.worth
        taken = self._take(loser, due)
        winner = self._best[0].player if len(self._best) == 1 else None
        entry = {"event": "take", "player": loser, "winner": winner, "combination": self._top.name}
        self.log.append({**entry, "due": due, "fiches": taken, "pot": self._pot})
        if self._pot:
            self._begin_coup(self._next_leader(loser))
        else:
            self._end_charge()

    def _settle_decharge(self, winner: str, loser: str) -> None:
        due = self._top.worth
        given = min(due, self._fiches[winner])
        self._fiches[winner] -= given
        self._fiches[loser] += given
        entry = {"event": "give", "player": winner, "to": loser, "combination": self._top.name}
        self.log.append({**entry, "due": due, "fiches": given})
        leader = self._next_leader(loser)
        if not self._fiches[winner]:
            seat = self._in.index(winner)
            del self._in[seat]
            self._withdraw(winner)
            if leader == winner:
                leader = self._in[seat % len(self._in)]
        if len(self._in) == 1:
            self._end_manche()
        else:
            self._begin_coup(leader)

    def _next_leader(self, loser: str) -> str:
        return loser if self._leader is None or self.options["lead"] == "loser" else self._leader

    def _take(self, player: str, due: int) -> int:
        """Let a player take fiches from the pot, all that are left if fewer; how many were taken."""
        taken = min(due, self._pot)
        self._pot -= taken
        self._fiches[player] += taken
        return taken

    def _withdraw(self, player: str) -> None:
        self._withdrawn.append(player)
        self.log.append({"event": "withdraw", "player": player})

    def _end_charge(self) -> None:
        self._clear_coup()
        for player in self.players:
            if not self._fiches[player]:
                self._withdraw(player)
        self._in = [player for player in self.players if self._fiches[player]]
        if len(self._in) == 1:
            self._end_manche()
            return
        self._phase = "decharge"
        wanted = (min if self.options["opener"] == "fewest" else max)(self._fiches[player] for player in self._in)
        self._open([player for player in self._in if self._fiches[player] == wanted])

    def _open(self, players: list[str]) -> None:
        """Begin the décharge, or let those who may open it throw for that."""
        if len(players) > 1 and self.options["ties"] == "rampeau":
            self._begin_rampeau("opener", players)
        else:
            self.log.append({"event": "opener", "player": players[0]})
            self._begin_coup(players[0])

    def _end_manche(self) -> None:
        loser = self._in[0]
        self._losers.append(loser)
        self.log.append({"event": "manche_lost", "manche": self._manche, "player": loser})
        if len(self._losers) < self.options["manches"]:
            self._begin_manche(loser)
        else:
            self._clear_coup()
            self.awaits, self.dice = (), 0


def _best(hands: list[Hand]) -> list[Hand]:
    top = min(hand.combination.rank for hand in hands)
    return [hand for hand in hands if hand.combination.rank == top]


def _worst(hands: list[Hand]) -> list[Hand]:
    bottom = max(hand.combination.rank for hand in hands)
    return [hand for hand in hands if hand.combination.rank == bottom]


def _names(hands: list[Hand]) -> list[str]:
    return [hand.player for hand in hands]
