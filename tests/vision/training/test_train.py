import numpy as np
import pytest

pytest.importorskip("torch", reason='the extra "training" is not installed')

import torch

from vision.network import normalised
from vision.training.train import shown


def test_networks_learn_from_what_the_reader_shows_them() -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (5, 96, 96, 3), np.uint8)
    np.testing.assert_allclose(shown(pictures, torch.device("cpu")).numpy(), normalised(pictures), atol=1e-4)
