"""Towers on mock pins, closed at the end."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from firmware.gpio import GpioTower
from tests.firmware.model import Model

MakeTower = Callable[..., tuple[Model, GpioTower]]


@pytest.fixture
def make_tower() -> Iterator[MakeTower]:
    """Makes a model with these attributes, and the tower that drives it."""
    with ExitStack() as made:

        def make(seed: str = "7", **attributes: Any) -> tuple[Model, GpioTower]:
            model = Model(**attributes)
            made.callback(model.finish)
            return model, made.enter_context(model.tower(seed))

        yield make
