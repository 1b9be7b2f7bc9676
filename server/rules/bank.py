"""A banker against throwers, one after the other: what Le Vingt-Six and Le Quatorze share.

The rules are those of the page `vingt-six`: deal, order, stakes, settlement, the broken bank, the end of a game.
"""

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from server.rules.game import Flag, Game, IllegalAction, OneOf, Option, Whole, short


def _usual_bet(options: Mapping[str, Any], players: int) -> int:
    return 4 if options["bet_mode"] == "capped" else 2


def _usual_games(options: Mapping[str, Any], players: int) -> int:
    return min(players, 100) if options["rotate_banker"] else 1


def _usual_bank(options: Mapping[str, Any], players: int) -> int:
    return 50 + 20 * max(0, players - 4)


BANK_OPTIONS: tuple[Option, ...] = (
    OneOf(
        "bet_mode",
        "fixed",
        ("fixed", "capped", "free"),
        "How a stake is set: always the same, up to a limit, or as the thrower likes.",
    ),
    Whole("bet", _usual_bet, 1, 1000, "The stake where it is fixed, the highest stake where it is capped."),
    Whole("banker_seat", 1, 1, None, "Which player, in the order of play, keeps the first bank."),
    Flag("rotate_banker", False, "The bank passes to the next player after every completed game."),
    Whole("games", _usual_games, 1, 100, "How many games are played to completion."),
    Whole("rounds", 1, 1, 100, "How many turns each thrower has in one game."),
    Whole("player_chips", 20, 1, 10_000, "Each thrower's chips at the start of a game."),
    Whole("bank_chips", _usual_bank, 1, 100_000, "The banker's chips at the start of a game."),
    Flag("stake_returned", True, "Whether a winner gets the stake back besides the gain."),
)


class BankGame(Game):
    """The frame of a banker's game; a subclass plays the turn between `bet` and settlement."""

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        super().__init__(players, options)
        self.game = 0
        self.completed = 0
        self.net = dict.fromkeys(self.players, 0)
        self.chips: dict[str, int] = {}
        self.stake = 0
        self.face: int | None = None
        self.throws: list[int] = []
        self._deal(None)

    @abstractmethod
    def _await_turn(self) -> None:
        """Make the game await what follows the bet."""

    def do_bet(self, chips: object) -> None:
        """Put the stake on the table."""
        least, most = self._stakes()
        if type(chips) is not int or not least <= chips <= most:
            bounds = f"{most}" if least == most else f"from {least} to {most}"
            raise IllegalAction(f"The stake of {short(self.actor)} must be {bounds}, not {short(chips)}.")
        self.chips[self.actor] -= chips
        self.stake = chips
        self.log.append({"event": "bet", "player": self.actor, "chips": chips})
        self._await_turn()

    def choices(self, action: str) -> dict[str, Any]:
        """The stakes that are allowed."""
        if action == "bet":
            least, most = self._stakes()
            return {"chips": {"from": least, "to": most}}
        return super().choices(action)

    def scores(self) -> dict[str, int]:
        """Each player's chips in the game now being played."""
        return self.chips.copy()

    def table(self) -> dict[str, Any]:
        """What the page calls `table`."""
        return {
            "game": self.game,
            "completed": self.completed,
            "round": self._round,
            "banker": self.banker,
            "thrower": self.actor if self.awaits else None,
            "stake": self.stake,
            "face": self.face,
            "throws": self.throws.copy(),
            "total": sum(self.throws),
            "net": self.net.copy(),
        }

    def result(self) -> dict[str, Any]:
        """The running accounts and everybody who has the best."""
        best = max(self.net.values())
        winners = [player for player in self.players if self.net[player] == best]
        return {"games": self.game, "net": self.net.copy(), "winners": winners}

    def _stakes(self) -> tuple[int, int]:
        mode, chips = self.options["bet_mode"], self.chips[self.actor]
        most: int = chips if mode == "free" else min(chips, self.options["bet"])
        return (most if mode == "fixed" else 1), most

    def _deal(self, first: str | None) -> None:
        self.game += 1
        seat = self.options["banker_seat"] - 1
        if self.options["rotate_banker"]:
            seat = (seat + self.completed) % len(self.players)
        self.banker = self.players[seat]
        chips: int = self.options["player_chips"]
        self._dealt = dict.fromkeys(self.players, chips)
        self._dealt[self.banker] = self.options["bank_chips"]
        self.chips = self._dealt.copy()
        throwers = self.players[seat + 1 :] + self.players[:seat]
        start = throwers.index(first) if first is not None else 0
        self._throwers = throwers[start:] + throwers[:start]
        self._turn = 0
        self.log.append({"event": "game", "game": self.game, "banker": self.banker, "first": self._throwers[0]})
        self._begin_turn()

    @property
    def _round(self) -> int:
        return self._turn // len(self._throwers) + 1

    def _begin_turn(self) -> None:
        self.actor = self._throwers[self._turn % len(self._throwers)]
        self.stake, self.face, self.throws = 0, None, []
        self.awaits, self.dice = ("bet",), 0

    def position(self) -> tuple[Hashable, ...]:
        """All that what follows depends on, besides the throws of a turn under way."""
        net, chips = tuple(self.net.values()), tuple(self.chips.values())
        return self.awaits, self.completed, self.banker, self._throwers, self._turn, self.stake, chips, net

    def settle(self, odds: int, **way: str) -> None:
        """Pay or take the stake at these odds (0: lost), then go on to whatever comes next.

        No action: what a turn comes to when its last throw is in, or when its throws are left out.
        """
        total, stake, player = sum(self.throws), self.stake, self.actor
        if odds:
            returned = stake if self.options["stake_returned"] else 0
            self.chips[self.banker] += stake - returned
            due = stake * odds
            paid = min(due, self.chips[self.banker])
            self.chips[self.banker] -= paid
            self.chips[player] += returned + paid
            entry = {"event": "win", "player": player, "total": total, "odds": odds, "stake": stake}
            self.log.append({**entry, "due": due, "paid": paid, "returned": returned, **way})
        else:
            self.chips[self.banker] += stake
            self.log.append({"event": "lose", "player": player, "total": total, "stake": stake})
            if not self.chips[player]:
                self.log.append({"event": "out_of_chips", "player": player})
        self._go_on()

    def _go_on(self) -> None:
        following = self._next_turn()
        if following is None:
            self._end_game(complete=True)
            self.completed += 1
            if self.completed == self.options["games"]:
                self.awaits, self.dice, self.stake, self.face, self.throws = (), 0, 0, None, []
            else:
                self._deal(None)
        elif self.chips[self.banker]:
            self._turn = following
            self._begin_turn()
        else:
            first = self._throwers[following % len(self._throwers)]
            self.log.append({"event": "bank_broken", "banker": self.banker, "next": first})
            self._end_game(complete=False)
            self._deal(first)

    def _next_turn(self) -> int | None:
        """The next turn of this game whose thrower has chips, or None where there is none."""
        # One round ahead is enough: the chips of those who wait do not change.
        last = min(self._turn + len(self._throwers), len(self._throwers) * self.options["rounds"] - 1)
        for turn in range(self._turn + 1, last + 1):
            if self.chips[self._throwers[turn % len(self._throwers)]]:
                return turn
        return None

    def _end_game(self, complete: bool) -> None:
        change = {player: self.chips[player] - self._dealt[player] for player in self.players}
        for player, chips in change.items():
            self.net[player] += chips
        self.log.append({"event": "game_end", "game": self.game, "complete": complete, "net": change})
