"""From a press to the committed score, stage by stage: `python tests/benchmarks/press_to_score.py`.

The real tower's code moves the physical model of the tests, and its seconds are those of the model. Rest and reading
are this computer's, on rendered pictures of 1456 x 1088 pixels, in seconds of its processor, so that whatever else runs
does not count; writing is in seconds of the wall clock, on this disk. Drawing the pictures is left out; instead the
camera's are taken to come every PICTURE_S.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import cv2

from firmware.gpio import GpioTower
from firmware.simulated import SimulatedTower
from firmware.tower import TowerFault
from server.eye import CameraEye, Seen
from server.log import Log
from server.parts import rendered
from server.table import Table
from tests.firmware.model import Model
from vision.camera import Camera, Frame

PICTURE_S = 1 / 15
"""A picture whose exposure began after the question: at 30 a second, the rest of the one under way and one more."""
LIMIT_S = 6.0
PLACES, SEEDS = 12, 5
"""From so many places of the cone and with so many seeds the first throw after a start is tried."""
DICE, THROWS = 10, 13
STAGES = ("press written", "tumble", "rest", "read", "score written")
T = TypeVar("T")


class Clocked:
    """A tower, a camera and an eye that note what each stage takes; simulated dice lie in the model's cone."""

    recorded = 0
    lost = ""

    def __init__(self, tower: GpioTower, model: Model) -> None:
        self._tower, self._model, self._dropped = tower, model, SimulatedTower("7", DICE)
        self._camera: Camera = rendered(lambda: self._dropped.lying)
        self._eye = CameraEye(self, DICE)
        self._drawing_s, self._pictures = 0.0, 0
        self.spent_s: dict[str, float] = {}
        self.since_s = 0.0

    def tumble(self) -> None:
        self.spent_s["press written"] = time.perf_counter() - self.since_s
        began_s = self._model.time_s
        self._tower.tumble()
        self._dropped.tumble()
        self.spent_s["tumble"] = self._model.time_s - began_s

    def settle(self) -> Any:
        self._drawing_s, self._pictures = 0.0, 0
        settled, took_s = _timed(self._eye.settle)
        self.spent_s["rest"] = took_s - self._drawing_s + self._pictures * PICTURE_S
        return settled

    def look(self, settled: Any) -> Seen:
        seen, self.spent_s["read"] = _timed(lambda: self._eye.look(settled))
        self.since_s = time.perf_counter()
        return seen

    def frame(self, timeout_s: float) -> Frame:
        frame, took_s = _timed(lambda: self._camera.frame(timeout_s))
        self._drawing_s += took_s
        self._pictures += 1
        return frame

    def trouble(self) -> TowerFault | None:
        return self._tower.trouble()

    def stop(self) -> None:
        self._tower.stop()

    def ready(self) -> None:
        self._tower.ready()

    def close(self) -> None:
        self._tower.close()


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began_s = time.process_time()
    return work(), time.process_time() - began_s


def _first_s() -> float:
    """The longest tumble that is the first after a start, when nobody knows where the cone stands."""
    longest_s = 0.0
    for number in range(PLACES * SEEDS):
        model = Model(start_deg=360 / PLACES * (number % PLACES))
        began_s = model.time_s
        with model.tower(str(number // PLACES)) as tower:
            tower.tumble()
        longest_s = max(longest_s, model.time_s - began_s)
    return longest_s


def main() -> int:
    """Print each stage, the whole, and the whole of the first throw; 1 if one of the latter two is above the limit."""
    cv2.setNumThreads(1)
    model = Model()
    spent: dict[str, list[float]] = {stage: [] for stage in STAGES}
    with model.tower() as tower, tempfile.TemporaryDirectory(dir=".") as folder:
        clocked = Clocked(tower, model)
        log = Log(Path(folder))
        table = Table(log, clocked, clocked, boot="benchmark", about={"dice": DICE}, run=lambda throw: throw())
        table.start_game("vingt-six", ["Ana", "Bo"], {}, "console")
        for action in ({"do": "bet", "chips": 2}, {"do": "call", "face": 6}):
            table.act(action, "console", None, None)
        for _ in range(THROWS):
            clocked.since_s = time.perf_counter()
            table.press("console", None, None)
            clocked.spent_s["score written"] = time.perf_counter() - clocked.since_s
            for stage in STAGES:
                spent[stage].append(clocked.spent_s[stage])
        log.close()
    whole = [sum(times) for times in zip(*spent.values(), strict=True)]
    print(f"{'stage':<16}{'median s':>10}{'worst s':>10}")
    for stage, times in (*spent.items(), ("press to score", whole)):
        print(f"{stage:<16}{statistics.median(times):>10.3f}{max(times):>10.3f}")
    later = [sum(times) for times in zip(*(spent[stage] for stage in STAGES if stage != "tumble"), strict=True)]
    first_s = _first_s() + statistics.median(later)
    print(f"{'first throw':<16}{'':>10}{first_s:>10.3f}")
    return int(max(statistics.median(whole), first_s) > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
