"""Commit and reveal: a promised seed is what the dice were drawn from, and anybody can draw them again."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from server.chance import Chance, SeedLost, drawn, keeps_promise
from server.evidence import evidence_of, extract_of, write_bundle
from server.eye import BlindEye, CameraEye, Eye
from server.looks import counting
from server.table import Table
from vision.rendered import LyingDie, RenderedCamera
from vision.rig import Rig

from .conftest import ABOUT, MakeTable, ScriptedEye, audited, bodies, forge, kinds, ok, state

Draw = Callable[..., Table]


@pytest.fixture
def draw_table(make_table: MakeTable, tmp_path: Path) -> Draw:
    """Makes a table on `tmp_path` whose dice are drawn from promised seeds."""

    def make(said: int | None = 7, faults: dict[int, str] | None = None, rendered: bool = False, **how: Any) -> Table:
        tower = SimulatedTower("unused", faults=faults)

        def scene() -> list[LyingDie]:
            return [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation, size("die_side_mm")) for die in tower.lying]

        eye: Eye = (
            CameraEye(RenderedCamera(scene, Rig.of(size), seed=7), 10)
            if rendered
            else BlindEye(lambda: tower.lying, 10)
        )
        return make_table(tower=tower, eye=eye, chance=Chance(tmp_path, tower.deal, said), **how)

    return make


def play(table: Table, throws: int = 1000) -> dict[str, Any]:
    """Play the running game on by so many throws, or to its end; a new one where none runs."""
    if not (state(table)["game"] and not state(table)["game"]["finished"]):
        table.start_game("vingt-cinq", ["Ana", "Bo"], {"life": 1}, "console")
    while throws and not state(table)["game"]["finished"]:
        if state(table)["offers"]:
            table.act({"do": "keep", "dice": state(table)["offers"][0]["dice"]["one_of"][-1]}, "console", None, None)
        else:
            throws -= 1
            table.press("console", None, None)
    return state(table)


def all_faces(directory: Path) -> list[list[int]]:
    throws = [body for body in bodies(directory) if body["kind"] == "throw"]
    return [[die["face"] for die in throw["dice"]] for throw in throws]


def test_a_seed_is_promised_before_the_game_and_revealed_after_it(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    promised = state(table)["seed_sha256"]
    assert state(table)["game"] is None
    assert state(table)["revealed"] is None
    play(table, 1)
    assert state(table)["seed_sha256"] == promised
    assert state(table)["revealed"] is None
    shown = play(table)
    revealed = shown["revealed"]
    assert revealed["sha256"] == promised
    assert hashlib.sha256(bytes.fromhex(revealed["seed"])).hexdigest() == promised
    assert shown["seed_sha256"] != promised
    throws = all_faces(tmp_path)
    assert throws == [drawn(revealed["seed"], number, 10) for number in range(1, len(throws) + 1)]
    assert kinds(tmp_path)[-2:] == ["reveal", "seed"]
    assert [path.name for path in (tmp_path / "seeds").iterdir()] == [shown["seed_sha256"]]
    found = audited(tmp_path)
    assert (found.differences, found.redrawn) == ([], len(throws))


def test_a_given_number_gives_the_same_dice_again_and_every_game_others(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table(said=7)
    play(table)
    play(table)
    games = all_faces(tmp_path)
    table._log.close()
    for path in (*tmp_path.glob("cornet.db*"), *tmp_path.glob("seeds/*")):
        path.unlink()
    table = draw_table(said=7)
    play(table)
    play(table)
    assert all_faces(tmp_path) == games
    assert len({tuple(faces) for faces in games}) == len(games)


def test_without_a_number_nobody_knows_the_seed(draw_table: Draw, tmp_path: Path) -> None:
    first = state(draw_table(said=None))["seed_sha256"]
    other = Chance(tmp_path / "seeds", lambda seed, number: None, None)
    assert {first, other.promise(0), other.promise(0)} != {first}
    assert oct((tmp_path / "seeds").stat().st_mode)[-3:] == "700"


def test_an_interrupted_throw_falls_as_it_would_have(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table(run=lambda throw: None)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    table = draw_table(boot="again")
    table.press("console", None, None)
    seed = (tmp_path / "seeds" / state(table)["seed_sha256"]).read_bytes().hex()
    assert [die["face"] for die in state(table)["last"]["dice"]] == drawn(seed, 1, 10)


def test_refused_looks_take_their_draws_and_a_jam_takes_none(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table(faults={1: "missing", 3: "jam"})
    play(table, 1)
    seed = (tmp_path / "seeds" / state(table)["seed_sha256"]).read_bytes().hex()
    assert [die["face"] for die in state(table)["last"]["dice"]] == drawn(seed, 2, 10)
    if state(table)["offers"]:
        table.act({"do": "keep", "dice": state(table)["offers"][0]["dice"]["one_of"][0]}, "console", None, None)
    table.press("console", None, None)
    table.clear_fault("console")
    table.press("console", None, None)
    assert [die["face"] for die in state(table)["last"]["dice"]] == drawn(seed, 3, 10)
    assert audited(tmp_path).differences == []


def test_a_game_that_a_correction_reopens_goes_on_with_another_seed(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    shown = play(table)
    last = shown["last"]
    wrong = [face % 6 + 1 for face in last["faces"]]
    table.correct(last["event"], {"faces": wrong}, "they were others", "console", None, None)
    assert state(table)["seed_sha256"] == shown["seed_sha256"]
    if state(table)["game"]["finished"]:
        table.correct(last["event"], {"faces": []}, "nothing could be seen", "console", None, None)
        table.press("console", None, None)
    shown = play(table)
    assert shown["revealed"]["sha256"] != last.get("sha256")
    found = audited(tmp_path)
    # The correction says what the seed did not draw: that is a difference, whoever was right.
    assert all("its seed draws" in line for line in found.differences)
    assert found.said[0].endswith('("they were others", by "console").')


def test_a_voided_game_reveals_its_seed_too(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    play(table, 1)
    table.abandon_game("console")
    assert kinds(tmp_path)[-3:] == ["abandon", "reveal", "seed"]
    assert audited(tmp_path).redrawn == 1


def test_a_lost_seed_is_replaced_and_the_audit_says_so(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    promised = play(table, 1)["seed_sha256"]
    (tmp_path / "seeds" / promised).unlink()
    table = draw_table(said=8, boot="again")
    assert state(table)["seed_sha256"] != promised
    play(table)
    (line,) = audited(tmp_path).differences
    assert "never revealed: 1 throw hangs on it" in line


def test_a_seed_that_was_exchanged_before_it_was_used_is_said(draw_table: Draw, tmp_path: Path) -> None:
    """Whoever may read the directory could draw the coming dice and delete the seed until he likes them."""
    table = draw_table()
    for _ in range(2):
        (tmp_path / "seeds" / state(table)["seed_sha256"]).unlink()
        table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
        table.abandon_game("console")
    play(table)
    first = next(place for place, body in enumerate(bodies(tmp_path), 1) if body["kind"] == "seed")
    found = audited(tmp_path)
    assert found.differences == []
    assert [line.partition(":")[0] for line in found.said] == [
        f"2 promised seeds were lost before anything was thrown with them, the first that of event {first}"
    ]


def test_a_seed_that_everybody_has_seen_is_not_promised_again(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    play(table)
    play(table)
    events = bodies(tmp_path)
    (first, promised), *others = (
        (place, body["sha256"]) for place, body in enumerate(events, 1) if body["kind"] == "seed"
    )
    for body in events:
        body.update({key: promised for key in ("sha256", "seed_sha256") if body.get(key) == others[0][1]})
    forge(tmp_path, events)
    assert f"Event {others[0][0]}: its seed was promised before, in event {first}." in audited(tmp_path).differences


def test_a_seed_that_is_lost_while_a_game_is_over_is_no_lasting_fault(draw_table: Draw, tmp_path: Path) -> None:
    held: list[Callable[[], None]] = []
    table = draw_table(run=held.append)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    (tmp_path / "seeds" / state(table)["seed_sha256"]).write_bytes(b"something else")
    held[0]()
    assert state(table)["machine"]["fault"]["name"] == "storage"
    table.clear_fault("console")
    table.press("console", None, None)
    held[1]()
    assert state(table)["last"]["verdict"] == "ok"


def test_a_promise_is_kept_although_real_dice_are_thrown_since(
    draw_table: Draw, make_table: MakeTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    promised = play(draw_table(), 1)["seed_sha256"]
    monkeypatch.setitem(ABOUT, "simulated", False)
    monkeypatch.setitem(ABOUT, "tower", "gpio")
    about = {**ABOUT, "simulated": False, "tower": "gpio"}
    table = make_table(boot="real", chance=Chance(tmp_path, None, None), about=about)
    revealed = table.ask(lambda standing: standing.revealed)
    assert revealed is not None
    assert revealed["sha256"] == promised
    assert "seed_sha256" not in state(table)
    play(table, 1)
    table.abandon_game("console")
    play(table, 1)
    assert "draw" not in state(table)["last"]
    assert kinds(tmp_path).count("seed") == kinds(tmp_path).count("reveal") == 1
    found = audited(tmp_path)
    # These real dice were looked at by no camera.
    assert [line for line in found.differences if "has a camera" not in line] == []
    assert found.redrawn == 1


@pytest.mark.parametrize("throws", [0, 1])
def test_recorded_pictures_are_played_back_in_a_game_that_began_with_a_promise(
    draw_table: Draw, make_table: MakeTable, tmp_path: Path, throws: int
) -> None:
    play(draw_table(), throws)
    recorded = ScriptedEye(ok(6, 5, 4, 3, 2, 1), recorded=1)
    play(make_table(boot="recorded", eye=recorded, chance=Chance(tmp_path, None, None), camera="frames"), 1)
    play(draw_table(boot="drawn"), 1)
    # The script's picture is none.
    assert [line for line in audited(tmp_path).differences if "the file is no picture" not in line] == []


def test_simulated_dice_that_no_seed_was_promised_for_are_named(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    first = play(table, 1)["last"]["event"]
    play(table, 1)
    found = audited(tmp_path)
    assert found.differences == []
    (said,) = found.said
    assert said.startswith(f"Throws of simulated dice that hang on no promised seed: 2, the first in event {first}: ")


def test_a_game_whose_promise_was_taken_out_of_the_log_is_found(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    play(table)
    later = play(table, 1)["game_id"]
    events = bodies(tmp_path)
    for body in events[later - 1 :]:
        body.pop("seed_sha256", None)
        body.pop("draw", None)
    forge(tmp_path, events)
    said = [line.split(": ")[1] for line in audited(tmp_path).differences]
    assert said == [
        "the game has another seed than was promised.",
        "its dice were not drawn from the seed that was promised.",
    ]


def test_a_seed_file_that_is_not_what_was_promised_is_not_used(tmp_path: Path) -> None:
    dealt: list[tuple[bytes, int]] = []
    chance = Chance(tmp_path, lambda seed, number: dealt.append((seed, number)), None)
    promised = chance.promise(0)
    assert chance.keeps(promised)
    chance.deal(promised, 3)
    assert keeps_promise(dealt[0][0].hex(), promised)
    assert dealt[0][1] == 3
    (tmp_path / "seeds" / promised).write_bytes(bytes(32))
    assert not chance.keeps(promised)
    with pytest.raises(SeedLost, match="not what was stored"):
        chance.reveal(promised)
    chance.forget(None)
    with pytest.raises(SeedLost, match="cannot be read"):
        chance.deal(promised, 1)


def test_a_lost_seed_is_a_fault_that_ends_with_another_promise(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    play(table, 0)
    for seed in (tmp_path / "seeds").iterdir():
        seed.unlink()
    table.press("console", None, None)
    fault = state(table)["machine"]["fault"]
    assert (fault["name"], fault["part"]) == ("storage", "disk")
    assert fault["message"].endswith(
        "cannot be read (No such file or directory). Clear the fault: then another one is promised."
    )
    table.clear_fault("console")
    table.press("console", None, None)
    assert kinds(tmp_path)[-2:] == ["press", "throw"]


def forge_each(directory: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Write the log anew with a whole chain, each event as `change` leaves it."""
    events = bodies(directory)
    for event in events:
        change(event)
    forge(directory, events)


