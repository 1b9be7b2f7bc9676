"""Take labelled pictures: `python -m vision.studio --out DIR --seed 7`; goes on where it was interrupted."""

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import drjit
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vision.files import write_safely
from vision.studio.pictures import PATHS, shoot

SIZES = {448: (448, 336), 640: (640, 480), 1014: (1014, 760), 1456: (1456, 1088)}
_SMALL_FILES = cv2.IMWRITE_JPEG_OPTIMIZE, 1, cv2.IMWRITE_JPEG_PROGRESSIVE, 1  # by 7 %; the pixels are the same


def main() -> None:
    """The command."""
    options = _options()
    cv2.setNumThreads(1)
    drjit.set_thread_count(1)
    options.out.mkdir(parents=True, exist_ok=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as progress:
        task = progress.add_task("pictures", total=options.count)
        for number in range(options.first, options.first + options.count):
            _take(options.out, options.seed, number, SIZES[options.size], options.paths)
            progress.advance(task)
    labels = json.dumps({"format": 1, "images": _labels(options.out)}, indent=1)
    write_safely(options.out / "labels.json", labels.encode())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vision.studio", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the pictures and labels.json go")
    parser.add_argument("--seed", type=int, default=7, help="of all that is left to chance (default 7)")
    parser.add_argument("--count", type=int, default=100, help="how many pictures (default 100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first picture (default 0)")
    parser.add_argument("--size", type=int, default=640, choices=SIZES, help="width in pixels (default 640)")
    parser.add_argument(
        "--paths", type=int, default=PATHS, help=f"of light for each pixel: fewer are faster (default {PATHS})"
    )
    return parser.parse_args()


def _take(out: Path, seed: int, number: int, size_px: tuple[int, int], paths: int) -> None:
    """Write a picture and, when it is whole, its label; neither where the label is there already."""
    name = f"studio_{size_px[0]}_{seed}_{number:05}"
    if (out / f"{name}.json").is_file():
        return
    shot = shoot(seed, number, size_px, paths)
    _, coded = cv2.imencode(".jpg", shot.image, [cv2.IMWRITE_JPEG_QUALITY, shot.quality, *_SMALL_FILES])
    write_safely(out / f"{name}.jpg", coded.tobytes())
    label = {
        "file": f"{name}.jpg",
        **shot.label,
        "source": f"python -m vision.studio --seed {seed} --paths {paths}",
        "licence": "MIT",
    }
    write_safely(out / f"{name}.json", json.dumps(label).encode())


def _labels(out: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(out.glob("studio_*.json"))]


if __name__ == "__main__":
    main()
