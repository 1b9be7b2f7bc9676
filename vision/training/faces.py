"""Cut-outs of faces, drawn from patches on the device that learns: turned, recoloured, blurred, seen from beside."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from vision.network import CORE_PX, CUT_PX, CUT_SIDES
from vision.training.drawing import Array, Random
from vision.training.looks import NONE
from vision.training.patches import PATCH_SIDES, Patches
from vision.training.scenes import DIE

_BESIDE, _FAR = 0.1, (0.5, 0.95)  # share of the dice that are cut out beside their middle, and how many sides
_ASTRAY, _SELDOM = 0.06, (0.12, 0.12)  # sides that the detector is off, and by how much for a share of them
_SIZES = 0.12  # logarithm of the side that it says


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """What the classifiers are to say of some cut-outs."""

    pictures: Tensor  # n x 3 x CUT_PX x CUT_PX, grey levels, on the device that learns
    things: npt.NDArray[np.void]  # n of THING; face 0 where nobody knows

    @property
    def cores(self) -> Tensor:
        """The inner part of the pictures, for the classifier by colours."""
        rim = (CUT_PX - CORE_PX) // 2
        return self.pictures[:, :, rim : CUT_PX - rim, rim : CUT_PX - rim]


class Album:
    """Patches on the device that learns, and how likely each of them is drawn."""

    def __init__(self, patches: Patches, lots: npt.NDArray[np.float64], device: torch.device) -> None:
        self._pictures = torch.from_numpy(patches.pictures).to(device)
        self._labels, self._lots = patches.labels, np.cumsum(lots)

    def draw(self, rng: Random, count: int) -> Faces:
        """So many cut-outs; what is drawn by lot depends on rng alone."""
        lot = np.searchsorted(self._lots, rng.random(count) * self._lots[-1])
        rows = np.minimum(lot, len(self._labels) - 1)
        labels = self._labels[rows].copy()
        off = _beside(rng, labels)
        turns, senses = rng.uniform(0, 2 * math.pi, count), rng.choice([-1.0, 1.0], count)
        sides = np.exp(rng.normal(0.01, _SIZES, count))
        device = self._pictures.device
        whole = self._pictures[torch.from_numpy(rows).to(device)].permute(0, 3, 1, 2).float()
        cut = functional.grid_sample(
            whole, _grid(turns, senses, sides, off).to(device), padding_mode="border", align_corners=False
        )
        _turn(labels, turns, senses)
        return Faces(_as_taken(rng, _recoloured(rng, cut)), labels)


def _beside(rng: Random, labels: npt.NDArray[np.void]) -> Array:
    """Where the cut-outs' middles are (n x 2, sides); what is seen from beside shows no face."""
    count = len(labels)
    astray = np.where(rng.random(count) < _SELDOM[0], _SELDOM[1], _ASTRAY)[:, None] * rng.normal(size=(count, 2))
    beside = (labels["kind"] == DIE) & (rng.random(count) < _BESIDE)
    way = rng.uniform(0, 2 * math.pi, count)
    far = rng.uniform(*_FAR, count)[:, None] * np.stack([np.cos(way), np.sin(way)], axis=1)
    labels["face"][beside] = NONE
    for name in ("lean", "stacked", "smear", "glare"):
        labels[name][beside] = -1
    labels["nx"][beside] = labels["ny"][beside] = np.nan
    return np.where(beside[:, None], far, astray)


def _grid(turns: Array, senses: Array, sides: Array, off: Array) -> Tensor:
    """Where in its patch each pixel of a cut-out is: a turn after a mirror."""
    reach = CUT_SIDES * sides / PATCH_SIDES
    cos, sin = np.cos(turns) * reach, np.sin(turns) * reach
    moves = np.empty((len(turns), 2, 3), np.float32)
    moves[:, 0, 0], moves[:, 0, 1] = cos * senses, sin * senses
    moves[:, 1, 0], moves[:, 1, 1] = -sin, cos
    moves[:, :, 2] = off * 2 / PATCH_SIDES
    shape = [len(turns), 3, CUT_PX, CUT_PX]
    return functional.affine_grid(torch.from_numpy(moves), shape, align_corners=False)


