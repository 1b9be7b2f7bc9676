"""`cornet run` and `cornet pin` as whole processes."""

import hashlib
import signal
import socket
import sqlite3
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from server.commands.run import _begin
from tests.conftest import ENVIRONMENT, RunCornet, cornet, running, said
from tests.server.conftest import audited

RECORDINGS = Path(__file__).parents[2] / "recordings"


def test_a_busy_port_is_said_and_changes_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port}" in said(cornet("run", "--port", str(port), cwd=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_an_address_is_printed_as_a_browser_takes_it(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET6) as tried:
        try:
            tried.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no ::1")
    with running(tmp_path, "--host", "::1", "--camera", "none") as served:
        assert served.address.startswith("http://[::1]:")
        assert served.ask("/api/state")["simulated"]


@pytest.mark.parametrize(("host", "called"), [("0.0.0.0", "0.0.0.0"), ("::", "[::]")])
def test_what_is_printed_can_be_opened_where_it_listens_everywhere(tmp_path: Path, host: str, called: str) -> None:
    if host == "::" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    with running(tmp_path, "--host", host, "--camera", "none") as served:
        assert served.address.startswith(f"http://{called}:")
        assert served.ask("/api/state")["simulated"]


def test_a_data_directory_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    assert "cannot be written" in said(cornet("run", "--port", "0", "--data", tmp_path / "file"))
    newer = tmp_path / "newer"
    newer.mkdir()
    database = sqlite3.connect(newer / "cornet.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = (newer / "cornet.db").read_bytes()
    assert "newer Cornet" in said(cornet("run", "--port", "0", "--data", newer))
    assert (newer / "cornet.db").read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly_while_somebody_watches(run_cornet: RunCornet, tmp_path: Path, number: signal.Signals) -> None:
    with run_cornet(tmp_path, "--camera", "none") as (process, address):
        with urllib.request.urlopen(f"{address}/api/events", timeout=60) as stream:
            assert stream.readline().startswith(b"retry")
            process.send_signal(number)
            stream.read()
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_service_that_systemd_does_not_hear_runs_and_stops(
    run_cornet: RunCornet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "NOTIFY_SOCKET", str(tmp_path / "nowhere" / "notify"))
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        assert cornet.ask("/api/state")["game"] is None
        cornet.process.send_signal(signal.SIGTERM)
        _, errors = cornet.process.communicate(timeout=60)
        assert (cornet.process.returncode, errors.count("\n")) == (0, 1)
        assert "systemd cannot be told READY=1: No such file or directory." in errors


def test_a_kill_loses_nothing_that_was_shown(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        cornet.ask("/api/actions", {"action": {"do": "bet", "chips": 2}})
        before = cornet.ask("/api/state")
        cornet.process.kill()
        cornet.process.wait()
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        after = cornet.ask("/api/state")
    assert after["game"] == before["game"]
    assert after["seq"] > before["seq"]


def test_a_real_machine_with_nothing_connected_serves_its_fault_and_throws_nothing(
    run_cornet: RunCornet, tmp_path: Path
) -> None:
    with run_cornet(tmp_path, "--tower", "gpio") as cornet:
        found = cornet.ask("/api/state")
        assert (found["simulated"], found["tower"], found["camera"]) == (False, "gpio", "pi")
        assert found["machine"]["fault"]["name"] == "no-tower"
        for path, body in (("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]}), ("/api/throw", {})):
            with pytest.raises(urllib.error.HTTPError, match="409"):
                cornet.ask(path, body)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            cornet.ask("/healthz")
        cornet.process.send_signal(signal.SIGTERM)
        assert cornet.process.wait(timeout=60) == 0


@pytest.mark.parametrize("name", ["tray.toml", "machine.toml"])
@pytest.mark.parametrize("damaged", ["[floor", None])
def test_a_damaged_calibration_starts_the_pages_in_a_fault_until_it_is_mended_or_gone(
    run_cornet: RunCornet, tmp_path: Path, name: str, damaged: str | None
) -> None:
    path = tmp_path / name
    path.mkdir() if damaged is None else path.write_text(damaged)
    (tmp_path / "settings.toml").write_text('tumble_s = 0.0\nselect = "colour"\n')
    with run_cornet(tmp_path, "--config", str(tmp_path / "settings.toml")) as cornet:
        fault = cornet.ask("/api/state")["machine"]["fault"]
        assert fault["name"] == "storage"
        assert fault["message"].count(str(path)) == 1
        for ask, method in (("/api/games", None), ("/api/throw", None), ("/api/fault", "DELETE")):
            body = {"game": "vingt-six", "players": ["Ana", "Bo"]} if ask == "/api/games" else {}
            with pytest.raises(urllib.error.HTTPError, match="409"):
                cornet.ask(ask, body, method)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            cornet.ask("/healthz")
        path.rename(tmp_path / "away")
        cornet.ask("/api/fault", {}, "DELETE")
        assert cornet.ask("/healthz")["ok"]
        assert cornet.ask("/api/state")["names"] == []


def test_a_calibration_that_was_damaged_is_read_by_once_it_is_mended(run_cornet: RunCornet, tmp_path: Path) -> None:
    whole = (RECORDINGS / "rig" / "tray.toml").read_text()
    (tmp_path / "tray.toml").write_text(whole[:200])
    (tmp_path / "settings.toml").write_text("tumble_s = 0.0\n")
    with run_cornet(tmp_path, "--config", str(tmp_path / "settings.toml")) as cornet:
        (tmp_path / "tray.toml").write_text(whole)
        cornet.ask("/api/fault", {}, "DELETE")
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        look = cornet.at_rest()["last"]
        assert look["tray"] == hashlib.sha256(whole.encode()).hexdigest()
    assert audited(tmp_path).differences == []


def test_a_broken_chain_starts_the_pages_in_a_fault(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none"):
        pass
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET hash = '00'")
    database.close()
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        assert cornet.ask("/api/state")["machine"]["phase"] == "fault"
        with pytest.raises(urllib.error.HTTPError, match="503"):
            cornet.ask("/healthz")
        with pytest.raises(urllib.error.HTTPError, match="409"):
            cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})


def test_the_pin_is_set_from_the_command_line_while_a_cornet_runs(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none") as running:
        assert running.ask("/api/me")["pin"] is False
        assert "6 to 32 digits" in said(cornet("pin", "--data", tmp_path, given=b"12345\n"))
        # Some terminals end a line so.
        finished = cornet("pin", "--data", tmp_path, given=b"271828\r\n")
        assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
        assert running.ask("/api/me")["pin"] is True
        assert running.ask("/api/login", {"pin": "271828"}) == {"role": "console"}
    (tmp_path / "file").write_bytes(b"")
    assert "name another --data" in said(cornet("pin", "--data", tmp_path / "file", given=b"271828"))


def test_a_thread_that_fails_ends_the_program(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    stop, failed = threading.Event(), threading.Event()
    _begin(stop, failed, "house", lambda: None).join()
    assert not stop.is_set()
    _begin(stop, failed, "house", fail).join()
    assert stop.is_set()
    assert failed.is_set()
    assert "sees to the house failed" in caplog.text