def test_a_forged_draw_or_seed_is_found(draw_table: Draw, tmp_path: Path) -> None:
    play(draw_table())

    def change(body: dict[str, Any]) -> None:
        if body["kind"] == "throw" and body["draw"] == 1:
            body["dice"][9]["face"] = body["dice"][9]["face"] % 6 + 1

    forge_each(tmp_path, change)
    assert any("its seed draws" in line for line in audited(tmp_path).differences)

    def skip(body: dict[str, Any]) -> None:
        if body.get("draw") == 2:
            body["draw"] = 3

    forge_each(tmp_path, skip)
    assert any("left out" in line for line in audited(tmp_path).differences)

    def hide(body: dict[str, Any]) -> None:
        if body.get("draw") == 3:
            del body["draw"]

    forge_each(tmp_path, hide)
    assert any("not drawn from the seed" in line for line in audited(tmp_path).differences)

    def other(body: dict[str, Any]) -> None:
        if body["kind"] == "reveal":
            body["seed"] = "00" * 32

    forge_each(tmp_path, other)
    lines = audited(tmp_path).differences
    assert any("not the one promised" in line for line in lines)
    assert any("never revealed" in line for line in lines)

    def swap(body: dict[str, Any]) -> None:
        if body["kind"] == "game":
            body["seed_sha256"] = "11" * 32

    forge_each(tmp_path, swap)
    assert any("another seed" in line for line in audited(tmp_path).differences)


