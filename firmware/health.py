"""Whether the Raspberry Pi itself is well: its supply and its temperature."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firmware.tower import NoTower, Overheated, TowerFault, Undervoltage

TEMPERATURE = Path("/sys/class/thermal/thermal_zone0/temp")
"""Where Linux says how hot the processor is, in thousandths of a degree."""
_UNDERVOLTAGE, _THROTTLED, _SOFT_LIMIT = 1 << 0, 1 << 2, 1 << 3
_ANSWER_S = 2.0


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the computer now."""

    throttled: int  # the bits of get_throttled; from bit 16 on they tell of the past
    celsius: float

    def trouble(self, hot_c: float) -> TowerFault | None:
        """What forbids a throw, if anything does."""
        if self.throttled & _UNDERVOLTAGE:
            return Undervoltage(
                "The Raspberry Pi gets too little voltage: give it its own official supply and a short cable, "
                "then clear the fault."
            )
        if self.throttled & (_THROTTLED | _SOFT_LIMIT) or self.celsius >= hot_c:
            return Overheated(
                f"The processor is at {self.celsius:.0f} °C: let it cool, give it air, then clear the fault."
            )
        return None


def _vcgencmd() -> str:
    # No word of the call comes from outside.
    answer = subprocess.run(
        ["/usr/bin/vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=_ANSWER_S, check=True
    )
    return answer.stdout


def read_health(ask: Callable[[], str] = _vcgencmd, temperature: Path = TEMPERATURE) -> Health:
    """Ask the firmware and the kernel; NoTower if they do not answer.

    The bits: raspberrypi.com, documentation of `vcgencmd get_throttled`.
    """
    try:
        throttled = int(ask().strip().removeprefix("throttled="), 16)
        return Health(throttled, int(temperature.read_text("ascii")) / 1000)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NoTower(
            f"The Raspberry Pi does not say whether it is well ({error}): is this Raspberry Pi OS, and may this user "
            "read /dev/vcio (group video)?"
        ) from None
