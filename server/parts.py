"""The parts of this cornet: which tower and which camera, chosen once, here."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware.dimensions import size
from firmware.pins import Pins
from firmware.settings import TowerSettings
from firmware.simulated import Lying, SimulatedTower
from firmware.tower import MissingTower, NoTower, Tower, TowerFault
from server.eye import BlindEye, CameraEye, Eye
from server.settings import Settings
from server.stepping import Sight, no_sight
from vision.camera import Camera, FolderCamera
from vision.live import LiveCamera
from vision.picam import Locks, PiCamera
from vision.picture import Image
from vision.reader import VERSION as READER
from vision.rendered import LyingDie, RenderedCamera
from vision.rest import await_rest
from vision.rig import Rig
from vision.tray import Tray
from vision.usb import UsbCamera

if TYPE_CHECKING:
    from firmware.gpio import GpioTower

_MODEL = Path("/proc/device-tree/model")
_PICTURE_S, _GLIMPSE_S = 5.0, 2.0
_STAGE = 421  # the floor and the lamps of the simulated cornet, as they are drawn


Pressed = Callable[[float, Callable[[TowerFault], None]], bool]


class WrongParts(ValueError):
    """A choice of tower and camera that does not fit this machine; the message says what to choose."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A tower, an eye, and what is said about them."""

    tower: Tower
    eye: Eye
    about: dict[str, Any]
    resume: Callable[[int], None]  # told how many events there were before, so that nothing simulated is repeated
    deal: Callable[[bytes, int], None] | None = None  # makes simulated dice draw from a seed, where they are looked at
    # Called before a throw with how many dice it needs, 0 outside a game; a sealed cornet throws all and ignores it.
    load: Callable[[int], None] = lambda needs: None
    warm: Callable[[], object] = lambda: None  # done in the throw's thread, before the first throw
    tend: Callable[[], None] = lambda: None  # once a second: keeps a live camera open; CameraHopeless if it cannot
    fresh: Callable[[], bool] = lambda: True  # whether motor loop and camera have been heard of lately
    # Waits so many seconds for a press of the roll button, and tells of a switch that was opened meanwhile.
    pressed: Pressed | None = None
    lamp: Callable[[bool], None] = lambda on: None  # switches the lamp in the roll button
    glimpse: Callable[[], Image] | None = None  # what the camera sees now, for a person; raises CameraLost
    sight: Callable[[str], Sight] = no_sight  # for a step of calibration; CameraLost where there is no camera for it
    adopt: Callable[[Tray | None], None] = lambda tray: None  # reads by this calibration from now on, where it can
    drive: Callable[[TowerSettings], None] = lambda settings: None  # moves a real tower by these settings from now on


def choose(
    tower: str,
    camera: str,
    seed: int | None,
    settings: Settings,
    tray: Tray | None = None,
    driven: TowerSettings | None = None,
    told: bool = True,
) -> Parts:
    """The parts that the command line asks for; WrongParts or NoPictures where they cannot be had.

    The tray is what the pictures are read by, except recorded ones: nobody knows which camera took them. A real
    tower is driven by `driven`, as its motor was measured, else by the settings. `told` is whether anybody knows now
    which dice were enrolled.
    A real tower or camera that does not work is no reason to refuse: it is chosen, and says what is broken.
    """
    _check_selection(camera, settings, tray, told)
    said = str(seed) if seed is not None else secrets.token_hex(16)
    if is_real(tower):
        return _real(camera, said, settings, tray, driven or settings.tower)
    if camera in ("pi", "usb"):
        raise WrongParts(
            "A simulated tower cannot be watched by a live camera: choose --camera rendered, frames:DIR or none."
        )
    if tower == "twin":
        return _twin(camera, said, settings, tray)
    simulated = SimulatedTower(said, settings.dice, settings.tumble_s)
    eye, seen = _eye(camera, lambda: simulated.lying, settings, tray)
    deal = None if seen == "frames" else simulated.deal
    load = _loading(settings, simulated.load, eye.load)
    parts = Parts(
        simulated, eye, _about("sim", seen, settings, tray), simulated.resume, deal, load, _warming(eye, seen)
    )
    return _calibrated(parts, settings)


