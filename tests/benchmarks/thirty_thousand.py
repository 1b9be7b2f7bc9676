"""Whether the reader ever answers wrongly: `python tests/benchmarks/thirty_thousand.py --out FILE`.

Ten dice fall onto the cornet's floor by rigid-body physics, in a chance style, light and camera; what the reader says
of the picture is compared with the physics. Each throw follows from the seed and its number alone, and the run goes on
where it was interrupted. Needs the extra "rendering". After 3,750 throws without a silent misread the bound is below
1e-4 a die.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from firmware.dimensions import size
from tests.vision.conftest import top_face
from vision.die_shape import STYLES, DieStyle
from vision.evaluate import LabelledDie, score
from vision.picture import Image
from vision.reader import VERSION, read
from vision.reading import Verdict
from vision.rendered import Stage
from vision.rig import Rig
from vision.shares import bounds
from vision.studio.physics import FLOOR_MM, Surface, lying, settle
from vision.studio.throws import falling, judge

DICE, SIZE_PX, SAME_FLOOR = 10, (1014, 760), 25
LIGHTS: Mapping[str, tuple[float, tuple[float, float, float], float]] = {
    # gain, cast on blue, green and red, how much darker the far side is
    "even": (1.0, (1.0, 1.0, 1.0), 0.0),
    "dim": (0.45, (0.95, 1.0, 1.05), 0.1),
    "bright": (1.9, (1.0, 1.0, 1.0), 0.0),
    "warm": (1.0, (0.62, 0.92, 1.2), 0.1),
    "cold": (1.0, (1.25, 1.0, 0.75), 0.1),
    "slanting": (1.2, (1.0, 1.0, 1.0), 0.65),
}
"""The light beside the ring's own unevenness, which differs from floor to floor."""


@dataclass(frozen=True, slots=True, eq=False)
class Throw:
    """A picture and what is true of it."""

    style: str
    light: str
    image: Image
    dice: list[LabelledDie]
    verdict: Verdict  # ok, cocked or stacked


@lru_cache(maxsize=1)
def floor(seed: int, number: int) -> Stage:
    """An empty floor; some throws in a row share it."""
    return Stage(np.random.default_rng((seed, 1, number)), Rig.of(size), size_px=SIZE_PX)


def throw(seed: int, number: int) -> Throw:
    """The throw of that number."""
    rng = np.random.default_rng((seed, 2, number))
    side_mm = float(rng.uniform(14, 18))
    while True:
        bodies = falling(rng, [side_mm] * DICE, 0.6 * FLOOR_MM / 2)
        surface = Surface(walled=True, friction=float(rng.uniform(0.3, 0.7)))
        rests = settle(bodies, surface) if len(bodies) == DICE else None
        verdict = judge(bodies, rests) if rests else None
        if rests and verdict:
            break
    poses = [lying(rest, side_mm) for rest in rests]
    name = str(rng.choice(list(STYLES)))
    light = str(rng.choice(list(LIGHTS)))
    stage = floor(seed, number // SAME_FLOOR)
    lens = _camera(rng)
    drawn = stage.draw(poses, [_varied(rng, STYLES[name])])
    seen = cv2.warpPerspective(drawn, lens, SIZE_PX, borderMode=cv2.BORDER_REPLICATE)
    picture = _lit(rng, np.asarray(seen, np.uint8), light)
    dice = []
    for pose in poses:
        top = top_face(stage, pose)
        x, y, w = lens @ [top.x_px, top.y_px, 1.0]
        half = top.side_px / 2
        dice.append(LabelledDie(top.face, (x / w - half, y / w - half, 2 * half, 2 * half)))
    return Throw(name, light, picture, dice, verdict)


def _varied(rng: np.random.Generator, style: DieStyle) -> DieStyle:
    """Another set of the same style."""
    red, green, blue = (int(np.clip(level + rng.normal(0, 8), 8, 250)) for level in style.body)
    return replace(
        style,
        body=(red, green, blue),
        corner=style.corner * float(rng.uniform(0.7, 1.2)),
        pip_radius=style.pip_radius * float(rng.uniform(0.88, 1.12)),
        pitch=style.pitch * float(rng.uniform(0.92, 1.05)),
        gloss=float(np.clip(style.gloss + rng.normal(0, 0.15), 0, 1)),
    )


def _camera(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """How a camera that is turned about its lens by some degrees sees what one straight above sees."""
    focal, middle = Rig.of(size).focal_px(SIZE_PX[1]), (np.array(SIZE_PX) - 1) / 2
    lens = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]])
    turn, _ = cv2.Rodrigues(np.radians(rng.normal(0, [0.8, 0.8, 3.0])))
    nearer = np.diag([0.97, 0.97, 1.0])
    return np.asarray(lens @ nearer @ turn @ np.linalg.inv(lens))


