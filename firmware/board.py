"""The tower's parts as gpiozero devices: what is driven, what is sensed, and a cut of the motor from any thread."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from gpiozero import Button, DigitalInputDevice, InputDevice, OutputDevice, PWMOutputDevice, TonalBuzzer

from firmware.pins import Pins

_BUTTON_BOUNCE_S = 0.03
_SWITCH_BOUNCE_S = 0.005
# The motor's noise is shorter; the mark passes in some milliseconds, and a longer steady time would swallow it.
_HOME_BOUNCE_S = 0.0005
_ALARM_HZ = 440.0


class Board:
    """All pins of the tower. Opening them moves nothing: the motor can only be driven after `arm()`.

    `alarmed` is called, in whichever thread delivers edges, after the lid or the 12 V went; `pressed` when the button
    goes down; both must return at once. The board closes the pin factory it is given.
    """

    def __init__(
        self, pins: Pins, pwm_hz: int, factory: Any, alarmed: Callable[[], None], pressed: Callable[[], None]
    ) -> None:
        self._lock = threading.RLock()
        self._pwm_hz, self._alarmed = pwm_hz, alarmed
        self._cut, self._closed = True, False
        self.edges = 0
        self.passes = (0, 0)  # how often the home mark's edge went by, and the encoder's edges at the last time
        self.lid_opened = self.power_lost = False
        with ExitStack() as opening:
            opening.callback(factory.close)

            def opened(kind: Any, pin: int, **how: Any) -> Any:
                return opening.enter_context(kind(pin, pin_factory=factory, **how))

            self._forward = opened(PWMOutputDevice, pins.motor_forward, frequency=None)
            self._reverse = opened(PWMOutputDevice, pins.motor_reverse, frequency=None)
            self._heartbeat = opened(OutputDevice, pins.heartbeat)
            self._light = opened(OutputDevice, pins.light)
            self._lamp = opened(OutputDevice, pins.button_lamp)
            self._buzzer = opened(TonalBuzzer, pins.buzzer)
            self._lid = opened(DigitalInputDevice, pins.lid, pull_up=True, bounce_time=_SWITCH_BOUNCE_S)
            self._power = opened(DigitalInputDevice, pins.power, pull_up=False, bounce_time=_SWITCH_BOUNCE_S)
            self._home = opened(
                DigitalInputDevice, pins.home, pull_up=None, active_state=False, bounce_time=_HOME_BOUNCE_S
            )
            self._encoder = opened(InputDevice, pins.encoder, pull_up=True)
            self._button = opened(Button, pins.button, bounce_time=_BUTTON_BOUNCE_S)
            self._devices = opening.pop_all()
        self._lid.when_deactivated = self._lid_went
        self._power.when_deactivated = self._power_went
        self._home.when_activated = self._home_came
        self._button.when_pressed = pressed
        # The pin itself, since the devices above it listen to both edges: twice the work a thousand times a second.
        self._encoder.pin.edges = "rising"
        self._encoder.pin.when_changed = self._edge_came

    # The motor

    def arm(self) -> None:
        """Let the motor be driven."""
        with self._lock:
            self._cut = False

    def drive(self, duty: float) -> None:
        """Set the motor's share of full power, forward above 0, reverse below; nothing happens after a cut."""
        with self._lock:
            if self._cut:
                return
            driven, idle = (self._forward, self._reverse) if duty >= 0 else (self._reverse, self._forward)
            idle.value = 0
            if driven.frequency is None:
                driven.frequency = self._pwm_hz
            driven.value = abs(duty)

    def brake(self) -> None:
        """Short the motor through the bridge; nothing happens after a cut."""
        with self._lock:
            if not self._cut:
                for side in (self._forward, self._reverse):
                    side.frequency = None
                    side.value = 1

    def off(self) -> None:
        """Both inputs of the bridge low and without pulses."""
        with self._lock:
            if not self._closed:
                try:
                    _low(self._forward)
                finally:
                    _low(self._reverse)

    def cut(self) -> None:
        """Switch the motor off until the next `arm()`; from any thread."""
        with self._lock:
            self._cut = True
            self.off()

    # What is sensed

    @property
    def lid_closed(self) -> bool:
        """Whether the lid is shut now."""
        return bool(self._lid.is_active)

    @property
    def powered(self) -> bool:
        """Whether there are 12 V behind emergency stop and lid now."""
        return bool(self._power.is_active)

    @property
    def at_home(self) -> bool:
        """Whether the home sensor is over its mark."""
        return bool(self._home.is_active)

    @property
    def unsafe(self) -> bool:
        """Whether lid or power are open, or were since `forget_alarms()`."""
        return self.lid_opened or self.power_lost or not self.lid_closed or not self.powered

    def forget_alarms(self) -> None:
        """What opened in the past is past."""
        self.lid_opened = self.power_lost = False

    # What is shown

    def beat(self) -> None:
        """One edge of the heartbeat."""
        self._heartbeat.toggle()

    def rest_heart(self) -> None:
        """Leave the heartbeat low, so that the gate closes."""
        if not self._closed:
            self._heartbeat.off()

    def light(self, on: bool) -> None:
        """Switch the ring light, fully on or off: pulses would be seen as bands in the picture."""
        self._light.value = on

    def lamp(self, on: bool) -> None:
        """Switch the lamp in the button; nothing happens once the board is closed."""
        with self._lock:
            if not self._closed:
                self._lamp.value = on

    def sound(self, on: bool) -> None:
        """Switch the alarm tone."""
        if on:
            self._buzzer.play(_ALARM_HZ)
        else:
            self._buzzer.stop()

    def close(self) -> None:
        """Motor off first, then let go of every pin; as often as you like."""
        with self._lock:
            if self._closed:
                return
            try:
                self.cut()
            finally:
                self._closed = True
                self._encoder.pin.when_changed = None
                self._devices.close()

    # Called in the thread that delivers edges

    def _lid_went(self) -> None:
        self.cut()
        self.lid_opened = True
        self._alarmed()

    def _power_went(self) -> None:
        self.cut()
        self.power_lost = True
        self._alarmed()

    def _home_came(self) -> None:
        self.passes = (self.passes[0] + 1, self.edges)

    def _edge_came(self, ticks: Any, state: Any) -> None:
        self.edges += 1


def _low(side: Any) -> None:
    """One input of the bridge without pulses and low: where lgpio ends its pulses, the level stays as it just was."""
    side.frequency = None
    side.value = 0