def _turn(labels: npt.NDArray[np.void], turns: Array, senses: Array) -> None:
    """Turn the normals of labels as their pictures were turned."""
    x, y = labels["nx"] * senses, labels["ny"].copy()
    labels["nx"], labels["ny"] = np.cos(turns) * x - np.sin(turns) * y, np.sin(turns) * x + np.cos(turns) * y


def _recoloured(rng: Random, x: Tensor) -> Tensor:
    """The pictures (n x 3 x h x h) with other colours and light, some of them negatives."""
    count = len(x)
    channels = np.where((rng.random(count) < 0.15)[:, None], rng.random((count, 3)).argsort(axis=1), np.arange(3))
    x = x.gather(1, _each(channels, x).long().expand_as(x))
    x = torch.where(_each(rng.random(count) < 0.06, x) > 0, 255 - x, x)
    gain = np.exp(rng.normal(0, 0.22, (count, 1))) * (1 + rng.normal(0, 0.07, (count, 3)))
    return (x * _each(gain, x) + _each(rng.normal(0, 12, count), x)).clamp(0, 255)


def _as_taken(rng: Random, x: Tensor) -> Tensor:
    """The pictures as another camera and other light would give them: contrast, slanting light, sharpness, noise."""
    count, size = len(x), x.shape[2]
    blurred = int(0.3 * count)
    x = torch.cat([_blurred(x[:blurred], max(rng.uniform(0.3, 1.3) * size / 60, 0.25)), x[blurred:]])
    bent = rng.normal(0, 0.3, (count, 1)) + rng.normal(0, 0.08, (count, 3))
    curve = np.exp(np.where(rng.random((count, 1)) < 0.35, bent, 0))
    x = 255 * (x / 255).clamp(1e-4, 1) ** _each(curve, x)
    way = rng.uniform(0, 2 * math.pi, count)
    much = np.where(rng.random(count) < 0.3, rng.uniform(0, 0.3, count), 0)
    along = torch.linspace(-1, 1, size, device=x.device)
    slant = _each(much * np.cos(way), x) * along + _each(much * np.sin(way), x) * along[:, None]
    x = (x * (1 + slant / 1.4)).clamp(0, 255)
    first, last = int(0.55 * count), int(0.75 * count)
    soft, sharp = _blurred(x[first:last], rng.uniform(0.8, 2.0) * size / 80), rng.uniform(0.3, 1.5)
    x = torch.cat([x[:first], (x[first:last] * (1 + sharp) - soft * sharp).clamp(0, 255), x[last:]])
    coarse = int(rng.uniform(0.3, 0.83) * size)
    small = functional.interpolate(x[int(0.8 * count) :], size=(coarse, coarse), mode="area")
    large = functional.interpolate(small, size=(size, size), mode="bilinear", align_corners=False)
    x = torch.cat([x[: int(0.8 * count)], large])
    chance = torch.Generator(x.device).manual_seed(int(rng.integers(2**62)))
    noise = torch.randn(x.shape, generator=chance, device=x.device)
    grain = np.where(rng.random(count) < 0.4, rng.uniform(1, 10, count), 0)
    return (x + noise * _each(grain, x)).clamp(0, 255).round()


def _each(values: Array, x: Tensor) -> Tensor:
    """A value, or one a channel, for each picture of x."""
    flat = torch.from_numpy(np.asarray(values, np.float32)).to(x.device)
    return flat.reshape(len(flat), -1, 1, 1)


def _blurred(x: Tensor, sigma_px: float) -> Tensor:
    reach = math.ceil(2.5 * sigma_px)
    bell = torch.exp(-(torch.arange(-reach, reach + 1, device=x.device) ** 2) / (2 * sigma_px**2))
    bell = (bell / bell.sum()).repeat(x.shape[1], 1, 1, 1)
    across = functional.conv2d(functional.pad(x, (reach, reach, 0, 0), mode="replicate"), bell, groups=x.shape[1])
    down = functional.pad(across, (0, 0, reach, reach), mode="replicate")
    return functional.conv2d(down, bell.transpose(2, 3), groups=x.shape[1])
