"""Rests of recordings: each found once, none announced in motion."""

import tracemalloc
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from vision.picture import Image
from vision.reading import Box
from vision.settle import find_rests

Place = tuple[float, float, float]  # x and y in pixels, turn in degrees
SIDE_PX = 40
SHIFT_PX = 80  # by which the noise of a frame lies otherwise at most


@cache
def cloth() -> npt.NDArray[np.float32]:
    """The empty scene; to be copied."""
    grain = np.random.default_rng(1).normal(90, 6, (480, 640)).astype(np.float32)
    return np.repeat(np.asarray(cv2.GaussianBlur(grain, (0, 0), 1.5), np.float32)[:, :, None], 3, axis=2)


@cache
def grains() -> npt.NDArray[np.float32]:
    """The noise of which each frame shows a part: new numbers for each would take longer than all else."""
    shape = (480 + SHIFT_PX, 640 + SHIFT_PX, 3)
    return np.float32(2) * np.random.default_rng(7).standard_normal(shape, np.float32)


def draw(places: Sequence[Place], light: float = 1.0, noise: np.random.Generator | None = None) -> Image:
    """Dice with two pips on a cloth, 640 x 480, at parts of a pixel."""
    scene = cloth().copy()
    for x, y, turn in places:
        fine = cv2.boxPoints(((x, y), (SIDE_PX, SIDE_PX), turn))
        cv2.fillConvexPoly(scene, np.round(fine * 16).astype(np.int32), (225, 225, 215), cv2.LINE_AA, 4)
        for sign in (-1, 1):
            pip = np.array([x, y]) + sign * 10 * np.array(
                [np.cos(np.radians(turn + 45)), np.sin(np.radians(turn + 45))]
            )
            cv2.circle(scene, tuple(np.round(pip * 16).astype(int)), 5 * 16, (30, 30, 30), -1, cv2.LINE_AA, 4)
    scene *= light
    if noise is not None:
        down, across = (int(shift) for shift in noise.integers(0, SHIFT_PX, 2))
        scene += grains()[down : down + 480, across : across + 640]
    return np.clip(scene, 0, 255, out=scene).astype(np.uint8)


