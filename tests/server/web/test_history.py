"""What was played: lists, leaders, records, any moment again, and export."""

import csv
import io
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from server import backlog, evenings
from server.chronicle import Chronicle, winners
from server.log import Log
from server.record import replay
from server.table import Table
from server.wallclock import Moment
from server.web.app import create_app
from server.web.handed import handed
from server.web.history import season_of
from vision.reading import Verdict

from ..conftest import MakeTable, ScriptedEye, ok, refused
from .conftest import state

FORMULA = '=HYPERLINK("x")'


def start(client: FlaskClient, game: str, *players: str, **options: Any) -> int:
    answer = client.post("/api/games", json={"game": game, "players": list(players), "options": options})
    assert answer.status_code == 201, answer.get_json()
    number: int = client.get("/api/state").get_json()["game_id"]
    return number


def play_on(client: FlaskClient) -> None:
    while not (now := state(client))["game"]["finished"]:
        offers = now["offers"]
        if offers:
            fields = {
                name: choice["one_of"][-1] if "one_of" in choice else choice["to"]
                for name, choice in offers[0].items()
                if name != "do"
            }
            client.post("/api/actions", json={"action": {"do": offers[0]["do"], **fields}})
        else:
            client.post("/api/throw", json={})


def test_a_game_that_was_played_is_told_with_its_end(client: FlaskClient) -> None:
    first = start(client, "vingt-cinq", "Ana", "Bo", life=5)
    play_on(client)
    second = start(client, "421", "Ana", "Zoé")
    client.post("/api/throw", json={})
    client.delete("/api/games/current")
    found = client.get("/api/history").get_json()
    assert found["more"] is False
    voided, played = found["games"]
    assert (voided["id"], voided["void"], voided["finished"], voided["throws"]) == (second, True, False, 1)
    assert (played["id"], played["finished"], played["winners"]) == (first, True, [played["result"]["winner"]])
    assert played["options"]["attack_again"] is False


def test_games_are_found_by_kind_player_and_age(client: FlaskClient) -> None:
    ids = []
    for game, player in (("vingt-cinq", "Ana"), ("421", "Zoé"), ("vingt-cinq", "Zoé")):
        ids.append(start(client, game, player, "Bo"))
        client.delete("/api/games/current")

    def found(query: str) -> list[int]:
        return [game["id"] for game in client.get(f"/api/history?{query}").get_json()["games"]]

    assert found("") == ids[::-1]
    assert found("game=421") == [ids[1]]
    assert found("player=zo") == [ids[2], ids[1]]
    assert found(f"before={ids[2]}") == [ids[1], ids[0]]


def test_every_step_can_be_seen_again_and_the_last_is_where_the_game_stood(client: FlaskClient) -> None:
    number = start(client, "vingt-cinq", "Ana", "Bo", life=5)
    play_on(client)
    steps = client.get(f"/api/history/{number}").get_json()["steps"]
    assert {step["kind"] for step in steps} == {"throw", "action"}
    assert all(step["player"] in ("Ana", "Bo") for step in steps)
    first = client.get(f"/api/history/{number}/steps/0").get_json()
    assert (first["last"]["event"], first["game"]["turn"]["player"]) == (steps[0]["seq"], "Ana")
    last = client.get(f"/api/history/{number}/steps/{len(steps) - 1}").get_json()
    assert last["game"] == state(client)["game"]
    for place in (len(steps), 2**63 - 1, 10**400):
        assert client.get(f"/api/history/{number}/steps/{place}").status_code == 404
    assert client.get("/api/history/999").status_code == 404


def test_a_game_that_was_put_away_is_seen_as_it_stood_before(client: FlaskClient) -> None:
    number = start(client, "vingt-cinq", "Ana", "Bo", life=5)
    client.delete("/api/games/current")
    assert client.get(f"/api/history/{number}/steps/0").get_json()["last"] is None
    number = start(client, "vingt-cinq", "Ana", "Bo", life=5)
    play_on(client)
    client.delete("/api/games/current")
    steps = client.get(f"/api/history/{number}").get_json()["steps"]
    assert steps[-1]["kind"] == "abandon"
    before, seen = (client.get(f"/api/history/{number}/steps/{len(steps) - n}").get_json() for n in (2, 1))
    assert seen == {**before, "seq": before["seq"] + 1}
    assert client.get(f"/api/history/{number}/steps/{len(steps)}").status_code == 404


