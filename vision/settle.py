"""Rests of a recorded scene: from when to when every die stays in its final pose."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from vision.picture import Image
from vision.reading import Box
from vision.stillness import (
    SCENE_PX,
    STILL_PX,
    Grey,
    Resting,
    Rolling,
    blocks,
    brightened,
    is_black,
    light_between,
    moved_px,
    smooth,
)

Find = Callable[[Image], Sequence[Box]]

FRAMES_A_SECOND = 25.0
"""What frames without a clock of their own are taken for."""
REST_S = 0.16
"""Four frames at 25 a second: shorter stillness is no rest."""
_KEPT_FRAMES = 60  # at least so far back the beginning of a rest is looked for: it is noticed long before
_CHANGE_LEVELS = 9.0  # grey levels by which a place must change to be news
_CHANGE_TIMES = 6.0  # and so many times what most places change by, which noise changes one in 20,000 by
_BUSY_SHARE = 0.25  # of the picture that changes: more is a camera that is carried or a hand before it
_CALM_SHARE = 0.0005  # of the picture: a die that rolls changes more
_FLASH_S = 0.08  # a die that is gone for no longer, and then lies as before, was not seen: no die comes back so soon
_OTHER_LIGHT = 1.3  # times as much, or as little: dice may not be known in it, and are waited for
_SWAY_PX = 1.25  # half a pixel either way, and what noise adds: dice that come back from there have not moved
_SWAY_S = 1.0  # so long at most: what lies further than half a pixel away for longer lies in another place
_CREEP_S = 2.0  # a die that creeps has come to lie by then: what creeps on, and slowly, is the camera
_LOOK_EVERY = 3  # frames: looking for dice takes many times as long as following them
_TOUCHED_S = 0.5  # dice that lie for less where they lay before, and something always moves, are held by a finger
_ROLLS_ON_S = 0.5  # a die that was seen to roll no longer ago may roll still
_SLOW_S = 0.5  # so often a scene without dice is compared with itself: they may come to be seen little by little
_ALIVE_SHARE = 0.6  # of the places of a picture differ from frame to frame where a camera took it
_COARSE_LEVELS = 0.05  # grey levels: a place that differs by no more on the average is the same once more
_LIVELY_SHARE = 0.3  # or so many of what MP4 coding leaves of that: what is left of fewer tells nothing
_DULL_TIMES = 0.25  # as many differ in a picture that was repeated before it was coded
_GOES_ON_TIMES = 1.5  # as much changes at most, or as little, in a movement that merely went on
_PACE_FRAMES = 8  # before a rest tell how lively the recording was


class _Step(NamedTuple):
    """What is new in a frame."""

    stalled: bool = False  # nothing, from a camera that never shows the same twice
    alive: float = 0.0  # the share of places that differ
    changed: float = 0.0  # the share of places by more than noise


class Settling:
    """Watches frames one after the other and finds the rests; memory does not grow with the recording.

    `find` finds the dice of a still picture. Each rest is (first, last), inclusive frame numbers from 0.
    """

    def __init__(self, find: Find, frames_a_second: float = FRAMES_A_SECOND) -> None:
        self._find = find
        self._least = max(2, math.ceil(REST_S * frames_a_second - 0.01))
        self._number = -1
        self._flash = int(_FLASH_S * frames_a_second + 0.01)
        kept = max(_KEPT_FRAMES, 2 * self._least + 1)
        self._scenes: deque[Grey] = deque(maxlen=kept)
        self._steps: deque[_Step] = deque(maxlen=kept)
        self._alive = 0.0  # the share of places that differ between any two frames, by noise alone
        self._lately = deque([0.0, 0.0], maxlen=2)  # the share of places that differed, of the two pairs before
        self._usual = 0.0  # by so many grey levels most places changed last: in a cut they do once
        self._quiet = 1  # for so many frames no more than a part of the picture has changed
        self._calm = 1  # for so many frames next to nothing has
        self._news = True  # whether anything has changed since dice were last looked for
        self._empty = self._shown = np.zeros((1, 1), np.float32)  # the scenes without any, and with those at rest
        self._wait = 0  # frames until it is worth looking for dice again
        self._resting: list[Resting] = []
        self._rested: list[Resting] = []  # the dice of the last rest
        self._first = self._begun = 0  # of the resting ones, as they lie now and before they crept there
        self._stirred = False  # whether something has moved beside the resting dice since dice were last looked for
        self._alone = 0  # the last frame in which nothing had
        self._touched = False  # whether they lie where dice rested before, and something has moved ever since
        self._rolling = Rolling()
        self._missed = 0  # for so many frames not all of the resting dice have been seen where they lie
        self._visible = 0  # in so many of those there was light enough
        self._patience = 0  # so many of those are borne
        self._settled = 0  # up to this frame the resting dice may still creep
        self._after = 0  # no rest begins before this frame: the last one ended there

    def add(self, image: Image) -> tuple[int, int] | None:
        """Take in the next frame; the rest that ended before it, if one did."""
        self._number += 1
        scene = _scene(image)
        if self._scenes and self._scenes[-1].shape != scene.shape:
            ended = self._end(self._number - 1 - self._missed)
            self._scenes.clear()
            self._steps.clear()
            self._news = True
            self._rolling.dice = []
        else:
            ended = None
        self._follow(scene)
        if self._resting:
            ended = self._watch(image)
        elif self._is_news() and self._quiet >= self._least and self._wait <= 0:
            self._look(image)
        self._wait -= 1
        return ended

    def _watch(self, image: Image) -> tuple[int, int] | None:
        """See whether the dice still rest; the rest that ended, if it did."""
        scene = self._scenes[-1]
        away_px = moved_px(self._resting, scene, _SWAY_PX)
        if away_px == math.inf:
            away_px = moved_px(self._resting, brightened(self._shown, scene), _SWAY_PX)
        if away_px <= STILL_PX:
            self._bridge()
            if self._may_creep():
                self._compare(scene)
            return self._beside(image)
        self._missed += 1
        if is_black(self._shown, scene):
            return None  # whether they are there is seen when the light comes back
        self._visible += 1
        if away_px > _SWAY_PX:
            light = light_between(self._shown, scene)
            lit_otherwise = max(light, 1 / light) > _OTHER_LIGHT
            self._patience = 2 * self._least if lit_otherwise else self._flash
        elif self._visible == 1:
            self._patience = self._frames(_SWAY_S) if self._came_slowly(self._least // 2) else 2 * self._least
        elsewhere = away_px > _SWAY_PX or self._patience == self._flash
        if not elsewhere and self._came_slowly(max(2 * self._least, self._missed + 1)):  # the camera drifts
            self._lie([die.again(scene) for die in self._resting])
            self._bridge()
        elif self._visible > self._patience:
            return self._end(self._number - self._missed)
        return None

    def _lie(self, dice: list[Resting]) -> None:
        """Take the dice as they are seen now for those at rest."""
        self._resting, self._shown = dice, self._scenes[-1]

    def _bridge(self) -> None:
        """The dice are seen to lie as they did: whatever was seen in their place meanwhile was nothing."""
        for back in range(1, min(self._missed + 1, len(self._scenes))):
            self._scenes[-1 - back] = self._scenes[-1]
        self._missed = self._visible = 0

    def _came_slowly(self, back: int) -> bool:
        """Whether what is seen now in place of the dice was there, or nearly so, in so many frames before."""
        now = [die.again(self._scenes[-1]) for die in self._resting]
        before = list(self._scenes)[-1 - back : -1]
        return len(before) == back and all(moved_px(now, scene, STILL_PX) <= STILL_PX for scene in before)

    def end(self) -> tuple[int, int] | None:
        """The rest that lasts to the end of the recording, if one does."""
        lately = self._number - self._rolling.last < self._frames(_ROLLS_ON_S)
        if self._stirred and lately and self._rolling.since(self._first) and not self._lay_alone():
            return None  # it ends in motion
        sways = self._visible == self._missed and self._patience > self._flash
        return self._end(self._number - (0 if sways else self._missed))

    def _end(self, last: int) -> tuple[int, int] | None:
        if not self._resting:
            return None
        first, least = self._first, self._least
        if self._touched:
            least = max(least, self._frames(_TOUCHED_S))
        if self._rolling.since(first):  # another die has come
            first, last = (first, self._alone) if self._lay_alone() else (self._rolling.last + 1, last)
        self._rested, self._resting, self._after, self._news, self._wait = self._resting, [], last + 1, True, 0
        self._missed = self._visible = 0
        return (first, last) if last - first + 1 >= least and not self._stalled(first, last) else None

    def _stalled(self, first: int, last: int) -> bool:
        """Whether a recording that stalled shows these frames: it is duller there, and what moved moves on."""
        begun, ended = (number - self._number - 1 for number in (first, last + 1))
        if -begun >= len(self._steps) or ended == 0:
            return False
        steps = list(self._steps)
        before, during = steps[: begun + 1][-_PACE_FRAMES:], steps[begun + 1 : ended]
        usual, dull = (float(np.median([step.alive for step in part])) for part in (before, during))
        came, goes = (max(step.changed for step in steps[at:][:2]) for at in (begun, ended))
        pace = float(np.median([step.changed for step in before]))
        goes_on = max(came, goes) < _GOES_ON_TIMES * min(came, goes)
        # A camera that stalled has missed what moved meanwhile: it jumps, but had not slowed down before.
        jumps_on = pace < _GOES_ON_TIMES * came and came < _GOES_ON_TIMES * min(pace, goes)
        moves = came > _CALM_SHARE and (goes_on or jumps_on)
        return moves and usual > _LIVELY_SHARE and dull < _DULL_TIMES * usual

    def _frames(self, time_s: float) -> int:
        """So long in frames."""
        return round(time_s / REST_S * self._least)

    def _lay_alone(self) -> bool:
        """Whether the dice had rested for long enough when something began to move beside them."""
        return self._alone - self._first + 1 >= self._least

    def _follow(self, scene: Grey) -> None:
        """Keep the scene, and note whether it is news, busy, or a mere repetition of the one before."""
        step = _Step()
        if self._scenes:
            before = self._scenes[-1]
            off = _off(before, scene)
            new = np.asarray(cv2.resize(np.abs(off), blocks(off), interpolation=cv2.INTER_AREA))
            alive = float((new > 0.0).mean())
            # A camera with noise never shows the same twice: a frame repeated is no evidence of rest.
            stalled = alive == 0.0 and self._alive > _ALIVE_SHARE
            # Noise differs again and again, in a recording that shows each frame twice too; a cut differs once.
            noise = min(alive, max(self._lately))
            if noise > 0.0:
                self._alive = noise if self._alive == 0.0 else 0.9 * self._alive + 0.1 * noise
            self._lately.append(alive)
            soft = np.abs(smooth(off))
            usual = float(np.median(soft[::8, ::8]))  # noise, or a light that does not flicker everywhere alike
            changed = float((soft > max(_CHANGE_LEVELS, _CHANGE_TIMES * min(usual, self._usual))).mean())
            self._usual = usual
            self._quiet = 1 if changed > _BUSY_SHARE else self._quiet + 1
            self._calm = 1 if changed > _CALM_SHARE else self._calm + 1
            self._news = self._news or changed > 0.0
            self._stirred = self._stirred or changed > _CALM_SHARE
            step = _Step(stalled, float((new > _COARSE_LEVELS).mean()), changed)
        self._scenes.append(scene)
        self._steps.append(step)

    def _is_news(self) -> bool:
        """Whether there may be dice where there were none."""
        if not self._news and self._number % self._frames(_SLOW_S) == 0:
            most = float(np.abs(smooth(_off(self._empty, self._scenes[-1]))).max())
            self._news = most > max(_CHANGE_LEVELS, _CHANGE_TIMES * self._usual)
        return self._news

    def _look(self, image: Image) -> None:
        """Look for dice, and begin a rest if all of them have stayed for long enough."""
        dice = self._dice(image)
        self._rolling.look(dice, self._resting, self._scenes[-1], self._number)
        first, seen = self._since(dice)
        if not dice:
            self._news, self._empty = False, self._scenes[-1]
        elif seen >= self._least and (self._calm >= self._least or not self._is_left_over(dice)):
            self._lie(dice)
            self._begin(first)
            self._stirred = self._calm < self._least
            self._alone = -1 if self._stirred else self._number
            self._touched = self._stirred and self._are_those_before(dice)
            self._rolling.dice = []
        # Dice that have begun to lie still are looked at in every frame: a short rest must not end before it is seen.
        self._wait = 1 if seen > 1 else min(_LOOK_EVERY, self._least - 1)

    def _begin(self, first: int) -> None:
        """A rest begins with that frame, unless the dice still creep."""
        self._first = self._begun = first
        self._settled = self._number + 2 * self._least

    def _dice(self, image: Image) -> list[Resting]:
        """The dice of the newest frame."""
        scale, now = _scale(image), self._scenes[-1]
        return [Resting.found(now, box, scale) for box in self._find(image)]

    def _beside(self, image: Image) -> tuple[int, int] | None:
        """Look for a die that has come to lie beside the resting ones; the rest that it ended, if it found one."""
        if not self._stirred:
            self._alone, self._touched = self._number, False
            return None
        if self._calm < self._least:
            if self._wait <= 0:
                self._rolling.look(self._new(image), self._resting, self._scenes[-1], self._number)
                self._wait = 1 if self._rolling.dice else max(1, self._least - 1)
            return None
        dice = self._new(image)
        first, seen = self._since(dice)
        if dice and seen < self._least:
            return None
        rolled = self._rolling.since(self._first)
        self._stirred = self._touched = False
        self._rolling.forget()
        # What lay there for as long as is known has only been overlooked.
        if not dice or first <= max(self._first, self._number + 1 - len(self._scenes)):
            if not rolled:
                return None
            dice, first = [], self._number + 1 - self._calm  # what rolled has left
        # Where nothing had lain still before it came, the others were only the first to stop.
        ended = (self._first, self._alone) if self._lay_alone() else None
        self._lie(self._resting + dice)
        self._begin(first)
        return ended

    def _new(self, image: Image) -> list[Resting]:
        """The dice of the newest frame that are not those at rest."""
        return [die for die in self._dice(image) if not any(die.is_at(other) for other in self._resting)]

    def _since(self, dice: list[Resting]) -> tuple[int, int]:
        """The frame from which the dice have stayed as they are, and how many frames say so."""
        first, seen, counted = self._number + 1, 0, 0
        numbers = range(self._number, self._after - 1, -1)
        for number, scene, step in zip(numbers, reversed(self._scenes), reversed(self._steps), strict=False):
            away_px = moved_px(dice, scene, _SWAY_PX)
            if away_px > _SWAY_PX or first - number > self._frames(_SWAY_S):
                break
            counted += not step.stalled
            if away_px <= STILL_PX:
                first, seen = number, counted
        return first, seen

    def _may_creep(self) -> bool:
        """Whether it is time to compare the resting dice with themselves again."""
        left = self._settled - self._number
        return left >= 0 and left % (self._least // 2) == 0

    def _compare(self, scene: Grey) -> None:
        """Let the rest begin where the dice came to lie as they do now, until they do not creep any more."""
        dice = [die.again(scene) for die in self._resting]
        first, _ = self._since(dice)
        if first > self._number + 1 - self._least:
            return  # they are about to leave
        self._lie(dice)
        # A long rest may have begun before what is kept.
        if first <= max(self._first, self._number + 1 - len(self._scenes)):
            return
        self._first, self._settled = first, self._number + 2 * self._least
        if self._number - self._begun > self._frames(_CREEP_S) and self._number + 1 - first >= 3 * self._least:
            self._first, self._settled = self._begun, self._number

    def _is_left_over(self, dice: list[Resting]) -> bool:
        """Whether these are but some of the dice that rested before: a hand is about to take them all."""
        return len(dice) < len(self._rested) and self._are_those_before(dice)

    def _are_those_before(self, dice: list[Resting]) -> bool:
        """Whether all of these rested before."""
        return bool(self._rested) and all(any(die.is_at(other) for other in self._rested) for die in dice)


def find_rests(
    images: Iterable[Image], find: Find, frames_a_second: float = FRAMES_A_SECOND
) -> Iterator[tuple[int, int]]:
    """The rests of a recording, each as soon as it has ended."""
    settling = Settling(find, frames_a_second)
    for image in images:
        ended = settling.add(image)
        if ended:
            yield ended
    ended = settling.end()
    if ended:
        yield ended


def _off(before: Grey, after: Grey) -> Grey:
    """What a scene shows that another in whatever light does not."""
    return np.asarray(after - light_between(before, after) * before, np.float32)


def _scale(image: Image) -> float:
    return float(min(1.0, SCENE_PX / max(image.shape[:2])))


def _scene(image: Image) -> Grey:
    scale = _scale(image)
    if scale < 1:
        size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
