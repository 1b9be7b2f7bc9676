"""`cornet calibrate`: one step of calibration, with pictures from files or from the camera."""

import argparse
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import cv2
from rich.console import Console
from rich.progress import Progress

from calibration.enrolment import NotEnrolled
from calibration.keeping import Keeper, NothingBefore
from calibration.lens import board_svg
from calibration.steps import STEPS
from firmware.tower import Interrupted, TowerFault
from server.commands.words import CAMERAS, Parser, WrongCall, add_config, add_data, add_seed, name, named
from server.commands.words import camera as kind_of_camera
from server.doctor import in_use, latched, log
from server.log import CannotOpen, held
from server.parts import (
    WrongParts,
    camera_only,
    is_real,
    live_camera,
    real_sight,
    real_tower,
    simulated_sight,
    watching,
)
from server.reserve import leave
from server.service import interrupt, on_end
from server.settings import BadSettings, Settings, read_settings
from server.stage import NotNow
from server.stepping import (
    NAMED,
    NAMES,
    Came,
    Sight,
    Wanted,
    axes_mm,
    carry_out,
    degrees,
    measure,
    pictures_by,
    with_locks,
)
from vision.camera import CameraLost, FolderCamera, NoPictures
from vision.picture import BrokenPicture, bytes_of, decode
from vision.rest import CameraFrozen
from vision.tray import BadTray

_BETWEEN_S = 2.0
"""Between two pictures for which somebody must do something."""
_USED = {
    "pictures": STEPS,
    "camera": NAMES,
    "seed": NAMES,
    "set": ("dice",),
    "die": ("dice",),
    "axes": ("dice",),
    "level": ("motor",),
}
"""Which steps have a use for what may be given."""
_FAILED = (CameraLost, CameraFrozen, TowerFault, Interrupted, NotEnrolled, NotNow)


def arguments(parser: Parser) -> None:
    """What the command takes."""
    steps = ("board", "lens", "focus", "light", "floor", "dice", "motor", "undo", "show")
    parser.add_argument("step", choices=steps, metavar="STEP", help=f"one of {', '.join(steps)}, best in this order")
    # Without a default they would be asked for where the step is missing.
    parser.add_argument(
        "pictures",
        type=named,
        nargs="*",
        default=(),
        metavar="PICTURE",
        help="pictures to calibrate by; else the camera's",
    )
    add_data(parser, "calibration")
    add_config(parser)
    parser.add_argument(
        "--camera", type=_camera, metavar="{auto,pi,usb,rendered,frames:DIR}", help="the camera (default auto)"
    )
    parser.add_argument("--set", type=name, metavar="NAME", help="dice: the name of the set (default: as before)")
    parser.add_argument(
        "--die", type=name, action="append", default=[], metavar="NAME", help="dice: a name for each, left to right"
    )
    parser.add_argument(
        "--axes", type=_axes, default=[], metavar="MM,MM,MM,...", help="dice: three axes of each, by callipers"
    )
    parser.add_argument(
        "--level",
        type=_degrees,
        metavar="DEG",
        help="motor: what a level on the floor shows after a throw, above 0 where the cone turned too far",
    )
    add_seed(parser)


def _camera(text: str) -> str:
    return kind_of_camera(text, [kind for kind in CAMERAS if kind != "none"])


