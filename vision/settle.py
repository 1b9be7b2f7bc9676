"""Rests of a recorded scene: from when to when every die stays in its final pose."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

import cv2
import numpy as np

from vision.picture import Image
from vision.reading import Box
from vision.stillness import SCENE_PX, Grey, Resting, Rolling, blocks, light_between, smooth

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
_LOOK_EVERY = 3  # frames: looking for dice takes many times as long as following them
_TOUCHED_S = 0.5  # dice that lie for less where they lay before, and something always moves, are held by a finger
_ROLLS_ON_S = 0.5  # a die that was seen to roll no longer ago may roll still
_ALIVE_SHARE = 0.6  # of the places of a picture differ from frame to frame where a camera took it


class Settling:
    """Watches frames one after the other and finds the rests; memory does not grow with the recording.

    `find` finds the dice of a still picture. Each rest is (first, last), inclusive frame numbers from 0.
    """

    def __init__(self, find: Find, frames_a_second: float = FRAMES_A_SECOND) -> None:
        self._find = find
        self._least = max(2, math.ceil(REST_S * frames_a_second - 0.01))
        self._number = -1
        self._flash = int(_FLASH_S * frames_a_second + 0.01)
        kept = max(_KEPT_FRAMES, 2 * self._least)
        self._scenes: deque[Grey] = deque(maxlen=kept)
        self._stalls: deque[bool] = deque(maxlen=kept)
        self._alive = 0.0  # the share of places that differ between any two frames, by noise alone
        self._lately = deque([0.0, 0.0], maxlen=2)  # the share of places that differed, of the two pairs before
        self._usual = 0.0  # by so many grey levels most places changed last: in a cut they do once
        self._quiet = 1  # for so many frames no more than a part of the picture has changed
        self._calm = 1  # for so many frames next to nothing has
        self._news = True  # whether anything has changed since dice were last looked for
        self._wait = 0  # frames until it is worth looking for dice again
        self._resting: list[Resting] = []
        self._rested: list[Resting] = []  # the dice of the last rest
        self._first = 0
        self._stirred = False  # whether something has moved beside the resting dice since dice were last looked for
        self._alone = 0  # the last frame in which nothing had
        self._touched = False  # whether they lie where dice rested before, and something has moved ever since
        self._rolling = Rolling()
        self._missed = 0  # for so many frames not all of the resting dice have been seen where they lie
        self._settled = 0  # up to this frame the resting dice may still creep
        self._after = 0  # no rest begins before this frame: the last one ended there

    def add(self, image: Image) -> tuple[int, int] | None:
        """Take in the next frame; the rest that ended before it, if one did."""
        self._number += 1
        scene = _scene(image)
        if self._scenes and self._scenes[-1].shape != scene.shape:
            ended = self._end(self._number - 1 - self._missed)
            self._scenes.clear()
            self._stalls.clear()
            self._rolling.dice = []
        else:
            ended = None
        self._follow(scene)
        if self._resting:
            if not all(die.stays(scene) for die in self._resting):
                self._missed += 1
                if self._missed > self._flash:
                    ended = self._end(self._number - self._missed)
            else:
                while self._missed:
                    self._scenes[-1 - self._missed] = scene
                    self._missed -= 1
                if self._may_creep():
                    self._compare(scene)
                ended = self._beside(image)
        elif self._news and self._quiet >= self._least and self._wait <= 0:
            self._look(image)
        self._wait -= 1
        return ended

    def end(self) -> tuple[int, int] | None:
        """The rest that lasts to the end of the recording, if one does."""
        lately = self._number - self._rolling.last < self._frames(_ROLLS_ON_S)
        if self._stirred and lately and self._rolling.since(self._first) and not self._lay_alone():
            return None  # it ends in motion
        return self._end(self._number - self._missed)

    def _end(self, last: int) -> tuple[int, int] | None:
        if not self._resting:
            return None
        first, least = self._first, self._least
        if self._touched:
            least = max(least, self._frames(_TOUCHED_S))
        if self._rolling.since(first):  # another die has come
            first, last = (first, self._alone) if self._lay_alone() else (self._rolling.last + 1, last)
        self._rested, self._resting, self._after, self._news, self._wait = self._resting, [], last + 1, True, 0
        self._missed = 0
        return (first, last) if last - first + 1 >= least else None

    def _frames(self, time_s: float) -> int:
        """So long in frames."""
        return round(time_s / REST_S * self._least)

    def _lay_alone(self) -> bool:
        """Whether the dice had rested for long enough when something began to move beside them."""
        return self._alone - self._first + 1 >= self._least

    def _follow(self, scene: Grey) -> None:
        """Keep the scene, and note whether it is news, busy, or a mere repetition of the one before."""
        stalled = False
        if self._scenes:
            before = self._scenes[-1]
            off = scene - light_between(before, scene) * before
            alive = float((cv2.resize(np.abs(off), blocks(off), interpolation=cv2.INTER_AREA) > 0.0).mean())
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
        self._scenes.append(scene)
        self._stalls.append(stalled)

    def _look(self, image: Image) -> None:
        """Look for dice, and begin a rest if all of them have stayed for long enough."""
        dice = self._dice(image)
        self._rolling.look(dice, self._resting, self._scenes[-1], self._number)
        first, seen = self._since(dice)
        if not dice:
            self._news = False
        elif seen >= self._least and (self._calm >= self._least or not self._is_left_over(dice)):
            self._resting, self._first, self._settled = dice, first, self._number + 2 * self._least
            self._stirred = self._calm < self._least
            self._alone = -1 if self._stirred else self._number
            self._touched = self._stirred and self._are_those_before(dice)
            self._rolling.dice = []
        # Dice that have begun to lie still are looked at in every frame: a short rest must not end before it is seen.
        self._wait = 1 if seen > 1 else min(_LOOK_EVERY, self._least - 1)

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
        self._resting, self._first, self._settled = self._resting + dice, first, self._number + 2 * self._least
        return ended

    def _new(self, image: Image) -> list[Resting]:
        """The dice of the newest frame that are not those at rest."""
        return [die for die in self._dice(image) if not any(die.is_at(other) for other in self._resting)]

    def _since(self, dice: list[Resting]) -> tuple[int, int]:
        """The frame from which the dice have stayed as they are, and how many frames say so."""
        first, seen = self._number + 1, 0
        for scene, stalled in zip(reversed(self._scenes), reversed(self._stalls), strict=True):
            if first <= self._after or not all(die.stays(scene) for die in dice):
                break
            seen += not stalled
            first -= 1
        return first, seen

    def _may_creep(self) -> bool:
        """Whether it is time to compare the resting dice with themselves again."""
        left = self._settled - self._number
        return left >= 0 and left % (self._least // 2) == 0

    def _compare(self, scene: Grey) -> None:
        """Let the rest begin where the dice came to lie as they do now, until they do not creep any more."""
        dice = [Resting.seen(scene, die.left, die.top, die.look.shape) for die in self._resting]
        first, _ = self._since(dice)
        if first > self._number + 1 - self._least:
            return  # they are about to leave
        self._resting = dice
        # A long rest may have begun before what is kept.
        if first > max(self._first, self._number + 1 - len(self._scenes)):
            self._first, self._settled = first, self._number + 2 * self._least

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


def _scale(image: Image) -> float:
    return float(min(1.0, SCENE_PX / max(image.shape[:2])))


def _scene(image: Image) -> Grey:
    scale = _scale(image)
    if scale < 1:
        size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
