"""The real tower: a motor-driven cone on the pins of a Raspberry Pi."""

import atexit
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self, TypeVar

from gpiozero import GPIOZeroError

from firmware.board import Board
from firmware.clock import Clock, MonotonicClock
from firmware.current import CurrentSensor, open_ina219
from firmware.draws import Draws
from firmware.health import Health, read_health
from firmware.motion import Motion, plan
from firmware.pins import Pins
from firmware.senses import Senses
from firmware.settings import TowerSettings
from firmware.survey import Survey, Surveyor
from firmware.tower import Interrupted, LidOpen, NoTower, Stopped, TowerFault

logger = logging.getLogger(__name__)

T = TypeVar("T")

FRESH_S = 0.5
"""A control loop whose last turn is longer ago than this hangs."""
PRESS_GAP_S = 0.3
"""Presses that follow each other faster are one press."""
PRESS_HOLDS_S = 1.0
"""A press that nobody has asked for until then was made in vain: the machine was at something else."""

_SETTLE_S = 0.02  # lid and 12 V go together, within the bounce of two switches
_ALARM_S = 0.2
_CLOSE_S = 2.0
_LID_OPEN = "The lid is open, or was opened: shut it, see that all dice are inside, then clear the fault."
_STOPPED = (
    "The motor has no 12 V: release the emergency stop; if it is not pressed, check supply and fuse. "
    "Then clear the fault."
)


class GpioTower:
    """A tower on gpiozero's devices. Nothing moves before the first `tumble()`, and nothing while a switch is open.

    `factory` makes the pins and is closed with the tower, as is `current`; pins that do not answer raise one of
    `failures`. A context manager; the motor is off on every way out of a tumble, and when the program ends. The control
    loop runs in the thread that calls `tumble()`, and needs another thread that delivers edges, as lgpio's does.
    """

    def __init__(
        self,
        settings: TowerSettings,
        pins: Pins,
        seed: str,
        *,
        factory: Any,
        failures: tuple[type[Exception], ...],
        current: CurrentSensor,
        clock: Clock,
        health: Callable[[], Health],
    ) -> None:
        self._set, self._seed = settings, sha256(seed.encode()).digest()
        self._failures, self._current, self._clock, self._health = failures, current, clock, health
        self._tumbles = 0
        self._tumbling = threading.RLock()
        self._busy = self._closed = self._press = False
        self._stopped, self._happened = threading.Event(), threading.Event()
        self._pressed_s = self._edge_s = -PRESS_GAP_S  # of the press that waits, and of the button's last edge
        self._board = Board(pins, settings.pwm_hz, factory, self._happened.set, self._pressed)
        self._motion = Motion(self._board, current, clock, settings, self._guard)
        self._board.light(True)
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # The seam

    def tumble(self) -> None:
        """Turn the cone end over end, as the seed says, and bring it to rest with its floor down.

        When this returns, the motor is off and nothing on the machine pulses until the next call.
        """

        def turn() -> None:
            self._tumbles += 1
            self._motion.tumble(plan(self._set.turns, Draws(self._seed, self._tumbles)))

        self._move(turn)

    def trouble(self) -> TowerFault | None:
        """What forbids a throw now; also a switch that was open for a moment, until that has been told."""
        try:
            with self._answering():
                if self._board.unsafe:
                    return self._cause()
            return self._health().trouble(self._set.hot_c)
        except NoTower as silent:
            return silent

    def stop(self) -> None:
        """Switch the motor off at once and end a tumble under way; none begins before `ready()`."""
        self._stopped.set()
        with self._at_any_rate():
            self._board.cut()

    def ready(self) -> None:
        """Tumble again after a stop."""
        self._stopped.clear()

    def close(self) -> None:
        """Motor off, everything dark, pins and sensor given back."""
        self._closed = True
        self.stop()
        self._happened.set()
        atexit.unregister(self.close)
        # A loop that hangs must not keep the program from ending; its motor is off.
        waited = self._tumbling.acquire(timeout=_CLOSE_S)
        try:
            with self._at_any_rate():
                self._board.close()
        finally:
            self._current.close()
            if waited:
                self._tumbling.release()

    # What the tower has besides the seam

    def survey(self) -> Survey:
        """Turn the cone some times forward to measure motor, encoder and home mark; it stops anywhere.

        The TowerFaults of a tumble. The current is no jam here, for it is what is to be found out.
        """
        self._motion = surveyor = Surveyor(self._board, self._current, self._clock, self._set, self._guard)
        try:
            return self._move(surveyor.survey)
        finally:
            # Nobody followed at which angle the cone went by.
            self.adopt(self._set)

    def adopt(self, settings: TowerSettings) -> None:
        """Move by these settings from now on; where the cone is must be found anew. The pulses stay as they were."""
        with self._tumbling:
            self._set = settings
            self._motion = Motion(self._board, self._current, self._clock, settings, self._guard)

    def resume(self, tumbles: int) -> None:
        """Go on after so many tumbles, so that a seed that is used again does not repeat its movements."""
        self._tumbles = tumbles

    def pressed(self, timeout_s: float, tell: Callable[[TowerFault], None]) -> bool:
        """Wait at most so long for a press of the roll button; a press while the cone tumbles is none.

        `tell` is told LidOpen or Stopped, if that happened since the last tumble; each is told once, here or by the
        next tumble, and is trouble until it has been. NoTower where the pins do not answer.
        """
        self._happened.wait(timeout_s)
        self._happened.clear()
        if self._closed or self._busy:
            return False
        press, self._press = self._press, False
        if self._board.lid_opened or self._board.power_lost:
            with self._answering():
                tell(self._cause())
                self._board.forget_alarms()
            return False
        return press and self._clock.now_s() - self._pressed_s <= PRESS_HOLDS_S

    def senses(self) -> Senses:
        """What is sensed now; OSError if the current sensor does not answer, NoTower if pins or computer do not."""
        board = self._board
        with self._answering():
            seen = board.lid_closed, board.powered, board.at_home, board.edges
        return Senses(*seen, self._current.amps(), self._motion.highest_a, self._health())

    def fresh(self) -> bool:
        """Whether the control loop is alive: it does not run, or made its last turn within FRESH_S."""
        return not self._busy or self._clock.now_s() - self._motion.stepped_s <= FRESH_S

    def lamp(self, on: bool) -> None:
        """Switch the lamp in the roll button; NoTower where the pins do not answer."""
        with self._answering():
            self._board.lamp(on)

    # Inside

    def _move(self, move: Callable[[], T]) -> T:
        """Do this with the motor armed; whatever comes of it, the motor is off afterwards."""
        if not self._tumbling.acquire(blocking=False):
            raise RuntimeError("a tumble within a tumble")
        try:
            with self._answering():
                return self._driven(move)
        finally:
            self._busy = False
            self._tumbling.release()

    def _driven(self, move: Callable[[], T]) -> T:
        try:
            self._check()
            self._motion.stepped_s = self._clock.now_s()
            self._busy = True
            self._board.arm()
            return move()
        except TowerFault:
            self._still()
            self._alarm()
            raise
        finally:
            self._still()

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """NoTower for what the pins raise."""
        try:
            yield
        except self._failures as error:
            raise NoTower(
                f"The pins of the tower do not answer ({error}): switch the machine off, see that its cables sit "
                "firmly, switch it on, then clear the fault."
            ) from error

    @contextmanager
    def _at_any_rate(self) -> Iterator[None]:
        """What the pins raise is told the journal: whoever stops or closes the machine can do no more about it."""
        try:
            yield
        except self._failures as error:
            logger.error("The pins do not answer (%s): the gate cuts the motor's power without a heartbeat.", error)

    def _check(self) -> None:
        """Raise what forbids a tumble."""
        if self._closed or self._stopped.is_set():
            raise Interrupted("The tumble was stopped; press again for a throw.")
        trouble = self.trouble()
        if trouble:
            self._board.forget_alarms()
            raise trouble

    def _guard(self) -> None:
        if self._closed or self._stopped.is_set():
            raise Interrupted("The tumble was stopped; press again for a throw.")
        if self._board.unsafe:
            self._board.cut()
            raise self._told()

    def _cause(self) -> TowerFault:
        """Why the circuit was opened: an open lid takes the 12 V with it, so it is waited for and named first."""
        if not self._lid_open:
            self._clock.wait_s(_SETTLE_S)
        return LidOpen(_LID_OPEN) if self._lid_open else Stopped(_STOPPED)

    @property
    def _lid_open(self) -> bool:
        return self._board.lid_opened or not self._board.lid_closed

    def _told(self) -> TowerFault:
        """The same, and what is past is past."""
        cause = self._cause()
        self._board.forget_alarms()
        return cause

    def _still(self) -> None:
        self._board.cut()
        self._board.rest_heart()

    def _alarm(self) -> None:
        if not self._closed:
            self._board.sound(True)
            try:
                self._clock.wait_s(_ALARM_S)
            finally:
                self._board.sound(False)

    def _pressed(self) -> None:
        """In the thread that delivers edges."""
        now_s = self._clock.now_s()
        fresh, self._edge_s = now_s - self._edge_s >= PRESS_GAP_S, now_s
        if fresh and not self._busy:
            self._press, self._pressed_s = True, now_s
            self._happened.set()


