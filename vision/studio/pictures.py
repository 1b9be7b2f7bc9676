"""One labelled picture: the scene is lit, developed, and shown only if it shows what its label says."""

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from vision.picture import Image
from vision.reading import Verdict
from vision.rendered import LyingDie
from vision.studio.lens import Film, develop, quieted
from vision.studio.makes import Make, Picture, Random
from vision.studio.meshes import Array, face_frame, pip_places
from vision.studio.path_tracing import View, trace
from vision.studio.physics import tilt_deg
from vision.studio.scenes import TROUBLES, Scene, compose

PATHS, _CLEAR, _ATTEMPTS = 8, 1.5, 60
_FINE_PX, _COARSER = 640, 2 / 3  # wider pictures are traced at this share of their size: a lens is no sharper
_TRIAL_PATHS, _TRIAL_SHARE = 2, 0.6  # a trial at half the size; what it must show of the limits below
_TOLD, _LOST, _BURNT = 20.0, 12.0, 232.0
"""Grey levels: pips that stand out by so much can be read, by so little cannot; and white that a reflection burns."""
_HIDDEN = {"moving": 99, "hand": 99, "cloth": 99, "half-outside": 1, "stacked": 2, "leaning-on-die": 2, "on-a-chip": 1}
"""How many dice of a scene the trouble itself may make unreadable; of all others the pips must be told."""
PLAN = tuple(trouble for name in TROUBLES for trouble in (name, ""))
"""The troubles in turn; every other picture has none."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture and what is true of it."""

    image: Image
    quality: int  # of JPEG
    label: dict[str, Any]  # dice, count, verdict, scene and tags, as labels.json has them


def shoot(seed: int, number: int, size_px: tuple[int, int], paths: int = PATHS) -> Shot:
    """The picture of that number; the same seed, number and paths of light a pixel give the same picture."""
    trouble = PLAN[number % len(PLAN)]
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng((seed, number, attempt))
        scene = compose(rng, trouble, size_px)
        if scene is None or (trouble == "emblem" and not _emblem_up(scene)):
            continue
        if not _promising(scene, seed + number):
            continue
        image, film = _exposed(scene, light(scene, seed + number, paths), rng)
        if image is not None:
            return Shot(image, film.quality, _label(scene, image))
    raise RuntimeError(f"Picture {number} of seed {seed} could not be made in {_ATTEMPTS} attempts.")


def _promising(scene: Scene, seed: int) -> bool:
    """Whether a quick look at the scene does not rule out that it shows what it must: most scenes fail by this."""
    if scene.view.size_px[0] <= _FINE_PX or _HIDDEN.get(scene.trouble, 0) > len(scene.dice):
        return True
    view = _shrunk(scene.view, 0.5)
    light, _ = trace(scene.dice, scene.stage, view, paths=_TRIAL_PATHS, seed=seed, coloured=False)
    film = replace(scene.film, blur_px=scene.film.blur_px / 2, noise=0.0)
    image = develop(light, film, np.random.default_rng(seed))
    told = [min(pip_contrasts(image, view, *die)) for die in scene.dice]
    if scene.trouble == "glare":
        shine = [brightness(image, view, die) > _TRIAL_SHARE * _BURNT for die, _ in scene.dice]
        return any(least < _LOST / _TRIAL_SHARE and bright for least, bright in zip(told, shine, strict=True))
    return sum(least < _TRIAL_SHARE * _TOLD for least in told) <= _HIDDEN.get(scene.trouble, 0)


def light(scene: Scene, seed: int, paths: int) -> Picture:
    """The light that falls into the camera, linear red, green, blue, with so many paths for each pixel."""
    if len(scene.moments) > 1:
        paths = max(1, round(1.6 * paths / len(scene.moments)))
    elif any(make.clear for make in scene.makes):
        paths = round(_CLEAR * paths)
    view = scene.view if scene.view.size_px[0] <= _FINE_PX else _shrunk(scene.view, _COARSER)
    taken = [
        trace(list(zip(dice, scene.makes, strict=True)), scene.stage, view, paths=paths, seed=seed + 7919 * moment)
        for moment, dice in enumerate(scene.moments)
    ]
    light = quieted(*(np.asarray(np.mean(layer, axis=0), np.float32) for layer in zip(*taken, strict=True)))
    enlarged = cv2.resize(light, scene.view.size_px, interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.maximum(enlarged, 0.0), np.float32)


