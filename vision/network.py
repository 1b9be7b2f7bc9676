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

from vision.detector import BASIC, CELL_PX, FACES, LEAN, Detector, Floats, Found, Stranger, opened, sigmoid
from vision.picture import Image
from vision.reading import Box

Wanted = Callable[[float, float, float], bool]
"""Whether somebody asks what is there: its place and side in pixels."""

MODELS = Path(__file__).parent / "models"

CUT_PX, CUT_SIDES = 48, 1.6
"""A cut-out: its size, and how many sides of a face it is wide."""
WIDE_PX, WIDE_SIDES = 96, 2.4
"""A cut-out that also shows the sides of a die and what it rests on."""
CORE_PX = 40
"""The inner part of a cut-out, which the classifier by colours sees."""
CUT_FACES, CUT_SMEAR, CUT_GLARE, CUT_NORMAL = slice(0, 7), 8, 9, slice(10, 12)
CUT_OUTPUTS = 12  # 7: leaning; it helps to learn
TILT_NORMAL, TILT_STACKED, TILT_SPREAD, TILT_ASKEW = slice(0, 2), 2, 3, 4
TILT_OUTPUTS = 5  # the spread by its logarithm; how far askew it lies helps to learn, the reader does without
NONE = 6
"""Where the seven probabilities of faces say: none of the six."""

_SHRINK = 0.6  # what the next larger level may be shrunk by without its grain breaking up
_NORMAL_SPREAD, _LEAST_SPREAD = 0.12, 0.03  # of the normals said, usually and at least
_FACES_SPREAD = 0.08  # of those that the classifiers say
_OUTLYING, _FITS = 1.5, 8  # spreads from which a normal counts half
_CAMERA_TILT, _ZOOM, _ZOOM_SPREAD = 0.25, 0.8, 0.4  # what cameras usually have: a, k, and how k differs
_RARER_SMEAR, _RARER_GLARE = 0.7, 0.4  # by which log odds fewer dice move or are burnt out than in what was learnt from
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
class Sight:
    """What the networks make of a picture."""

    dice: tuple[Opinion, ...]  # the likeliest first
    strangers: tuple[Stranger, ...]  # the likeliest first
    hidden: Floats  # over the picture, coarse: how likely a hand or a cloth is there
    strange: Floats  # likewise: how likely something lies there that is no die
    scale: float  # by which the picture was shrunk for the detector
    levels: list[Image]  # the picture and its halves, for whoever looks closer

    def within_px(self, x_px: float, y_px: float) -> float:
        """How far within the picture's edge a place is, in pixels."""
        height, width = self.levels[0].shape[:2]
        return float(min(x_px, y_px, width - x_px, height - y_px))


class Network:
    """The networks, ready to look at pictures; not for several threads at once."""

    def __init__(self) -> None:
        self._detector = Detector(MODELS / "detector.onnx")
        self._colours, self._edges, self._tilt = (
            opened(MODELS / f"{name}.onnx") for name in ("colours", "edges", "tilt")
        )

    def look(self, image: Image) -> Sight:
        """Find the dice in a picture of any size and name their faces."""
        if min(image.shape[:2]) < CELL_PX:
            nothing = np.zeros((1, 1), np.float32)
            return Sight((), (), nothing, nothing, 1.0, [image])
        levels = pyramid(image)
        return self._sight(levels, self._detector.find(levels))

    def look_again(self, sight: Sight, times: float, wanted: Wanted | None = None, *, turned: bool = False) -> Sight:
        """Look at the same picture when the detector sees it so many times as large as it did, at all or at a part.

        It may see it upside down: it has learnt from dice that lie any way, but is not quite the same to them.
        """
        levels = sight.levels
        if min(levels[0].shape[:2]) < CELL_PX:
            return sight
        seen = self._detector.detect(levels, round(times * sight.scale * max(levels[0].shape)), turned=turned)
        if wanted is not None:
            asked = [wanted(*place) for place in seen.found[["x", "y", "side"]].tolist()]
            seen = replace(seen, found=seen.found[np.array(asked, bool)])
        return self._sight(levels, seen)

    def _sight(self, levels: list[Image], sight: Found) -> Sight:
        """What the other networks make of what the detector has found."""
        found = sight.found
        places = np.stack([found["x"], found["y"], found["side"]], axis=1)
        colours, edges = self._classify(cut_out(levels, places, CUT_SIDES))
        lying = _run(self._tilt, normalised(cut_out(levels, places, WIDE_SIDES, WIDE_PX)), TILT_OUTPUTS)
        spreads = np.exp(lying[:, TILT_SPREAD])
        level = level_normals(lying[:, TILT_NORMAL], _from_middle(places, levels[0]), found["score"], spreads)
        dice = _opinions(found, colours, edges, lying, level)
        return Sight(dice, sight.strangers, sight.hidden, sight.strange, sight.scale, levels)

    def feel(self, sight: Sight, dice: Sequence[Opinion], at: Floats) -> list[Opinion]:
        """How the same dice lie, felt at these places (n x 3: x, y, side in px) in all ways to lay a square down."""
        cuts = normalised(cut_out(sight.levels, at, WIDE_SIDES, WIDE_PX))
        said = _every_way(self._tilt, cuts, TILT_OUTPUTS, TILT_NORMAL)
        spreads, scores = np.exp(said[:, TILT_SPREAD]), np.array([die.score for die in dice], np.float32)
        level = level_normals(said[:, TILT_NORMAL], _from_middle(at, sight.levels[0]), scores, spreads)
        felt = zip(dice, _tilts_deg(said[:, TILT_NORMAL], level).tolist(), spreads.tolist(), strict=True)
        return [replace(die, tilt_deg=tilt_deg, spread=spread) for die, tilt_deg, spread in felt]

    def feel_by_faces(self, sight: Sight, dice: Sequence[Opinion], at: Floats) -> Floats:
        """The tilt in degrees (n) of the same dice by what the two classifiers say, who see nothing but the face.

        By themselves they know it less well, but they are not deceived by what deceives the network that feels it.
        """
        cuts = cut_out(sight.levels, at, CUT_SIDES)
        scores = np.array([die.score for die in dice], np.float32)
        spreads = np.full(len(dice), _FACES_SPREAD, np.float32)
        tilts_deg = []
        for net, seen in (self._colours, _cores(cuts)), (self._edges, cuts):
            normals = _every_way(net, normalised(seen), CUT_OUTPUTS, CUT_NORMAL)[:, CUT_NORMAL]
            level = level_normals(normals, _from_middle(at, sight.levels[0]), scores, spreads)
            tilts_deg.append(_tilts_deg(normals, level))
        return np.asarray(np.mean(tilts_deg, axis=0), np.float32)

    def places(self, image: Image) -> Floats:
        """Only where dice are, in a third of the time: n x 4, the places of top faces, their sides and the scores.

        There is no time to look closely at each picture of a recording.
        """
        if min(image.shape[:2]) < CELL_PX:
            return np.zeros((0, 4), np.float32)
        found = self._detector.find(pyramid(image), closely=False).found
        return np.stack([found[name] for name in BASIC], axis=1)

    def _classify(self, cuts: Image) -> tuple[Floats, Floats]:
        """What the two classifiers say, n x CUT_OUTPUTS each."""
        colours = _run(self._colours, normalised(_cores(cuts)), CUT_OUTPUTS)
        return colours, _run(self._edges, normalised(cuts), CUT_OUTPUTS)


