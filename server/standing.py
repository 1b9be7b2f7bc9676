"""Where the evening stands: always and only the replay of the log's events."""

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from server.chain import Event
from server.correction import CannotStand, Move, Rewritten, other_faces, recounted, rewrite, without_last
from server.looks import Look, unkept
from server.names import alike
from server.record import record_of
from server.rules import Game, new_game
from server.rules.bank import BankGame
from server.seats import Seats
from server.shapes import KINDS

NOTES = ("seat", "joining", "house", "advice")
"""Events that change no game: who sits where, who may join, who plays for the house, who is advised."""

ENTERED = "No picture: these dice were thrown by hand, and what they showed was entered."
"""What is said of a throw that no camera saw."""

_KEYS_REMEMBERED = 4096
_LAST_THROWS = 10
_STILL = ("boot", "fault", "clear")
_PLAYED = ("game", "action", "press", "entry")
_TURNING = ("game", "action", "throw", "entry", "abandon", "correction", "undo")


@dataclass(slots=True)
class Soak:
    """Throws that belong to no game, to try the machine or its dice; and what has come of them so far."""

    event: int  # that began it
    asked: dict[str, Any]  # how many throws, of which dice, by which parts
    thrown: int = 0
    faces: Counter[int] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # by verdict
    last: Look | None = None  # that ended its last throw


@dataclass(slots=True)
class Match:
    """What belongs to one game, and goes with it."""

    game: Game | None = None
    game_id: int | None = None  # the event that started it
    options: dict[str, Any] = field(default_factory=dict)  # that were said when it was begun; the others are usual
    moves: list[Move] = field(default_factory=list)  # those that hold, in order
    looks: dict[int, Look] = field(default_factory=dict)  # of its throws, by their events
    disputes: dict[tuple[int, int | None], Event] = field(default_factory=dict)  # by throw and die
    last: Look | None = None  # the last look at the dice, used or refused
    throws: list[Look] = field(default_factory=list)  # its latest looks, oldest first
    simulated: bool = False  # whether any of its looks, used or refused, was at simulated dice
    house: dict[int, str] = field(default_factory=dict)  # who is played by the house, by the player's place
    advice: dict[int | None, Any] = field(default_factory=dict)  # by the player's place; None: for the whole game
    seated: dict[int, int] = field(default_factory=dict)  # of a game set aside: who played in which place, by seat

    def record(self) -> dict[str, Any] | None:
        """The record that replays the game, or None where there is none."""
        return record_of(self.game, [move.action for move in self.moves]) if self.game else None

    @property
    def is_playing(self) -> bool:
        """Whether there is a game that is not over."""
        return self.game is not None and bool(self.game.legal())


