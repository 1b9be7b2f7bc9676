"""How the cone is moved: ramps, jams, the way home, tumbling, and coming to rest with the floor down."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from firmware.clock import Clock
from firmware.current import CurrentSensor
from firmware.draws import Draws
from firmware.settings import MOTOR_CEILING_S, TowerSettings
from firmware.tower import Jammed, MotorOvertime, NotHomed

if TYPE_CHECKING:
    # The twin and the electronics reckon with this loop where no GPIO library is.
    from firmware.board import Board

logger = logging.getLogger(__name__)

STEP_S = 0.01
"""One turn of the control loop; also one edge of the heartbeat."""
PARK_WITHIN_DEG = 3.0
"""How far from level the floor may come to rest."""
FREEINGS = 2
"""So often is a jam in one throw answered by turning back a little; the next one is a fault."""
OVER_S = 0.15
"""A motor current that is too high for so long is a jam."""
_LEAD_S = 0.05  # the heartbeat's gate opens before the motor is driven
_STILL_S, _STILL_DEG = 0.2, 2.0  # a driven cone that turns less than this in that time stands still
_BLANK_S = 0.25  # the inrush of a start is no jam
_COAST_S, _BACK_DEG = 0.3, 30.0  # how a jam is answered
_BRAKE_S = 0.2
_UNSEEN_DEG = 540.0  # one and a half turns without the home mark
_BACK_OFF_DEG = 40.0
_APPROACHES = 3
_STRAY_DEG = 10.0  # two sightings of the mark that are further apart are not both of the mark
_BEFORE_MARK_DEG = 5.0  # from where a creeping cone surely passes the mark anew
_SPARE_DEG = 15.0  # the slow approach is at least about so long
_MISSED_DEG = 120.0  # behind the place of the mark; two jams are answered by 60 degrees of turning back and again
_SLOWEST = 0.75  # of the cruising power, in the slowest half turn


class Stalled(RuntimeError):
    """The cone does not follow the motor."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a tumble at one power in one direction."""

    turn_deg: float
    power: float  # share of the cruising power, below 0 in reverse


def plan(turns: float, draws: Draws) -> list[Stretch]:
    """A tumble of so many turns: in half of all throws a drawn part goes in reverse, each half turn draws its power."""
    whole_deg = 360 * turns
    reverse_deg = whole_deg * (0.25 + 0.5 * draws.share()) if draws.share() < 0.5 else 0.0
    stretches = []
    for way, left_deg in ((-1, reverse_deg), (1, whole_deg - reverse_deg)):
        while left_deg > 0:
            part_deg = min(180.0, left_deg)
            stretches.append(Stretch(part_deg, way * (_SLOWEST + (1 - _SLOWEST) * draws.share())))
            left_deg -= part_deg
    return stretches


