"""The learned way of reading: a detector and two unlike classifiers, run by OpenCV's own dnn.

How the networks in vision/models were made, and what they are worth, stands in vision/models/CARD.md.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.reading import Box

Floats = npt.NDArray[np.float32]
Wanted = Callable[[float, float, float], bool]
"""Whether somebody asks what is there: its place and side in pixels."""

MODELS = Path(__file__).parent / "models"

CELL_PX = 8
"""What one answer of the detector stands for."""
CUT_PX, CUT_SIDES = 48, 1.6
"""A cut-out: its size, and how many sides of a face it is wide."""
WIDE_PX, WIDE_SIDES = 96, 2.4
"""A cut-out that also shows the sides of a die and what it rests on."""
CORE_PX = 40
"""The inner part of a cut-out, which the classifier by colours sees."""
UNIT_PX = 32.0
"""The side of a face that the detector calls size 0; the others by their logarithm."""

DIE, FOREIGN, HIDDEN, ACROSS, DOWN, SIZE, LEAN, FACES = 0, 1, 2, 3, 4, 5, 6, slice(10, 17)
DETECTOR_OUTPUTS = 17  # 7 to 9: stacked and the normal; they help to learn, the tilt network says them better
CUT_FACES, CUT_SMEAR, CUT_GLARE = slice(0, 7), 8, 9
CUT_OUTPUTS = 12  # 7, 10 and 11: leaning and the normal, likewise
TILT_NORMAL, TILT_STACKED, TILT_SPREAD, TILT_ASKEW = slice(0, 2), 2, 3, 4
TILT_OUTPUTS = 5  # the spread by its logarithm; how far askew it lies helps to learn, the reader does without
NONE = 6
"""Where the seven probabilities of faces say: none of the six."""

_LONG_PX = 512
_FINEST_PX = 2048
_SMALL_PX, _LARGE_PX = 17.0, 60.0  # sides of dice that the detector sees less well
_STILL_SMALL_PX = 22.0  # the same once it looks finer: there are seldom so small ones, so that it may take its time
_FEW, _PART, _PARTS_SURE = 2, 0.6, 0.6  # so few dice may each be several; their sides in its own, and their scores
_SURE, _KEEP, _MOST = 0.4, 0.08, 60
_SHRINK = 0.6  # what the next larger level may be shrunk by without its grain breaking up
_NORMAL_SPREAD, _LEAST_SPREAD = 0.12, 0.03  # of the normals said, usually and at least
_OUTLYING, _FITS = 1.5, 8  # spreads from which a normal counts half
_CAMERA_TILT, _ZOOM, _ZOOM_SPREAD = 0.25, 0.8, 0.4  # what cameras usually have: a, k, and how k differs
_APART = 0.5  # of a side: nearer centres are one die's
_RARER_SMEAR, _RARER_GLARE = 0.7, 0.4  # by which log odds fewer dice move or are burnt out than in what was learnt from
_RARER = np.zeros((DETECTOR_OUTPUTS, 1, 1), np.float32)
_RARER[[FOREIGN, HIDDEN], 0, 0] = 1.1, 3.3  # likewise fewer pictures show things, or hands and cloths
_RARER_NONE, _SURELY_DICE = 2.0, 0.5  # likewise fewer show no number among what the detector scores by more than that


@dataclass(frozen=True, eq=False)
class Opinion:
    """What the networks make of one die; probabilities 0 to 1, places in pixels of the picture as it was given."""

    x_px: float  # centre of the top face
    y_px: float
    side_px: float
    score: float  # that there is a die
    faces: Floats  # 3 x 7: detector, colours, edges; each 1 to 6 and none of them
    tilt_deg: float  # of the face turned to the camera against the plane that most dice of the picture agree on
    spread: float  # how far that face's normal is off from what was said, on the average
    lean: float  # that it does not lie flat, as the detector sees it among its like
    stacked: float  # that it lies on another die
    smear: float  # that it moves
    glare: float  # that a reflection hides pips

    @cached_property
    def fused(self) -> Floats:
        """The seven probabilities of the three together: their geometric mean, the detector's vote at a third."""
        logs = np.log(np.maximum(self.faces, 1e-6)) * np.array([[1 / 7], [3 / 7], [3 / 7]], np.float32)
        odds = np.exp(logs.sum(axis=0))
        return np.asarray(odds / odds.sum(), np.float32)

    @cached_property
    def face(self) -> int:
        """The likeliest face, 1 to 6."""
        return int(np.argmax(self.fused[:NONE])) + 1

    @cached_property
    def agreed(self) -> bool:
        """Whether both classifiers name the same face, and name one."""
        first, second = (int(np.argmax(row)) for row in self.faces[1:])
        return first == second != NONE

    @property
    def box(self) -> Box:
        """Of the top face."""
        return box_around(self.x_px, self.y_px, self.side_px)