def _axes(text: str) -> list[float]:
    try:
        return list(axes_mm(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None


def _degrees(text: str) -> float:
    try:
        return degrees(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None


def run(given: argparse.Namespace) -> int:
    """Carry out a step and print what came of it; 1 where it could not be done and the calibration is as it was."""
    cv2.setNumThreads(1)
    _check_use(given)
    if given.step == "board":
        print(board_svg(), end="")
        return 0
    keeper = Keeper(given.data)
    if given.step != "show" and in_use(given.data):
        raise WrongCall(
            f"A Cornet that uses {given.data} is running: calibrate on its page /operator/calibration, or stop it."
        )
    try:
        _check_folder(given.data)
        # Whoever only looks may do so beside another step.
        with nullcontext() if given.step == "show" else held(given.data):
            if given.step in NAMES:
                return _say(_carry_out(given, keeper))
            undone = keeper.undo() if given.step == "undo" else None
            made = keeper.made()
    except (BadTray, BadSettings, NoPictures, BrokenPicture, WrongParts, CannotOpen) as error:
        raise WrongCall(str(error)) from None
    except OSError as error:
        raise WrongCall(f"{given.data} cannot be used ({error.strerror}): choose another with --data.") from None
    except NothingBefore as error:
        return _say(Came(given.step, False, str(error)))
    told = f"{undone.capitalize()}: as it was before the last step. " if undone else ""
    return _say(Came(given.step, True, told + _standing(made)), parts=made)


def _check_use(given: argparse.Namespace) -> None:
    """WrongCall where something is given that would be passed over in silence."""
    for word, steps in _USED.items():
        if getattr(given, word) not in (None, [], ()) and given.step not in steps:
            said, them = ("pictures", "them") if word == "pictures" else (f"--{word}", "it")
            raise WrongCall(f"cornet calibrate {given.step} has no use for {said}: leave {them} out.")
    if given.pictures and (given.camera is not None or given.seed is not None):
        said = "--seed" if given.camera is None else "--camera"
        raise WrongCall(f"Pictures are named, so that {said} has no use: leave out the one or the other.")


def _check_folder(data: Path) -> None:
    """OSError where a directory cannot be looked into, as where it is a file; it need not be there."""
    with suppress(FileNotFoundError):
        os.scandir(data).close()


def _carry_out(given: argparse.Namespace, keeper: Keeper) -> Came:
    settings = read_settings(given.config)
    if given.step == "dice" and settings.select == "colour" and not given.die:
        raise WrongCall(f"{NAMED} (--die NAME --die NAME ...)")
    wanted = Wanted(given.set or "", tuple(given.die), tuple(given.axes), given.level or 0.0)
    if given.pictures:
        return carry_out(given.step, map(_read_file, given.pictures), keeper, settings, wanted)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(given.step.capitalize(), total=None)

        def tell(taken: int, number: int, do: str) -> None:
            progress.update(task, completed=taken, total=number)
            if do:
                console.print(do, soft_wrap=True, highlight=False, markup=False)

        try:
            with _sight(given, settings, keeper) as sight:
                if given.step == "motor":
                    return measure(sight, keeper, settings, wanted, tell)
                pause_s = _BETWEEN_S if console.is_terminal else 0.0
                jpegs = pictures_by(sight, given.step, settings, wanted, keeper, tell, lambda: time.sleep(pause_s))
                came = with_locks(carry_out(given.step, jpegs, keeper, settings, wanted), sight)
                return _owning(came) if sight.simulated else came
        except _FAILED as error:
            if isinstance(error, TowerFault):
                leave(given.data, error)
            return Came(given.step, False, str(error))


def _check_clear(data: Path) -> None:
    """NotNow where a fault is latched, or the log is broken: nothing moves before somebody has seen to it."""
    why = latched(log(data))
    if why:
        raise NotNow(f"Nothing moves ({why}): start Cornet, see to it and clear it; then stop it and calibrate.")


def _read_file(name: str) -> bytes:
    data = bytes_of(Path(name))
    decode(data, name)
    return data


@contextmanager
def _sight(given: argparse.Namespace, settings: Settings, keeper: Keeper) -> Iterator[Sight]:
    """The camera that the command line asks for, in its tower where that is real; NoTower where it should be."""
    with ExitStack() as closing:
        real = is_real("auto")
        camera = given.camera or "auto"
        if camera.startswith("frames:") and not (real and given.step == "motor"):
            yield camera_only(FolderCamera(Path(camera.removeprefix("frames:"))))
            return
        live = watching(camera, settings, "name pictures") if real else live_camera(camera, real, settings)
        if live is None:
            seed = secrets.token_hex(8) if given.seed is None else str(given.seed)
            yield simulated_sight(given.step, seed, settings.dice)
            return
        # Ctrl-C ends a turn of the cone as it ends a throw: the tower is closed on the way out.
        on_end(interrupt)
        closing.callback(live.close)
        live.tend()
        if not real:
            yield camera_only(live)
            return
        _check_clear(given.data)
        driven = keeper.adjust(settings.tower)
        tower = closing.enter_context(real_tower(driven, settings.pins, secrets.token_hex(8)))
        yield real_sight(live, tower)


def _owning(came: Came) -> Came:
    """What came of a step, owning up to the camera."""
    message = f"{came.message} The camera was simulated: this holds for the simulated cornet alone."
    return replace(came, message=message, simulated=True)


def _standing(made: Mapping[str, str]) -> str:
    if not made:
        return "Nothing is calibrated."
    return f"Calibrated: {', '.join(made)}." + ("" if "floor" in made else " Nothing is judged by it before the floor.")


def _say(came: Came, **more: object) -> int:
    shown = {} if came.picture is None else {"picture": str(came.picture)}
    owned = {"simulated": True} if came.simulated else {}
    said = {"step": came.step, "done": came.done, "message": came.message, **owned, **shown, **came.figures, **more}
    print(json.dumps(said))
    return 0 if came.done else 1
