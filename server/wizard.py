"""The calibration of a running cornet, from the bartender's page: one step at a time, while nothing is thrown."""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.enrolment import NotEnrolled
from calibration.keeping import Keeper, NothingBefore
from firmware.tower import Interrupted, TowerFault
from server.parts import Parts
from server.settings import Settings
from server.stage import NotNow, Phase
from server.stepping import NAMED, NAMES, Came, Sight, Wanted, carry_out, measure, pictures_by, with_locks
from server.table import Table
from vision.camera import CameraLost
from vision.picture import Image, encode_jpeg
from vision.rest import CameraFrozen
from vision.tray import BadTray

logger = logging.getLogger(__name__)

BETWEEN_S = 3.0
"""Between two pictures for which somebody must do something."""
_FAILED = (CameraLost, CameraFrozen, TowerFault, Interrupted, BadTray, NotEnrolled, OSError, NotNow)


class Wizard:
    """Carries out the steps of calibration with the parts of a running cornet, and puts them in force at once.

    `run` carries out a step, or has it carried out while the pages are served. Any thread may call any method.
    """

    def __init__(
        self,
        table: Table,
        parts: Parts,
        keeper: Keeper,
        settings: Settings,
        run: Callable[[Callable[[], None]], object],
    ) -> None:
        self._table, self._parts, self._keeper, self._settings, self._run = table, parts, keeper, settings, run
        self._lock = threading.RLock()
        self._ending = threading.Event()
        self._step: str | None = None
        self._told: tuple[int, int, str] = (0, 0, "")
        self._came: dict[str, Came] = {}
        self._seen: Image | None = None  # the last picture of the step under way
        self._looks = 0  # how many it has taken
        self._ended, self._results = "", 0  # the step that ended last, and how many have

    def start(self, step: str, wanted: Wanted, by: str) -> None:
        """Begin a step; NotNow where one is under way, or a throw, or a fault is latched."""
        if step == "dice" and self._settings.select == "colour" and not wanted.names:
            raise NotNow(NAMED)
        with self._lock:
            if self._step is not None:
                raise NotNow("A step of calibration is under way: wait for it, or stop it.")
            held = ExitStack()
            held.enter_context(self._table.lent())
            self._step, self._told, self._seen, self._looks = step, (0, 0, ""), None, 0
            self._ending.clear()

        def carry() -> None:
            came: Came | None = None
            try:
                came = self._carry_out(step, wanted, by)
            finally:
                # Together, so that nobody undoes a step whose result is still to be told.
                with self._lock:
                    held.close()
                    self._step = None
                    if came is not None:
                        self._remember(came)

        self._run(carry)

    def stop(self) -> None:
        """End the step under way as soon as it can be; what was in force stays so."""
        with self._lock:
            if self._step is not None:
                self._ending.set()
                self._parts.tower.stop()

    def undo(self, by: str) -> str:
        """Go back to what was in force before the last step; which part it was. NotNow where that is not possible."""
        with self._lock:
            if self._step is not None:
                raise NotNow("A step of calibration is under way: wait for it, or stop it.")
            with self._table.lent():
                try:
                    step = self._keeper.undo() or "undo"
                except (NothingBefore, BadTray) as error:
                    raise NotNow(str(error)) from None
                self._came.pop(step, None)
                self._put_in_force(f"undo of {step}", by)
        return step

    def _remember(self, came: Came) -> None:
        """Keep what came of a step, and nothing of others that does not hold any more."""
        self._came[came.step] = came
        self._ended, self._results = came.step, self._results + 1
        if came.done and came.step == "lens":
            self._came.pop("floor", None)
        elif came.done and came.step == "floor":
            self._came.pop("lens", None)  # it asks for this
            self._came.pop("light", None)  # it was judged anew

    def picture(self, step: str) -> bytes | None:
        """What a step shows, as a JPEG: its newest picture while it is under way, then what it found."""
        with self._lock:
            seen, path = self._seen if self._step == step else None, self._shown(step)
        if seen is not None:
            return encode_jpeg(seen)
        return path.read_bytes() if path is not None and path.exists() else None

    def _shown(self, step: str) -> Path | None:
        came = self._came.get(step)
        return came.picture if came else self._keeper.drawing(step)

    def as_json(self) -> dict[str, Any]:
        """What is in force, what is under way, and what came of each step since the start."""
        with self._lock:
            made, undoes = self._keeper.made(), self._keeper.undoes()
            running, (taken, number, do), results = self._step, self._told, dict(self._came)
            looks, shown = self._looks, {name: self._shown(name) for name in NAMES}
            ended, results_told = self._ended, self._results
        return {
            "running": running and {"step": running, "taken": taken, "of": number, "do": do, "looks": looks},
            "undo": undoes,
            "ended": ended,
            "results": results_told,
            "dice": self._settings.dice,
            "set": self._keeper.dice_set(),
            "steps": [
                {
                    "step": name,
                    "at": made.get(name),
                    "picture": (path := shown[name]) is not None and path.exists(),
                    "came": came and {"done": came.done, "message": came.message, "figures": came.figures},
                }
                for name in NAMES
                for came in (results.get(name),)
            ],
        }

    def _carry_out(self, step: str, wanted: Wanted, by: str) -> Came:
        try:
            sight = self._watched(self._parts.sight(step))
            if step == "motor":
                came = measure(sight, self._keeper, self._settings, wanted, self._tell)
            else:
                jpegs = pictures_by(sight, step, self._settings, wanted, self._keeper, self._tell, self._pause)
                came = with_locks(carry_out(step, jpegs, self._keeper, self._settings, wanted), sight)
            if came.done:
                self._put_in_force(step, by)
        except _FAILED as error:
            if isinstance(error, TowerFault):
                self._table.latch(error.name, str(error))
            return Came(step, False, str(error))
        except Exception:
            logger.exception("A step of calibration failed.")
            return Came(step, False, "The program failed; its journal says where.")
        return came

    def _put_in_force(self, step: str, by: str) -> None:
        put_in_force(step, by, self._table, self._parts, self._keeper, self._settings)

    def _watched(self, sight: Sight) -> Sight:
        def take() -> Image:
            self._seen = sight.take()
            self._looks += 1
            return self._seen

        return replace(sight, take=take)

    def _tell(self, taken: int, number: int, do: str) -> None:
        if self._ending.is_set():
            raise Interrupted("The step was stopped; what was in force before is in force.")
        if self._table.phase is not Phase.CALIBRATING:
            # A lid that was opened between two throws of the step, for one: nothing moves after that by itself.
            raise NotNow("A fault came up meanwhile: see to it and clear it, then do the step again.")
        self._told = taken, number, do

    def _pause(self) -> None:
        self._ending.wait(BETWEEN_S)


def put_in_force(step: str, by: str, table: Table, parts: Parts, keeper: Keeper, settings: Settings) -> None:
    """Read and move by what is in force now, after a step, and write it down; BadTray where a file is damaged."""
    tray, driven = keeper.in_force(), keeper.adjust(settings.tower)
    dice = tray.dice if tray else None
    if tray is not None:
        keeper.keep_for_audit(tray)
    called = [die.name for die in dice.dice] if dice else []
    names = {"names": called} if settings.select == "colour" else {}
    # Written down first: what the log could not take must not be read by.
    table.calibrated(step, {"set": keeper.dice_set(), **keeper.sha256s(), **names}, by)
    parts.adopt(tray)
    parts.drive(driven)
