"""A cornet that is stopped anywhere comes back to where it was: the short version of the benchmarks."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "default"}


def figures(script: str, *arguments: str) -> dict[str, Any]:
    call = [sys.executable, str(ROOT / "tests" / "benchmarks" / script), *arguments]
    done = subprocess.run(call, capture_output=True, text=True, env=ENVIRONMENT, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_nothing_is_lost_or_doubled_after_any_side_effect() -> None:
    counts = figures("crash_points.py")
    assert set(counts) == {"first start", "game", "throw", "correction", "end"}
    assert all(count >= 10 for count in counts.values())


def test_nothing_is_lost_or_doubled_by_kills_at_random() -> None:
    found = figures("crash.py", "--kills", "10", "--seed", "3")
    assert found["kills"] == 10
    assert found["acknowledged"] > 0
