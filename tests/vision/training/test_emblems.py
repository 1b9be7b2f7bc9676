import numpy as np

from vision.training.drawing import SHEET_PX
from vision.training.emblems import emblem

SEEDS = 200


def test_a_sign_is_to_be_seen_and_leaves_the_corners_of_its_face_free() -> None:
    sheets = np.zeros((SEEDS, SHEET_PX, SHEET_PX), np.float32)
    for seed, sheet in enumerate(sheets):
        emblem(np.random.default_rng(seed), sheet)
    inked = sheets.mean(axis=(1, 2))
    assert inked.max() < 0.7
    assert (inked > 0.01).mean() > 0.95  # a few faces have nothing at all in place of their pips
    assert sheets[:, [0, 0, -1, -1], [0, -1, 0, -1]].max() < 0.5
    assert len({sheet.tobytes() for sheet in sheets}) > 0.95 * SEEDS
