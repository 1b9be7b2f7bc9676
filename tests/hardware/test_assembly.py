import re
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from firmware.dimensions import size
from hardware.cad import geometry
from hardware.cad.floor import floor_picture, floor_svg
from hardware.cad.geometry import SHIPPED
from vision.rig import MARK_DEG, STROKES_IN_MM, Rig

FOLDER = Path(__file__).parents[2] / "hardware"
TEXT = (FOLDER / "ASSEMBLY.md").read_text("utf-8")


def test_every_size_in_the_assembly_guide_is_that_of_the_file() -> None:
    named = re.findall(r"([\d.]+) mm \(`(\w+)`\)", TEXT)
    assert len(named) == 14
    assert [float(value) for value, _ in named] == [size(name) for _, name in named]
    assert len(re.findall(r"\d mm\b", TEXT)) == len(named)


def test_the_steps_are_numbered_without_a_gap_and_each_has_its_picture() -> None:
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", TEXT, re.MULTILINE)]
    assert steps == list(range(1, 13))
    pictures = re.findall(r"\((cad/views/step-\d+\.png)\)", TEXT)
    assert pictures == [f"cad/views/step-{number}.png" for number in steps[:-1]]
    for name in pictures:
        picture = cv2.imread(str(FOLDER / name))
        assert picture is not None
        assert picture.std() > 5


def test_the_floor_that_is_committed_is_that_of_the_sizes_and_to_scale() -> None:
    page = (FOLDER / "floor.svg").read_text("utf-8")
    assert page == floor_svg()
    found = re.search(r'width="([\d.]+)mm" height="([\d.]+)mm" viewBox="(-[\d.]+) \3 \1 \2"', page)
    assert found is not None
    assert f'<circle r="{size("floor_diameter_mm") / 2:g}" fill="none"' in page


def test_the_printed_floor_is_the_one_that_the_simulated_camera_sees() -> None:
    px_per_mm = 4.0
    page = np.asarray(floor_picture(px_per_mm))
    away = (np.arange(page.shape[0]) + 0.5 - page.shape[0] / 2) / px_per_mm
    # As it is screwed on, the mark, below the middle of the page, is at the picture's lower left.
    turn = np.radians(MARK_DEG - 270)
    x, y = away[None, :], -away[:, None]
    places = np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)])
    seen = Rig.of(size).printed(places, 1 / px_per_mm)
    inside = np.hypot(x, y) < size("floor_diameter_mm") / 2 - STROKES_IN_MM
    for printed, shown in ((page < 20, seen < 0.75), (page > 80, seen > 1.5)):
        assert ((printed != shown) & inside).sum() < 0.3 * (printed & inside).sum()


def test_the_screws_altogether_are_those_of_the_steps() -> None:
    rows = re.findall(r"^\| \d+ \| (.*) \|$", TEXT, re.MULTILINE)
    counts: Counter[tuple[float, int]] = Counter()
    nuts: Counter[str] = Counter()
    for row in rows:
        for number, thick, long, nut in re.findall(r"(\d+) M([\d.]+)x(\d+)( with (?:locking )?nuts)?", row):
            counts[float(thick), int(long)] += int(number)
            nuts[thick + nut.removeprefix(" with").removesuffix("nuts").strip()] += int(number) if nut else 0
        for number, thick in re.findall(r"(\d+) nuts M(\d)", row):
            nuts[thick] += int(number)
    screws = ", ".join(f"{number} M{thick:g}x{long}" for (thick, long), number in sorted(counts.items()))
    bolts = f"{nuts['2']} nuts M2, {nuts['3']} M3 and {nuts['3locking']} locking ones, {nuts['4']} M4"
    inserts = ", ".join(f"{number} inserts {thick}" for number, thick in re.findall(r"(\d+) inserts (M\d)", rows[0]))
    assert f"Altogether {screws}; {bolts}; {inserts}." in TEXT


def test_what_the_other_pages_say_of_the_machine_is_what_is_calculated() -> None:
    mass_kg = (sum(one.mass_g for one in geometry.turning(SHIPPED)) + SHIPPED["dice"] * SHIPPED["die_mass_g"]) / 1000
    limit_a = SHIPPED["motor_limit_a"]
    held, asked, given = (one(SHIPPED) for one in (geometry.held_nmm, geometry.asked_nmm, geometry.given_nmm))
    said = " ".join((FOLDER / "README.md").read_text("utf-8").split())
    for figure in (
        f"{mass_kg:.2f} kg, {geometry.inertia_kgm2(SHIPPED):.4f} kg m²",
        f"asks for {held:.0f} N mm to be held and {asked - held:.0f} N mm more",
        f"gives {given:.0f} N mm at the {limit_a:g} A that the bridge allows: {given / asked:.2f} times",
        f"The lens is {SHIPPED['camera_mm']:.0f} mm up",
        f"circle of {SHIPPED['ring_radius_mm']:g} mm, {SHIPPED['ring_mm']:.0f} mm up",
        f"edge is {geometry.ajar_mm(SHIPPED):.1f} mm open",
    ):
        assert figure in said
    bench = (FOLDER / "BENCH.md").read_text("utf-8")
    for figure in (
        f"at the edge ({geometry.ajar_mm(SHIPPED):.1f} mm)",
        f"56 kΩ for {limit_a:g} A",
        f"dice of {SHIPPED['die_side_mm']:.0f} mm",
    ):
        assert figure in bench
