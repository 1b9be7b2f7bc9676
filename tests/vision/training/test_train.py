from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason='the extra "training" is not installed')

import torch
from torch import Tensor, nn

from vision.network import normalised
from vision.training import train
from vision.training.nets import CutNet, Detector, Plane, StrangeAlone
from vision.training.strewn import Strewn
from vision.training.train import Course, Losses, round_weights, shown, strange_loss


def test_networks_learn_from_what_the_reader_shows_them() -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (5, 96, 96, 3), np.uint8)
    np.testing.assert_allclose(shown(pictures, torch.device("cpu")).numpy(), normalised(pictures), atol=1e-4)


def test_rounded_weights_are_seen_as_they_are_stored_and_learnt_as_they_are() -> None:
    torch.manual_seed(1)
    net = CutNet(edges=True).eval()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    faces = torch.randn(4, 3, 48, 48)
    said = net(faces)
    round_weights(net)
    rounded = net(faces)
    assert 0 < float((rounded - said).detach().abs().max()) < 0.1
    rounded.sum().backward()
    for name, value in net.state_dict().items():
        assert torch.equal(value, before[name])
    planes = [part for part in net.modules() if isinstance(part, Plane)]
    assert all(float(part.weight.grad.abs().sum()) > 0 for part in planes if part.weight.grad is not None)
    assert sum(part.weight.grad is not None for part in planes) == len(planes)
    with torch.no_grad():
        for part in planes:
            step = part.weight.abs().amax((1, 2, 3), keepdim=True) / 127
            part.weight.copy_((part.weight / step).round() * step)
            part.rounded = False
        torch.testing.assert_close(net(faces), rounded)


def test_where_something_strange_lies_is_learnt_and_nothing_else_is_unlearnt(tmp_path: Path) -> None:
    torch.manual_seed(1)
    detector = Detector()
    before = {name: value.clone() for name, value in detector.state_dict().items()}
    pictures = np.random.default_rng(0).integers(0, 256, (2, 64, 64, 3), np.uint8)
    there = np.zeros((2, 8, 8), np.float32)
    there[:, 2:5, 2:5] = 1
    batch = Strewn(pictures, there, np.ones_like(there))
    course = Course(StrangeAlone(detector), 3e-3, 30, tmp_path / "strange.pt")
    costs = [float(losses["strange"]) for losses in course.run(1, [batch] * 30, strange_loss)]
    assert costs[-1] < 0.7 * costs[0]
    for name, value in detector.state_dict().items():
        assert torch.equal(value, before[name]) == (not name.startswith("strange")), name
    net, known = course.net.eval(), np.ones_like(there)
    known[:, 0] = 0
    otherwise = there.copy()
    otherwise[:, 0] = 1
    assert strange_loss(net, Strewn(pictures, otherwise, known)) == strange_loss(net, Strewn(pictures, there, known))


def test_an_interrupted_training_ends_with_the_weights_of_one_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "_SAVE_S", 0.0)
    batches = list(torch.randn(6, 4, 3, generator=torch.Generator().manual_seed(2)))

    def course(name: str) -> Course:
        torch.manual_seed(1)
        return Course(nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5)), 0.1, len(batches), tmp_path / name)

    def loss(net: nn.Module, batch: Tensor) -> Losses:
        return {"size": net(batch).square().mean()}

    def run(course: Course, some: list[Tensor]) -> Iterator[Losses]:
        return course.run(3, some, loss)

    whole, first = course("whole.pt"), course("parts.pt")
    costs = list(run(whole, batches))
    begun = list(run(first, batches[:2]))
    rest = course("parts.pt")
    assert (first.done, rest.done, whole.done) == (2, 2, 6)
    assert begun + list(run(rest, batches[2:])) == costs
    for name, weights in whole.smooth.state_dict().items():
        assert torch.equal(rest.smooth.state_dict()[name], weights)
