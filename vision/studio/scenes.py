"""Whole scenes: what lies where, in which light, under which camera, with which trouble, from a seed and a number."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.reading import Verdict
from vision.rendered import LyingDie
from vision.studio import covers, grounds, throws
from vision.studio.lens import Film, chance_film
from vision.studio.makes import MAKES, Make, Random, chance_make
from vision.studio.meshes import Array
from vision.studio.path_tracing import Lamp, Stage, Stuff, View
from vision.studio.physics import FLOOR_MM, Body, Surface, flight, lying
from vision.studio.throws import Thrown

TROUBLES: dict[str, Verdict] = {
    "leaning-on-wall": Verdict.COCKED,
    "leaning-on-die": Verdict.COCKED,
    "on-a-chip": Verdict.COCKED,
    "stacked": Verdict.STACKED,
    "foreign-object": Verdict.FOREIGN_OBJECT,
    "hand": Verdict.OBSTRUCTED,
    "cloth": Verdict.OBSTRUCTED,
    "moving": Verdict.NOT_SETTLED,
    "dark": Verdict.BAD_LIGHT,
    "washed-out": Verdict.BAD_LIGHT,
    "glare": Verdict.BAD_LIGHT,
    "half-outside": Verdict.WRONG_COUNT,
    "emblem": Verdict.UNSURE,
}
_OPEN = ("cloth", "half-outside")  # never in the cone: its wall would hide what they are to show
_SMALLEST_PX, _EDGE_PX = 24.0, 3.0
_MOMENTS = 10
_WALLED, _CAMERA_MM = 0.3, 295.0  # share of scenes in a tray; how high the camera is above it


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A picture before it is taken."""

    moments: tuple[tuple[LyingDie, ...], ...]  # of the exposure; one where all is at rest
    makes: tuple[Make, ...]
    stage: Stage
    view: View
    film: Film
    thrown: Thrown  # the dice and whatever else lies there, as they came to rest
    trouble: str  # of TROUBLES; empty where there is none
    tags: tuple[str, ...]

    @property
    def dice(self) -> list[tuple[LyingDie, Make]]:
        """The dice in the middle of the exposure."""
        return list(zip(self.moments[len(self.moments) // 2], self.makes, strict=True))


def chance_makes(rng: Random, count: int, trouble: str) -> list[Make]:
    """What each of so many dice looks like."""
    sets = 1 if rng.random() < 0.5 else min(count, int(rng.integers(2, 5)))
    names = rng.choice(list(MAKES), sets, replace=False)
    emblems = trouble == "emblem" or (not trouble and rng.random() < 0.06)
    made = [chance_make(rng, str(name), emblem=emblems and not number) for number, name in enumerate(names)]
    return [made[number] if number < sets else made[rng.integers(sets)] for number in range(count)]


def compose(rng: Random, trouble: str, size_px: tuple[int, int]) -> Scene | None:
    """A scene with that trouble, or with none; None where chance made none that can be shown."""
    walled = trouble == "leaning-on-wall" or (trouble not in _OPEN and bool(rng.random() < _WALLED))
    surface = Surface(walled, friction=float(rng.uniform(0.7, 1.0) if "-on-" in trouble else rng.uniform(0.35, 0.7)))
    arrangement = str(rng.choice(["thrown", "rows"], p=[0.68, 0.32]))
    sides = _sides(rng, walled, arrangement)
    thrown = _throw(rng, trouble, arrangement, sides, surface)
    if thrown is None:
        return None
    tags = [arrangement, "mixed-sizes"] if max(sides) > 1.2 * min(sides) else [arrangement]
    return stage(rng, trouble, thrown, surface, size_px, chance_makes, tags)


def stage(
    rng: Random,
    trouble: str,
    thrown: Thrown,
    surface: Surface,
    size_px: tuple[int, int],
    makes_of: Callable[[Random, int, str], list[Make]],
    tags: Sequence[str] = (),
) -> Scene | None:
    """What was thrown, with looks for the dice, a ground, a light and a camera; None where that cannot be shown."""
    walled = surface.walled
    thrown = _gathered(thrown, walled, 230.0 if trouble != "half-outside" else 180.0)
    if not thrown.dice():
        return None
    dice = [(lying(thrown.rests[n], thrown.bodies[n].size_mm[0])) for n in thrown.dice()]
    view = _view(rng, thrown, walled, size_px)
    if trouble == "half-outside":
        view = _cut(rng, view, dice)
    ground = "tray" if walled else str(rng.choice([*grounds.PLAIN, *grounds.PATTERNED]))
    stuff = grounds.tray(rng) if walled else grounds.open_ground(rng, ground)
    lit = str(rng.choice(["ring", "overcast", "lamp"])) if walled else str(rng.choice(grounds.LIGHTS))
    sky, lamps = grounds.light(rng, lit, 330.0 if walled else float(rng.uniform(800, 1200)))
    makes = makes_of(rng, len(dice), trouble)
    if trouble == "glare":
        lamps, makes = [*lamps, _mirrored(rng, view, dice)], [replace(make, hollow=False, rough=0.12) for make in makes]
    stuff = [*stuff, *_extras(rng, trouble, thrown)]
    moments = _moving(rng, thrown, surface) if trouble == "moving" else [dice]
    if not moments or not _shown(view, dice, thrown, trouble):
        return None
    told = (*tags, *_tags(makes, ground, lit, view, thrown))
    film = chance_film(rng, size_px[0])
    return Scene(tuple(map(tuple, moments)), tuple(makes), Stage(stuff, sky, lamps), view, film, thrown, trouble, told)


def _sides(rng: Random, walled: bool, arrangement: str) -> list[float]:
    side = float(rng.uniform(14, 18) if walled else rng.uniform(11, 22))
    count = int(rng.integers(3, 11)) if walled or rng.random() < 0.55 else int(rng.integers(1, 8))
    if rng.random() < 0.12:
        count = int(rng.integers(11, 25))
    if not walled and arrangement == "thrown" and rng.random() < 0.2:
        return [side * float(rng.uniform(0.75, 1.5)) for _ in range(count)]
    return [side] * count


def _throw(rng: Random, trouble: str, arrangement: str, sides: list[float], surface: Surface) -> Thrown | None:
    """The dice as they lie, with what the trouble needs of the physics."""
    reach = (1.1 if not surface.walled else 1.6) * max(sides) * math.sqrt(len(sides))
    reach = min(reach, 0.6 * FLOOR_MM / 2) if surface.walled else reach

    def fall(chance: Random) -> list[Body]:
        return throws.packed(chance, sides) if arrangement == "rows" else throws.falling(chance, sides, reach)

    thrown = throws.throw(rng, fall, surface, Verdict.OK)
    if thrown is None:
        return None
    wanted, more = {
        "leaning-on-wall": (Verdict.COCKED, throws.against_the_wall),
        "leaning-on-die": (Verdict.COCKED, throws.against_a_die),
        "on-a-chip": (Verdict.COCKED, throws.on_a_chip),
        "stacked": (Verdict.STACKED, throws.on_a_die),
        "foreign-object": (
            Verdict.OK,
            lambda chance, there: throws.strangers(chance, there, int(chance.integers(1, 3))),
        ),
    }.get(trouble, (Verdict.OK, None))
    return throws.with_another(rng, thrown, more, surface, wanted) if more else thrown


def _gathered(thrown: Thrown, walled: bool, reach_mm: float) -> Thrown:
    """Without what rolled so far off that a picture of all would show dice too small; the last body always stays."""
    if walled:
        return thrown
    middle = thrown.rests[-1].at_mm[:2]
    kept = [n for n, rest in enumerate(thrown.rests) if np.hypot(*(rest.at_mm[:2] - middle)) < reach_mm / 2]
    touching = {other for n in kept for other in thrown.rests[n].on_others}
    kept = sorted({*kept, *touching})
    number = {old: new for new, old in enumerate(kept)}
    rests = [
        replace(thrown.rests[n], on_others=frozenset(number[o] for o in thrown.rests[n].on_others if o in number))
        for n in kept
    ]
    return Thrown(tuple(thrown.bodies[n] for n in kept), tuple(rests), thrown.verdict)


def _view(rng: Random, thrown: Thrown, walled: bool, size_px: tuple[int, int]) -> View:
    roll = rng.uniform(0, 2 * math.pi)
    up = np.array([math.cos(roll), math.sin(roll), 0.0])
    if walled:
        eye = np.array([*rng.normal(0, 4, 2), _CAMERA_MM])
        return View(
            eye,
            np.array([*rng.normal(0, 3, 2), 0]),
            up,
            0.93 * size_px[1] / FLOOR_MM * _CAMERA_MM,
            size_px,
            float(rng.uniform(0, 2)),
        )
    places = np.array([rest.at_mm[:2] for rest in thrown.rests])
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    room = float(np.hypot(*(places - middle).T).max()) + 1.3 * max(body.size_mm[0] for body in thrown.bodies)
    room = max(room, 2.2 * thrown.bodies[0].size_mm[0])
    far, lean, way = rng.uniform(260, 700), math.radians(min(abs(rng.normal(0, 9)), 22)), rng.uniform(0, 2 * math.pi)
    eye = np.array([*middle, 0]) + far * np.array(
        [math.sin(lean) * math.cos(way), math.sin(lean) * math.sin(way), math.cos(lean)]
    )
    focal = rng.uniform(0.62, 0.96) * 0.5 * size_px[1] / room * far * 0.95
    return View(eye, np.array([*middle, 0]), up, float(focal), size_px, float(rng.uniform(0, 3.5) * far / 500))


def _cut(rng: Random, view: View, dice: Sequence[LyingDie]) -> View:
    """The camera moved aside until an edge of its picture cuts the outermost die."""
    seen = view.pixels(np.array([[die.x_mm, die.y_mm, die.z_mm] for die in dice]))
    axis, last = int(rng.integers(2)), bool(rng.random() < 0.5)
    outer = int(np.argmax(seen[:, axis]) if last else np.argmin(seen[:, axis]))
    scale = view.focal_px / float(np.linalg.norm(view.eye_mm - view.target_mm))
    edge = view.size_px[axis] - 1 if last else 0
    away_mm = (edge + rng.uniform(-0.25, 0.25) * dice[outer].side_mm * scale - seen[outer, axis]) / scale
    right, up, _ = view.axes()
    shift = -away_mm * (right if axis == 0 else -up) * [1, 1, 0]
    return replace(view, eye_mm=view.eye_mm + shift, target_mm=view.target_mm + shift)


def _mirrored(rng: Random, view: View, dice: Sequence[LyingDie]) -> Lamp:
    """A lamp that the camera sees mirrored in the top of a die."""
    die = dice[int(rng.integers(len(dice)))]
    top = np.array([die.x_mm, die.y_mm, die.z_mm + die.side_mm / 2])
    back = (view.eye_mm - top) / np.linalg.norm(view.eye_mm - top) * [-1, -1, 1]
    far = float(rng.uniform(500, 900))
    return Lamp(top + far * back, far * float(rng.uniform(0.05, 0.12)), np.full(3, float(rng.uniform(60, 160))), top)


def _extras(rng: Random, trouble: str, thrown: Thrown) -> list[Stuff]:
    die = int(rng.choice(thrown.dice()))
    side, at = thrown.bodies[die].size_mm[0], thrown.rests[die].at_mm
    found = [
        part
        for body, rest in zip(thrown.bodies, thrown.rests, strict=True)
        if body.kind != "die"
        for part in covers.thing(rng, body, rest)
    ]
    if trouble == "hand":
        found += covers.hand(rng, at, side)
    if trouble == "cloth":
        found += covers.cloth(rng, list(thrown.rests), side, at)
    return found


def _moving(rng: Random, thrown: Thrown, surface: Surface) -> list[list[LyingDie]]:
    """The dice during an exposure in which one of them is hit and rolls or slides on; empty where none moves enough."""
    bodies = [
        replace(body, at_mm=rest.at_mm, turn=rest.turn, speed_mm_s=np.zeros(3), spin_rad_s=np.zeros(3))
        for body, rest in zip(thrown.bodies, thrown.rests, strict=True)
    ]
    movers = rng.choice(len(bodies), int(rng.integers(1, len(bodies) + 1)), replace=False)
    for mover in movers:
        body, way, speed = bodies[mover], rng.uniform(0, 2 * math.pi), rng.uniform(120, 500)
        turn = throws.chance_turn(rng) if rng.random() < 0.5 else body.turn
        lift = body.at_mm + np.array([0, 0, 0.0 if turn is body.turn else 0.9 * body.size_mm[0]])
        along = speed * np.array([math.cos(way), math.sin(way), 0])
        bodies[mover] = replace(body, at_mm=lift, turn=turn, speed_mm_s=along, spin_rad_s=rng.normal(0, 14, 3))
    side = bodies[movers[0]].size_mm[0]
    exposure_s = float(rng.uniform(0.25, 0.8)) * side / float(np.linalg.norm(bodies[movers[0]].speed_mm_s))
    taken = flight(bodies, surface, 0.004, exposure_s, _MOMENTS)
    went = max(float(np.linalg.norm(taken[-1][n].at_mm - taken[0][n].at_mm)) / bodies[n].size_mm[0] for n in movers)
    if went < 0.2:
        return []
    return [[lying(rests[n], bodies[n].size_mm[0]) for n in thrown.dice()] for rests in taken]


def corners(die: LyingDie) -> Array:
    """The corners of the cube (8 x 3, mm)."""
    half = die.side_mm / 2
    cube = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    return np.asarray(np.array([die.x_mm, die.y_mm, die.z_mm]) + cube @ np.array(die.rotation).T)


def _shown(view: View, dice: Sequence[LyingDie], thrown: Thrown, trouble: str) -> bool:
    """Whether everything that must be seen is in the picture, large enough, and nothing is cut that must not be."""
    width, height = view.size_px
    cut = 0
    for die in dice:
        x, y = view.pixels(corners(die)).T
        inside = (x > _EDGE_PX) & (x < width - _EDGE_PX) & (y > _EDGE_PX) & (y < height - _EDGE_PX)
        cut += int(not inside.all())
        if not inside.any():
            return False
    others = [rest.at_mm for body, rest in zip(thrown.bodies, thrown.rests, strict=True) if body.kind != "die"]
    seen = view.pixels(np.array(others).reshape(-1, 3))
    margin = 0.04 * width
    if len(others) and ((seen < margin) | (seen > np.array(view.size_px) - margin)).any():
        return False
    scale = view.focal_px / float(np.linalg.norm(view.eye_mm - view.target_mm))
    if min(die.side_mm for die in dice) * scale < _SMALLEST_PX:
        return False
    return cut == (1 if trouble == "half-outside" else 0)


def _tags(makes: list[Make], ground: str, lit: str, view: View, thrown: Thrown) -> list[str]:
    tags = [f"style-{name}" for name in sorted({make.name for make in makes})]
    tags += [
        f"ground-{ground}",
        "ground-patterned" if ground in grounds.PATTERNED else "ground-plain-kind",
        f"light-{lit}",
    ]
    if any(rest.on_others for rest in thrown.rests):
        tags.append("touching")
    if any(make.emblems for make in makes):
        tags.append("emblem-set")
    ahead = view.axes()[2]
    if -ahead[2] < math.cos(math.radians(8)):
        tags.append("tilted-camera")
    return tags
