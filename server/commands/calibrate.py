"""`cornet calibrate`: one step of calibration, with pictures from files or from the camera."""

import argparse
import json
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import cv2
from rich.console import Console
from rich.progress import track

from calibration.keeping import Keeper, NothingBefore
from calibration.lens import board_svg
from calibration.steps import REFUSALS, STEPS, Asked
from firmware.simulated import FLOOR_MM, SimulatedTower
from server.commands.words import Parser, WrongCall, add_config, add_data, add_seed, camera
from server.parts import is_raspberry_pi, rendered
from server.settings import BadSettings, Settings, read_settings
from vision.annotate import annotate
from vision.camera import Camera, CameraLost, FolderCamera, NoPictures
from vision.picam import PiCamera
from vision.picture import BrokenPicture, Image, decode, encode_jpeg
from vision.reader import read
from vision.rendered import CAMERA_MM
from vision.tray import BadTray, Made, Tray
from vision.usb import UsbCamera

_WAIT_S = 5.0
_BETWEEN_S = 2.0
"""Between two pictures for which somebody must move the board or throw the dice."""
_THROWS_AGAIN = 5
"""For each picture of dice: about one throw in twenty leaves a die that leans."""


def arguments(parser: Parser) -> None:
    """What the command takes."""
    steps = ("board", "lens", "focus", "light", "floor", "dice", "undo", "show")
    parser.add_argument("step", choices=steps, metavar="STEP", help=f"one of {', '.join(steps)}, best in this order")
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="pictures to calibrate by; else the camera's")
    add_data(parser, "calibration")
    add_config(parser)
    parser.add_argument(
        "--camera", type=camera, default="auto", metavar="{auto,pi,usb,rendered,frames:DIR}", help="the camera"
    )
    parser.add_argument("--set", default="dice", metavar="NAME", help="dice: the name of the set")
    parser.add_argument(
        "--die", action="append", default=[], metavar="NAME", help="dice: a name for each, left to right"
    )
    parser.add_argument(
        "--axes", type=_axes, default=[], metavar="MM,MM,MM,...", help="dice: three axes of each, by callipers"
    )
    add_seed(parser)


def _axes(text: str) -> list[float]:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?(,[0-9]{1,3}(\.[0-9]{1,3})?)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of millimetres, as in 16.01,16.00,15.99")
    return [float(number) for number in text.split(",")]


def run(given: argparse.Namespace) -> int:
    """Carry out a step and print what came of it; 1 where it could not be done and the calibration is as it was."""
    cv2.setNumThreads(1)
    if given.step == "board":
        print(board_svg(), end="")
        return 0
    keeper = Keeper(given.data)
    try:
        if given.step in STEPS:
            return _carry_out(given, keeper)
        tray = keeper.undo() if given.step == "undo" else keeper.current()
    except (BadTray, BadSettings, NoPictures, BrokenPicture) as error:
        raise WrongCall(str(error)) from None
    except OSError as error:
        raise WrongCall(f"{given.data} cannot be used ({error.strerror}): choose another with --data.") from None
    except NothingBefore as error:
        return _say(given.step, False, str(error))
    return _say(given.step, True, _standing(tray), parts=_parts(tray))


def _carry_out(given: argparse.Namespace, keeper: Keeper) -> int:
    settings = read_settings(given.config)
    tray = keeper.current()
    step, number = STEPS[given.step]
    try:
        jpegs = list(_pictures(given, settings, keeper, number))
    except CameraLost as error:
        return _say(given.step, False, str(error))
    pictures = [decode(jpeg) for jpeg in jpegs]
    made = Made(datetime.now(UTC).isoformat(timespec="seconds"), version("cornet"), keeper.keep_pictures(jpegs))
    asked = Asked(FLOOR_MM / 2, CAMERA_MM, settings.dice, given.set, tuple(given.die), tuple(given.axes))
    try:
        done = step(pictures, tray, asked, made)
    except REFUSALS as refusal:
        return _say(given.step, False, str(refusal), picture=str(keeper.keep_drawing(given.step, jpegs[0])))
    drawing = keeper.keep_drawing(given.step, encode_jpeg(done.drawing))
    if done.tray != tray:
        keeper.put_in_force(done.tray)
    figures = {name: round(value, 4) for name, value in done.figures.items()}
    return _say(given.step, True, done.message, picture=str(drawing), **figures)


def _pictures(given: argparse.Namespace, settings: Settings, keeper: Keeper, number: int) -> Iterator[bytes]:
    """The bytes of the pictures that the step reads: those of the files, or as many as it needs from the camera."""
    if given.pictures:
        for name in given.pictures:
            try:
                data = Path(name).read_bytes()
            except OSError as error:
                raise BrokenPicture(f"{name} cannot be opened: {error.strerror}.") from None
            decode(data, name)
            yield data
        return
    progress = Console(stderr=True)
    with _camera(given, settings) as camera:
        for _ in track(range(number), given.step.capitalize(), console=progress, disable=not progress.is_terminal):
            jpeg = encode_jpeg(camera())
            yield jpeg if given.step != "dice" else _read_well(jpeg, camera, settings.dice, keeper, progress)
            if given.step in ("lens", "dice") and progress.is_terminal:
                progress.print("Now move the board." if given.step == "lens" else "Now throw the dice.")
                time.sleep(_BETWEEN_S)


def _read_well(jpeg: bytes, camera: Callable[[], Image], dice: int, keeper: Keeper, progress: Console) -> bytes:
    """This picture of a throw, or the first of a few more that can be read; else the last, which the step refuses."""
    for _ in range(_THROWS_AGAIN):
        reading = read(decode(jpeg), dice)
        if reading.ok:
            break
        shown = keeper.keep_drawing("dice", encode_jpeg(annotate(decode(jpeg), reading)))
        progress.print(f"{reading.message} Throw again; see {shown}.", soft_wrap=True)
        jpeg = encode_jpeg(camera())
    return jpeg


@contextmanager
def _camera(given: argparse.Namespace, settings: Settings) -> Iterator[Callable[[], Image]]:
    """Something that takes the next picture; CameraLost where it does not."""
    tower = SimulatedTower(secrets.token_hex(8) if given.seed is None else str(given.seed), settings.dice)
    simulated = given.camera == "rendered" or (given.camera == "auto" and not is_raspberry_pi())
    camera: Camera
    if simulated:
        camera = rendered(lambda: tower.lying if given.step in ("dice", "focus") else ())
    elif given.camera.startswith("frames:"):
        camera = FolderCamera(Path(given.camera.removeprefix("frames:")))
    else:
        live = UsbCamera() if given.camera == "usb" else PiCamera(settings.locks)
        live.tend()
        camera = live

    def take() -> Image:
        if simulated:
            tower.tumble()
        return camera.frame(_WAIT_S).image

    try:
        yield take
    finally:
        camera.close()


def _standing(tray: Tray) -> str:
    done = [name for name in ("lens", "floor", "light", "dice") if getattr(tray, name) is not None]
    if not done:
        return "Nothing is calibrated."
    return f"Calibrated: {', '.join(done)}." + ("" if tray.floor else " Nothing is judged by it before the floor.")


def _parts(tray: Tray) -> dict[str, str]:
    """When each part was made."""
    parts = {name: getattr(tray, name) for name in ("lens", "floor", "light", "dice")}
    return {name: part.made.at for name, part in parts.items() if part is not None}


def _say(step: str, ok: bool, message: str, **more: object) -> int:
    print(json.dumps({"step": step, "done": ok, "message": message, **more}))
    return 0 if ok else 1