class Motion:
    """The control loop over a board; `guard` is asked at every step and raises what ends the motion.

    Angles count from the first edge of the home mark, forward. A cone that was turned by hand puts them right when the
    mark next goes by, which is before it comes to rest.
    """

    def __init__(
        self, board: "Board", current: CurrentSensor, clock: Clock, settings: TowerSettings, guard: Callable[[], None]
    ) -> None:
        self._board, self._current, self._clock, self._guard = board, current, clock, guard
        self._set = settings
        self._deg_per_edge = 360 / settings.edges_per_turn
        self._limit_s = min(settings.motor_s, MOTOR_CEILING_S)
        self.homed = False
        self.angle_deg = 0.0
        self.travel_deg = 0.0
        self.on_s = 0.0  # of the motor, in this tumble or the last
        self.highest_a = 0.0  # motor current in it, starts left out
        self.stepped_s = clock.now_s()
        self._duty, self._way = 0.0, 1.0
        self._edges, self._passes = board.edges, board.passes[0]
        self._mark_deg = 0.0  # the angle at which the home mark was last seen
        self._stray_deg = 0.0  # how far that was from where the time before had it
        self._speed_deg_s = 0.0
        # How far the cone turns on after the brake, learnt each time; before that anything up to twice this is level.
        self._coast_deg = PARK_WITHIN_DEG
        self._freed = 0
        self._quiet()

    def tumble(self, stretches: list[Stretch]) -> None:
        """Turn as planned, then come to rest with the floor down.

        Jammed, NotHomed, MotorOvertime, or what the guard raises; the caller switches the motor off.
        """
        self._begin()
        for stretch in stretches:
            # After a start nobody knows where the cone is: it tumbles forward until the mark has gone by.
            self._turn(stretch if self.homed else replace(stretch, power=abs(stretch.power)))
        if not self.homed:
            self._find_mark()
        self._near_mark()
        self._swing()
        self._approach()
        self._board.off()
        logger.info(
            "The cone tumbled: motor on for %.2f s, at most %.2f A, %.1f degrees off level.",
            self.on_s,
            self.highest_a,
            self.angle_deg - self._set.park_deg,
        )

    def _begin(self) -> None:
        self.on_s, self.highest_a, self._freed = 0.0, 0.0, 0
        self._duty = 0.0  # a throw that was broken off was cut at whatever power it had
        self._edges, self._passes = self._board.edges, self._board.passes[0]
        self._mark_deg = self.angle_deg
        self.stepped_s = self._clock.now_s()
        self._quiet()
        self._rest(_LEAD_S)

    # One turn of the loop

    def _step(self, target: float) -> None:
        """Wait, look at everything, then bring the motor one step of the ramp nearer to the target."""
        self._clock.wait_s(STEP_S)
        now_s = self._clock.now_s()
        passed_s, self.stepped_s = now_s - self.stepped_s, now_s
        if self._duty:
            self.on_s += passed_s
        self._guard()
        if self.on_s > self._limit_s:
            raise MotorOvertime(
                f"The motor ran for {self.on_s:.1f} s in one throw, {self._limit_s:g} are allowed: see whether the "
                "cone turns heavily or the 12 V are weak, then clear the fault."
            )
        self._board.beat()
        self._track(passed_s)
        self._look_for_jam(passed_s)
        if target == self._duty == 0:
            return  # the bridge stays as it is: off, or braking
        change = STEP_S / self._set.ramp_s
        self._duty += max(-change, min(change, target - self._duty))
        if self._duty:
            self._way = math.copysign(1.0, self._duty)
        self._board.drive(self._duty)

    def _track(self, passed_s: float) -> None:
        edges, (passes, edges_there) = self._board.edges, self._board.passes
        moved_deg = (edges - self._edges) * self._deg_per_edge
        self._edges = edges
        self.travel_deg += moved_deg
        self.angle_deg += self._way * moved_deg
        self._speed_deg_s += 0.2 * (moved_deg / max(passed_s, STEP_S) - self._speed_deg_s)
        if passes != self._passes:
            self._passes = passes
            if self._way > 0:
                # Backwards the mark's other edge comes first, which is not where the angles begin.
                since_deg = (edges - edges_there) * self._deg_per_edge
                self._stray_deg = abs((self.angle_deg - since_deg + 180) % 360 - 180)
                self.angle_deg, self.homed = since_deg, True
            self._mark_deg = self.angle_deg
        elif abs(self.angle_deg - self._mark_deg) > _UNSEEN_DEG:
            raise NotHomed(
                "The cone turned one and a half times and the home mark was not seen: check magnet, sensor and cable, "
                "then clear the fault."
            )

    # Jams

    def _quiet(self) -> None:
        """Forget what was seen of a jam."""
        self._driven_s = self._over_s = self._still_s = self._silent_s = 0.0
        self._since_deg = self.travel_deg

    def _look_for_jam(self, passed_s: float) -> None:
        if abs(self._duty) < self._set.slow_duty - 1e-9:
            # Below this the cone need not turn.
            self._driven_s = self._over_s = self._still_s = 0.0
            self._since_deg = self.travel_deg
            return
        self._driven_s += passed_s
        self._still_s += passed_s
        if self.travel_deg - self._since_deg >= _STILL_DEG:
            self._since_deg, self._still_s = self.travel_deg, 0.0
        amps = self._amps(passed_s)
        # The sensor sits before the bridge, where the motor's current flows for the share of the pulses only.
        motor_a = amps / abs(self._duty) if self._driven_s >= _BLANK_S else 0.0
        self.highest_a = max(self.highest_a, motor_a)
        high = motor_a > self._set.jam_a
        self._over_s = self._over_s + passed_s if high else 0.0
        if self._still_s >= _STILL_S:
            raise Stalled(
                f"the encoder stood still for {self._still_s:.2f} s at {abs(self._duty):.0%} power and {amps:.2f} A"
            )
        if self._over_s >= OVER_S:
            raise Stalled(f"the motor drew {motor_a:.2f} A for {self._over_s:.2f} s, {self._set.jam_a:g} are a jam")

    def _amps(self, passed_s: float) -> float:
        try:
            amps = self._current.amps()
        except OSError as error:
            # One disturbed answer is the motor's noise; the encoder watches meanwhile.
            self._silent_s += passed_s
            if self._silent_s < _STILL_S:
                return 0.0
            raise Jammed(
                f"The current sensor does not answer ({error}), so a jam could not be seen: check its four wires, "
                "then clear the fault."
            ) from None
        self._silent_s = 0.0
        return amps

    def _freely(self, drive: Callable[[], None]) -> None:
        """Do this, and after a jam turn back a little and do it again; Jammed after the last try."""
        while True:
            try:
                return drive()
            except Stalled as stall:
                self._free(stall)

    def _free(self, stall: Stalled) -> None:
        way = self._way
        self._halt_at_once()
        logger.warning("Jam %d of %d at %.0f degrees: %s.", self._freed + 1, FREEINGS + 1, self.angle_deg, stall)
        if self._freed == FREEINGS:
            raise Jammed(
                f"The cone does not turn ({stall}): switch off, look for what blocks it and whether the encoder's "
                "cable holds, then clear the fault."
            )
        self._freed += 1
        self._rest(_COAST_S)
        end_deg = self.travel_deg + _BACK_DEG
        try:
            self._drive(-way * self._set.slow_duty, lambda: self.travel_deg >= end_deg)
        except Stalled as stuck:
            logger.warning("The cone does not turn back either: %s.", stuck)
        self._halt_at_once()
        self._rest(_COAST_S)

    # Movements

    def _drive(self, duty: float, done: Callable[[], bool]) -> None:
        while not done():
            self._step(duty)

    def _rest(self, rest_s: float) -> None:
        for _ in range(math.ceil(rest_s / STEP_S)):
            self._step(0.0)

    def _halt_at_once(self) -> None:
        self._board.off()
        self._duty = 0.0
        self._quiet()

    def _brake(self) -> None:
        self._board.brake()
        self._duty = 0.0
        self._quiet()
        before_deg = self.travel_deg
        self._rest(_BRAKE_S)
        self._coast_deg = self.travel_deg - before_deg

    def _turn(self, stretch: Stretch) -> None:
        end_deg = self.travel_deg + stretch.turn_deg
        duty = math.copysign(max(abs(stretch.power) * self._set.cruise_duty, self._set.slow_duty), stretch.power)
        self._freely(lambda: self._drive(duty, lambda: self.travel_deg >= end_deg))

    def _find_mark(self) -> None:
        duty = (self._set.slow_duty + self._set.cruise_duty) / 2
        self._freely(lambda: self._drive(duty, lambda: self.homed))

    def _near_mark(self) -> None:
        """Go on until the way to the mark is just long enough to slow down."""
        duty = max(self._set.cruise_duty, self._set.slow_duty)
        slowing_s = (duty - self._set.slow_duty) * self._set.ramp_s

        def near() -> bool:
            # 0.7 of the speed is its mean while it falls to two fifths; the motor follows its power 50 ms late.
            zone_deg = min(_SPARE_DEG + self._speed_deg_s * (0.7 * slowing_s + 0.05), 340.0)
            return zone_deg - 2 * _SPARE_DEG / 3 <= -self.angle_deg % 360 <= zone_deg

        self._freely(lambda: self._drive(duty, near))

    def _swing(self) -> None:
        """Rock the floor past level and back: dice that lie on others or against the wall slide down and lie flat."""
        if self._set.swing_deg:
            self._over_mark(self._set.park_deg + self._set.swing_deg)
            end_deg = min(self._set.park_deg - self._set.swing_deg, -_BEFORE_MARK_DEG)
            self._freely(lambda: self._drive(-self._set.slow_duty, lambda: self.angle_deg <= end_deg))

    def _approach(self) -> None:
        """Creep over the mark and brake, so that the floor is level; back off and again where it is not.

        Also where the mark was not seen in the same place as before: one of the two was noise on the sensor's line.
        """
        for left in reversed(range(_APPROACHES)):
            self._creep()
            off_deg = self.angle_deg - self._set.park_deg
            if abs(off_deg) <= PARK_WITHIN_DEG and self._stray_deg <= _STRAY_DEG:
                return
            logger.info(
                "The floor is %.1f degrees off level, the mark was %.1f degrees from its place; %d more approaches.",
                off_deg,
                self._stray_deg,
                left,
            )
            if not left:
                break
            self._freely(lambda: self._drive(-self._set.slow_duty, lambda: self.angle_deg <= -_BACK_OFF_DEG))
            self._freely(lambda: self._drive(0.0, lambda: self._duty == 0))
        raise NotHomed(
            f"The cone does not come to rest with its floor level: {abs(off_deg):.0f} degrees off, the home mark "
            f"{self._stray_deg:.0f} degrees from its place; see whether cone and magnet sit firmly and the sensor's "
            "cable holds, then clear the fault."
        )

    def _creep(self) -> None:
        self._over_mark(self._set.park_deg - self._coast_deg)
        self._brake()

    def _over_mark(self, goal_deg: float) -> None:
        """Go slowly on over the home mark to that angle behind it; NotHomed where the mark does not come."""
        end_deg = self.travel_deg + -self.angle_deg % 360 + goal_deg + _MISSED_DEG
        self.homed = False
        self._freely(
            lambda: self._drive(
                self._set.slow_duty,
                lambda: (self.homed and self.angle_deg >= goal_deg) or self.travel_deg >= end_deg,
            )
        )
        if not self.homed:
            self._board.off()
            raise NotHomed(
                "The home mark was not where it must be: check magnet, sensor and cable, and that the cone sits firmly "
                "on its axle, then clear the fault."
            )
