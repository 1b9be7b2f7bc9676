"""The audit of what was done from phones: whoever is said to have done something was the one to do it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.house import House
from server.table import Table

from ..conftest import Browser, audited, bodies, bundled, forge, games, played_in
from .conftest import keep, start, state


def move(guest: Browser, key: str) -> None:
    """Throw, or keep what is offered first."""
    offers = state(guest.client)["offers"]
    done = guest.act("/api/actions", key, action=keep(guest.client)) if offers else guest.act("/api/throw", key)
    assert done.status_code in (200, 202), done.get_json()


def play_turn(guest: Browser, name: str, key: str) -> None:
    """Move until it is somebody else's turn."""
    for number in range(20):
        turn = state(guest.client)["game"]["turn"]
        if turn is None or turn["player"] != name:
            return
        move(guest, f"{key} {number}")


@pytest.fixture
def guests(app: Flask, console: FlaskClient, table: Table) -> tuple[Browser, Browser]:
    """Ana and Bo after an evening in which everybody did what he may."""
    ana, bo, cy = Browser(app), Browser(app, "127.0.0.3"), Browser(app, "127.0.0.4")
    seats = [guest.join(name)["id"] for guest, name in ((ana, "Ana"), (bo, "Bo"), (cy, "Cy"))]
    start(console, "Ana", "Bo")
    play_turn(ana, "Ana", "first")
    # Somebody else plays for Bo, who changes his name meanwhile; then the house, then Bo himself again.
    console.patch(f"/api/seats/{seats[2]}", json={"player": 1})
    bo.ask("PATCH", "/api/seats/mine", {"name": "Bobby"})
    move(cy, "for Bo")
    console.put("/api/players/1", json={"by": "bold"})
    House(table).move()
    console.put("/api/players/1", json={"by": None})
    console.patch(f"/api/seats/{seats[1]}", json={"player": 1})
    play_turn(bo, "Bo", "second")
    # Whoever leads acts for anybody, takes it back, and corrects.
    console.post("/api/throw")
    console.post("/api/actions", json={"action": keep(console)})
    assert console.post("/api/undo", json={}).status_code == 200
    throw = state(console)["last"]
    ana.ask("POST", "/api/disputes", {"throw": throw["event"], "die": 0})
    faces = [*throw["faces"][:-1], throw["faces"][-1] % 6 + 1]
    body = {"throw": throw["event"], "faces": faces, "reason": "seen by all"}
    assert console.post("/api/corrections", json=body).status_code == 200
    play_turn(ana, "Ana", "third")
    ana.ask("PUT", "/api/advice/mine", {"advice": False})
    cy.ask("DELETE", "/api/seats/mine")
    console.delete("/api/games/current")
    # Another game, in which they play the other way round.
    start(console, "Bobby", "Ana", game="421")
    table.latch("jammed", "The cone does not turn.")
    console.delete("/api/fault")
    for number in range(12):
        move(bo if state(console)["game"]["turn"]["player"] == "Bobby" else ana, f"last {number}")
    return ana, bo


def test_an_evening_of_guests_has_no_difference(guests: tuple[Browser, Browser], tmp_path: Path) -> None:
    assert audited(tmp_path).differences == []
    said = {(event["kind"], str(event.get("by")).partition(" ")[0]) for event in bodies(tmp_path)}
    assert said >= {
        ("press", "seat"),
        ("action", "seat"),
        ("action", "house:bold"),
        ("action", "console"),
        ("undo", "console"),
        ("correction", "console"),
        ("dispute", "seat"),
        ("advice", "seat"),
        ("seat", "guest"),
        ("seat", "seat"),
    }
    for game in games(tmp_path):
        assert audited(bundled(tmp_path, played_in(tmp_path, game), f"{game}.zip")).differences == []


def by(name: str, kind: str, /, **of: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Says of the last event of this kind that a guest made that somebody else did it; {other} is the other's seat."""

    def change(events: list[dict[str, Any]]) -> None:
        event = next(event for event in reversed(events) if event["kind"] == kind and "seat" in event["by"])
        other = next(
            number
            for number, each in enumerate(events, 1)
            if each.get("name") in ("Ana", "Bo") and each["by"] == "guest" and f"seat {number}" != event["by"]
        )
        event.update(of, by=name.format(other=other))

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (by("seat {other}", "action"), "it was not for seat"),
        (by("seat {other}", "press"), "it was not for seat"),
        (by("seat 999", "press"), "it was not for seat 999"),
        (by("seat {other}", "advice"), "it was not for seat"),
        (by("seat {other}", "seat"), "it was not for seat"),
        (by("seat {other}", "action", kind="clear"), "who may not do that"),
        (by("button", "action"), 'by "button", who may not'),
        (by("guest", "press"), 'by "guest", who may not'),
        (by("seat 007", "press"), 'by "seat 007", who may not'),
        (by("", "press"), 'by "", who may not'),
        (by("Ana", "press"), 'by "Ana", who may not'),
    ],
)
def test_whoever_is_said_to_have_done_what_he_could_not_is_found(
    guests: tuple[Browser, Browser], tmp_path: Path, change: Callable[[list[dict[str, Any]]], None], says: str
) -> None:
    events = bodies(tmp_path)
    change(events)
    forge(tmp_path, events)
    assert any(says in line for line in audited(tmp_path).differences)


def test_a_guest_who_says_himself_whom_he_plays_is_found(guests: tuple[Browser, Browser], tmp_path: Path) -> None:
    events = bodies(tmp_path)
    approval = next(event for event in events if event["kind"] == "seat" and event.get("player") == 1)
    approval["by"] = f"seat {approval['seat']}"
    forge(tmp_path, events)
    assert any("it was not for seat" in line for line in audited(tmp_path).differences)
