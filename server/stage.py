"""The stage: what is committed, what the machine does, and what everybody is shown of both."""

import json
import logging
import sqlite3
import threading
from collections.abc import Callable
from enum import Enum
from typing import Any

from firmware.tower import Interrupted
from server.board import Board, Snapshot
from server.chain import BrokenLog, Event
from server.chance import Chance
from server.log import NONSENSE, CannotOpen, Log, why_not
from server.metrics import Metrics
from server.reserve import Reserve
from server.standing import Match, Standing
from server.wallclock import Moment

logger = logging.getLogger(__name__)

SEQS = 1_000_000  # snapshots that one event leaves room for: the phases of a throw, guests who come and go
STUCK_S = 30.0
"""No phase of a throw lasts so long: the motor may run for 10 s, rest is waited for 5 s, and a reading takes less."""
CLOCK_WARNING = "The clock is not synchronised: times in the log may be wrong, the order of events is not."
_SAME_SEED = ("fault", "seed", "reveal", "press", "refused", "soak", "trial")
"""After these nobody waits for a seed: a whole soak is drawn from one."""
UNWRITABLE = (BrokenLog, sqlite3.Error, OSError)
"""What keeps an event or a picture from being written."""


class Phase(Enum):
    """What the machine is doing."""

    READY = "ready"
    TUMBLING = "tumbling"
    SETTLING = "settling"
    READING = "reading"
    CALIBRATING = "calibrating"
    FAULT = "fault"


NEXT = {
    Phase.READY: {Phase.TUMBLING, Phase.CALIBRATING},
    Phase.TUMBLING: {Phase.SETTLING},
    Phase.SETTLING: {Phase.READING},
    # A refused look is followed by another tumble, or by the next picture where they are recorded.
    Phase.READING: {Phase.READY, Phase.TUMBLING, Phase.SETTLING},
    Phase.CALIBRATING: {Phase.READY},
    Phase.FAULT: {Phase.READY},
}
"""What may follow what; a fault may follow anything."""


_PARTS = {"camera-lost": "camera", "camera-frozen": "camera", "unreadable": "camera", "storage": "disk"}
_BOUNDED = (Phase.TUMBLING, Phase.SETTLING, Phase.READING)


def part_of(fault: str) -> str:
    """The part that a fault is of: `camera`, where the machine stands still and cannot see, `disk`, or `tower`."""
    return _PARTS.get(fault, "tower")


class NotNow(RuntimeError):
    """What was asked is not possible now; the message says why."""


class NotYours(RuntimeError):
    """What was asked is for somebody else to do; the message says why."""