def _lit(rng: np.random.Generator, picture: Image, light: str) -> Image:
    """The picture in another light, by another camera, out of a JPEG."""
    gain, cast, slant = LIGHTS[light]
    across = np.linspace(-1, 1, SIZE_PX[0])[None, :] * rng.choice([-1, 1])
    shade = gain * float(np.exp(rng.normal(0, 0.1))) * (1 - slant * (0.5 + 0.5 * across))
    linear = (picture.astype(np.float32) / 255) ** 2 * shade[..., None] * np.array(cast)
    sharp = 255 * np.sqrt(np.clip(linear, 0, 1)).astype(np.float32)
    shown = cv2.GaussianBlur(sharp, (0, 0), float(rng.uniform(0.3, 1.1)))
    noisy = shown + rng.standard_normal(shown.shape, np.float32) * np.float32(rng.uniform(0.8, 4.0))
    levels = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
    _, coded = cv2.imencode(".jpg", levels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 95))])
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def judged(seed: int, number: int) -> dict[str, Any]:
    """What the reader made of a throw."""
    shown = throw(seed, number)
    reading = read(shown.image, DICE)
    worth = score(reading, shown.dice, shown.verdict)
    return {
        "number": number,
        "seed": seed,
        "reader": VERSION,
        "style": shown.style,
        "light": shown.light,
        "truth": shown.verdict.value,
        "verdict": reading.verdict.value,
        "score": worth.value,
    }


def strata(results: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """All throws, those where all lie flat and those where not, and those of each style, light and both together."""
    yield "all", results
    for heading, keys in (("truth", ["truth"]), ("style", ["style"]), ("light", ["light"]), ("", ["style", "light"])):
        for name in sorted({tuple(result[key] for key in keys) for result in results}):
            part = [result for result in results if tuple(result[key] for key in keys) == name]
            yield f"{heading} {' in '.join(name)} {'light' if len(name) > 1 else ''}".strip(), part


def table(results: list[dict[str, Any]]) -> Table:
    """The figures of each stratum; the bound is exact and binomial, 95 % both ends together, for one die shown."""
    drawn = Table("", "throws", "exact", "silent", "refused", "silent a die, at most", "refused as")
    for heading, part in strata(results):
        counted = Counter(result["score"] for result in part)
        verdicts = Counter(result["verdict"] for result in part if result["verdict"] != "ok")
        silent = counted["silent"]
        reasons = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common())
        most = f"{bounds(silent, DICE * len(part))[1]:.1e}"
        counts = (str(count) for count in (len(part), counted["exact"], silent, counted["refused"]))
        drawn.add_row(heading, *counts, most, reasons)
    return drawn


def main() -> None:
    """Read as many throws as are missing in the file of results, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="a line of JSON for each throw")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--throws", type=int, default=3750, help="of ten dice each (default 3750)")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    done = [json.loads(line) for line in options.out.read_text("utf-8").splitlines()] if options.out.exists() else []
    if any((result["seed"], result["reader"]) != (options.seed, VERSION) for result in done):
        parser.error(f"{options.out} holds results of another seed or another reader; name another file")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as progress, options.out.open("a", encoding="utf-8") as file:
        task = progress.add_task("throws", total=options.throws, completed=len(done))
        for number in range(len(done), options.throws):
            done.append(judged(options.seed, number))
            print(json.dumps(done[-1]), file=file, flush=True)
            progress.advance(task)
    Console(width=160).print(table(done))


if __name__ == "__main__":
    main()
