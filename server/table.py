"""The table: the one place where tower, eye, game and log meet."""

import json
import logging
import math
import shutil
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from firmware.simulated import FLOOR_MM
from firmware.tower import Interrupted, Tower, TowerFault
from server.board import Board, Snapshot
from server.eye import Eye, Seen
from server.log import BrokenLog, Event, Log
from server.rules import IllegalAction, new_game
from server.service import throw
from server.standing import Standing
from vision.camera import CameraLost
from vision.reading import Die, Reading, Verdict, as_json
from vision.rest import CameraFrozen

logger = logging.getLogger(__name__)

REFUSALS = 3
"""So many refused readings of one throw are a fault."""
ROOM_BYTES = 64 * 2**20
"""Least free space on the disk before the motor turns."""
_NONSENSE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What a forged event does to whoever replays it."""
_UNMOVED_SIDES = 0.125  # 2 mm of a die of 16 mm
_SEQS = 100  # snapshots that one event leaves room for: the phases of a throw, a fault that could not be written


class Phase(Enum):
    """What the machine is doing."""

    READY = "ready"
    TUMBLING = "tumbling"
    SETTLING = "settling"
    READING = "reading"
    FAULT = "fault"


NEXT = {
    Phase.READY: {Phase.TUMBLING},
    Phase.TUMBLING: {Phase.SETTLING},
    Phase.SETTLING: {Phase.READING},
    # A refused look is followed by another tumble, or by the next picture where they are recorded.
    Phase.READING: {Phase.READY, Phase.TUMBLING, Phase.SETTLING},
    Phase.FAULT: {Phase.READY},
}
"""What may follow what; a fault may follow anything."""


class NotNow(RuntimeError):
    """What was asked is not possible now; the message says why."""


class Table:
    """Takes presses and actions, throws, reads, scores, and shows what was committed and nothing else.

    `run` is given the throw to carry out, at once or in a thread of its own. `about` goes into every boot event and
    snapshot. Any thread may call any method.
    """

    def __init__(
        self,
        log: Log,
        tower: Tower,
        eye: Eye,
        *,
        boot: str,
        about: dict[str, Any],
        run: Callable[[Callable[[], None]], object],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.board = Board()
        self.boot = boot
        self._log, self._tower, self._eye, self._run, self._now = log, tower, eye, run, now
        self._about = about
        self._lock = threading.RLock()
        self._refused: dict[str, NotNow] = {}
        self._closing = False
        self._phases = 0
        self._standing = Standing()
        self._unwritten: tuple[str, str] | None = None  # a fault that the log could not take
        self.phase = Phase.READY
        self._begin()

    def start_game(self, game: str, players: Sequence[str], options: dict[str, Any], by: str) -> dict[str, Any]:
        """Start a game; BadRecord where it cannot be as asked, NotNow while one is running."""
        with self._lock:
            running = self._standing.game
            if running is not None and running.legal():
                raise NotNow("A game is running: play it to its end, or void it first.")
            self._check_usable()
            new_game(game, players, options)
            body = {"game": game, "players": list(players), "options": options, "by": by}
            return self._answer(self._write("game", body))

    def abandon_game(self, by: str) -> dict[str, Any]:
        """Void the game as a whole; NotNow where there is none or a throw is under way."""
        with self._lock:
            if self._standing.game is None:
                raise NotNow("There is no game to void.")
            self._check_usable()
            return self._answer(self._write("abandon", {"game": self._standing.game_id, "by": by}))

    def act(self, action: dict[str, Any], by: str, expected_seq: int | None, key: str | None) -> dict[str, Any]:
        """Take an action of the game, any but a throw; NotNow where it is not legal. One answer for each key."""
        return self._once(key, expected_seq, lambda: self._act(action, by, key))

    def press(self, by: str, expected_seq: int | None, key: str | None) -> dict[str, Any]:
        """Press the button: begins a throw if one is due; NotNow otherwise. One answer for each key."""
        with self._lock:
            before = self._standing.press
            answer = self._once(key, expected_seq, lambda: self._press(by, key))
            begun = self._standing.press if self._standing.press != before else None
        if begun is not None:
            self._run(self._throw)
        return answer

    def clear_fault(self, by: str) -> dict[str, Any]:
        """Clear a latched fault; NotNow where there is none or the log is broken."""
        with self._lock:
            if self.phase is not Phase.FAULT:
                raise NotNow("There is no fault to clear.")
            if self._log.broken:
                raise NotNow(str(self._log.broken))
            trouble = self._trouble()
            if trouble:
                raise NotNow(trouble[1])
            self._replay()
            self._unwritten = None
            self.phase = Phase.READY
            return self._answer(self._write("clear", {"by": by}))

    def latch(self, name: str, message: str) -> None:
        """Latch a fault that showed between throws; the first one stays."""
        with self._lock:
            if self.phase is not Phase.FAULT:
                self._latch(name, message)

    def record(self) -> dict[str, Any] | None:
        """The record of the running game."""
        with self._lock:
            return self._standing.record()

    def causes(self) -> list[str]:
        """Why no throw could be made now although nobody would be to blame; empty if all is well."""
        fault = self._fault()
        return [cause for cause in (fault[1] if fault else "", self._no_room()) if cause]

    def close(self) -> None:
        """Stop the machine, let everybody go; as often as you like."""
        self._closing = True
        self._tower.close()
        self.board.close()

    # What happens at the start

    def _begin(self) -> None:
        with self._lock:
            try:
                if self._log.broken:
                    raise self._log.broken
                self._replay()
                self._commit("boot", {"boot": self.boot, **self._about})
                if self._standing.press is not None:
                    self._commit("void", {"press": self._standing.press, "reason": "the machine was restarted"})
            except (
                BrokenLog,
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                RecursionError,
                sqlite3.Error,
            ) as error:
                # The log cannot be replayed: nothing of it may be shown as if it held.
                self._standing = Standing()
                reason = str(error) if isinstance(error, BrokenLog) else f"The log cannot be replayed ({error!r})."
                self._latch("storage", f"{reason} The file is kept; have it looked at before anybody plays on.")
                return
            if self._standing.fault:
                self.phase = Phase.FAULT
                self._publish()
            elif self._trouble():
                self._latch(*self._trouble())

    def _trouble(self) -> tuple[str, str] | tuple[()]:
        """What forbids a throw now on the side of tower or camera: a fault's name and its sentence."""
        trouble = self._tower.trouble()
        if trouble:
            return trouble.name, str(trouble)
        return ("camera-lost", self._eye.lost) if self._eye.lost else ()

    def _replay(self) -> None:
        standing = Standing()
        for event in self._log.events():
            standing.apply(event)
        self._standing = standing

    # Requests

    def _once(self, key: str | None, expected_seq: int | None, ask: Callable[[], Event]) -> dict[str, Any]:
        with self._lock:
            if key is not None and key in self._standing.answered:
                return {"seq": self._standing.answered[key] * _SEQS}
            if key is not None and key in self._refused:
                raise self._refused[key]
            try:
                if expected_seq is not None and expected_seq < self._standing.turned * _SEQS:
                    raise NotNow("The game has moved on since; look at it again.")
                self._check_usable()
                return self._answer(ask())
            except NotNow as refusal:
                if key is not None:
                    self._refused[key] = refusal
                    if len(self._refused) > 1024:
                        del self._refused[next(iter(self._refused))]
                raise

    def _act(self, action: dict[str, Any], by: str, key: str | None) -> Event:
        game = self._standing.game
        if game is None:
            raise NotNow("There is no game; start one first.")
        if action.get("do") == "throw":
            raise NotNow("Faces come from the dice alone: press the button for a throw.")
        try:
            game.fork().play(action)
        except IllegalAction as error:
            raise NotNow(str(error)) from None
        return self._write("action", {"action": action, "by": by, **_keyed(key)})

    def _press(self, by: str, key: str | None) -> Event:
        game = self._standing.game
        if game is None:
            raise NotNow("There is no game; start one first.")
        if "throw" not in game.legal():
            legal = ", ".join(game.legal())
            raise NotNow(f"No throw is due; {game.actor} may: {legal}." if legal else "The game is over.")
        refusal = self._no_room() or " ".join(self._trouble()[1:])
        if refusal:
            raise NotNow(refusal)
        event = self._write("press", {"needs": game.dice, "by": by, **_keyed(key)})
        self._enter(Phase.TUMBLING)
        return event

    def _check_usable(self) -> None:
        fault = self._fault()
        if fault:
            raise NotNow(f"The machine is in fault ({fault[0]}): {fault[1]}")
        if self.phase is not Phase.READY:
            raise NotNow("A throw is under way; wait for its result.")

    def _no_room(self) -> str:
        try:
            free = shutil.disk_usage(self._log.directory).free
        except OSError as error:
            return f"The data directory {self._log.directory} is gone ({error.strerror}): put it back, start again."
        if free >= ROOM_BYTES:
            return ""
        return f"The disk has only {free // 2**20} MB left, {ROOM_BYTES // 2**20} are needed: free some."

    def _answer(self, event: Event) -> dict[str, Any]:
        return {"seq": event.seq * _SEQS}

    # The throw

    def _throw(self) -> None:
        token = throw.set(self._standing.press)
        try:
            self._throw_until_read()
        except Interrupted:
            # Only closing stops a tumble; the throw is void at the next start.
            logger.info("A tumble was stopped.")
        except TowerFault as fault:
            self._latch(fault.name, str(fault))
        except CameraLost as error:
            self._latch("camera-lost", str(error))
        except CameraFrozen as error:
            self._latch("camera-frozen", str(error))
        except (BrokenLog, sqlite3.Error, OSError) as error:
            self._latch(
                "storage", f"The throw could not be written down ({error}): see to the disk, then clear the fault."
            )
        except Exception:
            logger.exception("A throw failed.")
            self._latch("internal", "The program failed; its journal says where. Clear the fault to go on.")
        finally:
            throw.reset(token)

    def _throw_until_read(self) -> None:
        patience = self._eye.recorded or REFUSALS
        self._tower.tumble()
        for refusals in range(1, patience + 1):
            self._enter(Phase.SETTLING)
            settled = self._eye.settle()
            self._enter(Phase.READING)
            if self._take(self._eye.look(settled)):
                return
            if refusals < patience and not self._eye.recorded:
                self._enter(Phase.TUMBLING)
                self._tower.tumble()
        looked = "Not one of the recorded pictures" if self._eye.recorded else "None of three throws"
        self._latch(
            "unreadable", f"{looked} could be read: look at the last picture and mend its reason, then clear the fault."
        )

    def _take(self, seen: Seen) -> bool:
        """Commit what was seen; whether it ended the throw."""
        with self._lock:
            if self._closing or self.phase is Phase.FAULT:
                return True
            trouble = self._tower.trouble()
            if trouble:
                # A lid that was opened while the dice were read: nobody knows what lies there now.
                self._latch(trouble.name, str(trouble))
                return True
            game = self._standing.game
            if game is None:
                raise ValueError("a throw without a game")
            reading = judged(seen.reading, game.dice)
            body: dict[str, Any] = {"press": self._standing.press, "needs": game.dice, **as_json(reading)}
            body |= {"size": seen.size, "source": seen.source or None, "again": seen.again}
            body["frame"] = self._log.keep_frame(seen.jpeg) if seen.jpeg is not None else None
            if not self._eye.recorded and self._unmoved(body):
                self._latch(
                    "dice-did-not-move",
                    "All dice lie where they lay: look whether the cone turns, then clear the fault.",
                )
                return True
            if not reading.ok:
                self._commit("refused", body)
                return False
            counted = nearest(reading.dice, game.dice, seen.size)
            body |= {"counted": counted, "faces": [reading.dice[index].face for index in counted]}
            self.phase = Phase.READY
            self._commit("throw", body)
            return True

    def _unmoved(self, body: dict[str, Any]) -> bool:
        """Whether every die lies where it lay at the last look, with the same face."""
        last = self._standing.last
        if last is None or not body["dice"] or last["size"] != (list(body["size"]) if body["size"] else None):
            return False
        return len(last["dice"]) == len(body["dice"]) and all(
            any(_same_place(die, before) for before in last["dice"]) for die in body["dice"]
        )

    # What is written and shown

    def _write(self, kind: str, body: dict[str, Any]) -> Event:
        """Commit what somebody asked for; NotNow and a fault where it cannot be written."""
        try:
            return self._commit(kind, body)
        except (BrokenLog, sqlite3.Error, OSError) as error:
            message = f"It could not be written down ({error}): see to the disk, then clear the fault."
            self._latch("storage", message)
            raise NotNow(message) from None

    def _commit(self, kind: str, body: dict[str, Any]) -> Event:
        event = self._log.append(kind, {"at": self._now().isoformat(timespec="milliseconds"), **body})
        self._standing.apply(event)
        self._phases = 0
        self._publish()
        return event

    def _enter(self, phase: Phase) -> None:
        with self._lock:
            if self._closing or self.phase is Phase.FAULT:
                raise Interrupted("The machine is being closed, or somebody stopped it.")
            if phase not in NEXT[self.phase]:
                raise ValueError(f"{phase.value} cannot follow {self.phase.value}")
            self.phase = phase
            self._publish()

    def _latch(self, name: str, message: str) -> None:
        with self._lock:
            self._tower.stop()
            logger.error("Fault %s: %s", name, message)
            self.phase = Phase.FAULT
            try:
                self._commit("fault", {"fault": name, "message": message})
            except (BrokenLog, sqlite3.Error, OSError) as error:
                logger.error("The fault could not be written down: %s", error)
                self._unwritten = name, message
                self._publish()

    def _fault(self) -> tuple[str, str] | None:
        return self._unwritten or self._standing.fault

    def _publish(self) -> None:
        self._phases += 1
        self.board.show(Snapshot(self.seq, json.dumps(self._state())))

    @property
    def seq(self) -> int:
        """The number of the newest snapshot: the last event's, times a hundred, and the phases shown since."""
        return self._log.seq * _SEQS + self._phases - 1

    def _state(self) -> dict[str, Any]:
        standing, fault = self._standing, self._fault()
        return {
            "seq": self.seq,
            "boot": self.boot,
            **self._about,
            "machine": {
                "phase": self.phase.value,
                "fault": {"name": fault[0], "message": fault[1]} if fault else None,
            },
            "game": standing.game.state() if standing.game else None,
            "game_id": standing.game_id,
            "offers": standing.game.offers() if standing.game else [],
            "paid": standing.game.paid() if standing.game else [],
            "last": standing.last,
            "throws": standing.throws,
            "head": self._log.head[:8],
        }