def _check_selection(camera: str, settings: Settings, tray: Tray | None, told: bool) -> None:
    """WrongParts where the dice are to count by colours that cannot be told, or need not be."""
    if settings.loading == "hand" and settings.select == "colour":
        raise WrongParts('Where people put the dice in, all count: set select = "nearest", or loading = "sealed".')
    known = tray.dice if tray else None
    named = known is not None and known.by_colour and known.count == settings.dice
    if settings.select == "colour" and ((told and not named) or camera == "none" or camera.startswith("frames:")):
        raise WrongParts(
            f'select = "colour" needs a camera and {settings.dice} dice that were enrolled with names: do that with '
            'cornet calibrate dice, or set select = "nearest".'
        )


def _loading(settings: Settings, *loads: Callable[[int], None]) -> Callable[[int], None]:
    """Tells these how many dice people put in for a throw, where people do."""

    def load(needs: int) -> None:
        for told in loads:
            told(needs or settings.dice)

    return load if settings.loading == "hand" else lambda needs: None


def _twin(camera: str, seed: str, settings: Settings, tray: Tray | None) -> Parts:
    """A tower that reckons its dice as rigid bodies; nobody can promise what they will show."""
    if settings.loading == "hand":
        raise WrongParts('The twin is a sealed cornet: set loading = "sealed", or take --tower sim.')
    try:
        twin = import_module("hardware.twin.tower").TwinTower(seed, settings.dice, settings.tower.turns)
    except ImportError as error:
        raise WrongParts(
            f'The twin cannot be had ({error}): start Cornet in a checkout with its extra "rendering", '
            "or take --tower sim."
        ) from None
    eye, seen = _eye(camera, lambda: twin.lying, settings, tray)
    about = _about("twin", seen, settings, tray)
    return _calibrated(Parts(twin, eye, about, twin.resume, warm=_warming(eye, seen)), settings)


def _calibrated(parts: Parts, settings: Settings) -> Parts:
    """Simulated parts as they can be looked at and calibrated: by pictures of simulated dice, on the same floor."""
    if not isinstance(parts.eye, CameraEye) or parts.eye.recorded:
        return parts
    return replace(
        parts,
        glimpse=parts.eye.glimpse,
        sight=lambda step: simulated_sight(step, secrets.token_hex(8), settings.dice),
        adopt=parts.eye.adopt,
    )


def _real(camera: str, seed: str, settings: Settings, tray: Tray | None, driven: TowerSettings) -> Parts:
    live = watching(camera, settings)
    live.tend()
    glimpse = partial(live.live, _GLIMPSE_S)
    eye = CameraEye(live, settings.dice, tray)
    about = _about("gpio", "usb" if camera == "usb" else "pi", settings, tray)
    try:
        tower = real_tower(driven, settings.pins, seed)
    except NoTower as error:
        seeing = Parts(MissingTower(error), eye, about, lambda tumbles: None)
        return replace(seeing, tend=live.tend, fresh=lambda: live.fresh, glimpse=glimpse)
    return Parts(
        tower,
        eye,
        about,
        tower.resume,
        glimpse=glimpse,
        load=_loading(settings, eye.load),
        warm=eye.warm,
        tend=live.tend,
        fresh=lambda: tower.fresh() and live.fresh,
        pressed=tower.pressed,
        lamp=tower.lamp,
        sight=lambda step: real_sight(live, tower),
        adopt=eye.adopt,
        drive=tower.adopt,
    )


def _about(tower: str, camera: str, settings: Settings, tray: Tray | None) -> dict[str, Any]:
    return {
        "simulated": tower != "gpio",
        "version": version("cornet"),
        "tower": tower,
        "camera": camera,
        "dice": settings.dice,
        "reader": READER,
        "settings_sha256": settings.sha256,
        **({"turns": settings.tower.turns} if tower in ("gpio", "twin") else {}),
        "loading": settings.loading,
        "by_hand": settings.by_hand == "yes",
        **(
            {"names": [die.name for die in tray.dice.dice]}
            if settings.select == "colour" and tray and tray.dice
            else {}
        ),
    }


