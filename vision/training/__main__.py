"""Draw, train, export: `python -m vision.training --out vision/models --seed 7`; goes on where it was interrupted."""

import argparse
import zlib
from collections.abc import Callable
from pathlib import Path

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import nn

from vision.network import CORE_PX, CUT_PX, WIDE_PX
from vision.training.batches import crops, cuts, tilts
from vision.training.export import export
from vision.training.looks import Random
from vision.training.nets import CutNet, Detector, TiltNet
from vision.training.photos import load_photos
from vision.training.scenes import Scene
from vision.training.shards import SHARD, draw_shards, load_shard
from vision.training.train import Course, Losses, cut_loss, detector_loss, tilt_loss

_WHOLE_DICE = frozenset({"dicecam"})
_BATCH, _CUT_BATCH, _PHOTOS = 16, 128, 0.3
_RATE = 2e-3
STEPS = {"detector": 12000, "colours": 12000, "edges": 6000, "tilt": 17000}
"""The whole course of each network."""
_AGAIN = {"tilt": 10000}  # the step from which a network learns in larger steps once more
_BITS = {"tilt": 8}  # a weight; the others 16


def held_back(name: str) -> bool:
    """Whether a photograph is kept from training, to check by."""
    return zlib.crc32(name.encode()) % 4 == 0


def main() -> None:
    """The command."""
    options = _options()
    torch.set_num_threads(options.threads)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as progress:
        drawn = {kind: _drawn(options, kind, count, progress) for kind, count in _counts(options).items()}
        photos = load_photos(options.photos, _WHOLE_DICE) if options.photos else []
        taught = [photo for name, photo in photos if not held_back(name)]
        options.out.mkdir(parents=True, exist_ok=True)
        for name in options.nets:
            _train(options, name, drawn, taught, progress)


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
    parser.add_argument("--steps", type=int, help="of each network (default: the whole course)")
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
        counts["lying"] = options.scenes * 2 // 3
    return counts


def _drawn(options: argparse.Namespace, kind: str, count: int, progress: Progress) -> list[Scene]:
    """The scenes of a kind, those that are missing drawn first."""
    shards = count // SHARD
    drawing = progress.add_task(kind, total=shards)
    for _ in draw_shards(options.work, kind, options.seed, shards, options.processes):
        progress.advance(drawing)
    return [scene for number in range(shards) for scene in load_shard(options.work, kind, options.seed, number)]


def _train(
    options: argparse.Namespace, name: str, drawn: dict[str, list[Scene]], photos: list[Scene], progress: Progress
) -> None:
    torch.manual_seed(options.seed)
    net, size, loss, steps = _plan(options, name, drawn, photos)
    again = _AGAIN.get(name) if options.steps is None else None
    course = Course(net.to(memory_format=torch.channels_last), _RATE, steps, options.work / f"{name}.pt", again)
    shown = progress.add_task(name, total=steps, completed=course.done)
    usual: dict[str, float] = {}
    for losses in course.run(options.seed, loss):
        for key, value in losses.items():
            usual[key] = usual.get(key, value) * 0.98 + value * 0.02
        progress.update(shown, completed=course.done)
        if course.done % 100 == 0 or course.done == steps:
            said = " ".join(f"{key} {value:.3f}" for key, value in usual.items())
            progress.console.print(f"{name} {course.done}: {said}", highlight=False)
    export(course.smooth, size, options.out / f"{name}.onnx", _BITS.get(name, 16))


def _plan(
    options: argparse.Namespace, name: str, drawn: dict[str, list[Scene]], photos: list[Scene]
) -> tuple[nn.Module, tuple[int, int], Callable[[nn.Module, Random], Losses], int]:
    """The network, the pictures it takes, what a step costs, and how many steps there are."""
    steps = options.steps or STEPS[name]
    if name == "detector":

        def detect(net: nn.Module, rng: Random) -> Losses:
            return detector_loss(net, crops(rng, drawn["scenes"], photos, _BATCH, _PHOTOS))

        return Detector(), (384, 512), detect, steps
    if name == "tilt":

        def tilt(net: nn.Module, rng: Random) -> Losses:
            return tilt_loss(net, tilts(rng, drawn["lying"], _CUT_BATCH))

        return TiltNet(), (WIDE_PX, WIDE_PX), tilt, steps
    edges = name == "edges"

    def classify(net: nn.Module, rng: Random) -> Losses:
        return cut_loss(net, cuts(rng, drawn["scenes"], photos, _CUT_BATCH, _PHOTOS), edges)

    size = CUT_PX if edges else CORE_PX
    return CutNet(edges), (size, size), classify, steps


if __name__ == "__main__":
    main()