_GAMES_OWN = [each.name for each in fields(Match)]


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a correction makes of a throw and of its game."""

    played: Match
    holds: dict[str, Any]  # of the throw, as `recounted` has it
    rewritten: Rewritten
    taken_back: int | None  # the game that was begun too early, if the one before is not over after all

    @property
    def told(self) -> dict[str, Any]:
        """What its event says came of it."""
        taken_back = {} if self.taken_back is None else {"taken_back": self.taken_back}
        return {**self.holds, "cut": self.rewritten.cut, **taken_back}


@dataclass(slots=True)
class Standing(Match):
    """The running game, the throw under way, the latched fault, who sits at the table, and what was last seen.

    A game that is over stays beside the next one until that one's first throw: it may still have been misread.
    """

    earlier: Match | None = None  # the game before, while nothing was thrown since
    voided: int | None = None  # the game that was last played and counts for nothing, until another game or throw
    simulates: bool | None = None  # whether the dice that are thrown now are simulated; None while nothing has said so
    kept: set[str] = field(default_factory=set)  # pictures that never expire
    press: int | None = None  # the event of a press whose throw has not ended
    asked: dict[str, Any] = field(
        default_factory=dict
    )  # by it: how many dice a game "needs" and how they are "named", or of which "soak" it is
    soaks: dict[int, Soak] = field(default_factory=dict)  # by the events that began them
    seen: Look | None = None  # the last look of all, in a game or not
    fault: tuple[str, str] | None = None  # name and message
    failed: dict[str, Any] = field(default_factory=dict)  # what was asked of the throw that ended in it
    turned: int = 0  # the event that last changed game or turn
    answered: OrderedDict[str, Event] = field(default_factory=OrderedDict)  # key of a request: what it became
    seed: str | None = None  # SHA-256 of the seed that simulated dice are drawn from
    seeds: int = 0  # so many were promised
    draws: int = 0  # so many looks came of it
    revealed: dict[str, str] | None = None  # the last seed that was shown, and its SHA-256
    # Whether a person has played since the last start or fault; one that was not written down is known by its clearing.
    woken: bool = False
    joining: str = "open"
    seats: Seats = field(default_factory=Seats)

    def apply(self, event: Event) -> None:
        """Take in the next event of the log."""
        # An unknown kind is passed over, even if a method happens to have its name.
        apply = getattr(self, f"_{event.kind}", None) if event.kind in KINDS else None
        if apply is not None:
            apply(event)
        if event.kind in _TURNING:
            self.turned = event.seq
        if event.kind in _STILL:
            self.woken = False
        elif event.kind in _PLAYED and not str(event.body.get("by")).startswith("house:"):
            self.woken = True
        key = event.body.get("key")
        if key is not None:
            self.answered[key] = event
            if len(self.answered) > _KEYS_REMEMBERED:
                self.answered.popitem(last=False)

    def acts(self, seat: int) -> bool:
        """Whether it is the turn of whoever holds this seat."""
        holder = self.seats.list.get(seat)
        if self.game is None or holder is None or not holder.approved or holder.player is None:
            return False
        return self.is_playing and self.game.players[holder.player] == self.game.actor

    def player_named(self, name: str, besides: int | None = None) -> int | None:
        """The place of a player of the running game, but for one, who goes by this name, or one that looks like it."""
        players = self.game.players if self.game else ()
        return next((place for place, player in enumerate(players) if place != besides and alike(player, name)), None)

    def named(self, names: Sequence[str]) -> list[str]:
        """Which of the dice with these names the next throw of the running game counts."""
        if self.game is None:
            return []
        return unkept(names, self.game.dice, self.game.kept(), self._counted())

    def _counted(self) -> Iterator[list[tuple[str | None, int]]]:
        """The dice that counted in each throw that holds, by name and face, the latest throw first."""
        for move in reversed(self.moves):
            if move.is_throw:
                look = self.looks[move.seq]
                dice = look["dice"]
                counted: list[int] = {"counted": look["counted"], **(look["corrected"] or {})}["counted"]
                names = [dice[place].get("colour") if place < len(dice) else None for place in counted]
                yield list(zip(names, move.action["dice"], strict=True))

    def games(self) -> list[Match]:
        """The games that may still change, the running one last."""
        running = Match(**{name: getattr(self, name) for name in _GAMES_OWN})
        return [played for played in (self.earlier, running) if played is not None and played.game is not None]

    def of(self, throw: int) -> Match | None:
        """The game that may still change to which this throw belongs."""
        return next((played for played in (self, self.earlier) if played is not None and throw in played.looks), None)

    def correct(self, throw: int, asked: dict[str, Any]) -> Corrected:
        """What a correction would make of a throw and of its game; CannotStand where it is not possible."""
        played = self.of(throw)
        if played is None or played.game is None or throw not in (move.seq for move in played.moves if move.is_throw):
            raise CannotStand(
                f"Event {throw} is no throw of the running game, nor of the one before while nothing was thrown since; "
                "only such a throw can be corrected."
            )
        holds = recounted(played.looks[throw], asked)
        rewritten = rewrite(played.game, played.moves, throw, holds["faces"])
        goes_on = played is self.earlier and rewritten.game.legal()
        return Corrected(played, holds, rewritten, self.game_id if goes_on else None)

    def pictures(self) -> set[str]:
        """The pictures that must not expire: those of throws that somebody doubted, and of the running game."""
        earlier = self.earlier.looks.values() if self.earlier else ()
        looks = [*self.looks.values(), *self.throws, *earlier]
        return self.kept | {look["frame"] for look in looks if look["frame"] is not None}

    @property
    def shows_simulated(self) -> bool:
        """Whether simulated dice were thrown in the running game, or in the one before while that is shown."""
        return self.simulated or (self.earlier is not None and self.earlier.simulated)

    @property
    def is_advised(self) -> bool:
        """Whether advice is on for whose turn it is: by the game's switch and by theirs."""
        if self.game is None or not self.is_playing:
            return False
        on = self.advice_switches
        return bool(on["game"] and on["players"][self.game.players.index(self.game.actor)])

    @property
    def advice_switches(self) -> dict[str, Any]:
        """The switches of advice: of the game, off where chips are staked until it is switched on, and of each player.

        A player is advised where both are on.
        """
        if self.game is None:
            return {"game": False, "players": []}
        players = [self.advice.get(place, True) for place in range(len(self.game.players))]
        return {"game": self.advice.get(None, not isinstance(self.game, BankGame)), "players": players}

    @property
    def house_players(self) -> list[str | None]:
        """Who of the running game is played by the house: the character, or None for a person, in the order of play."""
        return [self.house.get(place) for place in range(len(self.game.players))] if self.game else []

    def undo(self) -> Rewritten:
        """The game without its last action; CannotStand where that was a throw or nothing."""
        if self.game is None:
            raise CannotStand("There is no game, and nothing to undo.")
        return without_last(self.game, self.moves)

    @property
    def was_thrown_since(self) -> bool:
        """Whether dice were thrown after the last action that holds, also if that throw is to be made again."""
        return bool(self.looks and self.moves) and max(self.looks) > self.moves[-1].seq

    def _boot(self, event: Event) -> None:
        self.simulates = event.body["simulated"]

    def _game(self, event: Event) -> None:
        self.simulates = event.body.get("simulated", self.simulates)
        if self.game is not None:
            self.earlier = self.games()[-1]
            self.earlier.seated = self.seats.players
        self._end()
        self.voided = None
        self.game = new_game(event.body["game"], event.body["players"], event.body["options"])
        self.game_id, self.throws, self.last, self.simulated = event.seq, [], None, False
        self.options = event.body["options"]
        self.seed = event.body.get("seed_sha256")
        self.seats.bind(self.game.players)

    def _action(self, event: Event) -> None:
        self._play(event.seq, event.body["action"])

    def _press(self, event: Event) -> None:
        self.press = event.seq
        self.asked = {name: event.body[name] for name in ("needs", "named", "soak") if name in event.body}

    def _throw(self, event: Event) -> None:
        body = event.body
        if len(body["counted"]) != len(body["faces"]) or any(place >= len(body["dice"]) for place in body["counted"]):
            raise ValueError("it counts dice that it has not.")
        self.earlier = self.voided = None
        self.looks[event.seq] = self._see(event)
        self.press = None
        self._play(event.seq, {"do": "throw", "dice": body["faces"]})

    def _entry(self, event: Event) -> None:
        # No picture, no reading: what a person says lay there, in the order in which it was said.
        self.earlier = self.voided = None
        body, faces = event.body, event.body["faces"]
        places = list(range(len(faces)))
        said = {"needs": body["needs"], "faces": faces, "counted": places, "at": body["at"], "by_hand": body["by"]}
        shown = {"verdict": "ok", "message": ENTERED, "frame": None, "size": None, "source": None, "again": False}
        self._show(event, {**said, **shown}, [{"face": face} for face in faces])
        self.looks[event.seq] = self.throws[-1]
        self._play(event.seq, {"do": "throw", "dice": faces})

    def _refused(self, event: Event) -> None:
        if "soak" in event.body:
            self._soaked(event).refused[event.body["verdict"]] += 1
        else:
            self._see(event)

    def _soak(self, event: Event) -> None:
        self.soaks[event.seq] = Soak(event.seq, event.body["asked"])

    def _trial(self, event: Event) -> None:
        soak = self._soaked(event)
        soak.thrown += 1
        soak.faces.update(die["face"] for die in event.body["dice"])
        soak.last = event.body
        self.press = None

    def _soaked(self, event: Event) -> Soak:
        self._look(event)
        return self.soaks[event.body["soak"]]

    def _seed(self, event: Event) -> None:
        self.seed, self.seeds, self.draws = event.body["sha256"], self.seeds + 1, 0

    def _reveal(self, event: Event) -> None:
        self.revealed = {"sha256": event.body["sha256"], "seed": event.body["seed"]}
        self.seed = None

    def _void(self, event: Event) -> None:
        self.press = None

    def _abandon(self, event: Event) -> None:
        if self.looks:
            self.earlier = None
        # A game that was over before stays won.
        self.voided = self.game_id if self.is_playing else None
        self._end()

    def _correction(self, event: Event) -> None:
        body = event.body
        asked = {"dice": body["dice"]} if "dice" in body else {"faces": body["faces"]}
        found = self.correct(body["throw"], asked)
        if {**body, **found.told} != body or body.get("taken_back") != found.taken_back:
            raise ValueError("what it says came of it is not what comes of it.")
        played = found.played
        played.game, played.moves = found.rewritten.game, found.rewritten.moves
        look = played.looks[body["throw"]]
        said = {name: body[name] for name in ("reason", "by", "cut")}
        look["corrected"] = {"event": event.seq, **found.holds, **said}
        # What was doubted is answered by it; who doubts the answer is heard anew.
        look |= {"disputed": False, "doubted": []}
        played.disputes = {doubt: one for doubt, one in played.disputes.items() if doubt[0] != body["throw"]}
        self._keep(look)
        if played is self.earlier and played.is_playing:
            self.voided = found.taken_back
            self._resume(played)

    def _resume(self, played: Match) -> None:
        """The game before is not over after all: it goes on, and one that was begun since is no more."""
        for name in _GAMES_OWN:
            setattr(self, name, getattr(played, name))
        self.seats.put(played.seated)
        self.earlier = None

    def _undo(self, event: Event) -> None:
        rewritten = self.undo()
        if rewritten.cut != [event.body["action"]]:
            raise ValueError(f"event {event.body['action']} was not the last action.")
        self.game, self.moves = rewritten.game, rewritten.moves

    def _dispute(self, event: Event) -> None:
        throw, die, played = event.body["throw"], event.body["die"], self.of(event.body["throw"])
        if played is None:
            raise ValueError(f"event {throw} is no throw that can be doubted.")
        look = played.looks[throw]
        look["disputed"] = True
        if die is not None and die not in look["doubted"]:
            look["doubted"] = sorted([*look["doubted"], die])
        played.disputes.setdefault((throw, die), event)
        self._keep(look)

    def _fault(self, event: Event) -> None:
        self.failed = self.asked if self.press is not None else {}
        self.press = None
        self.fault = event.body["fault"], event.body["message"]

    def _clear(self, event: Event) -> None:
        # A fault that could not be written down has ended its throw too.
        self.press = self.fault = None

    def _seat(self, event: Event) -> None:
        if (event.body.get("player") or 0) >= max(1, len(self.game.players) if self.game else 0):
            raise ValueError("no such player plays.")
        self.seats.take_in(event)

    def _joining(self, event: Event) -> None:
        self.joining = event.body["joining"]

    def _house(self, event: Event) -> None:
        if event.body["plays"] is None:
            self.house.pop(event.body["player"], None)
        else:
            self.house[event.body["player"]] = event.body["plays"]

    def _advice(self, event: Event) -> None:
        self.advice[event.body["player"]] = event.body["advice"]

    def _end(self) -> None:
        """Nothing of the running game holds for the next one."""
        self.game, self.game_id, self.moves = None, None, []
        self.looks, self.disputes, self.house, self.advice = {}, {}, {}, {}
        self.seats.bind(())

    def _play(self, seq: int, action: dict[str, Any]) -> None:
        if self.game is None:
            raise ValueError(f"The log has an action without a game: {action}")
        move = Move(seq, action, self.game.actor, self.game.dice)
        self.game.play(action)
        self.moves.append(move)

    def _look(self, event: Event) -> None:
        self.seen = event.body
        self.draws += "draw" in event.body

    def _see(self, event: Event) -> Look:
        self._look(event)
        self.simulated |= self.simulates is not False
        looked = {name: value for name, value in event.body.items() if name not in ("by", "key", "synchronised")}
        return self._show(event, looked, event.body["dice"])

    def _show(self, event: Event, looked: dict[str, Any], dice: list[dict[str, Any]]) -> Look:
        shown = [{"others": other_faces(die["face"]), **die} for die in dice]
        picture = f"/frames/{looked['frame']}.jpg" if looked["frame"] else None
        self.last = {"event": event.seq, "head": event.hash[:8], **looked, "dice": shown, "picture": picture}
        self.last |= {"corrected": None, "disputed": False, "doubted": []}
        self.throws = [*self.throws[1 - _LAST_THROWS :], self.last]
        return self.last

    def _keep(self, look: Look) -> None:
        if look["frame"] is not None:
            self.kept.add(look["frame"])
