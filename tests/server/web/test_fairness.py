"""What the log says of the dice: real throws only, each set for itself, in words, as a table and for programs."""

import csv
import io
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, cast

import pytest

from server.chain import Event
from server.cli import main
from server.evenings import Evenings, Kept, as_json, evenings, gain
from server.evidence import evidence_of
from server.log import Log
from server.web.app import create_app

from ..conftest import MakeTable, bundled, play, played_in

BOOT = {"boot": "b", "simulated": False, "version": "0", "tower": "gpio", "camera": "pi", "dice": 5, "set": "ivory"}
AT = "2026-01-31T20:15:00.000+00:00"


def look(*faces: int | None, **more: Any) -> dict[str, Any]:
    dice = [{"face": face, "center": [50.0, 50.0], "box": [0, 0, 9, 9], "margin": 1.0} for face in faces]
    return {"verdict": "ok", "expected": None, "size": None, "dice": dice, "at": AT, "frame": None, **more}


def events(*told: tuple[str, dict[str, Any]]) -> list[Event]:
    return [Event(seq, kind, {"at": AT, **body}, "") for seq, (kind, body) in enumerate(told, start=1)]


def test_simulated_and_recorded_throws_never_count() -> None:
    log = events(
        ("boot", {**BOOT, "simulated": True}),
        ("throw", look(6, 6, 6)),
        ("refused", look(6, 6, 6, verdict="cocked")),
        ("boot", BOOT),
        ("throw", look(1, 2, 3)),
        ("throw", look(6, 6, 6, source="picture.jpg")),
        ("boot", {**BOOT, "simulated": True}),
        ("trial", look(6, 6, 6)),
    )
    found = evenings(lambda: log)
    assert found.all_time.counts == (1, 1, 1, 0, 0, 0)
    assert found.all_time.counts_with_refused == (1, 1, 1, 0, 0, 0)
    assert found.simulated == 3


def test_the_game_of_a_bundle_says_itself_whether_its_dice_are_real(make_table: MakeTable, tmp_path: Path) -> None:
    play(make_table(simulated=False), 1)
    with evidence_of(bundled(tmp_path, played_in(tmp_path, 2))) as evidence:
        found = evenings(evidence.events)
    assert (found.all_time.throws, found.simulated) == (1, 0)


def test_a_start_within_a_game_says_what_holds_of_its_further_throws() -> None:
    log = events(
        ("game", {"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": {}, "simulated": False}),
        ("throw", look(1, 2, 3)),
        ("boot", {**BOOT, "simulated": True}),
        ("throw", look(6, 6, 6)),
    )
    found = evenings(lambda: log)
    assert (found.all_time.counts, found.simulated) == ((1, 1, 1, 0, 0, 0), 1)


