"""Draw, train, export: `python -m vision.training --out vision/models --seed 7`; goes on where it was interrupted."""

import argparse
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from vision.network import CORE_PX, CUT_PX, WIDE_PX
from vision.training.batches import Sources, crops, tilts
from vision.training.export import export
from vision.training.faces import Album, Faces
from vision.training.nets import CutNet, Detector, StrangeAlone, TiltNet
from vision.training.patches import joined, lots, patches
from vision.training.photos import load_photos
from vision.training.scenes import Scene
from vision.training.shards import SHARD, draw_shards, load_shard
from vision.training.strewn import strewn
from vision.training.train import Batch, Course, Losses, detector_loss, face_loss, strange_loss, tilt_loss

_WHOLE_DICE = frozenset({"dicecam"})
_BATCHES = {"detector": 128, "strange": 32, "colours": 256, "edges": 256, "tilt": 192}
_RATE, _STRANGE_RATE = 2e-3, 3e-3
STEPS = {"detector": 30000, "strange": 2200, "colours": 45000, "edges": 45000, "tilt": 38000}
"""Of each network; `strange` is what the detector says last, learnt when all the rest of it stands."""
_LEARN_FROM = {
    "detector": {"photos": 0.2, "traced": 0.19, "rig": 0.06},
    "strange": {"traced": 0.38, "photos": 0.12, "near": 0.1, "rig": 0.08},
    "tilt": {"traced": 0.2, "near": 0.25, "rig": 0.08},
}
"""The other sources of each network and their shares of a batch."""
_FACES = {"scenes": (0.42, 2), "lying": (0.14, 1), "near": (0.14, 2), "photos": (0.24, 0), "rig": (0.06, 1)}
"""The sources of the classifiers: their shares of a batch, and how many patches of bare ground each scene gives."""
_DRAWN = "scenes", "lying"  # what no path tracer and no camera made
_TRACED = 1024  # scenes that the detector and `tilt` learn from


def held_back(name: str) -> bool:
    """Whether a photograph is kept from training, to check by."""
    return zlib.crc32(name.encode()) % 4 == 0


def main() -> None:
    """The command."""
    options = _options()
    torch.set_num_threads(options.threads)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as progress:
        for kind, count in _counts(options).items():
            _draw(options, kind, count, progress)
        options.out.mkdir(parents=True, exist_ok=True)
        for name in options.nets:
            _train(options, name, progress)


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
    parser.add_argument("--traced", type=int, default=_TRACED, help="scenes to trace at most, half as many near ones")
    parser.add_argument("--rig", type=int, default=1024, help="how many scenes in the machine (default 1024)")
    parser.add_argument("--steps", type=int, help="of each network (default: its own)")
    parser.add_argument("--nets", nargs="+", choices=STEPS, default=list(STEPS), help="train only these")
    parser.add_argument("--processes", type=int, default=2, help="that draw (default 2)")
    parser.add_argument("--threads", type=int, default=2, help="that train (default 2)")
    return parser.parse_args()


def _counts(options: argparse.Namespace) -> dict[str, int]:
    """How many scenes of each kind are needed."""
    counts = {"rig": options.rig}
    if set(options.nets) - {"tilt"}:
        counts["scenes"] = options.scenes
    if set(options.nets) & {"detector", "strange", "tilt"}:
        counts["traced"] = options.traced
    if set(options.nets) - {"detector"}:
        counts["near"] = options.traced // 2
    if set(options.nets) - {"detector", "strange"}:
        counts["lying"] = options.scenes * 2 // 3
    return counts


def _draw(options: argparse.Namespace, kind: str, count: int, progress: Progress) -> None:
    """Draw the scenes of a kind that are missing."""
    shards = count // SHARD
    drawing = progress.add_task(kind, total=shards)
    for _ in draw_shards(options.work, kind, options.seed, shards, options.processes):
        progress.advance(drawing)


