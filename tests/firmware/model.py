"""A small physical model of the tower: motor, cone, home mark, encoder, current, switches; it drives the mock pins.

It is also the clock: time passes only while the code under test waits, so a throw of some seconds takes a fraction of
one. What the code under test does is read off the pins it drives.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gpiozero import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware.gpio import GpioTower
from firmware.health import Health
from firmware.pins import Pins
from firmware.settings import TowerSettings, tower_settings
from firmware.tower import TowerFault

TICK_S = 0.001
FULL_DEG_S = 360.0  # 60 turns a minute at 12 V
STICK_DUTY = 0.12
IDLE_A, STALL_A, LIMIT_A = 0.25, 1.2, 0.8
GATE_S = 0.3
MARK_DEG = 14.0  # how long the magnet holds the sensor low
LEVEL_DEG = 5.0  # where the floor is level, from the mark's first edge


class ChipError(Exception):
    """What lgpio raises, which is an error of no other kind."""


class Pin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no types
    """A pin whose chip can fall silent."""

    silent = False

    @property
    def level(self) -> float:
        """What a meter would show, whatever the chip says."""
        return float(self._state)

    def _get_state(self) -> float:
        self._ask()
        return float(super()._get_state())

    def _set_state(self, value: float) -> None:
        self._ask()
        super()._set_state(value)

    def _ask(self) -> None:
        if self.silent:
            raise ChipError("bad event request")


@dataclass
class Sample:
    """What the pins and the cone were at one moment."""

    at_s: float
    duty: float  # below 0 in reverse; 0 when braked
    braked: bool
    angle_deg: float
    speed_deg_s: float
    heart: bool


@dataclass
class Model:
    """The machine around the pins. Set the attributes to break it, or `at()` to do something at a moment."""

    settings: TowerSettings = field(default_factory=tower_settings)
    pins: Pins = field(default_factory=Pins)
    start_deg: float = 100.0
    lid: bool = True
    emergency: bool = False
    jammed: bool = False
    encoder_works: bool = True
    home_works: bool = True
    drag_a: float = 0.0
    strength: float = 1.0  # of the supply
    sensor_error: str = ""
    health: Health = field(default_factory=lambda: Health(0, 45.0))
    threaded: bool = False

    def __post_init__(self) -> None:
        self.time_s = 1000.0
        self.angle_deg = self.start_deg
        self.speed_deg_s = 0.0
        self.samples: list[Sample] = []
        self.hooks: list[tuple[Callable[[], bool], Callable[[], Any]]] = []
        self.factory = MockFactory(revision="c04170", pin_class=Pin)
        self.pin = {name: self.factory.pin(getattr(self.pins, name)) for name in Pins.__slots__}
        self._beaten_s = -math.inf
        self._heart = False
        self._edge = math.floor(self.angle_deg / self._edge_deg)
        self.edges = ThreadPoolExecutor(1) if self.threaded else None

    @property
    def _edge_deg(self) -> float:
        return 360 / self.settings.edges_per_turn

    def tower(self, seed: str = "7") -> GpioTower:
        """The code under test on these pins; the switches are as they are set."""
        tower = GpioTower(
            self.settings,
            self.pins,
            seed,
            factory=self.factory,
            failures=(GPIOZeroError, ChipError, OSError),
            current=self,
            clock=self,
            health=lambda: self.health,
        )
        self.wire()
        return tower

    def at(self, after_s: float, action: Callable[[], Any]) -> None:
        """Do this once, so many seconds from now."""
        due_s = self.time_s + after_s
        self.when(lambda: self.time_s >= due_s, action)

    def when(self, ready: Callable[[], bool], action: Callable[[], Any]) -> None:
        """Do this once, when that is so."""
        self.hooks.append((ready, action))

    # The clock

    def now_s(self) -> float:
        return self.time_s

    def wait_s(self, duration_s: float) -> None:
        for _ in range(max(1, round(duration_s / TICK_S))):
            self._tick()

    # The current sensor

    def amps(self) -> float:
        if self.sensor_error:
            raise OSError(self.sensor_error)
        duty, _ = self.drive()
        if not duty:
            return 0.0
        behind = abs(duty) * self.strength - abs(self.speed_deg_s) / FULL_DEG_S
        motor_a = min(max(IDLE_A + self.drag_a + STALL_A * behind, 0.0), LIMIT_A)
        return motor_a * abs(duty)

    def close(self) -> None:
        """What the current's sensor is asked at the end; nothing of it is held."""

    # The physics

    def drive(self) -> tuple[float, bool]:
        """The motor's duty as the pins say, and whether it is shorted."""
        forward_pin, reverse_pin = self.pin["motor_forward"], self.pin["motor_reverse"]
        if forward_pin.function != "output":
            return 0.0, False
        forward, reverse = forward_pin.level, reverse_pin.level
        if forward and reverse:
            assert forward == reverse == 1.0, "pulses on both inputs at once"
            return 0.0, True
        return forward - reverse, False

    @property
    def off_level_deg(self) -> float:
        """How far from level the floor is, -180 to 180."""
        return (self.angle_deg - LEVEL_DEG + 180) % 360 - 180

    @property
    def low(self) -> bool:
        """Whether both inputs of the bridge are low, and nothing pulses."""
        sides = [self.pin["motor_forward"], self.pin["motor_reverse"]]
        return all(not side.state and side.frequency is None for side in sides)

    def _tick(self) -> None:
        self.time_s += TICK_S
        for hook in [hook for hook in self.hooks if hook[0]()]:
            self.hooks.remove(hook)
            hook[1]()
        duty, braked = self.drive()
        heart = bool(self.pin["heartbeat"].level)
        if heart and not self._heart:
            self._beaten_s = self.time_s
        self._heart = heart
        fed = self.lid and not self.emergency and self.time_s - self._beaten_s <= GATE_S
        self._turn(duty if fed else 0.0, braked and fed)
        self.samples.append(Sample(self.time_s, duty, braked, self.angle_deg, self.speed_deg_s, heart))
        edge = math.floor(self.angle_deg / self._edge_deg)
        home = not (self.home_works and self.angle_deg % 360 < MARK_DEG)
        if edge != self._edge or home != self.pin["home"].level:
            self.do(lambda: self._drive_sensors(abs(edge - self._edge) if self.encoder_works else 0, home))
            self._edge = edge

    def _turn(self, duty: float, braked: bool) -> None:
        goal = 0.0 if abs(duty) < STICK_DUTY else duty * FULL_DEG_S * self.strength
        lag_s = 0.02 if braked else 0.06 if duty else 0.15
        self.speed_deg_s += (goal - self.speed_deg_s) * TICK_S / lag_s
        if self.jammed or (not goal and abs(self.speed_deg_s) < 3):
            self.speed_deg_s = 0.0
        self.angle_deg += self.speed_deg_s * TICK_S

    def _drive_sensors(self, edges: int, home: bool) -> None:
        for _ in range(edges):
            self.set("encoder", False)
            self.set("encoder", True)
        self.set("home", home)

    def wire(self) -> None:
        """Bring the switches' pins to what they are now."""
        self.do(self._wire)

    def _wire(self) -> None:
        self.set("lid", not self.lid)
        self.set("power", self.lid and not self.emergency)

    def set(self, name: str, high: bool) -> None:
        """Drive an input, as long as the program has it as one."""
        pin = self.pin[name]
        if high:
            pin.drive_high()
        else:
            pin.drive_low()

    def do(self, drive: Callable[[], None]) -> None:
        """Drive inputs: here, or in the thread of edges as on the real machine."""
        if self.edges is None:
            drive()
        else:
            self.edges.submit(drive).result()

    # What people do

    def open_lid(self) -> None:
        self.lid = False
        self.wire()

    def shut_lid(self) -> None:
        self.lid = True
        self.wire()

    def hit_emergency(self) -> None:
        self.emergency = True
        self.wire()

    def release_emergency(self) -> None:
        self.emergency = False
        self.wire()

    def push_button(self) -> None:
        self.set("button", False)
        self.set("button", True)

    def jam(self) -> None:
        self.jammed = True

    def fall_silent(self) -> None:
        for pin in self.pin.values():
            pin.silent = True

    def speak_again(self) -> None:
        for pin in self.pin.values():
            pin.silent = False

    def finish(self) -> None:
        """End the thread of edges."""
        if self.edges is not None:
            self.edges.shutdown()


