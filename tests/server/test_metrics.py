"""What a monitor is told."""

from pathlib import Path

import pytest

from server.log import Log
from server.metrics import Metrics, temperature_c
from server.web.app import create_app

from .conftest import MakeTable, full_disk


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_counts_times_and_gauges_are_written_as_a_monitor_reads_them() -> None:
    clock = Clock()
    metrics = Metrics(clock)
    metrics.enter("ready")
    clock.now += 5
    metrics.enter("reading")
    for took_s in (0.03, 0.03, 9.0):
        with metrics.reading():
            clock.now += took_s
    metrics.count("throw", "ok")
    metrics.count("refused", "cocked")
    metrics.count("refused", "cocked")
    metrics.count("refused", "bad-light")
    metrics.count("fault", "jammed")
    lines = metrics.text({"cornet_watchers": ("Open streams.", 3)}).splitlines()
    assert {
        "cornet_throws_total 1",
        'cornet_refused_total{verdict="cocked"} 2',
        'cornet_refused_total{verdict="bad-light"} 1',
        'cornet_faults_total{fault="jammed"} 1',
        'cornet_phase{phase="reading"} 1',
        'cornet_phase_seconds_total{phase="ready"} 5',
        'cornet_phase_seconds_total{phase="reading"} 9.06',
        'cornet_read_seconds_bucket{le="0.025"} 0',
        'cornet_read_seconds_bucket{le="0.05"} 2',
        'cornet_read_seconds_bucket{le="2.0"} 2',
        'cornet_read_seconds_bucket{le="+Inf"} 3',
        "cornet_read_seconds_count 3",
        "cornet_watchers 3",
    } <= set(lines)
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families)) == len([line for line in lines if line.startswith("# HELP")])
    assert all(line.startswith(("#", "cornet_")) for line in lines)


def test_the_table_counts_what_it_does(make_table: MakeTable) -> None:
    table = make_table()
    console = create_app(table, table._log).test_client()
    assert console.get("/metrics", environ_overrides={"REMOTE_ADDR": "127.0.0.2"}).status_code == 403
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    table.latch("jammed", "The cone does not turn.")
    answer = console.get("/metrics")
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    told = set(answer.text.splitlines())
    assert {
        "cornet_throws_total 1",
        "cornet_read_seconds_count 1",
        'cornet_faults_total{fault="jammed"} 1',
        "cornet_fault 1",
        "cornet_well 0",
    } <= told


def test_a_fault_that_the_log_could_not_take_is_told_too(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table()
    console = create_app(table, table._log).test_client()
    assert "cornet_fault 0" in console.get("/metrics").text.splitlines()
    monkeypatch.setattr(Log, "append", full_disk)
    table.latch("jammed", "The cone does not turn.")
    assert "cornet_fault 1" in console.get("/metrics").text.splitlines()


@pytest.mark.parametrize(("text", "celsius"), [("48312\n", 48.312), ("", None), ("hot", None)])
def test_the_temperature_is_the_kernels(tmp_path: Path, text: str, celsius: float | None) -> None:
    path = tmp_path / "temp"
    assert temperature_c(path) is None
    path.write_text(text)
    assert temperature_c(path) == celsius