def _scenes(options: argparse.Namespace, kind: str) -> Iterator[Scene]:
    """What there is of a kind, or the photographs."""
    if kind != "photos":
        for number in range(_counts(options)[kind] // SHARD):
            yield from load_shard(options.work, kind, options.seed, number)
    elif options.photos:
        photos = load_photos(options.photos, _WHOLE_DICE)
        yield from (photo for name, photo in photos if not held_back(name))


def _sources(options: argparse.Namespace, name: str) -> Sources:
    """What a network learns from."""
    usual = list(_scenes(options, "lying" if name == "tilt" else "scenes"))
    others = [(share, list(_scenes(options, kind))) for kind, share in _LEARN_FROM[name].items()]
    return Sources(usual, [(share, some) for share, some in others if some])


def _album(options: argparse.Namespace, device: torch.device) -> Album:
    """What the classifiers learn from."""
    shares = [share for share, _ in _FACES.values()]
    cut = [
        patches(options.seed, _scenes(options, kind), bare, drawn=kind in _DRAWN) for kind, (_, bare) in _FACES.items()
    ]
    return Album(joined(cut), lots(list(zip(shares, cut, strict=True))), device)


def _train(options: argparse.Namespace, name: str, progress: Progress) -> None:
    torch.manual_seed(options.seed)
    net, size, loss = _plan(options, name)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = net.to(device, memory_format=torch.channels_last)
    steps = STEPS[name] if options.steps is None else options.steps
    rate = _STRANGE_RATE if name == "strange" else _RATE
    course = Course(net, rate, steps, options.work / f"{name}.pt")
    shown = progress.add_task(name, total=course.steps, completed=course.done)
    usual: dict[str, Tensor] = {}
    for losses in course.run(options.seed, _batches(options, name, course, device), loss):
        for key, value in losses.items():
            usual[key] = usual.get(key, value).lerp(value, 0.02)
        progress.update(shown, completed=course.done)
        if course.done % 100 == 0 or course.done == course.steps:
            said = " ".join(f"{key} {float(value):.3f}" for key, value in usual.items())
            progress.console.print(f"{name} {course.done}: {said}", highlight=False)
    learnt = course.smooth.module
    if name == "strange":
        learnt, name = learnt.detector, "detector"
    export(learnt, size, options.out / f"{name}.onnx")


def _batches(options: argparse.Namespace, name: str, course: Course, device: torch.device) -> Iterable[Batch | Faces]:
    """What a network learns from in each step to come."""
    if name in ("colours", "edges"):
        album = _album(options, device)
        steps = range(course.done, course.steps)
        return (album.draw(np.random.default_rng((options.seed, step)), _BATCHES[name]) for step in steps)
    draws: dict[str, Callable[..., Batch]] = {"detector": crops, "strange": strewn, "tilt": tilts}
    sources, draw = _sources(options, name), draws[name]
    return course.ahead(options.seed, lambda rng: draw(rng, sources, _BATCHES[name]), options.processes)


def _plan(options: argparse.Namespace, name: str) -> tuple[nn.Module, tuple[int, int], Callable[..., Losses]]:
    """The network, the pictures it takes and what a step costs."""
    if name == "detector":
        return Detector(), (384, 512), detector_loss
    if name == "strange":
        return StrangeAlone(_detector(options.work / "detector.pt")), (384, 512), strange_loss
    if name == "tilt":
        return TiltNet(), (WIDE_PX, WIDE_PX), tilt_loss
    edges = name == "edges"
    size = CUT_PX if edges else CORE_PX
    return CutNet(edges), (size, size), partial(face_loss, edges=edges)


def _detector(checkpoint: Path) -> Detector:
    """The detector that was learnt before."""
    if not checkpoint.exists():
        raise SystemExit(f"There is no {checkpoint}: the detector has to be trained first (--nets detector strange).")
    smooth = AveragedModel(Detector(), use_buffers=True)
    smooth.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["smooth"])
    detector: Detector = smooth.module
    return detector


if __name__ == "__main__":
    main()
