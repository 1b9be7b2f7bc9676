"""What is beside the dice: things and burnt light are told from grounds, whatever their colours."""

import cv2
import numpy as np
import pytest

from tests.vision.grounds import DIE, NO_DICE, ground, tiled, with_dice
from vision.network import pyramid
from vision.picture import Image
from vision.surroundings import Thing, burnt, cut_off, things, unlike_ground


def seen(image: Image) -> list[Thing]:
    return [one for one in things(pyramid(image), DIE) if one.area > 0.5]


@pytest.mark.parametrize("colour", [(40, 40, 200), (200, 120, 30), (20, 20, 20), (235, 240, 240)])
@pytest.mark.parametrize("floor", [(120, 130, 140), (60, 110, 70)])
def test_one_thing_of_any_colour_is_found_where_it_lies(
    floor: tuple[int, int, int], colour: tuple[int, int, int]
) -> None:
    image = with_dice(ground(floor))
    cv2.circle(image, (440, 160), 22, colour, -1)
    (thing,) = seen(image)
    assert np.hypot(thing.x_px - 440, thing.y_px - 160) < 5
    assert 0.6 < thing.area < 1.6
    assert 0.8 < thing.wide < 1.4


@pytest.mark.parametrize("floor", [(120, 130, 140), (40, 110, 60)])
def test_a_thing_has_the_tint_that_no_shadow_would_have(floor: tuple[int, int, int]) -> None:
    shadow = tuple(round(0.45 * level) for level in floor)
    for colour, tinted in (((20, 80, 160), True), ((20, 20, 20), False), (shadow, False)):
        image = with_dice(ground(floor))
        cv2.circle(image, (440, 160), 22, colour, -1)
        (thing,) = seen(image)
        assert (thing.tint > 18) is tinted


def test_a_ring_is_as_large_a_thing_as_what_it_encloses_but_not_a_rim_around_a_die() -> None:
    image = with_dice(ground((120, 130, 140)))
    cv2.circle(image, (440, 160), 22, (40, 40, 200), 7)
    (ring,) = seen(image)
    assert 1.0 < ring.area < 1.9
    assert 0.9 < ring.wide < 1.5
    around = with_dice(ground((120, 130, 140)))
    cv2.circle(around, (160, 240), 44, (40, 40, 200), 5)
    assert all(one.wide < 0.5 for one in seen(around))


def test_what_has_dents_is_less_solid() -> None:
    block, bent = with_dice(ground((120, 130, 140))), with_dice(ground((120, 130, 140)))
    cv2.rectangle(block, (400, 150), (470, 180), (40, 40, 200), -1)
    angle = np.array([[400, 120], [425, 120], [425, 175], [480, 175], [480, 200], [400, 200]])
    cv2.fillPoly(bent, [angle], (40, 40, 200))
    assert seen(block)[0].solid > 0.9
    assert seen(bent)[0].solid < 0.8


def test_a_thing_is_found_on_tiles_and_the_tiles_are_none() -> None:
    image = with_dice(tiled((120, 130, 140), (70, 60, 120), 45))
    assert seen(image) == []
    cv2.circle(image, (440, 160), 22, (40, 200, 220), -1)
    assert len(seen(image)) == 1


def test_a_gleam_is_no_thing_and_something_white_is_one() -> None:
    floor = with_dice(ground((60, 70, 80)))
    y, x = np.mgrid[:480, :640]
    away = np.hypot(x - 440, y - 160)[..., None]
    gleam = np.clip(floor + 400 * np.exp(-((away / 28) ** 2)), 0, 255).astype(np.uint8)
    assert seen(gleam) == []
    cv2.circle(floor, (440, 160), 24, (255, 255, 255), -1)
    assert len(seen(floor)) == 1


def test_light_and_shadow_that_fade_are_no_things_though_nothing_is_burnt_out_and_coloured_ones_are() -> None:
    y, x = np.mgrid[:480, :640]
    fading = np.exp(-((np.hypot(x - 440, y - 160)[..., None] / 40) ** 2))
    for most, found in (((90, 90, 90), 0), ((-60, -60, -60), 0), ((-40, 0, 90), 1)):
        floor = with_dice(ground((110, 115, 120)))
        assert len(seen(np.clip(floor + most * fading, 0, 255).astype(np.uint8))) == found, most


def test_a_thing_is_unlike_the_ground_and_a_vein_a_shadow_or_what_dice_hide_is_not() -> None:
    place = np.array([440.0, 160.0, 48.0])
    floor = ground((60, 70, 80))
    thing, vein, shadow = floor.copy(), floor.copy(), floor.copy()
    cv2.circle(thing, (440, 160), 24, (40, 60, 100), -1)
    cv2.ellipse(vein, (440, 160), (22, 20), 0, 0, 300, (40, 60, 100), 3)
    shadow[130:190, 410:470] = shadow[130:190, 410:470] * 0.8
    assert unlike_ground(pyramid(thing), place, NO_DICE) > 10
    assert unlike_ground(pyramid(vein), place, NO_DICE) < 2
    assert unlike_ground(pyramid(shadow), place, NO_DICE) < 6
    red = ground((60, 60, 150))
    red[130:190, 410:470] = red[130:190, 410:470] * 0.4
    assert unlike_ground(pyramid(red), place, NO_DICE) < 6
    assert unlike_ground(pyramid(thing), place, np.array([[440.0, 160.0, 48.0]])) == 0
    assert unlike_ground(pyramid(thing), place, np.array([[488.0, 160.0, 48.0]])) > 10


def test_the_dice_and_what_the_edge_cuts_are_no_things() -> None:
    image = with_dice(ground((120, 130, 140)))
    cv2.circle(image, (640, 160), 22, (40, 40, 200), -1)
    assert seen(image) == []
    (half,) = cut_off(pyramid(image), DIE)
    assert 0.25 < half.area < 0.75
    whole = with_dice(ground((120, 130, 140)))
    cv2.circle(whole, (440, 160), 22, (40, 40, 200), -1)
    assert cut_off(pyramid(whole), DIE) == []


def test_the_burnt_share_of_a_face_is_told() -> None:
    image = ground((120, 130, 140))
    image[220:260, 140:160] = 255
    (share,) = burnt(pyramid(image), DIE)
    assert 0.3 < share < 0.7
    assert burnt(pyramid(image), NO_DICE).shape == (0,)


def test_a_strip_of_a_picture_has_nothing_on_it() -> None:
    strip = pyramid(np.full((40, 20_000, 3), 128, np.uint8))
    place = np.array([[9_000.0, 20.0, 38.0]])
    assert things(strip, place) == []
