"""Patches of scenes and photographs: dice, things and bare ground, each in the middle of a small picture."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.drawing import Array, Random
from vision.training.looks import NONE
from vision.training.scenes import DIE, FOREIGN, IGNORED, THING, UNKNOWN, Scene

PATCH_PX, PATCH_SIDES = 160, 3.4
"""A patch: its size, and how many sides of what is in its middle it is wide."""
_MOST = 9  # things of a scene
_SMALLEST_PX = 9.0
_LOOKED_AT = 14  # places of a scene, of which those with most to see show best what is none
_GROUND_SIDES = 0.5, 1.6  # of what may lie there, in those of the dice
_CLEAR_OF = 0.85  # sides from a thing to bare ground
_STORED, _QUALITIES = 0.4, (30, 90)  # share of the drawn patches that a file format spoils once more


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """Patches of one source."""

    pictures: npt.NDArray[np.uint8]  # n x PATCH_PX x PATCH_PX x 3
    labels: npt.NDArray[np.void]  # n of THING; face 0 where nobody knows; bare ground is a foreign thing without one


def patches(seed: int, scenes: Iterable[Scene], ground: int, *, drawn: bool) -> Patches:
    """The patches of scenes, with so many of bare ground from each; those that are drawn are spoilt as files are."""
    pictures: list[Array] = []
    labels: list[npt.NDArray[np.void]] = []
    for number, scene in enumerate(scenes):
        rng = np.random.default_rng((seed, 9, number))
        for one in [*_things(rng, scene), *_bare(rng, scene, ground)]:
            picture = _around(scene.picture, one)
            pictures.append(_stored(rng, picture) if drawn and rng.random() < _STORED else picture)
            labels.append(one)
    if not pictures:
        return Patches(np.zeros((0, PATCH_PX, PATCH_PX, 3), np.uint8), np.zeros(0, THING))
    return Patches(np.stack(pictures), np.stack(labels))


def joined(some: Sequence[Patches]) -> Patches:
    """The patches of several sources, one after the other."""
    return Patches(np.concatenate([one.pictures for one in some]), np.concatenate([one.labels for one in some]))


def _things(rng: Random, scene: Scene) -> list[npt.NDArray[np.void]]:
    usable = scene.things[(scene.things["kind"] != IGNORED) & (scene.things["side"] >= _SMALLEST_PX)]
    chosen = usable[rng.permutation(len(usable))[:_MOST]].copy()
    foreign = chosen["kind"] == FOREIGN
    chosen["lean"][foreign] = chosen["stacked"][foreign] = -1
    # Nobody is to name a face that leans, moves or is burnt out.
    spoilt = ~foreign & ((chosen["lean"] == 1) | (chosen["smear"] == 1) | (chosen["glare"] == 1))
    chosen["face"][spoilt] = 0
    return list(chosen)


def _bare(rng: Random, scene: Scene, count: int) -> list[npt.NDArray[np.void]]:
    """Places where nothing lies: those with most to see, and one by lot."""
    if not count:
        return []
    things, (rows, columns) = scene.things, scene.picture.shape[:2]
    usual_px = float(np.median(things["side"])) if len(things) else float(rng.uniform(15, 70))
    seen = []
    for _ in range(_LOOKED_AT):
        x, y = rng.uniform(0, columns), rng.uniform(0, rows)
        side = max(usual_px * float(np.exp(rng.uniform(*np.log(_GROUND_SIDES)))), _SMALLEST_PX)
        if (np.hypot(things["x"] - x, things["y"] - y) < _CLEAR_OF * np.maximum(things["side"], side)).any():
            continue
        reach = int(0.6 * side)
        window = scene.picture[max(int(y) - reach, 0) : int(y) + reach, max(int(x) - reach, 0) : int(x) + reach]
        row = FOREIGN, NONE, x, y, side, -1, -1, -1, -1, *UNKNOWN
        seen.append((float(window.std()), np.array(row, THING)))
    seen.sort(key=lambda one: -one[0])
    by_lot = [seen[int(rng.integers(len(seen)))]] if seen else []
    return [one for _, one in (*seen[: count - 1], *by_lot)]


def _around(picture: Array, one: npt.NDArray[np.void]) -> Array:
    x, y, scale = float(one["x"]), float(one["y"]), PATCH_PX / (PATCH_SIDES * float(one["side"]))
    while scale < 0.6:
        picture = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        x, y, scale = x / 2 - 0.25, y / 2 - 0.25, scale * 2
    middle = (PATCH_PX - 1) / 2
    move = np.array([[scale, 0, middle - scale * x], [0, scale, middle - scale * y]])
    return np.asarray(cv2.warpAffine(picture, move, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _stored(rng: Random, picture: Array) -> Array:
    _, file = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(*_QUALITIES))])
    return np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR), np.uint8)


def lots(sources: Sequence[tuple[float, Patches]]) -> npt.NDArray[np.float64]:
    """How likely each patch of the joined sources is drawn (n); of a source's share so much is of each kind."""
    lot = []
    for share, source in sources:
        labels = source.labels
        die = labels["kind"] == DIE
        tipped = (labels["lean"] == 1) | (labels["stacked"] == 1)
        smeared, burnt = labels["smear"] == 1, labels["glare"] == 1
        plain = die & ~tipped & ~smeared & ~burnt
        kinds = (0.55, plain), (0.13, die & tipped), (0.04, die & smeared), (0.08, die & burnt), (0.2, ~die)
        of_each = [(part, kind) for part, kind in kinds if kind.any()]
        weights = np.zeros(len(labels))
        for part, kind in of_each:
            weights[kind] += share * part / kind.sum()
        lot.append(weights)
    odds = np.concatenate(lot)
    return np.asarray(odds / odds.sum(), np.float64)
