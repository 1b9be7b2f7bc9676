"""Whether a die lies as it did, in whatever light, and whether another rolls beside those that do."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading import Box

Grey = npt.NDArray[np.float32]

SCENE_PX = 640
"""Long side of the picture in which movement is measured."""
_LIKE = 0.975  # correlation with the resting die, whatever the light
STILL_PX = 0.5
"""A die with no corner further away stays, in a picture of SCENE_PX."""
_MARGIN = 0.15  # of its side around a die is looked at too
_LIKE_AWAY = 0.95  # where it has moved by about a pixel, which makes that much of a small die
_FADED = 1 / 3  # of its contrast: a die that shows no more may be another
_DIM = 0.5  # times the light: less is allowed for
_BLACK = 0.1  # of a scene's contrast: less, in a dim light, shows nothing
_EDGELESS = 0.5  # squared grey levels a pixel: mean slopes below are noise
_FAINT_LEVELS = 3.0  # a die whose picture differs by no more is the same, however little it correlates
_ROLLS = 2  # looks after which a die beside the resting ones has moved: a finger may pass for one once
_AS_LARGE = 0.6, 1.6  # times the resting dice


@dataclass(frozen=True, eq=False)
class Resting:
    """One die at rest: where it is in the small picture, and what it looks like there, smoothed."""

    left: int
    top: int
    look: Grey

    @classmethod
    def seen(cls, scene: Grey, left: int, top: int, shape: tuple[int, ...]) -> "Resting":
        """The die in this place of a scene."""
        return cls(left, top, smooth(scene[top : top + shape[0], left : left + shape[1]]))

    @classmethod
    def found(cls, scene: Grey, box: Box, scale: float) -> "Resting":
        """The die of a box in the picture that a scene shows so many times as large."""
        left, top, right, bottom = _around(box, scale, scene.shape)
        return cls.seen(scene, left, top, (bottom - top, right - left))

    def stays(self, scene: Grey) -> bool:
        """Whether the die is in this scene as it rests, in whatever light."""
        return self.moved_px(scene) <= STILL_PX

    def moved_px(self, scene: Grey) -> float:
        """How far it has moved in this scene, in a picture of SCENE_PX; infinitely far where it is not seen."""
        now = self.seen(scene, self.left, self.top, self.look.shape).look
        away_px = self._moved_px(now) * SCENE_PX / max(scene.shape)
        return away_px if self._is_like(now, _LIKE if away_px <= STILL_PX else _LIKE_AWAY) else math.inf

    def again(self, scene: Grey) -> "Resting":
        """What is at its place in this scene."""
        return self.seen(scene, self.left, self.top, self.look.shape)

    def is_at(self, other: "Resting") -> bool:
        """Whether the other is the same die, as far as its place tells."""
        return abs(self.left - other.left) + abs(self.top - other.top) < len(self.look) / 2

    def _is_like(self, now: Grey, least: float) -> bool:
        before, after = self.look - self.look.mean(), now - now.mean()
        power = float((before * before).sum())
        gain = float((before * after).sum()) / max(power, 1e-6)
        if gain < _FADED:
            return False
        # A shadow or a lamp's flicker that runs through the picture does not lie on all of the die alike.
        told = (self._lit @ after.ravel()) @ self._lit
        rest = float(np.sqrt(np.mean((after.ravel() - told) ** 2)))
        like = float(np.sqrt((told * told).sum())) / max(float(np.sqrt((after * after).sum())), 1e-6)
        return like >= least or rest <= _FAINT_LEVELS

    def _moved_px(self, now: Grey) -> float:
        """How far the corner that moved most is from where it was, at most; right for small movements."""
        gain, across, down, turn = (float(cause) for cause in self._explain[-4:] @ now.ravel())
        reach_px = math.hypot(*self.look.shape) / 2 / (1 + 2 * _MARGIN)
        return (math.hypot(across, down) + abs(turn) * reach_px) / max(gain, 1e-6)

    @cached_property
    def _lit(self) -> Grey:
        """What light alone makes of the picture of the die, more of it on one side too: 5 x pixels, orthonormal."""
        even = np.ones_like(self.look)
        seen = np.stack([even, self.look, *_aslant(self.look), *_aslant(even)]).reshape(6, -1)
        return np.asarray(np.linalg.qr(seen.T)[0].T[1:], np.float32)

    @cached_property
    def _explain(self) -> Grey:
        """What tells of a picture of the die the light on it, and how it moved: 7 x pixels.

        The last four tell how much light there is, and by how much it moved across, down and around.
        """
        down, across = np.gradient(self.look)
        y, x = (np.arange(length, dtype=np.float32) - (length - 1) / 2 for length in self.look.shape)
        turn = y[:, None] * across - x * down
        flat, aslant = np.ones_like(self.look), _aslant(self.look)
        causes = np.stack([flat, *aslant, self.look, -across, -down, turn]).reshape(7, -1)
        # What has no edges does not move by what noise makes of it.
        doubt = _EDGELESS * self.look.size * np.array([0, 1, 1, 0, 1, 1, self.look.size / 6])
        return np.asarray(np.linalg.solve(causes @ causes.T + np.diag(doubt), causes), np.float32)


class Rolling:
    """The dice that are seen beside resting ones from look to look, and whether any of them has rolled."""

    def __init__(self) -> None:
        self.dice: list[Resting] = []  # of the last look
        self.last = -1  # the last frame at which one of them had moved
        self._looked = 0  # when the last look was
        self._rolls: deque[int] = deque(maxlen=_ROLLS)  # the looks after which one had

    def look(self, dice: Sequence[Resting], resting: Sequence[Resting], scene: Grey, number: int) -> None:
        """Take in the dice that do not rest in the scene of that number; what is of another size is a hand's."""
        if not all(die.stays(scene) for die in self.dice):
            self._rolls.append(self._looked)
            self.last = number
        sides = [max(die.look.shape) for die in resting or dice]
        least, most = (times * float(np.median(sides)) if sides else 0.0 for times in _AS_LARGE)
        self.dice = [die for die in dice if least <= max(die.look.shape) <= most]
        self._looked = number

    def since(self, first: int) -> bool:
        """Whether one has rolled since that frame."""
        return len(self._rolls) == _ROLLS and self._rolls[0] >= first

    def forget(self) -> None:
        """Whatever was seen has come to lie, or is gone."""
        self.dice = []
        self._rolls.clear()