def find(image: Image) -> list[Box]:
    """The bright squares of a drawn scene."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    mask = (grey > 1.5 * np.median(grey)).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((13, 13))))
    return [
        (int(left), int(top), int(width), int(height))
        for left, top, width, height, area in stats[1:]
        if 800 < area < 3000
    ]


def recorded(scenes: Sequence[Sequence[Place]], light: Callable[[int], float] = lambda frame: 1.0) -> list[Image]:
    noise = np.random.default_rng(7)
    return [draw(places, light(frame), noise) for frame, places in enumerate(scenes)]


ONE, TWO = (200.0, 200.0, 20.0), (420.0, 300.0, 70.0)
ROLL: list[list[Place]] = [
    [(20 + 9.0 * step, 200, 20 + 23 * step), (640 - 11.0 * step, 300, 70 + 31 * step)] for step in range(20)
]
REST: list[list[Place]] = [[ONE, TWO]]


def close(found: Sequence[tuple[int, int]], wanted: Sequence[tuple[int, int]]) -> bool:
    """Right from one frame early to four late at the beginning, and within two at the end."""
    return len(found) == len(wanted) and all(
        -1 <= first - begun <= 4 and abs(last - ended) <= 2
        for (first, last), (begun, ended) in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("rest", [5, 30, 200])
def test_a_throw_has_one_rest_up_to_the_end(rest: int) -> None:
    found = list(find_rests(recorded([[]] * 5 + ROLL + REST * rest), find))
    assert close(found, [(25, 24 + rest)])


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("after", [[], ROLL[::-1]])
def test_four_frames_are_a_rest_whenever_they_come(before: int, after: list[list[Place]]) -> None:
    scenes: list[list[Place]] = [[]] * before + ROLL + REST * 4 + after
    assert list(find_rests(recorded(scenes), find)) == [(before + 20, before + 23)]


def test_four_frames_may_be_the_whole_recording() -> None:
    assert list(find_rests(recorded(REST * 4), find)) == [(0, 3)]
    assert list(find_rests(recorded(REST * 3), find)) == []


@pytest.mark.parametrize(("frames_a_second", "least"), [(100, 16), (480, 77)])
def test_as_short_a_rest_is_found_however_many_frames_a_second(frames_a_second: float, least: int) -> None:
    rests = [list(find_rests(recorded(ROLL + REST * rest), find, frames_a_second)) for rest in (least, least - 1)]
    assert rests == [[(20, 19 + least)], []]


def test_an_empty_floor_and_an_endless_roll_have_none() -> None:
    assert list(find_rests(recorded([[]] * 40), find)) == []
    assert list(find_rests(recorded(ROLL), find)) == []


def test_three_frames_are_no_rest() -> None:
    assert list(find_rests(recorded(ROLL + REST * 3 + ROLL[::-1]), find)) == []


def test_two_throws_have_two_rests() -> None:
    scenes = ROLL + REST * 20 + ROLL[::-1] + ROLL + REST * 15
    assert close(list(find_rests(recorded(scenes), find)), [(20, 39), (80, 94)])


def test_a_die_that_rocks_and_stops_rests_when_it_has_stopped() -> None:
    rocking = [[ONE, (420.0, 300.0, 70 + 6 * np.cos(1.3 * step))] for step in range(25)]
    assert close(list(find_rests(recorded(ROLL + rocking + REST * 20), find)), [(45, 64)])


def test_a_die_that_creeps_never_rests() -> None:
    creeping = [[ONE, (420.0 + 0.4 * step, 300.0, 70.0)] for step in range(60)]
    found = list(find_rests(recorded(ROLL + creeping), find))
    assert all(last - first < 6 for first, last in found)


@pytest.mark.parametrize("turn_a_frame", [0.45, 0.9])
def test_a_die_that_turns_in_place_rests_when_it_has_stopped(turn_a_frame: float) -> None:
    turning = [[ONE, (420.0, 300.0, 70 - turn_a_frame * left)] for left in range(16, 0, -1)]
    assert close(list(find_rests(recorded(ROLL + turning + REST * 10), find)), [(35, 45)])


def shifted(image: Image, px: float) -> Image:
    """The picture, so far to the right: what is drawn anew moves by sixteenths only."""
    return np.asarray(cv2.warpAffine(image, np.array([[1, 0, px], [0, 1, 0]]), (640, 480)), np.uint8)


@pytest.mark.parametrize("px_a_frame", [0.06, 0.1, 0.14])
def test_what_creeps_slowly_has_one_rest_from_half_a_pixel_before_its_end(px_a_frame: float) -> None:
    frames = recorded(REST * 36)
    creeping = [shifted(image, px_a_frame * max(0, 24 - number)) for number, image in enumerate(frames)]
    assert close(list(find_rests(creeping, find)), [(24 - int(0.5 / px_a_frame), 35)])


@pytest.mark.parametrize(
    "light", [lambda frame: 1 + 0.15 * np.sin(frame * 1.3), lambda frame: 1.0 if frame < 40 else 0.7]
)
def test_a_light_that_flickers_neither_makes_nor_breaks_a_rest(light: Callable[[int], float]) -> None:
    assert close(list(find_rests(recorded(ROLL + REST * 40, light), find)), [(20, 59)])
    assert list(find_rests(recorded([[]] * 40, light), find)) == []


@pytest.mark.parametrize("light", [0.0, 4.0])
@pytest.mark.parametrize("number", [28, 45])
def test_a_frame_that_shows_nothing_does_not_end_a_rest(light: float, number: int) -> None:
    flashed = recorded(ROLL + REST * 40, lambda frame: light if frame == number else 1.0)
    assert list(find_rests(flashed, find)) == [(20, 59)]


def find_smooth(image: Image) -> list[Box]:
    return find(np.asarray(cv2.GaussianBlur(image, (0, 0), 2), np.uint8))


def test_dice_rest_in_a_noisy_picture() -> None:
    noise = np.random.default_rng(7)
    scenes = [draw(places) + noise.normal(0, 16, (480, 640, 3)) for places in ROLL + REST * 10]
    frames = [np.asarray(np.clip(scene, 0, 255), np.uint8) for scene in scenes]
    assert close(list(find_rests(frames, find_smooth)), [(20, 29)])


def test_dice_rest_under_a_lamp_whose_flicker_runs_through_the_picture() -> None:
    rows = np.arange(480)[:, None, None] / 480
    frames = [
        np.asarray(np.clip(image * (1 + 0.12 * np.sin(9 * rows + 1.9 * number)), 0, 255), np.uint8)
        for number, image in enumerate(recorded(ROLL + REST * 10))
    ]
    assert close(list(find_rests(frames, find)), [(20, 29)])


def test_a_die_that_is_elsewhere_for_three_frames_ends_a_rest() -> None:
    scenes = ROLL + REST * 20 + [[ONE, (424.0, 300.0, 70.0)]] * 3 + REST * 20
    assert list(find_rests(recorded(scenes), find)) == [(20, 39), (43, 62)]


THREE = (200.0, 380.0, 10.0)


def find_lying(image: Image) -> list[Box]:
    """The dice that lie where they will rest: one that rolls is so blurred that it is not found."""
    return [box for box in find(image) if any(abs(box[0] + box[2] / 2 - x) < 3 for x, _, _ in (ONE, TWO))]


@pytest.mark.parametrize(("alone", "wanted"), [(0, [(40, 54)]), (9, [(20, 28), (49, 63)])])
def test_a_die_that_stops_after_the_others_begins_a_rest(alone: int, wanted: list[tuple[int, int]]) -> None:
    rolling = [[ONE, TWO, (620.0 - 21 * step, 380.0, 31.0 * step)] for step in range(20)]
    entering = ROLL if alone else [[*places, rolling[0][2]] for places in ROLL]
    scenes = entering + REST * alone + rolling + [[ONE, TWO, THREE]] * 15
    assert close(list(find_rests(recorded(scenes), find_lying)), wanted)


def test_a_stalled_recording_is_no_rest() -> None:
    frames = recorded(ROLL)
    stalled = frames[:10] + [frames[9]] * 12 + frames[10:]
    assert list(find_rests(stalled, find)) == []


@pytest.mark.parametrize("doubled", [1, 2])
def test_a_stall_is_told_where_the_whole_picture_moves_or_each_frame_is_shown_twice(doubled: int) -> None:
    frames = [np.roll(image, 9 * step, 1) for step, image in enumerate(recorded(REST * 20))]
    shown = [image for image in frames for _ in range(doubled)]
    stalled = shown[:20] + [shown[19]] * 12 + shown[20:]
    assert list(find_rests(stalled, find, 25.0 * doubled)) == []


@pytest.mark.parametrize("before", [0, 128, 200])
@pytest.mark.parametrize("copies", [4, 25])
def test_a_cut_to_a_picture_that_repeats_itself_is_no_stall(before: int, copies: int) -> None:
    blank = np.full((480, 640, 3), before, np.uint8)
    one, another = recorded([REST[0], ROLL[10]])
    frames = [blank] * 5 + [one] * copies + [another] * copies
    assert list(find_rests(frames, find)) == [(5, 4 + copies), (5 + copies, 4 + 2 * copies)]


def test_a_drawn_recording_without_noise_may_repeat_itself() -> None:
    frames = [draw(places) for places in ROLL + REST * 20]
    assert close(list(find_rests(frames, find)), [(20, 39)])


def hand(image: Image, reach_px: int) -> Image:
    """The picture with an arm that reaches in from the right."""
    covered = image.copy()
    if reach_px > 0:
        cv2.rectangle(covered, (640 - reach_px, 270), (640, 340), (120, 150, 190), -1)
    return covered


def test_a_hand_that_takes_the_dice_ends_the_rest_and_begins_none() -> None:
    frames = recorded(ROLL + REST * 60)
    reach = [0] * 40 + [15 * step for step in range(1, 31)] + [450 - 12 * step for step in range(10)]
    taken = [hand(image, px) for image, px in zip(frames, reach, strict=True)]
    ((first, last),) = find_rests(taken, find)
    assert -1 <= first - 20 <= 4
    assert 38 <= last <= 54


def small_frames(number: int, alive: list[int], held: list[int]) -> Iterator[Image]:
    """Frames with a die that comes and goes; notes how many of the earlier ones still live, and the bytes in use."""
    noise, born = np.random.default_rng(5), list[weakref.ref[Image]]()
    for count in range(number):
        image = noise.integers(80, 90, (90, 120, 3), np.uint8)
        if count // 50 % 2:
            image[30:50, 40:60] += 120
        born = [one for one in born if one() is not None]
        alive.append(len(born))
        held.append(tracemalloc.get_traced_memory()[0])
        born.append(weakref.ref(image))
        yield image


def find_small(image: Image) -> list[Box]:
    return [(40, 30, 20, 20)] if image[40, 50, 0] > 150 else []


def test_no_more_is_held_however_long_the_recording_is() -> None:
    alive: list[int] = []
    held: list[int] = []
    tracemalloc.start()
    try:
        rests = list(find_rests(small_frames(1000, alive, held), find_small))
    finally:
        tracemalloc.stop()
    assert len(rests) == 10
    assert max(alive) <= 2
    picture = 4 * 90 * 120  # bytes of one kept scene
    # Once the scenes of a rest's beginning are all kept no more are added; what is counted here takes a little.
    assert max(held[200:]) < max(held[100:200]) + 5 * picture


def shaded(image: Image, middle_px: float) -> Image:
    """The picture with somebody's shadow over it, soft and as wide as some dice."""
    across, down = np.arange(640)[None, :, None], np.arange(480)[:, None, None]
    depth = 0.5 * np.exp(-(((across + 0.3 * down - middle_px) / 200) ** 4))
    return np.asarray(image * (1 - depth), np.uint8)


