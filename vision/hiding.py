"""Whether a hand, a cloth or the like hides a part of the picture, and whether that matters to the dice."""

import numpy as np

from vision.covers import cover, edge_parted
from vision.network import Sight
from vision.patterns import Floats
from vision.views import View, places

_HIDDEN, _HIDDEN_SHARE = 0.5, 0.13  # so surely a place is hidden; share of the picture that a hand or a cloth must hide
_HIDDEN_SURELY = 0.85  # so surely where no die is to be seen: of eight empty floors 0.07 seem so at most, cloths 0.13
_HIDDEN_UNCOUNTED = 0.0065  # so much, so surely, where dice are not counted: of 423 pictures read right 0.004 at most
_REACH, _REACHING, _REACHING_SHARE = 1.3, 0.3, 0.12  # sides around a die, of which so much is so surely hidden
_COVERS, _COVERS_UNCOUNTED = 7.0, 5.0  # how much a cover must stand out, where the dice are counted and where not
_COVER_EDGES, _COVER_WHOLE = (0.3, 0.65), 0.95  # of the picture's edge that it takes; of its look that is in one piece
_SEEN_COVER = 0.3  # so surely a network sees something of it: of 14 covers 0.45 at least, of six that were none 0.22
_SMALL_EDGE = 0.08  # of the picture's edge, where nobody counts the dice
_MAYBE_COVERS, _MAYBE_WHOLE = 1.8, 0.8  # where the picture is refused anyway


def hidden_share(sight: Sight, surely: float = _HIDDEN) -> float:
    """The share of the picture that is hidden so surely."""
    return float((sight.hidden > surely).mean())


def covered(sight: Sight, views: list[View], expected: int | None) -> bool:
    """Whether something hides a large part of the picture, or reaches up to a die."""
    surely = hidden_share(sight, _HIDDEN_SURELY)
    share = hidden_share(sight) if views else surely
    if share > _HIDDEN_SHARE or (views and expected is None and surely > _HIDDEN_UNCOUNTED):
        return True
    return reached(sight, places(views)) or _cloaked(sight, views, expected)


def covering(sight: Sight, views: list[View]) -> float:
    """How surely something covers a part of the picture that is refused anyway: from 1 on it does."""
    over = cover(sight.levels, places(views))
    return over.stands_out / _MAYBE_COVERS if over.whole > _MAYBE_WHOLE else 0.0


def reached(sight: Sight, at: Floats) -> bool:
    """Whether a hand or a cloth reaches up to what is at these places (n x 3: x, y, side in px)."""
    if sight.hidden.max() <= _REACHING:
        return False
    height, width = sight.levels[0].shape[:2]
    rows, columns = sight.hidden.shape
    down, across = (np.arange(rows)[:, None] + 0.5) * height / rows, (np.arange(columns) + 0.5) * width / columns
    around = (np.hypot(across - x, down - y) < _REACH * side for x, y, side in at.tolist())
    return any(float((sight.hidden[near] > _REACHING).mean()) > _REACHING_SHARE for near in around if near.any())


def _cloaked(sight: Sight, views: list[View], expected: int | None) -> bool:
    """Whether something certainly lies over a large part of the picture; nobody would miss what it hides uncounted."""
    if sight.hidden.max() <= _SEEN_COVER or not edge_parted(sight.levels):
        return False
    over = cover(sight.levels, places(views))
    least, most = _COVER_EDGES
    within = (_SMALL_EDGE if expected is None else least) < over.edge < most and over.whole > _COVER_WHOLE
    return within and over.stands_out > (_COVERS_UNCOUNTED if expected is None else _COVERS)