def moved_px(dice: Sequence[Resting], scene: Grey, most: float) -> float:
    """How far the die that moved most has moved in the scene; infinitely far if that is more than `most`."""
    furthest = 0.0
    for die in dice:
        furthest = max(furthest, die.moved_px(scene))
        if furthest > most:
            return math.inf
    return furthest


def brightened(before: Grey, after: Grey) -> Grey:
    """The scene after, as it would be in the light before if that was much more."""
    light = light_between(before, after)
    return after if light > _DIM else np.asarray(after / light, np.float32)


def is_black(before: Grey, after: Grey) -> bool:
    """Whether the light has gone so far that nothing of the scene before can be seen."""
    old, new = (cv2.resize(scene, blocks(before), interpolation=cv2.INTER_AREA) for scene in (before, after))
    return float(new.mean()) < _DIM * float(old.mean()) and float(new.std()) < _BLACK * float(old.std())


def light_between(before: Grey, after: Grey) -> float:
    """How many times brighter the light is after than before, by the middle of what the places of the scene say."""
    old, new = (cv2.resize(scene, blocks(before), interpolation=cv2.INTER_AREA) for scene in (before, after))
    return float(np.median((np.asarray(new) + 1) / (np.asarray(old) + 1)))


def smooth(look: Grey) -> Grey:
    """A scene, or a part of one, each place as the 3 x 3 around it are on the average."""
    return np.asarray(cv2.blur(look, (3, 3)), np.float32)


def _aslant(look: Grey) -> Grey:
    """A picture in light that grows from its middle, across and down: 2 x pictures."""
    y, x = (np.linspace(-1, 1, length, dtype=np.float32) for length in look.shape)
    return np.stack([look * x, look * y[:, None]])


def blocks(scene: Grey) -> tuple[int, int]:
    """The size, width first, of a picture in which each pixel stands for 16 x 16."""
    return max(1, scene.shape[1] // 16), max(1, scene.shape[0] // 16)


def _around(box: Box, scale: float, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """A die's box and a little more, in the small picture: left, top, right, bottom."""
    x, y, width, height = (value * scale for value in box)
    more = _MARGIN * max(width, height) + 1
    left, top = max(0, math.floor(x - more)), max(0, math.floor(y - more))
    right, bottom = min(shape[1], math.ceil(x + width + more)), min(shape[0], math.ceil(y + height + more))
    return left, top, max(right, left + 2), max(bottom, top + 2)
