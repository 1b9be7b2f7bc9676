"""Cuts the power at the k-th side effect on the disk."""

import os
from collections.abc import Callable
from typing import Any

import pytest

EFFECTS = ("fsync", "replace", "unlink")


class Crash(BaseException):
    """The power is cut."""


def crashes(work: Callable[[], object], last: int, after: bool) -> bool:
    """Whether the power was cut at side effect `last`, counted from 1, before it was done or just after."""
    done = 0

    def falling(effect: Callable[..., Any]) -> Callable[..., Any]:
        def fall(*given: Any, **how: Any) -> Any:
            nonlocal done
            done += 1
            if done == last and not after:
                raise Crash
            answer = effect(*given, **how)
            if done == last:
                raise Crash
            return answer

        return fall

    with pytest.MonkeyPatch.context() as patch:
        for name in EFFECTS:
            patch.setattr(os, name, falling(getattr(os, name)))
        try:
            work()
        except Crash:
            return True
    return False