def test_a_correction_is_a_step_and_stands_in_the_export(client: FlaskClient) -> None:
    number = start(client, "vingt-cinq", FORMULA, "Bo")
    client.post("/api/throw", json={})
    throw = state(client)["last"]
    corrected = [1] * 5
    body = {"throw": throw["event"], "faces": corrected, "reason": "misread"}
    assert client.post("/api/corrections", json=body).status_code == 200
    kinds = [step["kind"] for step in client.get(f"/api/history/{number}").get_json()["steps"]]
    assert kinds == ["throw", "correction"]
    rows = list(csv.DictReader(io.StringIO(client.get(f"/api/history/{number}/throws.csv").get_data(as_text=True))))
    assert [(row["faces"], row["corrected"], row["reason"]) for row in rows] == [
        (" ".join(map(str, throw["faces"])), "1 1 1 1 1", "misread")
    ]
    assert rows[0]["player"] == f"'{FORMULA}"
    record = json.loads(client.get(f"/api/history/{number}/record").get_data())
    assert replay(record).state() == state(client)["game"]
    assert client.get("/api/history").get_json()["games"][0]["corrected"] == 1


@pytest.mark.parametrize("voided", [False, True])
def test_a_game_in_which_nothing_was_done_has_a_record_like_any_other(client: FlaskClient, voided: bool) -> None:
    number = start(client, "vingt-cinq", "Ana", "Bo", life=5)
    begun = state(client)["game"]
    if voided:
        client.delete("/api/games/current")
    record = json.loads(client.get(f"/api/history/{number}/record").get_data())
    assert replay(record).state() == begun
    told = client.get(f"/api/history/{number}").get_json()
    assert (told["options"], told["scores"]) == (begun["options"], begun["scores"])
    assert (told["void"], told["finished"], told["result"]) == (voided, False, None)


def test_leaders_and_the_days_records_come_from_finished_and_running_games(client: FlaskClient) -> None:
    start(client, "vingt-cinq", "Ana", "Bo", life=5)
    play_on(client)
    winner = state(client)["game"]["result"]["winner"]
    leaders = client.get("/api/history/leaders").get_json()["leaders"]
    assert leaders[0] == {"game": "vingt-cinq", "player": winner, "games": 1, "wins": 1}
    assert [row["wins"] for row in leaders] == [1, 0]
    assert client.get("/api/history/leaders?season=2026-autumn").get_json()["leaders"] == leaders
    assert client.get("/api/history/leaders?season=2026-spring").get_json()["leaders"] == []
    assert len(client.get("/api/history/leaders?player=bo").get_json()["leaders"]) == 1


def test_the_day_counts_what_was_played_on_it(make_table: MakeTable) -> None:
    table = make_table(now=lambda: Moment(datetime.now(UTC), True))
    client = create_app(table, table._log).test_client()
    start(client, "thousand", "Ana", "Bo", preset="home", entry=0, ending="reach")
    play_on(client)
    today = client.get("/api/history/day").get_json()
    assert today["games"] == 1
    assert today["throws"] == len([entry for entry in state(client)["game"]["log"] if entry["event"] == "throw"])
    banked = [entry["points"] for entry in state(client)["game"]["log"] if entry["event"] == "bank"]
    assert [(best["game"], best["best"]) for best in today["records"]] == [("thousand", max(banked))]