def test_a_shadow_that_passes_over_the_dice_leaves_their_rest_whole() -> None:
    frames = [shaded(image, 18.0 * number - 400) for number, image in enumerate(recorded(ROLL + REST * 60))]
    assert close(list(find_rests(frames, find)), [(20, 79)])


@pytest.mark.parametrize("lean", [0.2, 0.3])
def test_a_strong_flicker_that_runs_through_the_picture_leaves_a_rest_whole(lean: float) -> None:
    rows = np.arange(480)[:, None, None] / 480
    frames = [
        np.asarray(np.clip(image * (1 + lean * np.sin(9 * rows + 1.9 * number)), 0, 255), np.uint8)
        for number, image in enumerate(recorded(ROLL + REST * 40))
    ]
    assert close(list(find_rests(frames, find)), [(20, 59)])


class FindNowAndThen:
    """Finds what lies, and what moves in one look and the next of four: it is smeared."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self, image: Image) -> list[Box]:
        self.looks += 1
        return find(image) if self.looks % 4 in (1, 2) else find_lying(image)


PASSING: list[list[Place]] = [[ONE, TWO, (700.0 - 15 * step, 420.0 - 0.5 * step, 31.0 * step)] for step in range(50)]


def test_a_die_that_rolls_out_of_the_picture_is_waited_for() -> None:
    entering = [[*places, PASSING[0][2]] for places in ROLL]
    assert close(list(find_rests(recorded(entering + PASSING + REST * 20), FindNowAndThen())), [(69, 89)])


def test_a_recording_that_ends_while_one_die_still_rolls_has_no_rest() -> None:
    entering = [[*places, PASSING[0][2]] for places in ROLL]
    assert list(find_rests(recorded(entering + PASSING[:40]), FindNowAndThen())) == []


def test_a_rest_ends_when_another_die_rolls_in_though_it_rolls_to_the_end() -> None:
    assert close(list(find_rests(recorded(ROLL + REST * 12 + PASSING[:40]), FindNowAndThen())), [(20, 33)])


def test_a_die_that_a_finger_pushes_rests_before_and_after() -> None:
    pushed: list[list[Place]] = [[ONE, (421.0, 300.0, 70.0)]]
    touched = recorded(ROLL + REST * 36 + pushed * 29)
    reach = [0] * 42 + [204 + step for step in range(-30, 0, 6)] + [216 + step % 2 * 3 for step in range(18)]
    reach += [240 - 12 * step for step in range(1, 21)]
    frames = [finger(image, px) for image, px in zip(touched, reach, strict=True)]
    assert len(list(find_rests(frames, find))) == 2


def finger(image: Image, reach_px: int) -> Image:
    """The picture with a finger and the hand behind it, from the right to the edge of the second die."""
    covered = image.copy()
    if reach_px > 0:
        cv2.rectangle(covered, (640 - reach_px, 306), (640, 314), (50, 60, 70), -1)
        cv2.rectangle(covered, (700 - reach_px, 280), (640, 340), (50, 60, 70), -1)
    return covered


def test_frames_of_another_size_begin_anew_though_a_die_is_rolling() -> None:
    rolling = recorded([[*places, PASSING[10][2]] for places in ROLL])
    small = [np.asarray(image[:200, :300]) for image in rolling]
    assert list(find_rests(rolling + small, find)) == []


def test_a_die_that_rolled_rests_too_though_a_hand_moves_to_the_end_of_the_recording() -> None:
    coming: list[list[Place]] = [[*places, PASSING[0][2]] for places in ROLL] + PASSING[:20]
    lying: list[list[Place]] = [[ONE, TWO, PASSING[19][2]]]
    frames = recorded(coming + lying * 40)
    moved = [image if number < 36 else finger(image, 60 + number % 2 * 30) for number, image in enumerate(frames)]
    found = list(find_rests(moved, FindNowAndThen()))
    assert close(found, [(39, 79)])


class FindTheFinger:
    """Finds the dice that lie and, so often after its first look at a finger, a die so large at its tip."""

    def __init__(self, side_px: int, times: int) -> None:
        self.side_px, self.times, self.looks = side_px, times, 0

    def __call__(self, image: Image) -> list[Box]:
        tip = np.flatnonzero((image[310] == (50, 60, 70)).all(axis=1))
        self.looks = self.looks + 1 if tip.size else 0
        if not 1 < self.looks <= 1 + self.times:
            return find_lying(image)
        return [*find_lying(image), (int(tip[0]), 310 - self.side_px // 2, self.side_px, self.side_px)]


@pytest.mark.parametrize(("side_px", "times"), [(44, 1), (110, 9), (18, 9)])
def test_a_finger_that_passes_for_a_die_once_or_for_one_of_another_size_delays_no_rest(
    side_px: int, times: int
) -> None:
    frames = recorded(ROLL + REST * 60)
    reach = [0] * 30 + [60 + 7 * (step % 9) for step in range(15)] + [0] * 12
    reach += [60 + 7 * (step % 9) for step in range(23)]
    moved = [finger(image, px) for image, px in zip(frames, reach, strict=True)]
    assert close(list(find_rests(moved, FindTheFinger(side_px, times))), [(20, 79)])


def noisy(scenes: Sequence[Image]) -> list[Image]:
    """What a camera with noise makes of scenes that were drawn without."""
    noise = np.random.default_rng(7)
    corners = (noise.integers(0, SHIFT_PX, 2) for _ in scenes)
    grain = (grains()[down : down + 480, across : across + 640] for down, across in corners)
    return [np.clip(scene + grained, 0, 255).astype(np.uint8) for scene, grained in zip(scenes, grain, strict=True)]


@pytest.mark.parametrize(("px_a_frame", "frames"), [(0.01, 110), (0.03, 70), (0.04, 90)])
def test_a_camera_that_drifts_does_not_split_a_rest(px_a_frame: float, frames: int) -> None:
    still = draw(REST[0])
    drifting = noisy([shifted(still, px_a_frame * number) for number in range(frames)])
    assert list(find_rests(drifting + recorded(ROLL[::-1]), find)) == [(0, frames - 1)]


@pytest.mark.parametrize("period", [8, 12, 30, 50])
def test_a_camera_that_sways_by_half_a_pixel_either_way_does_not_split_a_rest(period: int) -> None:
    still = draw(REST[0])
    swaying = noisy([shifted(still, 0.5 * np.sin(2 * np.pi * number / period)) for number in range(60)])
    assert close(list(find_rests(swaying, find)), [(0, 59)])


@pytest.mark.parametrize("px", [0.75, 1.0])
def test_a_jolt_that_moves_every_die_by_about_a_pixel_begins_another_rest(px: float) -> None:
    still = draw(REST[0])
    assert list(find_rests(noisy([still] * 20 + [shifted(still, px)] * 20), find)) == [(0, 19), (20, 39)]


def fading(frame: int) -> float:
    """A light that goes out slowly, and comes back."""
    return float(np.interp(frame, [12, 32, 40, 60], [1, 0, 0, 1]))


def test_a_light_that_slowly_goes_out_and_comes_back_leaves_a_rest_whole() -> None:
    lit = [np.asarray(draw(REST[0]) * fading(frame), np.uint8) for frame in range(75)]
    assert list(find_rests(noisy(lit), find)) == [(0, 74)]


def test_dice_that_are_elsewhere_when_the_light_comes_back_rest_there_anew() -> None:
    before, after = draw(REST[0]), draw([ONE, (423.0, 300.0, 70.0)])
    lit = [np.asarray((before if frame < 36 else after) * fading(frame), np.uint8) for frame in range(75)]
    (first, dark), (light, last) = find_rests(noisy(lit), find)
    assert (first, last) == (0, 74)
    assert dark < 36 < light < 50


def test_dice_that_slowly_come_to_be_seen_are_found() -> None:
    lit = [np.asarray(draw(REST[0]) * fading(frame + 34), np.uint8) for frame in range(45)]
    ((first, last),) = find_rests(noisy(lit), find)
    assert first < 26
    assert last == 44


def coded(frames: Sequence[Image], path: Path) -> list[Image]:
    """The frames as an MP4 file has them."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 25.0, (640, 480))
    for image in frames:
        writer.write(image)
    writer.release()
    video = cv2.VideoCapture(str(path))
    return [np.asarray(video.read()[1], np.uint8) for _ in frames]


