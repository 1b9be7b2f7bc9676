"""A throw that can be read, and how one of its dice is seen otherwise."""

from dataclasses import replace

import numpy as np

from firmware.simulated import SimulatedTower
from vision.network import NONE, Sight
from vision.picture import Image
from vision.reading import Verdict
from vision.rendered import LyingDie, Stage, render
from vision.verdicts import explain, judge
from vision.views import View

COUNT = 10


def with_first(views: list[View], **seen: object) -> list[View]:
    """The views, of which the networks see the first otherwise."""
    return [replace(views[0], seen=replace(views[0].seen, **seen)), *views[1:]]  # type: ignore[arg-type]


def nameless(view: View) -> View:
    """The same place, where neither way of reading sees a number."""
    faces = np.full((3, NONE + 1), 0.01, np.float32)
    faces[:, NONE], faces[:, view.seen.face - 1] = 0.75, 0.2
    return View(replace(view.seen, faces=faces), replace(view.fit, likeness=np.full(6, 0.2, np.float32)))


def judged(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str]:
    """What one look at it comes to."""
    return explain(sight, views, expected, judge(sight, views, expected))


def throw(floor: Stage, seed: str, style: str = "ivory", fault: str | None = None) -> tuple[Image, list[int | None]]:
    tower = SimulatedTower(seed, faults={1: fault} if fault else {})
    tower.tumble()
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
    return render(dice, style, floor), [die.face for die in tower.lying]
