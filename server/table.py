"""The table: the one place where tower, eye, game and log meet."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from firmware.tower import Interrupted, Tower
from server.chain import Event
from server.chance import Chance
from server.correction import CannotStand
from server.eye import Eye
from server.log import Log
from server.looks import Look
from server.retention import no_room
from server.rules import IllegalAction, new_game
from server.stage import SEQS, NotNow, NotYours, Phase, Stage, part_of
from server.standing import NOTES, Soak, Standing
from server.throwing import Thrower
from server.wallclock import Moment, now
from vision.tray import BadTray

T = TypeVar("T")

_CLOSING = "The machine is being closed: ask again once it has started."


class Table:
    """Takes presses and actions, throws, reads, scores, and shows what was committed and nothing else.

    `run` is given the throw to carry out, at once or in a thread of its own. `about` goes into every boot event and
    snapshot; its `names`, if any, are those of the dice, which then count by colour, and empty while nobody knows them.
    `chance` has the seeds of simulated dice, where the tower draws from them. `mend` is called before a fault is
    cleared, for whoever clears it: BadTray where what the dice are read by is still damaged. Any thread may call any
    method.
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
        chance: Chance | None = None,
        load: Callable[[int], None] = lambda needs: None,
        mend: Callable[[str], None] = lambda by: None,
        now: Callable[[], Moment] = now,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.boot, self.about = boot, about
        self._log, self._tower, self._run, self._mend = log, tower, run, mend
        self._stage = Stage(log, boot=boot, about=about, halt=tower.stop, chance=chance, now=now, clock=clock)
        self._lock = self._stage.lock
        self._thrower = Thrower(self._stage, tower, eye, load)
        self._refused: dict[str, str] = {}  # by the key of a request: why
        self.board, self.metrics = self._stage.board, self._stage.metrics
        self._stage.begin()
        trouble = self._thrower.trouble()
        if trouble:
            self.latch(*trouble)

    @property
    def phase(self) -> Phase:
        """What the machine is doing."""
        return self._stage.phase

    def start_game(
        self,
        game: str,
        players: Sequence[str],
        options: dict[str, Any],
        by: str,
        expected_seq: int | None = None,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Start a game; BadRecord where it cannot be as asked, NotNow while one is running. One answer for each key."""

        def ask() -> Event:
            if self._stage.standing.is_playing:
                raise NotNow("A game is running: play it to its end, or void it first.")
            new_game(game, players, options)
            about = {"simulated": self.about["simulated"], "by": by, **_keyed(key)}
            body = {"game": game, "players": list(players), "options": options, **about}
            self._stage.see_to_seed()
            self._check_usable()
            seed = {"seed_sha256": self._stage.standing.seed} if self._stage.draws else {}
            return self._stage.write("game", {**body, **seed})

        return self._once(key, expected_seq, ask)

    def abandon_game(self, by: str, expected_seq: int | None = None, key: str | None = None) -> dict[str, Any]:
        """Void the game as a whole; NotNow where there is none or a throw is under way. One answer for each key."""

        def ask() -> Event:
            if self._stage.standing.game is None:
                raise NotNow("There is no game to void.")
            return self._stage.write("abandon", {"game": self._stage.standing.game_id, "by": by, **_keyed(key)})

        return self._once(key, expected_seq, ask)

    def act(
        self, action: dict[str, Any], by: str, expected_seq: int | None, key: str | None, seat: int | None = None
    ) -> dict[str, Any]:
        """Take an action of the game, any but a throw; NotNow where it is not legal. One answer for each key.

        For a seat, NotYours unless it is its turn.
        """
        return self._once(key, expected_seq, lambda: self._act(action, by, key), seat=seat)

    def press(self, by: str, expected_seq: int | None, key: str | None, seat: int | None = None) -> dict[str, Any]:
        """Press the button: begins a throw if one is due; NotNow otherwise. One answer for each key.

        For a seat, NotYours unless it is its turn.
        """
        with self._lock:
            before = self._stage.standing.press
            answer = self._once(key, expected_seq, lambda: self._press(by, key), seat=seat)
            begun = self._stage.standing.press if self._stage.standing.press != before else None
        if begun is not None:
            self._run(partial(self._thrower.throw, begun))
        return answer

    def enter(self, faces: list[int], by: str, expected_seq: int | None, key: str | None) -> dict[str, Any]:
        """Enter what dice thrown by hand show, in place of a throw that is due; NotNow where that is not allowed.

        Also while the dice cannot be read: the machine then stays in its fault, and the game goes on.
        """

        def ask() -> Event:
            game = self._stage.standing.game
            if not self.about.get("by_hand"):
                raise NotNow('Here throws come from the machine alone: the owner may set by_hand = "yes".')
            if game is None or "throw" not in game.legal():
                raise NotNow("No throw is due.")
            if len(faces) != game.dice:
                raise NotNow(f"This throw needs {game.dice} faces, not {len(faces)}.")
            return self._stage.write("entry", {"needs": game.dice, "faces": faces, "by": by, **_keyed(key)})

        return self._once(key, expected_seq, ask, unseeing=True)

    def correct(
        self, throw_seq: int, reading: dict[str, Any], reason: str, by: str, expected_seq: int | None, key: str | None
    ) -> dict[str, Any]:
        """Correct what was read in a throw of the running game, also past its end; the game is played again with it.

        A game that is over can be corrected until the next throw, also where the next game was begun: if it is not
        over after all it goes on, and the one that was begun is taken back. `reading` is {"faces": [...]} or
        {"dice": [...]} as `recounted` has it, empty where the throw is to be made again. The answer's `cut` are the
        events of actions after the last throw that fell away, its `taken_back` the game that did. NotNow where a
        later throw could not have been made then, where nothing would change, or without a reason.
        """

        def ask() -> Event:
            standing = self._stage.standing
            if not reason.strip():
                raise NotNow("Say why the reading is corrected: everybody will see it.")
            try:
                found = standing.correct(throw_seq, reading)
            except CannotStand as error:
                raise NotNow(str(error)) from None
            before = _in_force(found.played.looks[throw_seq])
            if all(before.get(name) == value for name, value in found.holds.items()):
                raise NotNow("That is what holds already.")
            body = {"throw": throw_seq, **found.told, "before": before["faces"], "reason": reason}
            return self._stage.write("correction", {**body, "by": by, **_keyed(key)})

        return self._once(key, expected_seq, ask)

    def undo(self, by: str, expected_seq: int | None, key: str | None) -> dict[str, Any]:
        """Take back the last action; NotNow where that was a throw, or nothing."""

        def ask() -> Event:
            try:
                (action,) = self._stage.standing.undo().cut
            except CannotStand as error:
                raise NotNow(str(error)) from None
            if self._stage.standing.was_thrown_since:
                raise NotNow("Dice were thrown since: what was done before a throw stands, also if nothing was read.")
            return self._stage.write("undo", {"action": action, "by": by, **_keyed(key)})

        return self._once(key, expected_seq, ask)

    def dispute(self, throw_seq: int, die: int | None, by: str, key: str | None) -> dict[str, Any]:
        """Note that somebody doubts a throw of the running game, or one die of it: its picture is kept for good.

        One event for each throw and die, whoever doubts it after that. Also in a fault and while dice are thrown.
        """
        with self._lock:
            standing = self._stage.standing
            if key is not None and key in standing.answered:
                return _answer(standing.answered[key])
            played = standing.of(throw_seq)
            if played is None or (die is not None and not 0 <= die < len(played.looks[throw_seq]["dice"])):
                raise NotNow("That is no throw of the running game, or no die of it.")
            known = played.disputes.get((throw_seq, die))
            if known is not None:
                return _answer(known)
            return _answer(self._stage.write("dispute", {"throw": throw_seq, "die": die, "by": by, **_keyed(key)}))

    def note(self, kind: str, body: dict[str, Any]) -> Event:
        """Commit one of NOTES, as `Standing` takes it in; at any time. NotNow where it cannot be written.

        What is noted for what stands there is noted within `ask`.
        """
        if kind not in NOTES:
            raise ValueError(f"{kind} is no note, notes are {', '.join(NOTES)}.")
        with self._lock:
            fault = self._stage.fault
            if fault and fault[0] == "storage":
                raise NotNow(f"The machine is in fault (storage): {fault[1]}")
            return self._stage.write(kind, body)

    def tend(self) -> None:
        """Once a second: latch that the camera was lost between throws; show who is present, if that has changed.

        Not while a long log is replayed to clear a fault: who waited for that could not feed the watchdog.
        """
        if self._stage.is_replaying:
            return
        self._log.bring_in()
        with self._lock:
            # In a throw its loss is found by the throw itself, which may still be in time to see it come back.
            if self.phase is Phase.READY and (unseeing := self._thrower.unseeing):
                self._stage.latch(*unseeing)
        self._stage.refresh()

    def ask(self, question: Callable[[Standing], T]) -> T:
        """What a question finds where the evening stands now; it copies what it takes away."""
        with self._lock:
            return question(self._stage.standing)

    @property
    def is_replayed(self) -> bool:
        """Whether the evening stands as its log tells; not where that cannot be read."""
        return self._stage.is_replayed

    @property
    def due(self) -> bool:
        """Whether a press of the button would begin a throw."""
        with self._lock:
            game = self._stage.standing.game
            return self.phase is Phase.READY and game is not None and "throw" in game.legal()

    @property
    def fresh(self) -> bool:
        """Whether a throw under way goes on: none of its phases lasts so long that it must be taken to hang."""
        return not self._stage.hangs

    @property
    def busy(self) -> bool:
        """Whether a throw is under way."""
        with self._lock:
            return self.phase not in (Phase.READY, Phase.FAULT)

    def begin_soak(self, asked: dict[str, Any], by: str) -> Soak:
        """Begin a soak: throws that belong to no game and change none; NotNow where the machine cannot throw."""
        with self._lock:
            self._check_usable()
            event = self._stage.write("soak", {"asked": asked, "by": by})
            return self._stage.standing.soaks[event.seq]

    def try_dice(self, soak: Soak, by: str) -> None:
        """Begin a throw of a soak; NotNow where the machine cannot throw."""
        with self._lock:
            self._check_usable()
            press = self._begin_throw({"soak": soak.event, "by": by})
        self._run(partial(self._thrower.throw, press.seq))

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Tower and camera, for a step of calibration: no throw begins meanwhile. NotNow where they are not free."""
        with self._lock:
            self._check_usable()
            self._begin(Phase.CALIBRATING)
        try:
            yield
        finally:
            with self._lock:
                if self.phase is Phase.CALIBRATING and not self._stage.closing:
                    self._stage.enter(Phase.READY)

    def calibrated(self, step: str, about: dict[str, Any], by: str) -> None:
        """Commit that what pictures are read by, or the tower moves by, has changed; `about` holds from now on."""
        with self._lock:
            self._stage.write("calibrated", {"step": step, **about, "by": by})
            self.about.update(about)
            self._stage.publish()

    def clear_fault(self, by: str) -> dict[str, Any]:
        """Clear a latched fault; NotNow where there is none or the log is broken."""
        with self._lock:
            if self.phase is not Phase.FAULT:
                raise NotNow("There is no fault to clear.")
            if self._log.broken:
                raise NotNow(str(self._log.broken))
            trouble = self._thrower.trouble()
            if trouble:
                raise NotNow(trouble[1])
            try:
                self._mend(by)
            except BadTray as error:
                raise NotNow(str(error)) from None
            return _answer(self._stage.clear(by))

    def latch(self, name: str, message: str) -> None:
        """Latch a fault that showed between throws, as `Stage` does."""
        self._stage.latch(name, message)

    def record(self) -> dict[str, Any] | None:
        """The record of the running game."""
        with self._lock:
            return self._stage.standing.record()

    def causes(self) -> list[str]:
        """Why no throw could be made now although nobody would be to blame; empty if all is well."""
        fault = self._stage.fault or ("", "")
        return [cause for cause in (fault[1] or fault[0], no_room(self._log.directory)) if cause]

    @property
    def fault(self) -> tuple[str, str] | None:
        """The latched fault: its name and its sentence."""
        return self._stage.fault

    def close(self) -> None:
        """Stop the machine; as often as you like."""
        self._stage.closing = True
        self._tower.close()

    # Requests

    def _once(
        self,
        key: str | None,
        expected_seq: int | None,
        ask: Callable[[], Event],
        *,
        seat: int | None = None,
        unseeing: bool = False,
    ) -> dict[str, Any]:
        with self._lock:
            standing = self._stage.standing
            if key is not None and key in standing.answered:
                return _answer(standing.answered[key])
            if key is not None and key in self._refused:
                raise NotNow(self._refused[key])
            # Not asked before: between question and commit the turn may be another's.
            if seat is not None and not standing.acts(seat):
                raise NotYours("It is not your turn.")
            try:
                if expected_seq is not None and expected_seq < standing.turned * SEQS:
                    raise NotNow("The game has moved on since; look at it again.")
                self._check_usable(unseeing=unseeing)
                return _answer(ask())
            except NotNow as refusal:
                if key is not None:
                    self._refused[key] = str(refusal)
                    if len(self._refused) > 1024:
                        del self._refused[next(iter(self._refused))]
                raise

    def _act(self, action: dict[str, Any], by: str, key: str | None) -> Event:
        game = self._stage.standing.game
        if game is None:
            raise NotNow("There is no game; start one first.")
        if action.get("do") == "throw":
            raise NotNow("Faces come from the dice alone: press the button for a throw.")
        try:
            game.fork().play(action)
        except IllegalAction as error:
            raise NotNow(str(error)) from None
        return self._stage.write("action", {"action": action, "by": by, **_keyed(key)})

    def _press(self, by: str, key: str | None) -> Event:
        game = self._stage.standing.game
        if game is None:
            raise NotNow("There is no game; start one first.")
        if "throw" not in game.legal():
            legal = ", ".join(game.legal())
            raise NotNow(f"No throw is due; {game.actor} may: {legal}." if legal else "The game is over.")
        names = self.about.get("names")
        if names == []:
            raise NotNow("Here the dice count by name, and none has one now: calibrate floor and dice first.")
        named = {"named": self._stage.standing.named(names)} if names else {}
        return self._begin_throw({"needs": game.dice, **named, "by": by, **_keyed(key)})

    def _begin_throw(self, body: dict[str, Any]) -> Event:
        full, trouble = no_room(self._log.directory), self._thrower.trouble()
        if full:
            raise NotNow(full)
        if trouble:
            self._stage.latch(*trouble)
            raise NotNow(trouble[1])
        event = self._stage.write("press", body)
        self._begin(Phase.TUMBLING)
        return event

    def _begin(self, phase: Phase) -> None:
        """Have the machine move; NotNow where it is being closed meanwhile.

        With the lock held: whatever is latched from now on stops it, also before it has begun to turn.
        """
        try:
            self._stage.enter(phase)
        except Interrupted:
            raise NotNow(_CLOSING) from None
        self._tower.ready()

    def _check_usable(self, *, unseeing: bool = False) -> None:
        """NotNow while a throw is under way and in a fault, but for one of the camera where nothing need be seen."""
        if self._stage.closing:
            raise NotNow(_CLOSING)
        fault = self._stage.fault
        if fault and unseeing and part_of(fault[0]) == "camera":
            return
        if fault:
            raise NotNow(f"The machine is in fault ({fault[0]}): {fault[1]}")
        if self.phase is Phase.CALIBRATING:
            raise NotNow("The machine is being calibrated; wait until that is done.")
        if self.phase is not Phase.READY:
            raise NotNow("A throw is under way; wait for its result.")


def _in_force(look: Look) -> dict[str, Any]:
    """What holds of a throw: its last correction, or its reading."""
    read = {"dice": [die["face"] for die in look["dice"]], "counted": look["counted"], "faces": look["faces"]}
    return look["corrected"] or read


def _answer(event: Event) -> dict[str, Any]:
    came: dict[str, Any] = {name: event.body[name] for name in ("cut", "taken_back") if name in event.body}
    return {"seq": event.seq * SEQS, **came}


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"key": key}
