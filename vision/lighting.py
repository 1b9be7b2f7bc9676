"""Whether the light lets dice be read: too little of it, too much, or some that a face throws back."""

import cv2
import numpy as np

from vision.network import NONE, Sight
from vision.picture import Image
from vision.surroundings import burnt
from vision.views import UNLIKE_ANY, View, places

_DARK_LEVEL, _MAYBE_DARK_LEVEL = 50, 70  # that the brightest hundredth must pass; the second if it is refused anyway
_SHARES = 0.003, 0.01, 0.5  # of a picture, whose levels say whether it is too bright: few small dice are little of it
_LEAST_BRIGHT = 150  # for the first; and either this for the second,
_BRIGHT, _BURNT = 225, (195, 249)  # or these for the second and third, half burnt out: what is read has 223 there
_GLARED = 0.06  # of a face that is burnt out at least where a reflection hides pips
_LEAST_GLARING, _NAMED_GLARING = 0.25, 0.5  # the second where a number is named: no such face of 672 pictures has 0.3
_GLARING = (0.5, _GLARED), (_LEAST_GLARING, 0.6)  # where no number is named, and the share of it that is burnt
_BURNT_LEVEL, _BURNT_AWAY = 250, 0.7  # from which nothing is seen, and so much of the picture that is
_BURNT_FACES = (0.2, UNLIKE_ANY), (0.6, 0.6)  # of a face that nobody can name; how like any it may then be at most
_GLEAMING_FACES, _GLEAMING_SHARE = 0.8, 0.2  # faces that are burnt out in one place; of the picture at most
_BLANK = 0.75  # probability of no number, from which a face rather has none


def ill_lit(sight: Sight, dark_level: int = _DARK_LEVEL) -> bool:
    """Whether the picture is too dark or too bright to be read: by the brightest colour, by all colours together.

    A clean red and a pale ground are as bright as each other where only the brightest colour counts.
    """
    quarter = sight.levels[min(2, len(sight.levels) - 1)]
    blue, green, red = cv2.split(quarter)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    grey = np.asarray(cv2.cvtColor(quarter, cv2.COLOR_BGR2GRAY), np.uint8)
    darkest, dark, middle = _levels(grey, *_SHARES)
    burnt_out = dark > _BURNT[0] and middle > _BURNT[1]
    too_bright = darkest > _LEAST_BRIGHT and (dark > _BRIGHT or burnt_out)
    return too_bright or _levels(brightest, 0.99)[0] < dark_level


def maybe_ill_lit(sight: Sight) -> bool:
    """The same, where it is refused anyway; what is burnt out for the most part makes dice seem smeared, or none."""
    smallest = sight.levels[min(2, len(sight.levels) - 1)].min(axis=2)
    return ill_lit(sight, _MAYBE_DARK_LEVEL) or float((smallest >= _BURNT_LEVEL).mean()) > _BURNT_AWAY


def reflecting(sight: Sight, views: list[View]) -> bool:
    """Whether a reflection hides pips of one of the dice."""
    glaring = [view for view in views if view.seen.glare > _LEAST_GLARING]
    return any(map(_hides_pips, glaring, burnt(sight.levels, places(glaring))))


def maybe_reflecting(sight: Sight, views: list[View]) -> bool:
    """Whether one of the dice may be unreadable by a reflection, where the picture is refused anyway."""
    return any(map(_glares, views, burnt(sight.levels, places(views))))


def gleaming(sight: Sight, views: list[View]) -> bool:
    """Whether a place beside the dice is burnt out that is large enough to hide one, but not most of the picture."""
    at = places(views)
    small = sight.levels[min(2, len(sight.levels) - 1)]
    times = small.shape[1] / sight.levels[0].shape[1]
    burnt_out = (small.min(axis=2) >= _BURNT_LEVEL).astype(np.uint8)
    if not views or burnt_out.mean() > _GLEAMING_SHARE:
        return False
    _, _, boxes, centres = cv2.connectedComponentsWithStats(burnt_out)
    sides, middles = at[:, 2] * times, at[:, :2] * times
    large = centres[1:][boxes[1:, cv2.CC_STAT_AREA] > _GLEAMING_FACES * float(np.median(sides)) ** 2]
    return any((np.hypot(*(middles - centre).T) > sides / 2).all() for centre in large)


def _hides_pips(view: View, share: float) -> bool:
    """Whether a reflection lies on a face of which so much is burnt."""
    if view.named:
        return view.seen.glare > _NAMED_GLARING and share > _GLARED
    return any(view.seen.glare > glaring and share > least for glaring, least in _GLARING)


def _glares(view: View, share: float) -> bool:
    """Whether a face of which so much is burnt may be unreadable by that: a reflection leaves no pattern at all."""
    likeness = float(view.likeness.max())
    unreadable = not view.named and float(view.seen.faces[1:, NONE].min()) < _BLANK
    return unreadable and any(share > least and likeness < most for least, most in _BURNT_FACES)


def _levels(channel: Image, *shares: float) -> list[int]:
    """The levels that these shares of a channel (h x w) are not above."""
    counted = np.cumsum(cv2.calcHist([channel], [0], None, [256], [0, 256])) / channel.size
    return [int(level) for level in np.searchsorted(counted, shares)]
