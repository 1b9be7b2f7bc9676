"""Draw, train, export: `python -m vision.training --out vision/models --seed 7`; goes on where it was interrupted."""

import argparse
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor, nn

from vision.network import CORE_PX, CUT_PX, WIDE_PX
from vision.training.batches import Sources, crops, cuts, tilts
from vision.training.drawing import Random
from vision.training.export import export
from vision.training.nets import CutNet, Detector, TiltNet
from vision.training.photos import load_photos
from vision.training.scenes import Scene
from vision.training.shards import SHARD, draw_shards, load_shard
from vision.training.train import Batch, Course, Losses, cut_loss, detector_loss, tilt_loss

_WHOLE_DICE = frozenset({"dicecam"})
_BATCHES = {"detector": 16, "colours": 128, "edges": 128, "tilt": 192}
_RATE = 2e-3
STEPS = {"detector": (12000, 15000), "colours": (12000, 17000), "edges": (12000, 38000), "tilt": (38000,)}
"""The courses of each network: by which steps its rate has fallen to nothing."""
_LEARN_FROM = {
    "detector": {"photos": 0.3, "rig": 0.08},
    "colours": {"photos": 0.3, "traced": 0.25, "rig": 0.08},
    "edges": {"photos": 0.3, "traced": 0.25},
    "tilt": {"traced": 0.2, "near": 0.25, "rig": 0.08},
}
"""The other sources of each network and their shares of a batch; what is drawn only in its last course."""
_TRACED = {"detector": 0, "colours": 512, "edges": 256, "tilt": 1024}
"""How many traced scenes each learns from: more of them made `colours` and `edges` no better."""
_BITS = {"detector": 16}  # a weight; the others 8


def held_back(name: str) -> bool:
    """Whether a photograph is kept from training, to check by."""
    return zlib.crc32(name.encode()) % 4 == 0


def main() -> None:
    """The command."""
    options = _options()
    torch.set_num_threads(options.threads)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as progress:
        scenes = {kind: _drawn(options, kind, count, progress) for kind, count in _counts(options).items()}
        photos = load_photos(options.photos, _WHOLE_DICE) if options.photos else []
        scenes["photos"] = [photo for name, photo in photos if not held_back(name)]
        options.out.mkdir(parents=True, exist_ok=True)
        for name in options.nets:
            _train(options, name, scenes, progress)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the networks go")
    parser.add_argument("--seed", type=int, default=7, help="of drawing and training (default 7)")
    parser.add_argument(
        "--work", type=Path, default=Path("training-work"), metavar="DIR", help="scenes and checkpoints"
    )
    parser.add_argument(
        "--photos", type=Path, metavar="LABELS.json", help="labelled photographs, taken by their licence"
    )
    parser.add_argument(
        "--scenes", type=int, default=12288, help="how many to draw (default 12288), and 2/3 as many of how dice lie"
    )
    parser.add_argument(
        "--traced", type=int, default=max(_TRACED.values()), help="scenes to trace at most, half as many near ones"
    )
    parser.add_argument("--rig", type=int, default=1024, help="how many scenes in the machine (default 1024)")
    parser.add_argument("--steps", type=int, help="of each network, in one course (default: all its courses)")
    parser.add_argument("--nets", nargs="+", choices=STEPS, default=list(STEPS), help="train only these")
    parser.add_argument("--processes", type=int, default=2, help="that draw (default 2)")
    parser.add_argument("--threads", type=int, default=2, help="that train (default 2)")
    return parser.parse_args()


def _counts(options: argparse.Namespace) -> dict[str, int]:
    """How many scenes of each kind are needed."""
    counts = {}
    if set(options.nets) - {"tilt"}:
        counts["scenes"] = options.scenes
    if "tilt" in options.nets:
        counts["lying"], counts["near"] = options.scenes * 2 // 3, options.traced // 2
    counts["traced"] = min(options.traced, max(_TRACED[name] for name in options.nets))
    if any("rig" in _LEARN_FROM[name] for name in options.nets):
        counts["rig"] = options.rig
    return counts


def _drawn(options: argparse.Namespace, kind: str, count: int, progress: Progress) -> list[Scene]:
    """The scenes of a kind, those that are missing drawn first."""
    shards = count // SHARD
    drawing = progress.add_task(kind, total=shards)
    for _ in draw_shards(options.work, kind, options.seed, shards, options.processes):
        progress.advance(drawing)
    return [scene for number in range(shards) for scene in load_shard(options.work, kind, options.seed, number)]


def _sources(name: str, scenes: dict[str, list[Scene]], last: bool) -> Sources:
    """What a network learns from, in its last course or before."""
    kinds = [kind for kind in _LEARN_FROM[name] if last or kind == "photos"]
    others = {kind: scenes[kind][: _TRACED[name]] if kind == "traced" else scenes[kind] for kind in kinds}
    usual = scenes["lying" if name == "tilt" else "scenes"]
    return Sources(usual, [(_LEARN_FROM[name][kind], some) for kind, some in others.items() if some])


def _train(options: argparse.Namespace, name: str, scenes: dict[str, list[Scene]], progress: Progress) -> None:
    torch.manual_seed(options.seed)
    before, last = (_sources(name, scenes, ending) for ending in (False, True))
    net, size, draw, loss = _plan(name)
    net = net.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"), memory_format=torch.channels_last)
    ends = STEPS[name] if options.steps is None else (options.steps,)
    course = Course(net, _RATE, ends, options.work / f"{name}.pt")
    shown = progress.add_task(name, total=course.steps, completed=course.done)
    usual: dict[str, Tensor] = {}

    def batch(rng: Random, ending: bool) -> Batch:
        return draw(rng, last if ending else before, _BATCHES[name])

    for losses in course.run(options.seed, batch, loss, options.processes):
        for key, value in losses.items():
            usual[key] = usual.get(key, value).lerp(value, 0.02)
        progress.update(shown, completed=course.done)
        if course.done % 100 == 0 or course.done == course.steps:
            said = " ".join(f"{key} {float(value):.3f}" for key, value in usual.items())
            progress.console.print(f"{name} {course.done}: {said}", highlight=False)
    export(course.smooth.module, size, options.out / f"{name}.onnx", _BITS.get(name, 8))


def _plan(
    name: str,
) -> tuple[nn.Module, tuple[int, int], Callable[[Random, Sources, int], Batch], Callable[..., Losses]]:
    """The network, the pictures it takes, what draws a batch of so many of them and what a step costs."""
    if name == "detector":
        return Detector(), (384, 512), crops, detector_loss
    if name == "tilt":
        return TiltNet(), (WIDE_PX, WIDE_PX), tilts, tilt_loss
    edges = name == "edges"
    size = CUT_PX if edges else CORE_PX
    return CutNet(edges), (size, size), cuts, partial(cut_loss, edges=edges)


if __name__ == "__main__":
    main()
