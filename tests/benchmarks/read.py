"""How long a picture of ten dice takes to read, beside two references: `python tests/benchmarks/read.py`.

The references look at the same picture: blur, Otsu's threshold and connected components; and a blob detector whose
blobs DBSCAN groups into dice, as tutorials do it (Ester, Kriegel, Sander and Xu, 1996).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import resource
import statistics
import time
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from vision import reader
from vision.die_shape import styles_named
from vision.network import Network, pyramid
from vision.patterns import compare
from vision.picture import Image, decode, encode_jpeg
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.second_look import COARSER, FINER

STYLES = ("ivory", "white", "red", "wood", "casino", "asian")


def pictures(count: int) -> list[Image]:
    """Ten dice on the floor at 1456 x 1088, one style after the other."""
    stage, shown = Stage(np.random.default_rng(1), Rig.of(size)), []
    for number in range(count):
        tower = SimulatedTower(f"read {number}")
        tower.tumble()
        dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
        picture = stage.expose(stage.draw(dice, styles_named(STYLES[number % len(STYLES)])))
        shown.append(decode(encode_jpeg(picture)))
    return shown


def components(image: Image) -> int:
    """How many things stand out of the ground."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (7, 7), 0)
    mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1]
    return int(cv2.connectedComponentsWithStats(mask)[0])


def tutorial(image: Image) -> list[int]:
    """The number of blobs in each group of blobs that lie near each other."""
    parameters = cv2.SimpleBlobDetector.Params()
    parameters.filterByInertia, parameters.minInertiaRatio = True, 0.6
    spots = cv2.SimpleBlobDetector.create(parameters).detect(cv2.medianBlur(image, 7))
    return [len(group) for group in dbscan(np.array([spot.pt for spot in spots]).reshape(-1, 2), 40.0)]


def dbscan(places: np.ndarray, reach_px: float) -> list[list[int]]:
    """Groups of places of which each is within reach of the next; one is enough for a group."""
    near = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)) < reach_px if len(places) else np.zeros((0, 0))
    left, groups = set(range(len(places))), []
    while left:
        group, edge = [], [left.pop()]
        while edge:
            one = edge.pop()
            group.append(one)
            found = left & set(np.flatnonzero(near[one]).tolist())
            left -= found
            edge += found
        groups.append(group)
    return groups


def median_ms(work: Callable[[Image], object], shown: Sequence[Image]) -> tuple[float, float]:
    """The medians of the wall time and of the processor's: on a busy machine they differ."""
    taken = []
    for image in 3 * list(shown):
        begun, used = time.perf_counter(), time.process_time()
        work(image)
        taken.append((time.perf_counter() - begun, time.process_time() - used))
    wall, processor = (1000 * statistics.median(times) for times in zip(*taken, strict=True))
    return wall, processor


def main() -> None:
    """Print the medians of the reader, its stages and the references, and the memory of it all."""
    cv2.setNumThreads(1)
    shown = pictures(8)
    network = Network()
    places = {id(image): network.places(image)[:10, :3] for image in shown}
    sights = {id(image): network.look(image) for image in shown}
    stages: list[tuple[str, Callable[[Image], object]]] = [
        ("the whole reading", lambda image: reader.read(image, 10)),
        ("the whole reading, number not known", reader.read),
        ("  halving the picture", pyramid),
        ("  detector alone", network.places),
        ("  all the networks", network.look),
        ("  patterns of the pips", lambda image: compare([image], places[id(image)])),
        ("a second look, larger", lambda image: network.look_again(sights[id(image)], FINER)),
        ("a second look, smaller", lambda image: network.look_again(sights[id(image)], COARSER)),
        ("dice felt again", lambda image: network.feel(sights[id(image)], sights[id(image)].dice, places[id(image)])),
        ("reference: blur, Otsu, components", components),
        ("reference: blob detector and DBSCAN", tutorial),
    ]
    for name, work in stages:
        work(shown[0])
        wall, processor = median_ms(work, shown)
        print(f"{name:38s}{wall:8.1f} ms, of the processor {processor:6.1f} ms")
    largest_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    read = sum(reader.read(image, 10).ok for image in shown)
    print(f"{read} of {len(shown)} pictures read; memory {largest_mb:.0f} MB with renderer and pictures")


if __name__ == "__main__":
    main()