@pytest.mark.parametrize(("stalls", "wanted"), [(True, []), (False, [(14, 26)])])
def test_a_slide_that_stalls_is_no_rest_though_coding_changed_what_was_repeated(
    stalls: bool, wanted: list[tuple[int, int]], tmp_path: Path
) -> None:
    sliding = [draw([ONE, (100 + 7.0 * step, 300.0, 70.0)]) for step in range(28)]
    order = [*range(15), *[14] * 12, *range(15, 28)]
    moving = noisy(sliding)
    frames = [moving[step] for step in order] if stalls else noisy([sliding[step] for step in order])
    assert list(find_rests(coded(frames, tmp_path / "slide.mp4"), find)) == wanted


@pytest.mark.parametrize("frames", [3, 7])
def test_a_flash_that_burns_the_dice_out_does_not_end_a_rest(frames: int) -> None:
    flashed = recorded(ROLL + REST * 40, lambda frame: 1.8 if 40 <= frame < 40 + frames else 1.0)
    assert list(find_rests(flashed, find)) == [(20, 59)]


@pytest.mark.parametrize("frames", [12, 40])
def test_dice_that_lie_elsewhere_in_another_light_rest_there_anew(frames: int) -> None:
    elsewhere: list[list[Place]] = [[(x + 60, y, turn) for x, y, turn in REST[0]]]
    scenes = ROLL + REST * 20 + elsewhere * frames + ROLL
    found = find_rests(recorded(scenes, lambda frame: 1.5 if 40 <= frame < 40 + frames else 1.0), find)
    assert close(list(found), [(20, 39), (40, 39 + frames)])


def test_a_slide_that_jumps_on_after_a_stall_does_not_rest_there(tmp_path: Path) -> None:
    moving = noisy([draw([ONE, (100 + 7.0 * step, 300.0, 70.0)]) for step in range(40)])
    frames = [moving[step] for step in (*range(15), *[14] * 8, *range(22, 40))]
    assert list(find_rests(coded(frames, tmp_path / "slide.mp4"), find)) == []