@dataclass(frozen=True, slots=True, eq=False)
class Stranger:
    """Something of a die's size that is no die."""

    x_px: float
    y_px: float
    side_px: float
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What the networks make of a picture."""

    dice: tuple[Opinion, ...]  # the likeliest first
    strangers: tuple[Stranger, ...]  # the likeliest first
    hidden: Floats  # over the picture, coarse: how likely a hand or a cloth is there
    scale: float  # by which the picture was shrunk for the detector
    levels: list[Image]  # the picture and its halves, for whoever looks closer

    def within_px(self, x_px: float, y_px: float) -> float:
        """How far within the picture's edge a place is, in pixels."""
        height, width = self.levels[0].shape[:2]
        return float(min(x_px, y_px, width - x_px, height - y_px))


class Network:
    """The networks, ready to look at pictures; not for several threads at once."""

    def __init__(self) -> None:
        self._detector, self._colours, self._edges, self._tilt = (
            _net(MODELS / f"{name}.onnx") for name in ("detector", "colours", "edges", "tilt")
        )

    def look(self, image: Image) -> Sight:
        """Find the dice in a picture of any size and name their faces."""
        if min(image.shape[:2]) < CELL_PX:
            return Sight((), (), np.zeros((1, 1), np.float32), 1.0, [image])
        levels = pyramid(image)
        return self._sight(levels, self._find(levels))

    def look_again(self, sight: Sight, times: float, wanted: Wanted | None = None, *, turned: bool = False) -> Sight:
        """Look at the same picture when the detector sees it so many times as large as it did, at all or at a part.

        It may see it upside down: it has learnt from dice that lie any way, but is not quite the same to them.
        """
        levels = sight.levels
        if min(levels[0].shape[:2]) < CELL_PX:
            return sight
        seen = self._detect(levels, round(times * sight.scale * max(levels[0].shape)), turned=turned)
        if wanted is not None:
            asked = [wanted(*place) for place in seen.found[["x", "y", "side"]].tolist()]
            seen = replace(seen, found=seen.found[np.array(asked, bool)])
        return self._sight(levels, seen)

    def _sight(self, levels: list[Image], sight: "_Found") -> Sight:
        """What the other networks make of what the detector has found."""
        found = sight.found
        places = np.stack([found["x"], found["y"], found["side"]], axis=1)
        colours, edges = self._classify(cut_out(levels, places, CUT_SIDES))
        lying = _run(self._tilt, normalised(cut_out(levels, places, WIDE_SIDES, WIDE_PX)), TILT_OUTPUTS)
        spreads = np.exp(lying[:, TILT_SPREAD])
        level = level_normals(lying[:, TILT_NORMAL], _from_middle(places, levels[0]), found["score"], spreads)
        dice = _opinions(found, colours, edges, lying, level)
        return Sight(dice, sight.strangers, sight.hidden, sight.scale, levels)

    def feel(self, sight: Sight, dice: Sequence[Opinion], at: Floats) -> list[Opinion]:
        """How the same dice lie, felt at these places (n x 3: x, y, side in px) in all ways to lay a square down."""
        cuts = normalised(cut_out(sight.levels, at, WIDE_SIDES, WIDE_PX))
        said = np.mean([_laid(self._tilt, cuts, *way) for way in product((False, True), repeat=3)], axis=0)
        spreads, scores = np.exp(said[:, TILT_SPREAD]), np.array([die.score for die in dice], np.float32)
        level = level_normals(said[:, TILT_NORMAL], _from_middle(at, sight.levels[0]), scores, spreads)
        felt = zip(dice, _tilts_deg(said[:, TILT_NORMAL], level).tolist(), spreads.tolist(), strict=True)
        return [replace(die, tilt_deg=tilt_deg, spread=spread) for die, tilt_deg, spread in felt]

    def places(self, image: Image) -> Floats:
        """Only where dice are, in a third of the time: n x 4, the places of top faces, their sides and the scores.

        There is no time to look closely at each picture of a recording.
        """
        if min(image.shape[:2]) < CELL_PX:
            return np.zeros((0, 4), np.float32)
        found = self._find(pyramid(image), closely=False).found
        return np.stack([found[name] for name in _BASIC], axis=1)

    def _find(self, levels: list[Image], *, closely: bool = True) -> "_Found":
        """Where dice are, at the scale at which the detector sees those of this size best.

        Looked at closely, where it surely sees none they may be smaller yet, and what seems to be one of few may be
        several: five dice that lie as the pips of a 5 do are one to it.
        """
        longest_px, long_px, finest_px = max(levels[0].shape), _LONG_PX, _FINEST_PX if closely else 2 * _LONG_PX
        sight = self._detect(levels, long_px)
        while longest_px > 1.3 * long_px and long_px < finest_px:
            small = 0 < sight.usual_px * sight.scale < (_SMALL_PX if long_px == _LONG_PX else _STILL_SMALL_PX)
            if not (small or (closely and sight.few)):
                break
            long_px = min(2 * long_px, longest_px)
            finer = self._detect(levels, long_px)
            if small or finer.parts(sight):
                sight = finer
            elif len(sight.sides_px()):
                break
        return self._detect(levels, _LONG_PX // 2) if sight.usual_px * sight.scale > _LARGE_PX else sight

    def _detect(self, levels: list[Image], long_px: int, *, turned: bool = False) -> "_Found":
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
        self._detector.setInput(cv2.dnn.blobFromImage(small, 1 / spread, mean=mean.ravel().tolist()))
        said = np.asarray(self._detector.forward()[0], np.float32)
        said = said[:, : -(-rows // CELL_PX), : -(-columns // CELL_PX)] - _RARER
        steps = width / columns, height / rows
        strangers = tuple(Stranger(*(float(one[name]) for name in _BASIC)) for one in _peaks(said, FOREIGN, steps))
        found = _Found(_peaks(said, DIE, steps), strangers, _sigmoid(said[HIDDEN]), scale)
        return found.turned(width, height) if turned else found

    def _classify(self, cuts: Image) -> tuple[Floats, Floats]:
        """What the two classifiers say, n x CUT_OUTPUTS each."""
        rim = (CUT_PX - CORE_PX) // 2
        cores = normalised(cuts[:, rim:-rim, rim:-rim])
        return _run(self._colours, cores, CUT_OUTPUTS), _run(self._edges, normalised(cuts), CUT_OUTPUTS)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What the detector alone has found."""

    found: npt.NDArray[np.void]
    strangers: tuple[Stranger, ...]
    hidden: Floats
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

    def parts(self, coarser: "_Found") -> bool:
        """Whether a coarser look took several of these for one, or for none; grain may be both, so they must be surer."""
        known, parts = coarser.sides_px(), self.sides_px(_PARTS_SURE)
        return len(parts) > len(known) and not (len(known) and np.median(parts) > _PART * coarser.usual_px)

    def turned(self, width: int, height: int) -> "_Found":
        """The same of the picture upside down, so many pixels wide and high."""
        found = self.found.copy()
        found["x"], found["y"] = width - 1 - found["x"], height - 1 - found["y"]
        strangers = (replace(one, x_px=width - 1 - one.x_px, y_px=height - 1 - one.y_px) for one in self.strangers)
        return replace(self, found=found, strangers=tuple(strangers), hidden=self.hidden[::-1, ::-1].copy())


_PEAK = np.dtype([("x", "f4"), ("y", "f4"), ("side", "f4"), ("score", "f4"), ("said", "f4", (DETECTOR_OUTPUTS,))])
_BASIC = ["x", "y", "side", "score"]


def _net(path: Path) -> cv2.dnn.Net:
    # OpenCV 5 has two engines; the older one is faster for networks this small.
    engine = getattr(cv2.dnn, "ENGINE_CLASSIC", None)
    return cv2.dnn.readNetFromONNX(str(path)) if engine is None else cv2.dnn.readNetFromONNX(str(path), engine)


def _run(net: cv2.dnn.Net, pictures: Floats, outputs: int) -> Floats:
    """What a network says of each picture, n x outputs."""
    if not len(pictures):
        return np.zeros((0, outputs), np.float32)
    net.setInput(pictures)
    return np.asarray(net.forward(), np.float32)


def _laid(net: cv2.dnn.Net, cuts: Floats, mirrored: bool, upside: bool, turned: bool) -> Floats:
    """What the tilt network says of cut-outs that are laid down otherwise; of their normals, as they lie."""
    laid = cuts.swapaxes(2, 3) if turned else cuts
    laid = laid[:, :, :: -1 if upside else 1, :: -1 if mirrored else 1]
    said = _run(net, np.ascontiguousarray(laid), TILT_OUTPUTS).copy()
    said[:, TILT_NORMAL] *= (-1 if mirrored else 1, -1 if upside else 1)
    if turned:
        said[:, TILT_NORMAL] = said[:, TILT_NORMAL][:, ::-1].copy()
    return said


def _tilts_deg(normals: Floats, level: Floats) -> Floats:
    """How far normals are from those of level faces (n)."""
    return np.asarray(np.degrees(np.arcsin(np.minimum(np.hypot(*(normals - level).T), 1.0))), np.float32)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)


def _softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def _peaks(said: Floats, channel: int, steps: tuple[float, float]) -> npt.NDArray[np.void]:
    """The local maxima of a heat-map, the strongest first, none within half a side of a stronger one."""
    heat = _sigmoid(said[channel])
    rows, columns = np.nonzero((heat > _KEEP) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))))
    order = np.argsort(-heat[rows, columns], kind="stable")[: 2 * _MOST]
    rows, columns = rows[order], columns[order]
    across, down = steps
    peaks = np.zeros(len(order), _PEAK)
    peaks["said"] = here = said[:, rows, columns].T
    peaks["x"] = (columns + 0.5 + here[:, ACROSS]) * CELL_PX * across - 0.5
    peaks["y"] = (rows + 0.5 + here[:, DOWN]) * CELL_PX * down - 0.5
    peaks["side"] = UNIT_PX * np.exp(np.clip(here[:, SIZE], -3, 3)) * (across * down) ** 0.5
    peaks["score"] = heat[rows, columns]
    kept: dict[int, tuple[float, float, float]] = {}
    for number, (x, y, side) in enumerate(peaks[["x", "y", "side"]].tolist()):
        if all(math.hypot(x - left, y - top) > _APART * min(side, other) for left, top, other in kept.values()):
            kept[number] = x, y, side
    return peaks[list(kept)[:_MOST]]


def box_around(x_px: float, y_px: float, side_px: float) -> Box:
    """The box of a top face."""
    return round(x_px - side_px / 2), round(y_px - side_px / 2), round(side_px), round(side_px)


def pyramid(image: Image) -> list[Image]:
    """The picture, and it again at half the size, and so on down to CUT_PX."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 2 * CUT_PX:
        rows, columns = levels[-1].shape[:2]
        even = levels[-1][: rows - rows % 2, : columns - columns % 2]
        levels.append(np.asarray(cv2.resize(even, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8))
    return levels


def cut_out(levels: list[Image], places: npt.NDArray[np.floating], sides: float, size_px: int = CUT_PX) -> Image:
    """Cut-outs around faces (n x 3: x, y, side, in pixels of the first level), n x size_px x size_px x 3."""
    cuts = np.empty((len(places), size_px, size_px, 3), np.uint8)
    middle = (size_px - 1) / 2
    for cut, (x, y, side) in zip(cuts, places.tolist(), strict=True):
        scale, level = size_px / (sides * max(side, 1.0)), 0
        while scale < _SHRINK and level < len(levels) - 1:
            x, y, scale, level = x / 2 - 0.25, y / 2 - 0.25, scale * 2, level + 1
        move = np.array([[scale, 0, middle - scale * x], [0, scale, middle - scale * y]])
        cv2.warpAffine(levels[level], move, (size_px, size_px), dst=cut, borderMode=cv2.BORDER_REPLICATE)
    return cuts


def normalised(pictures: Image) -> Floats:
    """Pictures (n x h x w x 3) as the networks take them (n x 3 x h x w): each with mean 0 a colour, deviation 1."""
    x = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), dtype=np.float32)
    x -= x.mean(axis=(2, 3), keepdims=True)
    x /= (np.sqrt(np.einsum("nchw,nchw->n", x, x) / np.prod(x.shape[1:])) + 4.0)[:, None, None, None]
    return x


def _from_middle(places: npt.NDArray[np.floating], image: Image) -> Floats:
    """How far places are from the picture's middle, in lengths of its long side (n x 2)."""
    height, width = image.shape[:2]
    return np.asarray((places[:, :2] - (width / 2, height / 2)) / max(height, width), np.float32)


def level_normals(normals: Floats, places: Floats, scores: Floats, spreads: Floats) -> Floats:
    """What the normals of top faces would be on a plane that as many of them as possible share (n x 2).

    Seen from a pinhole, the normal a (its part across the camera's axis) of all level faces is seen by one at a place,
    which the zoom k makes the direction q = k * place, as a + q * (c - a q) / (1 + q q) across the line of sight; c is
    the normal's part along the axis. Both are found by least squares. The surer a normal is, the more it counts: dice
    whose sides their neighbours cover say little, nor does what is hardly a die by its score. An outlier's share falls
    with its distance. With less than three dice plane and zoom are mostly what cameras usually have.
    """
    count = len(normals)
    off_by = np.hypot(spreads, _LEAST_SPREAD)
    share = (np.clip(scores, 0.01, 1) * _NORMAL_SPREAD / off_by) ** 2
    rows = np.zeros((2 * count + 3, 3))
    said = np.zeros(2 * count + 3)
    rows[0 : 2 * count : 2, 0] = rows[1 : 2 * count : 2, 1] = 1
    rows[-3:] = np.diag([_NORMAL_SPREAD / _CAMERA_TILT] * 2 + [_NORMAL_SPREAD / _ZOOM_SPREAD])
    said[: 2 * count], said[-1] = normals.ravel(), rows[-1, 2] * _ZOOM
    plane, off = np.array([0.0, 0.0, _ZOOM]), np.zeros(count)
    for _ in range(_FITS):
        ways = plane[2] * places
        along = math.sqrt(max(1 - float(plane[:2] @ plane[:2]), 0.0))
        rows[: 2 * count, 2] = (places * ((along - ways @ plane[:2]) / (1 + (ways**2).sum(axis=1)))[:, None]).ravel()
        weighed = rows.T * np.concatenate([np.repeat(share / (1 + (off / (_OUTLYING * off_by)) ** 2), 2), np.ones(3)])
        plane = np.linalg.solve(weighed @ rows, weighed @ said)
        off = np.hypot(*(rows @ plane - said)[: 2 * count].reshape(-1, 2).T)
    return np.asarray((rows @ plane)[: 2 * count].reshape(-1, 2), np.float32)


def reckoned(faces: Floats, surely: npt.NDArray[np.bool_]) -> Floats:
    """What a classifier says of faces (n x 7), where a surer die less often shows no number; the 1 gains nothing.

    A spot that stands alone is what flowers, caps and gleams show as well.
    """
    less = faces.copy()
    less[surely & (faces[:, :NONE].argmax(axis=1) > 0), NONE] -= _RARER_NONE
    return less


def _opinions(
    found: npt.NDArray[np.void], colours: Floats, edges: Floats, lying: Floats, level: Floats
) -> tuple[Opinion, ...]:
    surely = found["score"] > _SURELY_DICE
    named = reckoned(colours[:, CUT_FACES], surely), reckoned(edges[:, CUT_FACES], surely)
    faces = np.stack([found["said"][:, FACES], *named], axis=1)
    both = np.asarray((colours + edges) / 2, np.float32)
    columns = (
        *(found[name] for name in _BASIC),
        _softmax(faces),
        _tilts_deg(lying[:, TILT_NORMAL], level),
        np.exp(lying[:, TILT_SPREAD]),
        _sigmoid(found["said"][:, LEAN]),
        _sigmoid(lying[:, TILT_STACKED]),
        _sigmoid(both[:, CUT_SMEAR] - _RARER_SMEAR),
        _sigmoid(both[:, CUT_GLARE] - _RARER_GLARE),
    )
    return tuple(Opinion(*row) for row in zip(*(c if c.ndim > 1 else c.tolist() for c in columns), strict=True))
