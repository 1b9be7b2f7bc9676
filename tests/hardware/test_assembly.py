import re
from pathlib import Path

from firmware.dimensions import size

TEXT = (Path(__file__).parents[2] / "hardware" / "ASSEMBLY.md").read_text("utf-8")


def test_every_size_in_the_assembly_guide_is_that_of_the_file() -> None:
    named = re.findall(r"([\d.]+) mm \(`(\w+)`\)", TEXT)
    assert len(named) == 8
    assert [float(value) for value, _ in named] == [size(name) for _, name in named]
    assert len(re.findall(r"\d mm", TEXT)) == len(named)


def test_the_steps_are_numbered_without_a_gap() -> None:
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", TEXT, re.MULTILINE)]
    assert steps == list(range(1, 11))