def test_what_dice_remember_is_told_by_the_turns_of_the_cone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A third of the turns shows, the whole of them does not; what the software draws is not asked."""
    chance = Random(3)
    with closing(Log(tmp_path)) as log:
        for turns, sticking, simulated, throws in ((1.5, 0.0, False, 150), (0.5, 0.5, False, 150), (1.5, 0.0, True, 3)):
            tower = {"tower": "sim"} if simulated else {"turns": turns}
            log.append("boot", {**BOOT, "at": AT, "simulated": simulated, **tower})
            faces = [1] * 5
            for _ in range(throws):
                faces = [face if chance.random() < sticking else chance.randint(1, 6) for face in faces]
                log.append("trial", look(*chance.sample(faces, 5)))
    assert main(["fairness", "--turns", "--json", "--data", str(tmp_path)]) == 0
    third, whole = json.loads(capsys.readouterr().out)
    assert (third["turns"], third["throws"], third["pairs"]) == (0.5, 150, 149)
    assert third["evidence"] > 100
    assert third["p"] < 1e-4
    assert (whole["turns"], whole["throws"]) == (1.5, 150)
    assert whole["evidence"] < 10
    assert whole["p"] > 0.01
    assert main(["fairness", "--turns", "--data", str(tmp_path)]) == 0
    assert "What dice remember" in capsys.readouterr().out


def test_each_set_is_counted_from_when_it_was_put_in() -> None:
    log = events(
        ("boot", BOOT),
        ("throw", look(1, 1)),
        ("boot", {**BOOT, "set": "red"}),
        ("throw", look(2, 2)),
        ("boot", BOOT),
        ("throw", look(3, 3)),
        ("refused", look(4, None, verdict="unsure")),
        ("soak", {"asked": {"set": "new", "count": 1}}),
        ("trial", look(5, 5, soak=8)),
    )
    found = evenings(lambda: log)
    assert (found.current_set, found.current.counts) == ("new", (0, 0, 0, 0, 2, 0))
    assert found.sets["ivory"].counts == (2, 0, 2, 0, 0, 0)
    assert found.sets["ivory"].counts_with_refused == (2, 0, 2, 1, 0, 0)
    assert found.sets["red"].counts == (0, 2, 0, 0, 0, 0)
    assert found.all_time.throws == 4
    assert found.changed_at == AT


@pytest.mark.parametrize(
    ("correction", "counts"),
    [
        ({"faces": [5, 6]}, (0, 0, 1, 0, 1, 1)),
        ({"faces": []}, (0, 0, 0, 0, 0, 0)),
        ({"dice": [4, None, 3], "counted": [0, 2], "faces": [4, 3]}, (0, 0, 1, 1, 0, 0)),
        (
            {"dice": [4, 4, 3, {"face": 6, "center": [1, 1]}], "counted": [0, 1], "faces": [4, 4]},
            (0, 0, 1, 2, 0, 1),
        ),
        ({"dice": [], "counted": [], "faces": []}, (0, 0, 0, 0, 0, 0)),
    ],
)
def test_a_correction_counts_instead_of_the_reading(correction: dict[str, Any], counts: tuple[int, ...]) -> None:
    log = events(("boot", BOOT), ("throw", look(1, 2, 3, counted=[0, 1])), ("correction", {"throw": 2, **correction}))
    found = evenings(lambda: log).current
    assert found.counts == counts
    assert found.refused == ({"corrected": 1} if not any(counts) else {})


@pytest.mark.parametrize(("off", "printed"), [(0.0, 0.41), (0.002, 0.53), (0.005, 0.73), (0.01, 1.12), (0.02, 2.05)])
def test_what_a_bias_is_worth_in_le_vingt_six(off: float, printed: float) -> None:
    assert gain(1 / 6 + off) == pytest.approx(printed, abs=0.005)


@pytest.fixture
def bar(tmp_path: Path) -> Path:
    """A directory with an evening of real dice that love the six."""
    chance, log = Random(7), Log(tmp_path / "bar")
    log.append("boot", {"at": AT, **BOOT})
    for _ in range(80):
        faces = chance.choices(range(1, 7), (1, 1, 1, 1, 1, 4), k=5)
        log.append("trial", look(*faces, soak=None, press=1))
    log.close()
    return tmp_path / "bar"


def test_the_command_line_tells_it_as_a_table_as_json_and_as_a_page(
    bar: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, link = tmp_path / "report.html", tmp_path / "latest.html"
    link.symlink_to(page)
    assert main(["fairness", "--data", str(bar), "--json", "--report", str(link)]) == 0
    assert link.is_symlink()
    told = json.loads(capsys.readouterr().out)
    assert (told["set"], told["current"]["throws"], told["current"]["alarm"]) == ("ivory", 80, True)
    assert told["current"]["worth"]["face"] == 6
    text = page.read_text("utf-8")
    assert "These dice must go" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "<link" not in text
    assert main(["fairness", "--data", str(bar)]) == 0
    assert "would be worth" in capsys.readouterr().out
    assert main(["fairness", "--data", str(tmp_path / "none")]) == 2
    assert main(["fairness", "--data", str(bar), "--report", str(tmp_path / "no" / "x.html")]) == 2
    assert main(["fairness", "--counts", "1,1,1,1,1,1", "--report", str(tmp_path / "counts.html")]) == 2


class Growing:
    """A log that grows; `seen` are the events that were read from it."""

    def __init__(self) -> None:
        self.all: list[Event] = []
        self.seen: list[int] = []
        self.meanwhile: Callable[[], None] = lambda: None

    @property
    def seq(self) -> int:
        return len(self.all)

    def append(self, kind: str, body: dict[str, Any]) -> None:
        self.all.append(Event(self.seq + 1, kind, {"at": AT, **body}, ""))

    def events(self, after: int = 0, last: int | None = None) -> Iterator[Event]:
        for event in self.all[after:last]:
            self.seen.append(event.seq)
            self.meanwhile()
            yield event


def test_what_the_pages_tell_is_read_on_and_is_what_the_whole_log_says() -> None:
    log = Growing()
    kept = Kept(cast(Log, log))
    told = [
        ("boot", BOOT),
        ("throw", look(1, 2, 3)),
        ("refused", look(1, 1, 1, verdict="cocked")),
        ("calibrated", {"set": "red"}),
        ("throw", look(4, 4, 4)),
        ("correction", {"throw": 5, "dice": [4, 4, 5], "faces": [4, 4, 5]}),
        ("soak", {"asked": {"set": "green"}}),
        ("trial", look(6, 6, 6, soak=7)),
        ("boot", {**BOOT, "simulated": True}),
        ("throw", look(1, 1, 1)),
    ]
    for kind, body in told:
        log.append(kind, body)
        log.seen.clear()
        assert kept.told() == as_json(evenings(lambda: log.all))
        assert min(log.seen) == (1 if kind == "correction" else log.seq)
    log.seen.clear()
    assert kept.told()["all_time"]["faces"] == [1, 1, 1, 2, 1, 3]
    assert not log.seen


def test_of_a_log_that_holds_nonsense_nothing_is_told_and_it_is_read_once() -> None:
    log = Growing()
    kept = Kept(cast(Log, log))
    for kind, body in (("boot", BOOT), ("throw", look(1, 2, 3)), ("soak", {"asked": 5})):
        log.append(kind, body)
    nothing = as_json(Evenings())
    assert kept.told() == nothing
    read = len(log.seen)
    assert kept.told() == nothing
    assert len(log.seen) == read
    log.append("throw", look(4, 5, 6))
    assert kept.told() == nothing


def test_nobody_waits_while_another_reads_what_is_new() -> None:
    log = Growing()
    kept = Kept(cast(Log, log))
    log.append("boot", BOOT)
    before = kept.told()
    log.append("throw", look(1, 2, 3))
    meanwhile: list[dict[str, Any]] = []

    def ask() -> None:
        asking = Thread(target=lambda: meanwhile.append(kept.told()))
        asking.start()
        asking.join()

    log.meanwhile = ask
    assert kept.told() != before
    assert meanwhile[0] is before


@pytest.mark.parametrize("page", ["/fairness", "/history"])
def test_pages_of_the_past_say_that_the_log_is_broken(bar: Path, make_table: MakeTable, page: str) -> None:
    with closing(Log(bar)) as log:
        assert "The log is broken" not in create_app(make_table(), log).test_client().get(page).text
    database = sqlite3.connect(bar / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET body = replace(body, '1', '2') WHERE seq = 3")
    database.close()
    with closing(Log(bar)) as log:
        assert "The log is broken at event 3" in create_app(make_table(), log).test_client().get(page).text


def test_the_page_and_its_table(bar: Path, make_table: MakeTable) -> None:
    table = make_table()
    client = create_app(table, table._log).test_client()
    assert "No real throw has been made" in client.get("/fairness").text
    assert 'href="/fairness"' in client.get("/").text
    log = Log(bar)
    client = create_app(table, log).test_client()
    page = client.get("/fairness").text
    assert "These dice must go" in page
    assert page.count('class="bar') == 6
    assert "(throws: 80, dice: 400)" in page
    assert re.search(r"a chip staked on it would be worth .+? now, and here the mark is 1000", page)
    french = re.sub("<[^>]*>", "", client.get("/fairness", headers={"Accept-Language": "fr"}).text)
    assert "16,7\xa0%" in french
    assert not re.search(r"\d[.]\d", french)
    assert "%(" not in page
    rows = list(csv.DictReader(io.StringIO(client.get("/fairness.csv").text)))
    assert [row["of"] for row in rows] == ["current", "set ivory", "all time"]
    assert client.get("/api/fairness").get_json()["current"]["dice"] == 400
    log.append("trial", look(1, 1, 1, 1, 1))
    assert client.get("/api/fairness").get_json()["current"]["dice"] == 405
    log.close()