def open_tower(settings: TowerSettings, pins: Pins, seed: str) -> GpioTower:
    """The tower of this Raspberry Pi; NoTower if a part of it does not answer."""
    try:
        with _loading_lgpio():
            import lgpio
            from gpiozero.pins.lgpio import LGPIOFactory
    except (ImportError, AttributeError):  # there is an empty package of that name
        raise NoTower("The pins cannot be driven: install python3-lgpio, then start again.") from None
    except OSError as error:
        raise NoTower(
            f"The pins cannot be driven ({error}): name a writable folder in the environment variable LG_WD, then "
            "start again."
        ) from None
    read_health()
    failures = (GPIOZeroError, lgpio.error, OSError)
    current = open_ina219(settings.shunt_ohm)
    try:
        return GpioTower(
            settings,
            pins,
            seed,
            factory=LGPIOFactory(),
            failures=failures,
            current=current,
            clock=MonotonicClock(),
            health=read_health,
        )
    except failures as error:
        current.close()
        raise NoTower(
            f"The pins of the tower cannot be opened ({error}): is another program driving them, and is this user in "
            "the group gpio?"
        ) from None


@contextmanager
def _loading_lgpio() -> Iterator[None]:
    """lgpio, while it is loaded, moves the whole process into the folder LG_WD and makes a pipe there, which it opens.

    So give it one where none is named, and come back, so that relative paths mean what they meant.
    """
    before, named = Path.cwd(), "LG_WD" in os.environ
    with TemporaryDirectory() as folder:
        if not named:
            os.environ["LG_WD"] = folder
        try:
            yield
        finally:
            if not named:
                # The folder goes, and whoever tries again must not be sent there.
                del os.environ["LG_WD"]
            try:
                os.chdir(before)
            except OSError:
                # Started by another user (sudo -u) in a folder that this one may not enter.
                os.chdir("/")
