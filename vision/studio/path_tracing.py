"""A scene as light makes it: path traced by Mitsuba, one thread, the same picture for the same scene."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mitsuba as mi
import numpy as np

from vision.rendered import LyingDie
from vision.studio.makes import Make, Picture, paint
from vision.studio.meshes import Array, Mesh, die_mesh

mi.set_variant("scalar_rgb")
_CLOUDY = 0.25  # share of the light that a clear body throws back, as cast acrylic does
_OWN_PATHS = 4  # for the colour of what is seen, which has no grain but at edges
_FIREFLY = 12.0  # times what white in the scene's light would give: more is a sparkle that no few paths can settle


@dataclass(frozen=True, slots=True, eq=False)
class Stuff:
    """A mesh and what it is made of."""

    mesh: Mesh
    colour: Array | Picture  # 3: linear red, green, blue; or a sheet of them, h x w x 3
    rough: float = 0.5
    metal: float = 0.0
    gloss: float = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A disc that shines at what it is aimed at."""

    at_mm: Array  # 3
    radius_mm: float
    power: Array  # 3: radiance
    aim_mm: Array  # 3


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera; pixels are counted from the upper left, the first one's centre is 0, 0."""

    eye_mm: Array  # 3
    target_mm: Array  # 3
    up: Array  # 3: what is up in the picture
    focal_px: float
    size_px: tuple[int, int]  # width, height
    lens_mm: float = 0.0  # radius of the lens: more blurs what is out of focus

    def axes(self) -> Array:
        """Right, up and ahead (rows)."""
        ahead = self.target_mm - self.eye_mm
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, self.up)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, ahead), ahead])

    def pixels(self, points_mm: Array) -> Array:
        """Where points (... x 3) are in the picture (... x 2)."""
        right, up, ahead = np.moveaxis((points_mm - self.eye_mm) @ self.axes().T, -1, 0)
        middle = (np.array(self.size_px) - 1) / 2
        return np.asarray(middle + self.focal_px * np.stack([right, -up], axis=-1) / ahead[..., None])


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Everything in a picture but the dice."""

    stuff: Sequence[Stuff]
    sky: Picture  # h x w x 3: radiance from all around, straight up in the first row
    lamps: Sequence[Lamp] = field(default_factory=tuple)


def trace(
    dice: Sequence[tuple[LyingDie, Make]], stage: Stage, view: View, *, paths: int, seed: int, coloured: bool = True
) -> tuple[Picture, Picture]:
    """Linear red, green, blue for each pixel, so many paths each, and if asked for the colour of what is there."""
    loaded = _loaded(dice, stage, view, paths, seed)
    light = np.array(mi.render(loaded, seed=seed), np.float32)
    if not coloured:
        return _tamed(light[..., :3]), np.ones_like(light[..., :3])
    return _tamed(light[..., :3]), _seen(loaded, "albedo", min(_OWN_PATHS, paths), seed)


def surface(dice: Sequence[tuple[LyingDie, Make]], stage: Stage, view: View, seed: int) -> Picture:
    """Where in space what each pixel shows is (h x w x 3, mm)."""
    return _seen(_loaded(dice, stage, replace(view, lens_mm=0.0), 1, seed), "position", 1, seed)


def _seen(loaded: Any, what: str, paths: int, seed: int) -> Picture:
    asked = mi.load_dict({"type": "aov", "aovs": f"own:{what}"})
    return np.array(mi.render(loaded, integrator=asked, spp=paths, seed=seed), np.float32)[..., -3:]


def _loaded(dice: Sequence[tuple[LyingDie, Make]], stage: Stage, view: View, paths: int, seed: int) -> Any:
    depth = 9 if any(make.clear for _, make in dice) else 4
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": depth, "rr_depth": 3},
        "sensor": _sensor(view, paths, seed),
        "sky": {"type": "envmap", "bitmap": mi.Bitmap(stage.sky), "to_world": _upright()},
    }
    for number, thing in enumerate(stage.stuff):
        scene[f"stuff{number}"] = _shape(thing.mesh, _bsdf(thing))
    for number, lamp in enumerate(stage.lamps):
        scene[f"lamp{number}"] = _lamp(lamp)
    groups: dict[tuple[int, float], str] = {}
    for number, (die, make) in enumerate(dice):
        key = id(make), die.side_mm
        if key not in groups:
            groups[key] = f"make{len(groups)}"
            scene[groups[key]] = _group(make, die.side_mm)
        scene[f"die{number}"] = {
            "type": "instance",
            "to_world": _pose(die),
            "group": {"type": "ref", "id": groups[key]},
        }
    return mi.load_dict(scene)


def _tamed(light: Picture) -> Picture:
    """The picture without the sparkle of single paths."""
    level = float(np.median(light.mean(axis=2))) + 1e-6
    brightest = light.max(axis=2, keepdims=True)
    return np.asarray(light * np.minimum(1.0, _FIREFLY * max(level, 0.08) / np.maximum(brightest, 1e-6)), np.float32)


def _upright() -> Any:
    """Mitsuba's sky has its zenith along y, ours along z."""
    return mi.ScalarTransform4f().rotate([1, 0, 0], 90)


