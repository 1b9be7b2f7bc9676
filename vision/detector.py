"""Where dice, and things that are none, are in a picture: the network that finds them, at the scale that suits it."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image

Floats = npt.NDArray[np.float32]

CELL_PX = 8
"""What one answer of the detector stands for."""
UNIT_PX = 32.0
"""The side of a face that the detector calls size 0; the others by their logarithm."""

DIE, FOREIGN, HIDDEN, ACROSS, DOWN, SIZE, LEAN, FACES = 0, 1, 2, 3, 4, 5, 6, slice(10, 17)
DETECTOR_OUTPUTS = 17  # 7 to 9: stacked and the normal; they help to learn, the tilt network says them better
STRANGE = DETECTOR_OUTPUTS
"""Where the detector's last answer is, learnt after all others: that something lies there which is no die."""
BASIC = ["x", "y", "side", "score"]
"""What is said of anything that is found."""

_LONG_PX, _FINEST_PX = 512, 2048  # how long a picture is to it at first, and at most
_COARSE_PX = 256, 128  # the same where nothing else is seen
_SMALL_PX, _LARGE_PX = 17.0, 60.0  # sides of dice that the detector sees less well
_STILL_SMALL_PX = 22.0  # the same once it looks finer: there are seldom so small ones, so that it may take its time
_FEW, _PART, _PARTS_SURE = 2, 0.6, 0.6  # so few dice may each be several; their sides in its own, and their scores
_SURE, _KEEP, _MOST = 0.4, 0.08, 60
_APART = 0.5  # of a side: nearer centres are one die's
_RARER = np.zeros((DETECTOR_OUTPUTS + 1, 1, 1), np.float32)
_RARER[[FOREIGN, HIDDEN], 0, 0] = 1.1, 3.3  # by which log odds fewer pictures show things, or hands and cloths
_PEAK = np.dtype([("x", "f4"), ("y", "f4"), ("side", "f4"), ("score", "f4"), ("said", "f4", (DETECTOR_OUTPUTS,))])


@dataclass(frozen=True, slots=True, eq=False)
class Stranger:
    """Something of a die's size that is no die."""

    x_px: float
    y_px: float
    side_px: float
    score: float