def test_games_with_simulated_throws_are_told_as_such_and_a_real_cornet_counts_none(make_table: MakeTable) -> None:
    def asked(simulated: bool) -> FlaskClient:
        table = make_table(simulated=simulated, now=lambda: Moment(datetime.now(UTC), True))
        return create_app(table, table._log).test_client()

    def counted(client: FlaskClient) -> tuple[int, int, list[str]]:
        day, board = (client.get(f"/api/history/{path}").get_json() for path in ("day", "leaders"))
        return day["games"], len(day["records"]), [row["player"] for row in board["leaders"]]

    client = asked(simulated=True)
    played = start(client, "vingt-cinq", "Ana", "Bo", life=5)
    play_on(client)
    client = asked(simulated=False)
    assert client.get(f"/api/history/{played}").get_json()["simulated"] is True
    assert counted(client) == (0, 0, [])
    assert client.get("/api/history/leaders").get_json()["seasons"] == []
    real = start(client, "vingt-cinq", "Cy", "Di", life=5)
    play_on(client)
    found = {game["id"]: game["simulated"] for game in client.get("/api/history").get_json()["games"]}
    assert found == {played: True, real: False}
    assert counted(client)[0] == counted(client)[1] == 1
    assert sorted(counted(client)[2]) == ["Cy", "Di"]
    rows = csv.DictReader(io.StringIO(client.get("/api/history.csv").get_data(as_text=True)))
    assert [row["simulated"] for row in rows] == ["False", "True"]
    assert len(counted(asked(simulated=True))[2]) == 4


def test_a_later_start_is_no_step_of_a_game_that_is_over(client: FlaskClient, make_table: MakeTable) -> None:
    start(client, "vingt-cinq", "Ana", "Bo", life=5)
    play_on(client)
    (before,) = client.get("/api/history").get_json()["games"]
    later = make_table(now=lambda: Moment(datetime(2026, 11, 22, tzinfo=UTC), True))
    (after,) = create_app(later, later._log).test_client().get("/api/history").get_json()["games"]
    assert after == before


def test_a_chronicle_reads_on_where_it_stopped(client: FlaskClient, table: Table) -> None:
    log: Log = table._log
    chronicle = Chronicle(log)
    assert chronicle.games() == []
    start(client, "vingt-cinq", "Ana", "Bo")
    assert [game.throws for game in chronicle.games()] == [0]
    client.post("/api/throw", json={})
    assert chronicle.games() == Chronicle(log).games()
    assert [game.throws for game in chronicle.games()] == [1]