def _sensor(view: View, paths: int, seed: int) -> dict[str, Any]:
    right, up, ahead = view.axes()
    # Mitsuba's camera looks along its z and has x to the left.
    turn = np.eye(4)
    turn[:3, :3] = np.stack([-right, up, ahead], axis=1)
    turn[:3, 3] = view.eye_mm
    width, height = view.size_px
    sensor: dict[str, Any] = {
        "type": "thinlens" if view.lens_mm else "perspective",
        "to_world": mi.ScalarTransform4f(turn),
        "fov": math.degrees(2 * math.atan(width / 2 / view.focal_px)),
        "fov_axis": "x",
        "near_clip": 5.0,
        "far_clip": 20000.0,
        "film": {
            "type": "hdrfilm",
            "width": width,
            "height": height,
            "rfilter": {"type": "gaussian"},
            "component_format": "float32",
        },
        "sampler": {"type": "independent", "sample_count": paths, "seed": seed},
    }
    if view.lens_mm:
        sensor |= {
            "aperture_radius": view.lens_mm,
            "focus_distance": float(np.linalg.norm(view.target_mm - view.eye_mm)),
        }
    return sensor


def _pose(die: LyingDie) -> Any:
    turn = np.eye(4)
    turn[:3, :3] = die.rotation
    turn[:3, 3] = die.x_mm, die.y_mm, die.z_mm
    return mi.ScalarTransform4f(turn)


def _shape(mesh: Mesh, bsdf: Mapping[str, Any]) -> Any:
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(dict(bsdf))
    shape = mi.Mesh(
        "mesh",
        len(mesh.points),
        len(mesh.triangles),
        has_vertex_normals=True,
        has_vertex_texcoords=True,
        props=properties,
    )
    parameters = mi.traverse(shape)
    parameters["vertex_positions"] = mesh.points.astype(np.float32).reshape(-1)
    parameters["vertex_normals"] = mesh.normals.astype(np.float32).reshape(-1)
    parameters["vertex_texcoords"] = mesh.uv.astype(np.float32).reshape(-1)
    parameters["faces"] = mesh.triangles.reshape(-1)
    parameters.update()
    return shape


def _texture(sheet: Picture) -> dict[str, Any]:
    """A sheet whose first row is at v = 0, laid again and again, every other time mirrored."""
    return {
        "type": "bitmap",
        "bitmap": mi.Bitmap(np.ascontiguousarray(sheet, np.float32)),
        "raw": True,
        "wrap_mode": "mirror",
    }


def _colour(colour: Array | Picture) -> dict[str, Any]:
    if colour.ndim == 1:
        return {"type": "rgb", "value": [float(share) for share in colour]}
    return _texture(np.asarray(colour, np.float32))


def _bsdf(thing: Stuff) -> dict[str, Any]:
    """The plainest that shows it: most of a picture is ground, and each path asks for it."""
    if thing.metal:
        named = {
            "type": "principled",
            "base_color": _colour(thing.colour),
            "roughness": thing.rough,
            "metallic": thing.metal,
        }
    else:
        named = _coated(_colour(thing.colour), thing.rough) if thing.gloss else _matt(_colour(thing.colour))
    return {"type": "twosided", "bsdf": named}


def _matt(colour: dict[str, Any]) -> dict[str, Any]:
    return {"type": "diffuse", "reflectance": colour}


def _coated(colour: dict[str, Any], rough: float) -> dict[str, Any]:
    return {"type": "roughplastic", "diffuse_reflectance": colour, "alpha": rough, "distribution": "ggx"}


def _group(make: Make, side_mm: float) -> dict[str, Any]:
    hollow = [face for face in range(1, 7) if make.hollow and face not in make.emblems]
    mesh = die_mesh(make.style, side_mm, hollow)
    colours, inked = paint(make, seed=len(make.name))
    solid = {"type": "twosided", "bsdf": _coated(_texture(colours), make.rough)}
    if not make.clear:
        return {"type": "shapegroup", "body": _shape(mesh, solid)}
    tint = colours[0, 0] ** 0.4
    glass = {"type": "dielectric", "int_ior": 1.49, "specular_transmittance": {"type": "rgb", "value": tint.tolist()}}
    body = {"type": "blendbsdf", "weight": _texture(np.maximum(inked, _CLOUDY)), "clear": glass, "ink": solid}
    return {"type": "shapegroup", "body": _shape(mesh, body)}


def _lamp(lamp: Lamp) -> dict[str, Any]:
    aim = mi.ScalarTransform4f().look_at(origin=lamp.at_mm.tolist(), target=lamp.aim_mm.tolist(), up=[0.1, 1.0, 0.01])
    return {
        "type": "disk",
        "to_world": aim @ mi.ScalarTransform4f().scale(lamp.radius_mm),
        "light": {"type": "area", "radiance": {"type": "rgb", "value": lamp.power.tolist()}},
    }