def judged(reading: Reading, needs: int) -> Reading:
    """The reading as far as this throw goes: fewer dice than it needs are a wrong count."""
    if reading.ok and len(reading.dice) < needs:
        message = f"I see {len(reading.dice)} dice, this throw needs {needs}."
        return replace(reading, verdict=Verdict.WRONG_COUNT, message=message)
    return reading


def nearest(dice: Sequence[Die], needs: int, size: tuple[int, int] | None) -> list[int]:
    """The dice that count: those nearest to the mark on the rim, ties by angle; their places in the reading, in order.

    The mark is at the rim's lower left; without millimetres it is the picture's lower left corner, in pixels. The
    faces are not looked at.
    """
    height_px = size[1] if size else 0

    def apart(index: int) -> tuple[float, float]:
        die = dice[index]
        if die.x_mm is not None and die.y_mm is not None:
            rim_mm = FLOOR_MM / 2 / math.sqrt(2)
            right, up = die.x_mm + rim_mm, die.y_mm + rim_mm
        else:
            right, up = die.x_px, height_px - die.y_px
        return math.hypot(right, up), math.atan2(up, right)

    return sorted(range(len(dice)), key=apart)[:needs]


def _same_place(die: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether two looks at a die show it in one place with one face."""
    limit_px = _UNMOVED_SIDES * max(die["box"][2:])
    apart_px = math.dist(die["center"], before["center"])
    return bool(die["face"] == before["face"]) and apart_px <= limit_px


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"key": key}