class Stage:
    """Commits events, keeps phase and fault, and shows what was committed and nothing else.

    `about` goes into every boot event and snapshot; `halt` stops the machine when a fault is latched. Whoever decides
    by what stands here holds `lock` from the question to the commit.
    """

    def __init__(
        self,
        log: Log,
        *,
        boot: str,
        about: dict[str, Any],
        halt: Callable[[], None],
        chance: Chance | None,
        now: Callable[[], Moment],
        clock: Callable[[], float],
    ) -> None:
        self.lock = threading.RLock()
        self.board = Board()
        self.metrics = Metrics()
        self.log = log
        self.boot = boot
        self.standing = Standing()
        self.phase = Phase.READY
        self.closing = False
        self.chance = chance
        self._about, self._halt, self._now, self._clock = about, halt, now, clock
        self._entered_s = clock()
        self._phases = 0
        self.is_replayed = False  # whether `standing` is what the log tells
        self.is_replaying = False  # for seconds, with the lock held, to clear a fault
        self._booted = False
        self._present: frozenset[int] = frozenset()  # the seats whose guests were shown as watching
        self._unwritten: tuple[str, str] | None = None  # a fault that the log could not take
        self._is_doubtful = False  # whether program or disk failed since a fault was cleared last
        self._reserve = Reserve(log.directory)

    @property
    def fault(self) -> tuple[str, str] | None:
        """The latched fault: its name and its sentence."""
        return self._unwritten or self.standing.fault

    @property
    def draws(self) -> bool:
        """Whether the dice are simulated, and drawn from seeds."""
        return self.chance is not None and self.chance.deals

    @property
    def seq(self) -> int:
        """The number of the newest snapshot: the last event's, times a million, and the snapshots since."""
        return self.log.seq * SEQS + self._phases - 1

    def begin(self) -> None:
        """Replay the log and commit the boot; a log that cannot be replayed is a fault that stays."""
        with self.lock:
            reason = str(self.log.broken) if self.log.broken else self._replay()
            if reason:
                self.latch("storage", _beyond_repair(reason))
                return
            self._reserve.prepare()
            kept = self._reserve.kept()
            try:
                self._boot()
            except NotNow:
                # The fault is latched, and clearing it boots; the one that was there before is the one to see to.
                if kept:
                    self._unwritten = kept
                    self.publish()
                return
            if kept and (not self.standing.fault or kept[0] == "stopped"):
                self.latch(*kept)
            elif self.standing.fault:
                self.phase = Phase.FAULT
                self.publish()

    def _boot(self) -> None:
        """Commit that a process began, and that what it found under way is void."""
        self.write("boot", {"boot": self.boot, **self._about})
        self._booted = True
        if self.standing.press is not None:
            self.write("void", {"press": self.standing.press, "reason": "the machine was restarted"})

    def _replay(self) -> str:
        """Take everything from the log anew; why that cannot be, and then all stays as it is, a latched fault too."""
        standing = Standing()
        try:
            for event in self.log.events():
                standing.apply(event)
        except BrokenLog as error:
            return str(error)
        except NONSENSE as error:
            return f"The log cannot be replayed ({error!r})."
        self.standing, self.is_replayed = standing, True
        return ""

    def write(self, kind: str, body: dict[str, Any]) -> Event:
        """Commit what somebody asked for; NotNow and a fault where it cannot be written."""
        if self.log.broken:
            raise NotNow(str(self.log.broken))
        try:
            return self.commit(kind, body)
        except UNWRITABLE as error:
            told = self.latch_unwritten(error, f"It could not be written down: {why_not(error)}, then clear the fault.")
            raise NotNow(told) from None

    def commit(self, kind: str, body: dict[str, Any]) -> Event:
        """Append an event to the log, take it in, and show it; then see to the seed of simulated dice."""
        moment = self._now()
        clock = {"at": moment.at.isoformat(timespec="milliseconds"), "synchronised": moment.synchronised}
        event = self.log.append(kind, {**clock, **body})
        self.standing.apply(event)
        if kind in ("throw", "refused"):
            self.metrics.count(kind, body["verdict"])
        self._phases = 0
        self.publish()
        if kind not in _SAME_SEED:
            self.see_to_seed()
        return event

    def see_to_seed(self) -> None:
        """Reveal a seed when the game it was drawn for is over, and promise the next one before it is needed."""
        chance, seed = self.chance, self.standing.seed
        if chance is None:
            return
        try:
            kept = seed is not None and chance.keeps(seed)
            over = self.standing.draws and not (self.standing.is_playing and chance.deals)
            if seed is not None and kept and over:
                self.commit("reveal", {"sha256": seed, "seed": chance.reveal(seed)})
            if chance.deals and (not kept or over):
                self.commit("seed", {"sha256": chance.promise(self.standing.seeds), "given": chance.said})
                chance.forget(self.standing.seed)
        except UNWRITABLE as error:
            self.latch_unwritten(error, f"The dice have no seed: {why_not(error)}, then clear the fault.")

    def enter(self, phase: Phase) -> None:
        """Go on to a phase of a throw and show it; Interrupted where the machine is stopped."""
        with self.lock:
            if self.closing or self.phase is Phase.FAULT:
                raise Interrupted("The machine is being closed, or somebody stopped it.")
            if phase not in NEXT[self.phase]:
                raise ValueError(f"{phase.value} cannot follow {self.phase.value}")
            self.phase, self._entered_s = phase, self._clock()
            self.publish()

    @property
    def hangs(self) -> bool:
        """Whether a throw has been in one phase for longer than STUCK_S."""
        return self.phase in _BOUNDED and self._clock() - self._entered_s > STUCK_S

    def latch(self, name: str, message: str) -> None:
        """Stop the machine; the fault stays until it is cleared.

        Of several the first one stays, but for a stop by hand: whoever clears another fault must not start what
        somebody stopped. Where the latched one is not written down, one behind it outlasts the power too.
        """
        with self.lock:
            self._halt()
            logger.error("Fault %s: %s", name, message)
            self._is_doubtful |= name in ("internal", "storage")
            latched = self.fault if self.phase is Phase.FAULT else None
            if latched and (name != "stopped" or latched[0] == name or self.log.broken):
                if self._unwritten and not self._reserve.kept():
                    self._keep(name, message)
                return
            self.metrics.count("fault", name)
            self.phase, self._unwritten = Phase.FAULT, None
            try:
                self.commit("fault", {"fault": name, "message": message})
                self._reserve.blank()
            except UNWRITABLE as error:
                logger.error("The fault could not be written down: %s", error)
                self._unwritten = name, message
                self._keep(name, message)
                self.publish()

    def latch_unwritten(self, error: Exception, message: str) -> str:
        """Latch that something could not be written, and what is said of it: a broken log is not mended by clearing."""
        told = _beyond_repair(str(error)) if isinstance(error, BrokenLog) else message
        self.latch("storage", told)
        return told

    def _keep(self, name: str, message: str) -> None:
        """Keep a fault that the log could not take through a power cut; one of the disk shows again by itself."""
        if part_of(name) == "disk":
            return
        try:
            self._reserve.keep(name, message)
        except OSError as error:
            logger.error("It is forgotten when the power fails: %s", error)

    def clear(self, by: str) -> Event:
        """Clear the fault; what the log could not take is forgotten, for everything is taken from it anew.

        A fault of the machine leaves what is known of the log as it is: to replay a long one takes half a minute.
        """
        if self._unwritten or not self.is_replayed or self._is_doubtful:
            self._take_anew()
        self._unwritten, self._is_doubtful = None, False
        self.phase = Phase.READY
        if not self._booted:
            self._boot()
        event = self.write("clear", {"by": by})
        self._reserve.blank()
        return event

    def _take_anew(self) -> None:
        self.is_replaying = True
        try:
            if self._unwritten or self._is_doubtful:
                self.log.reopen()
            reason = self._replay()
        except CannotOpen as error:
            raise NotNow(str(error)) from None
        finally:
            self.is_replaying = False
        if reason:
            raise NotNow(reason)

    def publish(self) -> None:
        """Show everybody the state as it is now."""
        self._phases += 1
        self.metrics.enter(self.phase.value)
        self._present = self.board.present
        self.board.show(Snapshot(self.seq, json.dumps(self._state())))

    def refresh(self) -> None:
        """Show who is present, if that is not what was shown last."""
        with self.lock:
            # A quiet week of comings and goings must not run into the next event's numbers.
            if self.board.present != self._present and self._phases < SEQS // 2:
                self.publish()

    def _fault_told(self, name: str, message: str) -> dict[str, Any]:
        """A fault as it is shown; nobody clears one of a broken log."""
        return {"name": name, "message": message, "part": part_of(name), "clears": self.log.broken is None}

    def _state(self) -> dict[str, Any]:
        standing, fault = self.standing, self.fault
        return {
            "seq": self.seq,
            "boot": self.boot,
            **self._about,
            "simulated_throws": standing.shows_simulated,
            "machine": {
                "phase": self.phase.value,
                "fault": self._fault_told(*fault) if fault else None,
            },
            "warnings": [] if self._now().synchronised is not False else [CLOCK_WARNING],
            "game": standing.game.state() if standing.game else None,
            "game_id": standing.game_id,
            "options": standing.options if standing.game else {},
            "turned": standing.turned * SEQS,
            "offers": standing.game.offers() if standing.game else [],
            "paid": standing.game.paid() if standing.game else [],
            "house": standing.house_players,
            "advised": standing.is_advised,
            "advice": standing.advice_switches,
            "last": standing.last,
            "throws": standing.throws,
            "earlier": _told(standing.earlier),
            "voided": standing.voided,
            "head": self.log.head[:8],
            **({"seed_sha256": standing.seed, "revealed": standing.revealed} if self.draws else {}),
            "seats": {
                "joining": standing.joining,
                "list": [
                    {**seat.as_json(), "present": seat.id in self._present} for seat in standing.seats.list.values()
                ],
            },
        }


def _beyond_repair(reason: str) -> str:
    return f"{reason} The file is kept; have it looked at before anybody plays on."


def _told(earlier: Match | None) -> dict[str, Any] | None:
    """What is shown of the game before while it may still be corrected."""
    if earlier is None or earlier.game is None:
        return None
    ended = {"players": list(earlier.game.players), "result": earlier.game.result()}
    return {"game_id": earlier.game_id, "game": earlier.game.NAME, **ended, "throws": earlier.throws}