def test_two_dice_that_change_their_faces_are_found_without_a_picture(draw_table: Draw, tmp_path: Path) -> None:
    """Of ten dice others would count, and nearly any throw can be made of ten faces."""
    play(draw_table())
    events = bodies(tmp_path)
    dice, counted = next((event["dice"], event["counted"]) for event in events if event["kind"] == "throw")
    one, other = next(
        (one, other)
        for one in range(10)
        for other in range(10)
        if dice[one]["face"] != dice[other]["face"] and not {one, other} & {*counted}
    )
    dice[one]["face"], dice[other]["face"] = dice[other]["face"], dice[one]["face"]
    forge(tmp_path, events)
    (difference,) = audited(tmp_path).differences
    assert "its seed draws" in difference


def test_a_seed_that_is_revealed_while_its_game_is_played_is_found(draw_table: Draw, tmp_path: Path) -> None:
    """Who knows it knows what will be thrown; and a game that lost its last throw is not over."""
    play(draw_table())
    events = bodies(tmp_path)
    last = max(row for row, event in enumerate(events) if event["kind"] == "press")
    revealed = next(row for row in range(last, len(events)) if events[row]["kind"] == "reveal")
    forge(tmp_path, [*events[:last], events[revealed], *events[last:revealed], *events[revealed + 1 :]])
    assert any("revealed while its game was played" in line for line in audited(tmp_path).differences)


