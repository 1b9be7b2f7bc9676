"""What a monitor is told: counts since the start, times of phases and readings, in Prometheus' text format.

The format: https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
"""

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from firmware.health import TEMPERATURE

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
READ_BUCKETS_S = (0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)

Sample = tuple[Mapping[str, str], float]


class Metrics:
    """Counts what the machine does; any thread may call any method. `now` is in seconds and never goes back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._phase_s: dict[str, float] = {}
        self._phase, self._since = "", now()
        self._reads: Counter[int] = Counter()  # by the bucket
        self._read_s = 0.0

    def count(self, kind: str, of: str) -> None:
        """One more of a kind: a `throw` or a `refused` reading with its verdict, a `fault` with its name."""
        with self._lock:
            self._counts[kind, of] += 1

    def enter(self, phase: str) -> None:
        """The machine is in this phase now."""
        with self._lock:
            self._settle()
            self._phase = phase

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A picture is read within."""
        began = self._now()
        yield
        took_s = self._now() - began
        with self._lock:
            self._reads[bisect_left(READ_BUCKETS_S, took_s)] += 1
            self._read_s += took_s

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Everything, and these gauges: a name, with its sentence and its value."""
        with self._lock:
            self._settle()
            counts, phases, reads = dict(self._counts), dict(self._phase_s), dict(self._reads)
            phase, read_s = self._phase, self._read_s
        lines = [
            *_family("cornet_throws_total", "counter", "Throws that counted.", [({}, counts.get(("throw", "ok"), 0))]),
            *_family("cornet_refused_total", "counter", "Refused readings.", _labelled(counts, "refused", "verdict")),
            *_family(
                "cornet_faults_total", "counter", "Faults that were latched.", _labelled(counts, "fault", "fault")
            ),
            *_family("cornet_phase", "gauge", "What the machine is doing.", [({"phase": phase}, 1)]),
            *_family(
                "cornet_phase_seconds_total",
                "counter",
                "Time spent in each phase.",
                [({"phase": name}, spent_s) for name, spent_s in sorted(phases.items())],
            ),
            *_histogram("cornet_read_seconds", "From a picture to its reading.", reads, read_s),
        ]
        for name, (sentence, value) in gauges.items():
            lines += _family(name, "gauge", sentence, [({}, value)])
        return "\n".join(lines) + "\n"

    def _settle(self) -> None:
        now = self._now()
        if self._phase:
            self._phase_s[self._phase] = self._phase_s.get(self._phase, 0.0) + now - self._since
        self._since = now


def temperature_c(path: Path = TEMPERATURE) -> float | None:
    """How hot the processor is; None where nobody says."""
    try:
        return int(path.read_text("ascii")) / 1000
    except (OSError, ValueError):
        return None


def _labelled(counts: Mapping[tuple[str, str], int], kind: str, label: str) -> list[Sample]:
    return [({label: of}, number) for (found, of), number in sorted(counts.items()) if found == kind]


def _histogram(name: str, sentence: str, reads: Mapping[int, int], sum_s: float) -> list[str]:
    lines = [f"# HELP {name} {sentence}", f"# TYPE {name} histogram"]
    bounds = [*map(str, READ_BUCKETS_S), "+Inf"]
    total = 0
    for place, bound in enumerate(bounds):
        total += reads.get(place, 0)
        lines.append(_sample(f"{name}_bucket", {"le": bound}, total))
    return [*lines, _sample(f"{name}_sum", {}, sum_s), _sample(f"{name}_count", {}, total)]


def _family(name: str, kind: str, sentence: str, samples: Iterable[Sample]) -> list[str]:
    return [f"# HELP {name} {sentence}", f"# TYPE {name} {kind}", *(_sample(name, *sample) for sample in samples)]


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    # What stands in a label is ours: a verdict, a fault's name, a phase.
    said = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return f"{name}{{{said}}} {value:.10g}" if said else f"{name} {value:.10g}"