def _cores(cuts: Image) -> Image:
    """What the classifier by colours sees of cut-outs."""
    rim = (CUT_PX - CORE_PX) // 2
    return cuts[:, rim:-rim, rim:-rim]


def _run(net: cv2.dnn.Net, pictures: Floats, outputs: int) -> Floats:
    """What a network says of each picture, n x outputs."""
    if not len(pictures):
        return np.zeros((0, outputs), np.float32)
    net.setInput(pictures)
    return np.asarray(net.forward(), np.float32)


def _every_way(net: cv2.dnn.Net, cuts: Floats, outputs: int, normal: slice) -> Floats:
    """What a network says of cut-outs in the middle of all eight ways to lay a square down (n x outputs)."""
    ways = product((False, True), repeat=3)
    return np.asarray(np.mean([_laid(net, cuts, outputs, normal, *way) for way in ways], axis=0), np.float32)


def _laid(
    net: cv2.dnn.Net, cuts: Floats, outputs: int, normal: slice, mirrored: bool, upside: bool, turned: bool
) -> Floats:
    """What a network says of cut-outs that are laid down otherwise; of their normals, as they lie."""
    laid = cuts.swapaxes(2, 3) if turned else cuts
    laid = laid[:, :, :: -1 if upside else 1, :: -1 if mirrored else 1]
    said = _run(net, np.ascontiguousarray(laid), outputs).copy()
    said[:, normal] *= (-1 if mirrored else 1, -1 if upside else 1)
    if turned:
        said[:, normal] = said[:, normal][:, ::-1].copy()
    return said


def _tilts_deg(normals: Floats, level: Floats) -> Floats:
    """How far normals are from those of level faces (n)."""
    return np.asarray(np.degrees(np.arcsin(np.minimum(np.hypot(*(normals - level).T), 1.0))), np.float32)


def _softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


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

    Through a pinhole of zoom k a level face at q = k * place shows the normal a + q * (c - a q) / (1 + q q), where a
    and c are the common normal's parts across and along the camera's axis. Both are found by least squares. The surer a
    normal is, the more it counts: dice whose sides their neighbours cover say little, and so does what is hardly a die
    by its score. An outlier's share falls with its distance. With less than three dice plane and zoom are mostly what
    cameras usually have.
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
        *(found[name] for name in BASIC),
        _softmax(faces),
        _tilts_deg(lying[:, TILT_NORMAL], level),
        np.exp(lying[:, TILT_SPREAD]),
        sigmoid(found["said"][:, LEAN]),
        sigmoid(lying[:, TILT_STACKED]),
        sigmoid(both[:, CUT_SMEAR] - _RARER_SMEAR),
        sigmoid(both[:, CUT_GLARE] - _RARER_GLARE),
    )
    return tuple(Opinion(*row) for row in zip(*(c if c.ndim > 1 else c.tolist() for c in columns), strict=True))