def _eye(
    camera: str, lying: Callable[[], tuple[Lying, ...]], settings: Settings, tray: Tray | None
) -> tuple[BlindEye | CameraEye, str]:
    if camera == "none":
        return BlindEye(lying, settings.dice), "none"
    if camera in ("auto", "rendered"):
        return CameraEye(rendered(lying), settings.dice, tray), "rendered"
    return CameraEye(FolderCamera(Path(camera.removeprefix("frames:"))), settings.dice), "frames"


def _warming(eye: Eye, seen: str) -> Callable[[], None]:
    """Draws once and reads once, where pictures are rendered."""

    def warm() -> None:
        if isinstance(eye, CameraEye) and seen == "rendered":
            eye.settle()
            eye.warm()

    return warm


def rendered(lying: Callable[[], tuple[Lying, ...]]) -> Camera:
    """A camera above these dice. Its floor and lamps are always the same, so that a calibration of them holds."""
    return RenderedCamera(lambda: _to_draw(lying()), Rig.of(size), seed=_STAGE)


def simulated_sight(step: str, seed: str, dice: int) -> Sight:
    """Pictures of a simulated cornet for a step of calibration: of dice where it needs them, else of the floor."""
    tower = SimulatedTower(seed, dice)
    camera = rendered(lambda: tower.lying if step in ("dice", "focus") else ())
    return Sight(lambda: camera.frame(_PICTURE_S).image, tower.tumble, simulated=True)


def camera_only(camera: Camera) -> Sight:
    """Pictures of a camera that is in no tower of ours, for a step of calibration; people throw the dice."""
    return Sight(lambda: camera.frame(_PICTURE_S).image)


def real_sight(camera: LiveCamera, tower: "GpioTower") -> Sight:
    """Pictures of the camera of a real tower, whose ring light shines, for a step of calibration."""

    def throw() -> None:
        tower.tumble()
        await_rest(camera, _PICTURE_S)

    def locks() -> Locks | None:
        return camera.find_locks(_PICTURE_S) if isinstance(camera, PiCamera) and not camera.locked else None

    return Sight(lambda: camera.frame(_PICTURE_S).image, throw, tower, locks)


def _to_draw(lying: tuple[Lying, ...]) -> list[LyingDie]:
    return [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation, size("die_side_mm")) for die in lying]


def is_real(tower: str) -> bool:
    """Whether the command line asks for a real tower: by its name, or by `auto` on a Raspberry Pi."""
    return tower == "gpio" or (tower == "auto" and _is_raspberry_pi())


def real_tower(settings: TowerSettings, pins: Pins, seed: str) -> "GpioTower":
    """The tower of this Raspberry Pi; NoTower if a part of it does not answer."""
    # gpiozero is loaded only where there is something to drive.
    from firmware.gpio import open_tower

    return open_tower(settings, pins, seed)


def live_camera(camera: str, real: bool, settings: Settings) -> LiveCamera | None:
    """The live camera that the command line asks for, not yet opened; None where it asks for another kind.

    `auto` asks for the Raspberry Pi's where the tower is real.
    """
    if camera == "usb":
        return UsbCamera()
    return PiCamera(settings.locks) if camera == "pi" or (real and camera == "auto") else None


def watching(camera: str, settings: Settings, instead: str = "--tower sim") -> LiveCamera:
    """The live camera that is to watch a real tower, not yet opened.

    WrongParts, with what may be chosen instead, where the command line asks for another kind: never is anything
    simulated, or shown again, in its place.
    """
    live = live_camera(camera, True, settings)
    if live is None:
        raise WrongParts(f"A real tower needs a camera that sees it: choose --camera pi or usb, or {instead}.")
    return live


def _is_raspberry_pi() -> bool:
    try:
        return "Raspberry Pi" in _MODEL.read_text("utf-8", "replace")
    except OSError:
        return False
