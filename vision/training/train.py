"""Training: losses, the schedule, and checkpoints that an interrupted training goes on from."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, Dataset

from vision.network import TILT_ASKEW, TILT_NORMAL, TILT_SPREAD, TILT_STACKED
from vision.training.batches import Crops, Cuts
from vision.training.drawing import Array, Random
from vision.training.faces import Faces
from vision.training.nets import Plane
from vision.training.scenes import DIE
from vision.training.strewn import Strewn

_SMOOTHED = 0.998
_SAVE_S = 60.0
_WARM_STEPS = 200
_RARE = 4.0  # how much more a missed trouble costs than a false one
_ROUNDED = 0.72  # of a course after which a network learns with its weights as they are stored

Losses = dict[str, Tensor]
Batch = Crops | Cuts | Strewn
Draw = Callable[[Random], Batch]


class Course:
    """One network on its way through its training; the smoothed weights are the ones to use."""

    def __init__(self, net: nn.Module, rate: float, steps: int, checkpoint: Path) -> None:
        """In so many steps the rate falls to nothing; in the end the network learns with its weights in 8 bits."""
        self.net = net
        self.smooth = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(_SMOOTHED), use_buffers=True)
        self.steps, self.done, self._rate, self._checkpoint = steps, 0, rate, checkpoint
        decayed = [p for p in net.parameters() if p.requires_grad and p.ndim > 1]
        others = [p for p in net.parameters() if p.requires_grad and p.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": 0.02}, {"params": others, "weight_decay": 0.0}]
        self._optimiser = torch.optim.AdamW(groups, lr=rate)
        if checkpoint.exists():
            stored = torch.load(checkpoint, map_location="cpu", weights_only=True)
            self.net.load_state_dict(stored["net"])
            self.smooth.load_state_dict(stored["smooth"])
            self._optimiser.load_state_dict(stored["optimiser"])
            self.done = stored["done"]

    def ahead(self, seed: int, draw: Draw, processes: int) -> Iterable[Batch]:
        """The batches of the steps to come, drawn by so many processes; each depends on the seed and its step only."""
        return drawn_ahead(_Draws(seed, draw), range(self.done, self.steps), processes)

    def run(self, seed: int, batches: Iterable[Any], loss: Callable[[nn.Module, Any], Losses]) -> Iterator[Losses]:
        """Train to the end on a batch for each step to come; after each step what its losses were."""
        saved = time.monotonic()
        self.net.train()
        for batch in batches:
            torch.manual_seed(seed * self.steps + self.done)
            if self.done >= _ROUNDED * self.steps:
                round_weights(self.net)
            for group in self._optimiser.param_groups:
                group["lr"] = self._rate * self._pace()
            losses = loss(self.net, batch)
            total = torch.stack(list(losses.values())).sum()
            self._optimiser.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            self._optimiser.step()
            self.smooth.update_parameters(self.net)
            self.done += 1
            if time.monotonic() - saved > _SAVE_S or self.done == self.steps:
                self._save()
                saved = time.monotonic()
            yield {name: value.detach() for name, value in losses.items()}

    def _pace(self) -> float:
        if self.done < _WARM_STEPS:
            return (self.done + 1) / _WARM_STEPS
        return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * self.done / self.steps))

    def _save(self) -> None:
        stored = {
            "net": self.net.state_dict(),
            "smooth": self.smooth.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "done": self.done,
        }
        part = self._checkpoint.with_suffix(".part")
        torch.save(stored, part)
        part.replace(self._checkpoint)


def round_weights(net: nn.Module) -> None:
    """Let the network see its weights as `export` stores them in 8 bits; its own stay as they are, to learn."""
    for part in net.modules():
        if isinstance(part, Plane):
            part.rounded = part.weight.requires_grad


class _Draws(Dataset):
    """What is to be learnt from in each step."""

    def __init__(self, seed: int, draw: Draw) -> None:
        self._seed, self._draw = seed, draw

    def __getitem__(self, step: int) -> Batch:
        return self._draw(np.random.default_rng((self._seed, step)))


def drawn_ahead(draws: _Draws, steps: range, processes: int) -> Iterable[Batch]:
    """The batches of those steps in their order, drawn by other processes while the network learns."""
    batches: Iterable[Batch] = DataLoader(
        draws,
        batch_size=None,
        sampler=steps,
        num_workers=processes,
        multiprocessing_context="fork",  # the scenes are not copied
        prefetch_factor=8,
        worker_init_fn=lambda _: cv2.setNumThreads(1),
    )
    return batches


def shown(pictures: Array, device: torch.device) -> Tensor:
    """What `vision.network.normalised` makes of pictures, on the device that learns."""
    return levelled(torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float())


def levelled(x: Tensor) -> Tensor:
    """The same of pictures that are there already (n x 3 x h x w)."""
    x = x - x.mean(dim=(2, 3), keepdim=True)
    return x / (x.square().mean(dim=(1, 2, 3), keepdim=True).sqrt() + 4.0)


def _on(net: nn.Module) -> torch.device:
    return next(net.parameters()).device


def _told(labels: Array, like: Tensor) -> Tensor:
    """Labels where what is said of them is."""
    return torch.from_numpy(np.ascontiguousarray(labels)).to(like.device)


def detector_loss(net: nn.Module, batch: Crops) -> Losses:
    """How wrong the detector is on some crops."""
    pictures = shown(batch.pictures, _on(net))
    with torch.autocast(pictures.device.type, torch.bfloat16):
        out = net(pictures).float()
    heat, weight = _told(batch.heat, out), _told(batch.weight, out)
    losses = {
        "heat": _focal(out[:, :2], heat, weight),
        "hidden": 0.5 * functional.binary_cross_entropy_with_logits(out[:, 2], _told(batch.hidden, out)),
    }
    if len(batch.things):
        where = _told(batch.cells, out)
        said = out[where[:, 0], :, where[:, 1], where[:, 2]]
        losses |= _die_losses(said, batch)
    return losses


def strange_loss(net: nn.Module, batch: Strewn) -> Losses:
    """How wrong a detector is on where something lies that is no die; what it does not know yet counts more."""
    pictures = shown(batch.pictures, _on(net))
    with torch.autocast(pictures.device.type, torch.bfloat16):
        out = net(pictures).float()
    there, weight = _told(batch.there, out), _told(batch.weight, out)
    off = (torch.sigmoid(out.detach()) - there).abs()
    loss = functional.binary_cross_entropy_with_logits(out, there, reduction="none") * (0.25 + off)
    return {"strange": (loss * weight).sum() / weight.sum()}


def _focal(out: Tensor, heat: Tensor, weight: Tensor) -> Tensor:
    """The loss of centre heat-maps: Zhou et al., Objects as Points, 2019, equation 1."""
    said = torch.sigmoid(out).clamp(1e-5, 1 - 1e-5)
    hit = (heat == 1).float()
    found = -hit * (1 - said) ** 2 * torch.log(said)
    false = -(1 - hit) * (1 - heat) ** 4 * said**2 * torch.log(1 - said)
    total: Tensor = ((found + false) * weight).sum() / hit.sum().clamp(min=1)
    return total


def _die_losses(said: Tensor, batch: Crops) -> Losses:
    things, cells = batch.things, batch.cells
    across = _told((things["x"] - (cells[:, 2] + 0.5) * 8 + 0.5) / 8, said).float()
    down = _told((things["y"] - (cells[:, 1] + 0.5) * 8 + 0.5) / 8, said).float()
    size = _told(np.log(things["side"] / 32.0), said).float()
    place = functional.l1_loss(said[:, 3], across) + functional.l1_loss(said[:, 4], down)
    losses = {
        "place": 0.5 * place,
        "size": functional.smooth_l1_loss(said[:, 5], size, beta=0.1),
    }
    dice = things["kind"] == DIE
    said, things = said[_told(dice, said)], things[dice]
    plain = (things["lean"] != 1) & (things["glare"] != 1) & (things["smear"] != 1)
    return losses | {
        "lean": 1.0 * _flag(said[:, 6], things["lean"]),
        "stacked": 0.3 * _flag(said[:, 7], things["stacked"]),
        "normal": 2.0 * _normal(said[:, 8:10], things),
        "face": 0.4 * _face(said[:, 10:17], np.where(plain, things["face"], 0)),
    }


def _flag(said: Tensor, labels: Array, rare: float = _RARE) -> Tensor:
    known = labels >= 0
    if not known.any():
        return said.sum() * 0
    true = _told((labels[known] == 1).astype(np.float32), said)
    weight = torch.tensor(rare, device=said.device)
    return functional.binary_cross_entropy_with_logits(said[_told(known, said)], true, pos_weight=weight)


def _normal(said: Tensor, things: Array) -> Tensor:
    true = np.stack([things["nx"], things["ny"]], axis=1)
    known = np.isfinite(true).all(axis=1)
    if not known.any():
        return said.sum() * 0
    return functional.smooth_l1_loss(said[_told(known, said)], _told(true[known], said), beta=0.1)


def _face(said: Tensor, faces: Array) -> Tensor:
    known = faces > 0
    if not known.any():
        return said.sum() * 0
    true = _told(faces[known].astype(np.int64) - 1, said)
    return functional.cross_entropy(said[_told(known, said)], true, label_smoothing=0.02)


def face_loss(net: nn.Module, batch: Faces, edges: bool) -> Losses:
    """How wrong a classifier is on some cut-outs."""
    faces = levelled(batch.pictures if edges else batch.cores)
    with torch.autocast(faces.device.type, torch.bfloat16, enabled=edges):
        out = net(faces).float()
    things = batch.things
    return {
        "face": _face(out[:, :7], things["face"]),
        "lean": 1.0 * _flag(out[:, 7], things["lean"]),
        "smear": 0.3 * _flag(out[:, 8], things["smear"]),
        "glare": 0.3 * _flag(out[:, 9], things["glare"]),
        "normal": 2.0 * _normal(out[:, 10:12], things),
    }


def tilt_loss(net: nn.Module, batch: Cuts) -> Losses:
    """How wrong a network is on how the dice of some wide cut-outs lie.

    Of two faces that are turned towards the camera about as much either may be taken for the top one: a network that
    is asked for one of them says the middle between both, as if the die lay flat.
    """
    dice = shown(batch.pictures, _on(net))
    with torch.autocast(dice.device.type, torch.bfloat16):
        out = net(dice).float()
    things = batch.things
    faces = np.stack([things["tx"], things["ty"], things["sx"], things["sy"]], axis=1).reshape(-1, 2, 2)
    apart = out[:, None, TILT_NORMAL] - _told(faces, out)
    off = torch.sqrt((apart**2).sum(dim=2) + 1e-4).min(dim=1).values
    logs = out[:, TILT_SPREAD].clamp(-4.5, 0.5)
    return {
        "normal": 2.0 * functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.1),
        # of a normal that scatters about the one said as exp(-distance / spread)
        "spread": 0.25 * (off * torch.exp(-logs) + 2 * logs).mean(),
        "askew": 2.0 * functional.smooth_l1_loss(out[:, TILT_ASKEW], _told(things["askew"], out), beta=0.1),
        "stacked": 0.8 * _flag(out[:, TILT_STACKED], things["stacked"], 2.0),
    }