def test_simulated_dice_that_are_told_to_be_real_are_found(draw_table: Draw, tmp_path: Path) -> None:
    """They would count for the fairness of the real ones."""
    table = draw_table(rendered=True)
    play(table, 1)
    table.close()
    events = bodies(tmp_path)
    events[0].update(tower="gpio", camera="pi", simulated=False)
    forge(tmp_path, events)
    assert any("which no seed does" in line for line in audited(tmp_path).differences)


def test_dice_that_lie_elsewhere_than_their_seed_lets_them_are_found(draw_table: Draw, tmp_path: Path) -> None:
    """Where they lie decides which of them count."""
    table = draw_table()
    play(table)
    table.close()
    events = bodies(tmp_path)
    # The game goes on as it did: the other die has the same face.
    thrown, near, far = next(
        (event, near, far)
        for event in events
        if event["kind"] == "throw"
        for near in event["counted"]
        for far in {*range(10)} - {*event["counted"]}
        if event["dice"][far]["face"] == event["dice"][near]["face"]
    )
    one, other = thrown["dice"][near], thrown["dice"][far]
    one["mm"], other["mm"] = other["mm"], one["mm"]
    thrown["counted"] = counting(thrown["dice"], thrown)
    forge(tmp_path, events)
    (difference,) = audited(tmp_path).differences
    assert difference.endswith("other dice would have counted where its seed lets them lie.")


def test_a_bundle_carries_seed_corrections_and_disputes(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table(rendered=True)
    seat = table.note("seat", {"name": "Ana", "secret": "00", "approved": True, "player": None}).seq
    play(table, 1)
    table.abandon_game("console")
    shown = play(table, 1)
    table.note("seat", {"seat": seat, "approved": False})
    throw = shown["last"]["event"]
    table.dispute(throw, 0, "seat 4", None)
    if shown["offers"]:
        table.act({"do": "keep", "dice": shown["offers"][0]["dice"]["one_of"][0]}, "console", None, None)
        table.undo("console", None, None)
    dice: list[Any] = [die["face"] for die in shown["last"]["dice"]]
    table.correct(throw, {"dice": [*dice[1:], dice[0]]}, "two were swapped", "console", None, None)
    table.correct(throw, {"dice": dice}, "no, they were not", "console", None, None)
    game_id = shown["game_id"]
    table.abandon_game("console")
    with evidence_of(tmp_path) as evidence:
        played = extract_of(evidence.events(), game_id)
        assert played is not None
        write_bundle(played, evidence.file, tmp_path / "game.zip")
    found = audited(tmp_path / "game.zip")
    assert (found.differences, found.redrawn, found.pictures, len(found.said)) == ([], 1, 1, 3)
    (tmp_path / "frames" / f"{shown['last']['frame']}.jpg").unlink()
    assert any("never expire" in line for line in audited(tmp_path).differences)


def test_a_soak_is_drawn_from_one_seed_and_a_game_never_from_its_rest(draw_table: Draw, tmp_path: Path) -> None:
    table = draw_table()
    promised = state(table)["seed_sha256"]
    soak = table.begin_soak({}, "console")
    for _ in range(3):
        table.try_dice(soak, "console")
    assert state(table)["seed_sha256"] == promised
    play(table, 1)
    assert state(table)["revealed"]["sha256"] == promised
    table.abandon_game("console")
    found = audited(tmp_path)
    assert (found.differences, found.redrawn) == ([], 4)