def never_told(fault: TowerFault) -> None:
    """For whoever waits for a press while no switch is opened."""
    raise AssertionError(fault)


def driven(samples: list[Sample]) -> list[Sample]:
    """Those in which the motor was driven."""
    return [sample for sample in samples if sample.duty]


def runs(samples: list[Sample]) -> list[list[Sample]]:
    """Driven samples, one list for each run in one direction."""
    found: list[list[Sample]] = []
    for sample in driven(samples):
        if not found or (found[-1][0].duty > 0) != (sample.duty > 0):
            found.append([])
        found[-1].append(sample)
    return found


def directions(samples: list[Sample]) -> list[int]:
    """The directions in which the motor was driven, one for each run without a change."""
    return [1 if run[0].duty > 0 else -1 for run in runs(samples)]


STAGES = ("start", "tumble", "slowing", "swing out", "swing back", "creep", "brake")
"""The parts of a throw in their order."""


@cache
def stages(seed: str) -> dict[str, float]:
    """When the middle of each part of the first throw is, in seconds from its beginning, when nothing goes wrong."""
    model = Model()
    with model.tower(seed) as tower:
        begun_s = model.time_s
        tower.tumble()
    *_, out, back, creep = runs(model.samples)
    ramp_s = model.settings.ramp_s
    slow = next(sample for sample in reversed(out) if sample.duty > model.settings.slow_duty + 1e-9)
    crossed = next(sample for sample in out if sample.at_s > slow.at_s)
    spans = {
        "start": (out[0].at_s, out[0].at_s + ramp_s),
        "tumble": (out[0].at_s + ramp_s, slow.at_s - ramp_s),
        "slowing": (slow.at_s - 0.1, slow.at_s),
        "swing out": (crossed.at_s, out[-1].at_s),
        "swing back": (back[0].at_s, back[-1].at_s),
        "creep": (creep[0].at_s, creep[-1].at_s),
        "brake": (creep[-1].at_s, model.time_s),
    }
    return {stage: (begin_s + end_s) / 2 - begun_s for stage, (begin_s, end_s) in spans.items()}