def _shrunk(view: View, share: float) -> View:
    width, height = (round(share * length) for length in view.size_px)
    return replace(view, size_px=(width, height), focal_px=share * view.focal_px)


def _exposed(scene: Scene, light: Picture, rng: Random) -> tuple[Image | None, Film]:
    """The picture, if it shows the scene's trouble and no other."""
    film = scene.film
    if scene.trouble in ("dark", "washed-out"):
        for _ in range(14):
            film = replace(film, gain=film.gain * (0.6 if scene.trouble == "dark" else 1.5))
            image = develop(light, film, rng)
            if np.mean([min(pip_contrasts(image, scene.view, *die)) < _LOST for die in scene.dice]) > 0.6:
                return image, film
        return None, film
    image = develop(light, film, rng)
    told = [pip_contrasts(image, scene.view, *die) for die in scene.dice]
    if scene.trouble == "glare":
        burnt = any(
            min(contrasts) < _LOST and brightness(image, scene.view, die) > _BURNT
            for contrasts, (die, _) in zip(told, scene.dice, strict=True)
        )
        return (image if burnt else None), film
    untold = sum(min(contrasts) < _TOLD for contrasts in told)
    return (image if untold <= _HIDDEN.get(scene.trouble, 0) else None), film


def face_up(die: LyingDie) -> int:
    """The face that looks up most."""
    return max(range(1, 7), key=lambda face: float(np.array(die.rotation)[2] @ face_frame(face)[2]))


def _emblem_up(scene: Scene) -> bool:
    return any(face_up(die) in make.emblems for die, make in scene.dice)


def _on_face(die: LyingDie, places: Array) -> Array:
    """Where places on the face that looks up (n x 2, in sides) are in space (n x 3, mm)."""
    along, across, out = face_frame(face_up(die))
    own = die.side_mm * (places[:, :1] * along + places[:, 1:] * across + 0.5 * out)
    return np.asarray(np.array([die.x_mm, die.y_mm, die.z_mm]) + own @ np.array(die.rotation).T)


def pip_contrasts(image: Image, view: View, die: LyingDie, make: Make) -> list[float]:
    """By how many grey levels, in the colour that shows it best, each pip of the face that looks up stands out.

    Faces with an emblem count as told.
    """
    face = face_up(die)
    if face in make.emblems:
        return [255.0]
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    found = []
    for x, y, radius in pip_places(face, make.style):
        pip = np.concatenate([[[0, 0]], 0.4 * radius * circle]) + np.array([x, y])
        rim = 1.45 * radius * circle + np.array([x, y])
        inside, outside = (_levels(image, view.pixels(_on_face(die, places))) for places in (pip, rim))
        found.append(float(np.abs(inside.mean(axis=0) - np.median(outside, axis=0)).max()))
    return found


def brightness(image: Image, view: View, die: LyingDie) -> float:
    """The grey level that a quarter of the face that looks up is brighter than."""
    line = np.linspace(-0.35, 0.35, 9)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return float(np.percentile(_levels(image, view.pixels(_on_face(die, grid))).mean(axis=1), 75))


def _levels(image: Image, places: Array) -> Array:
    height, width = image.shape[:2]
    x, y = np.clip(np.rint(places).astype(int), 0, [width - 1, height - 1]).T
    return np.asarray(image[y, x], float)


def _label(scene: Scene, image: Image) -> dict[str, Any]:
    height, width = image.shape[:2]
    dice = []
    for die, _ in scene.dice:
        edge = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        square = scene.view.pixels(_on_face(die, edge))
        middle = scene.view.pixels(_on_face(die, np.zeros((1, 2))))[0]
        side = float(np.mean(np.linalg.norm(square - np.roll(square, 1, axis=0), axis=1)))
        box = [round(float(middle[0]) - side / 2), round(float(middle[1]) - side / 2), round(side), round(side)]
        dice.append({"face": face_up(die), "box": box, "tilt_deg": round(tilt_deg(np.array(die.rotation)), 1)})
    verdict = TROUBLES.get(scene.trouble, Verdict.OK)
    if scene.trouble == "" and _emblem_up(scene):
        verdict = Verdict.UNSURE
    trouble = scene.trouble or ("emblem" if verdict is Verdict.UNSURE else "none")
    return {
        "width": width,
        "height": height,
        "count": len(dice),
        "dice": dice,
        "verdict": verdict.value,
        "scene": "top-down",
        "tags": sorted([*scene.tags, f"trouble-{trouble}"]),
    }
