"""How long `cornet odds` takes from a cold start: `python tests/benchmarks/odds.py`."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

CORNET = Path(sys.executable).with_name("cornet")
STARTS = 5
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vingt-six", {}),
    ("vingt-six", {"bet": 1000, "bank_chips": 100_000, "stake_returned": False}),
    ("quatorze", {}),
    ("vingt-cinq", {}),
    ("421", {}),
    ("421", {"version": "41"}),
    ("thousand", {}),
    ("thousand", {"preset": "home"}),
    ("thousand", {"preset": "club"}),
    # The most points before it is best to stop at once, the most that must be worked through.
    ("thousand", {"preset": "home", "four_of_a_kind": "plus_ten", "entry": 300}),
)


def cpu_s(game: str, options: dict[str, Any]) -> float:
    """CPU time in seconds of one `cornet odds`."""
    call = [str(CORNET), "odds", game, "--options", json.dumps(options)]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "cornet odds")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the median CPU time of each game's odds."""
    for game, options in CALLS:
        median_s = statistics.median(cpu_s(game, options) for _ in range(STARTS))
        print(f"{game:>12} {median_s:6.2f} s  {json.dumps(options)}", flush=True)


if __name__ == "__main__":
    main()