class Detector:
    """Finds dice; not for several threads at once."""

    def __init__(self, path: Path) -> None:
        self._net = opened(path)

    def find(self, levels: list[Image], *, closely: bool = True) -> "Found":
        """Where dice are, at the scale at which the detector sees those of this size best.

        Looked at closely, where it surely sees none they may be smaller yet, and what seems to be one of few may be
        several: five dice that lie as the pips of a 5 do are one to it. Where it sees none even then, a die may fill
        the picture.
        """
        longest_px, long_px, finest_px = max(levels[0].shape), _LONG_PX, _FINEST_PX if closely else 2 * _LONG_PX
        sight = self.detect(levels, long_px)
        while longest_px > 1.3 * long_px and long_px < finest_px:
            small = 0 < sight.usual_px * sight.scale < (_SMALL_PX if long_px == _LONG_PX else _STILL_SMALL_PX)
            if not (small or (closely and sight.few)):
                break
            long_px = min(2 * long_px, longest_px)
            finer = self.detect(levels, long_px)
            if small or finer.parts(sight):
                sight = finer
            elif len(sight.sides_px()):
                break
        if sight.usual_px * sight.scale > _LARGE_PX:
            return self.detect(levels, _LONG_PX // 2)
        return self._filling(levels) or sight if closely and not len(sight.sides_px()) else sight

    def _filling(self, levels: list[Image]) -> "Found | None":
        """Dice that nearly fill the picture, if it surely sees any."""
        looks = (self.detect(levels, long_px) for long_px in _COARSE_PX)
        return next((sight for sight in looks if len(sight.sides_px(_PARTS_SURE))), None)

    def detect(self, levels: list[Image], long_px: int, *, turned: bool = False) -> "Found":
        """What it finds where the picture is so many pixels long; it may see it upside down."""
        height, width = levels[0].shape[:2]
        scale = long_px / max(height, width)
        rows, columns = (max(round(length * scale), 1) for length in (height, width))
        level = next((level for level in reversed(levels) if max(level.shape) >= long_px), levels[0])
        small = cv2.resize(level, (columns, rows), interpolation=cv2.INTER_LINEAR)
        small = cv2.rotate(small, cv2.ROTATE_180) if turned else small
        mean, deviation = cv2.meanStdDev(small)
        spread = float(np.sqrt((deviation**2).mean())) + 4.0
        small = cv2.copyMakeBorder(
            small, 0, -rows % 32, 0, -columns % 32, cv2.BORDER_CONSTANT, value=mean.ravel().tolist()
        )
        self._net.setInput(cv2.dnn.blobFromImage(small, 1 / spread, mean=mean.ravel().tolist()))
        said = np.asarray(self._net.forward()[0], np.float32)
        said = said[:, : -(-rows // CELL_PX), : -(-columns // CELL_PX)] - _RARER
        steps = width / columns, height / rows
        strangers = tuple(Stranger(*(float(one[name]) for name in BASIC)) for one in _peaks(said, FOREIGN, steps))
        found = Found(_peaks(said, DIE, steps), strangers, sigmoid(said[HIDDEN]), sigmoid(said[STRANGE]), scale)
        return found.turned(width, height) if turned else found


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What the detector alone has found."""

    found: npt.NDArray[np.void]
    strangers: tuple[Stranger, ...]
    hidden: Floats
    strange: Floats
    scale: float

    def sides_px(self, surely: float = _SURE) -> Floats:
        """The sides of what it sees so surely, in pixels of the picture."""
        return np.asarray(self.found["side"][self.found["score"] > surely], np.float32)

    @property
    def usual_px(self) -> float:
        """The one in the middle of what it surely sees; 0 where there is none."""
        sides = self.sides_px()
        return float(np.median(sides)) if len(sides) else 0.0

    @property
    def few(self) -> bool:
        """Whether there are so few that they may be several each, or none that it surely sees."""
        return len(self.sides_px()) <= _FEW

    def parts(self, coarser: "Found") -> bool:
        """Whether a coarser look took several of these for one, or did not see them.

        Grain may be either, so that they must be the surer.
        """
        known, parts = coarser.sides_px(), self.sides_px(_PARTS_SURE)
        return len(parts) > len(known) and not (len(known) and np.median(parts) > _PART * coarser.usual_px)

    def turned(self, width: int, height: int) -> "Found":
        """The same of the picture upside down, so many pixels wide and high."""
        found = self.found.copy()
        found["x"], found["y"] = width - 1 - found["x"], height - 1 - found["y"]
        strangers = (replace(one, x_px=width - 1 - one.x_px, y_px=height - 1 - one.y_px) for one in self.strangers)
        hidden, strange = (said[::-1, ::-1].copy() for said in (self.hidden, self.strange))
        return replace(self, found=found, strangers=tuple(strangers), hidden=hidden, strange=strange)


def opened(path: Path) -> cv2.dnn.Net:
    """The network in an ONNX file."""
    # OpenCV 5 has two engines; the older one is faster for networks this small.
    engine = getattr(cv2.dnn, "ENGINE_CLASSIC", None)
    return cv2.dnn.readNetFromONNX(str(path)) if engine is None else cv2.dnn.readNetFromONNX(str(path), engine)


def sigmoid(x: Floats) -> Floats:
    """The probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)


def _peaks(said: Floats, channel: int, steps: tuple[float, float]) -> npt.NDArray[np.void]:
    """The local maxima of a heat-map, the strongest first, none within half a side of a stronger one."""
    heat = sigmoid(said[channel])
    rows, columns = np.nonzero((heat > _KEEP) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))))
    order = np.argsort(-heat[rows, columns], kind="stable")[: 2 * _MOST]
    rows, columns = rows[order], columns[order]
    across, down = steps
    peaks = np.zeros(len(order), _PEAK)
    peaks["said"] = here = said[:DETECTOR_OUTPUTS, rows, columns].T
    peaks["x"] = (columns + 0.5 + here[:, ACROSS]) * CELL_PX * across - 0.5
    peaks["y"] = (rows + 0.5 + here[:, DOWN]) * CELL_PX * down - 0.5
    peaks["side"] = UNIT_PX * np.exp(np.clip(here[:, SIZE], -3, 3)) * (across * down) ** 0.5
    peaks["score"] = heat[rows, columns]
    kept: dict[int, tuple[float, float, float]] = {}
    for number, (x, y, side) in enumerate(peaks[["x", "y", "side"]].tolist()):
        if all(math.hypot(x - left, y - top) > _APART * min(side, other) for left, top, other in kept.values()):
            kept[number] = x, y, side
    return peaks[list(kept)[:_MOST]]