def test_whoever_asks_while_a_long_log_is_read_is_asked_to_come_again(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(client, "vingt-cinq", "Ana", "Bo")
    monkeypatch.setattr(backlog, "PART", 1)
    monkeypatch.setattr(evenings, "PART", 1)
    given = handed(client.application)
    with given.chronicle._lock, given.evenings._lock:
        for path in (
            "/api/history",
            "/api/history/day",
            "/api/history.csv",
            "/history/2",
            "/fairness",
            "/api/fairness",
        ):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5"), path
            assert "still being read" in answer.get_data(as_text=True)
    assert client.get("/api/history").status_code == client.get("/api/fairness").status_code == 200


def test_who_won_is_told_for_each_kind_of_result() -> None:
    assert winners(None) == []
    assert winners({"winner": "Ana"}) == ["Ana"]
    assert winners({"winners": ["Ana", "Bo"]}) == ["Ana", "Bo"]
    assert winners({"rounds": {"Ana": 1, "Bo": 0}, "losers": ["Ana"], "grand_perdant": None}) == ["Bo"]


def test_the_pages_are_there_and_say_what_they_are(client: FlaskClient) -> None:
    number = start(client, "421", "Ana", "Bo")
    assert client.get("/history").status_code == 200
    assert f'data-game="{number}"' in client.get(f"/history/{number}").get_data(as_text=True)
    assert client.get("/history/999").status_code == 404


def test_a_soak_in_the_middle_of_a_game_is_none_of_its_history(make_table: MakeTable) -> None:
    eye = ScriptedEye(ok(1, 2, 3, 4, 5), refused(Verdict.COCKED), ok(5, 5, 4, 3, 2))
    table = make_table(eye=eye)
    client = create_app(table, table._log).test_client()
    number = start(client, "vingt-cinq", "Ana", "Bo")
    client.post("/api/throw", json={})
    before = client.get(f"/api/history/{number}").get_json()
    table.try_dice(table.begin_soak({"count": 1}, "console"), "console")
    assert client.get("/api/history").get_json()["games"][0]["refused"] == 0
    answer = client.get(f"/api/history/{number}")
    assert answer.status_code == 200
    assert answer.get_json()["steps"] == before["steps"]


def test_a_history_that_cannot_have_happened_is_said_as_often_as_it_is_asked_for(
    table: Table, client: FlaskClient
) -> None:
    number = start(client, "vingt-cinq", "Ana", "Bo")
    table._log.append("throw", {})
    for path in ("/api/history", "/api/history", f"/api/history/{number}", f"/history/{number}"):
        answer = client.get(path)
        assert answer.status_code == 503
        assert "cannot be replayed" in answer.get_data(as_text=True)


def write_over(start: int, stop: int, what: bytes = b"\0") -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        whole = path.read_bytes()
        path.write_bytes(whole[:start] + what * (stop - start) + whole[stop:])

    return damage


def cut(size: int) -> Callable[[Path], object]:
    return lambda path: os.truncate(path, size % path.stat().st_size)


def drop(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE events")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": cut(0),
    "gone": Path.unlink,
    "its table dropped": drop,
    "cut to 100 bytes": cut(100),
    "cut to a page": cut(4096),
    "cut by a page": cut(-4096),
    "its schema written over": write_over(100, 4096),
    "its table written over": write_over(4096, 8192),
    "its first events written over": write_over(8192, 12288),
    "garbage": write_over(0, 10**6, b"x"),
}
ALL = ("", ".csv", "/day", "/leaders", *(f"/2{of}" for of in ("", "/record", "/throws.csv", "/steps/0", "/grades")))


@pytest.fixture
def long_log(make_table: MakeTable) -> Table:
    """A table whose log takes several pages of its database; its game is event 2."""
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    for _ in range(10):
        table._log.append("note", {"text": "x" * 1000})
    return table


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_log_that_cannot_be_read_is_said_wherever_its_games_are_asked_for(
    make_table: MakeTable, long_log: Table, tmp_path: Path, damage: str
) -> None:
    long_log._log.keep_frame(b"a picture")
    long_log._log.close()
    DAMAGES[damage](tmp_path / "cornet.db")
    table = make_table()
    client = create_app(table, table._log).test_client()
    for path in (*(f"/api/history{of}" for of in ALL), "/history/2"):
        answer = client.get(path)
        assert answer.status_code == 503, path
        assert str(table._log.broken).removesuffix(".") in unescape(answer.get_data(as_text=True)), path
    for path in ("/fairness", "/fairness.csv"):
        assert client.get(path).status_code == 200
    assert client.get("/api/fairness").get_json()["all_time"]["throws"] == 0
    assert client.get("/healthz").status_code == 503


def test_a_log_that_cannot_be_read_any_more_is_said(long_log: Table, tmp_path: Path) -> None:
    client = create_app(long_log, long_log._log).test_client()
    long_log._log._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    long_log._log._database.execute("PRAGMA cache_size = 0")
    write_over(4096, 8192)(tmp_path / "cornet.db")
    answer = client.get("/api/history")
    assert answer.status_code == 503
    assert "cannot be opened" in answer.get_json()["error"]
    assert client.get("/api/fairness").status_code == 200


@pytest.mark.parametrize(
    ("day", "season"),
    [
        (date(2026, 11, 30), "2026-autumn"),
        (date(2026, 12, 1), "2027-winter"),
        (date(2027, 2, 28), "2027-winter"),
        (date(2027, 3, 1), "2027-spring"),
        (date(2027, 8, 31), "2027-summer"),
    ],
)
def test_a_season_has_three_whole_months(day: date, season: str) -> None:
    assert season_of(day) == season


def test_every_game_is_a_line_of_a_table(client: FlaskClient) -> None:
    start(client, "vingt-cinq", FORMULA, "Bo", life=5)
    play_on(client)
    (row,) = csv.DictReader(io.StringIO(client.get("/api/history.csv").get_data(as_text=True)))
    assert (row["game"], row["players"], row["finished"]) == ("vingt-cinq", f"'{FORMULA}, Bo", "True")
    assert row["winners"] in (f"'{FORMULA}", "Bo")
    assert int(row["throws"]) == client.get("/api/history").get_json()["games"][0]["throws"]


def test_where_nobody_won_a_table_names_nobody(client: FlaskClient) -> None:
    start(client, "vingt-cinq", "Ana", "Bo")
    client.delete("/api/games/current")
    (row,) = csv.DictReader(io.StringIO(client.get("/api/history.csv").get_data(as_text=True)))
    assert (row["winners"], row["void"]) == ("", "True")
