"""The sheet of thousand with cards: each step of a settlement, alone and where steps meet."""

from typing import Any

import pytest

from server.rules.game import Entry, fill_options
from server.rules.sheet import Outcome, Sheet
from server.rules.thousand_cards import ThousandCards

ANA, BO, CYR, DEE = PLAYERS = ("Ana", "Bo", "Cyr", "Dee")


def sheet_of(
    players: int = 3,
    *,
    scores: dict[str, int] | None = None,
    written: dict[str, int] | None = None,
    sitter: str | None = None,
    attempts: int = 0,
    **options: Any,
) -> Sheet:
    """A sheet on which these scores and bolts stand."""
    sheet = Sheet(PLAYERS[:players], fill_options(ThousandCards.OPTIONS, options, players))
    sheet.scores |= scores or {}
    sheet.bolts |= written or {}
    sheet.sitter, sheet.attempts = sitter, attempts
    return sheet


def outcome(
    taken: dict[str, int],
    declarer: str = ANA,
    *,
    order: int = 100,
    deal: int = 1,
    golden: bool = False,
    painted: bool = False,
    tricks: dict[str, int] | None = None,
) -> Outcome:
    """A deal in which everybody took a trick, unless it says otherwise."""
    return Outcome(deal, golden, declarer, order, painted, taken, dict.fromkeys(taken, 1) | (tricks or {}))


def events(log: list[Entry]) -> list[tuple[str, str | None]]:
    return [(entry["event"], entry.get("player")) for entry in log]


@pytest.mark.parametrize(
    ("taken", "written"),
    [(0, 0), (1, 0), (2, 0), (3, 5), (4, 5), (5, 5), (17, 15), (18, 20), (120, 120), (122, 120), (123, 125)],
)
def test_points_of_the_others_are_rounded(taken: int, written: int) -> None:
    (settle,) = sheet_of().settle(outcome({ANA: 0, BO: taken, CYR: 5}))
    assert settle["written"] == {ANA: -100, BO: written, CYR: 5}
    assert settle["taken"] == {ANA: 0, BO: taken, CYR: 5}


@pytest.mark.parametrize(("taken", "written"), [(99, -100), (100, 100), (101, 100), (300, 100)])
def test_the_declarer_is_written_the_order_and_not_more(taken: int, written: int) -> None:
    sheet = sheet_of()
    (settle,) = sheet.settle(outcome({ANA: taken, BO: 0, CYR: 0}))
    assert settle["written"][ANA] == sheet.scores[ANA] == written
    assert settle["made"] == (written > 0)


@pytest.mark.parametrize(("order", "half"), [(100, 50), (105, 50), (110, 55), (115, 55), (400, 200)])
def test_painting_gives_half_of_the_order_but_nothing_on_the_barrel(order: int, half: int) -> None:
    sheet = sheet_of(scores={CYR: 880}, sitter=CYR)
    log = sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}, order=order, painted=True, tricks=dict.fromkeys(PLAYERS, 0)))
    assert log[0]["written"] == {ANA: -order, BO: half, CYR: 0}
    assert not log[0]["made"]
    assert events(log) == [("settle", None), ("attempt", CYR)]
    assert not any(sheet.bolts.values())


def test_a_golden_deal_doubles_after_the_rounding() -> None:
    (settle,) = sheet_of().settle(outcome({ANA: 119, BO: 18, CYR: 17}, order=120, golden=True))
    assert settle["written"] == {ANA: -240, BO: 40, CYR: 30}


@pytest.mark.parametrize(
    ("taken", "written", "score"), [(115, 0, 880), (118, 120, 1000), (117, 0, 880), (260, 260, 1140)]
)
def test_from_the_barrel_it_is_the_thousand_or_nothing(taken: int, written: int, score: int) -> None:
    sheet = sheet_of(scores={BO: 880}, sitter=BO)
    log = sheet.settle(outcome({ANA: 0, BO: taken, CYR: 0}))
    assert log[0]["written"][BO] == written
    assert sheet.scores[BO] == score
    assert sheet.winner == (BO if written else "")
    assert events(log)[1:] == ([("win", BO)] if written else [("attempt", BO)])


def test_a_made_order_below_120_does_not_win() -> None:
    sheet = sheet_of(scores={ANA: 880}, sitter=ANA)
    log = sheet.settle(outcome({ANA: 200, BO: 0, CYR: 0}, order=115))
    assert log[0]["made"]
    assert log[0]["written"][ANA] == 0
    assert not sheet.winner


def test_nobody_wins_without_having_sat_on_the_barrel() -> None:
    sheet = sheet_of(scores={ANA: 870})
    log = sheet.settle(outcome({ANA: 200, BO: 0, CYR: 0}, order=200))
    assert log[1] == {"event": "barrel", "player": ANA, "score": 880}
    assert (sheet.sitter, sheet.scores[ANA], sheet.winner) == (ANA, 880, "")


def test_after_a_win_nothing_else_happens() -> None:
    sheet = sheet_of(scores={ANA: 880, BO: 555}, sitter=ANA, attempts=2, written={BO: 2})
    log = sheet.settle(outcome({ANA: 120, BO: 0, CYR: 0}, order=120, tricks={BO: 0, CYR: 0}))
    assert log[1:] == [{"event": "win", "player": ANA, "score": 1000}]
    assert (sheet.scores[BO], sheet.bolts[BO], sheet.attempts) == (555, 2, 2)


def test_bolts_are_fined_in_order_the_declarer_too() -> None:
    sheet = sheet_of(written={ANA: 2, CYR: 1})
    log = sheet.settle(outcome({ANA: 0, BO: 120, CYR: 0}, tricks={ANA: 0, CYR: 0}))
    assert log[1:] == [
        {"event": "bolt", "player": ANA, "bolts": 3},
        {"event": "bolt_fine", "player": ANA, "points": 120, "score": -220},
        {"event": "bolt", "player": CYR, "bolts": 2},
    ]
    assert sheet.bolts == {ANA: 0, BO: 0, CYR: 2}


def test_golden_bolts_count_two_and_cost_twice() -> None:
    sheet = sheet_of(written={CYR: 2}, bolt_fine=50)
    log = sheet.settle(outcome({ANA: 120, BO: 0, CYR: 0}, order=120, golden=True, tricks={CYR: 0}))
    assert log[1] == {"event": "bolt", "player": CYR, "bolts": 4}
    assert log[2] == {"event": "bolt_fine", "player": CYR, "points": 100, "score": -100}


def test_no_bolts_without_the_option() -> None:
    sheet = sheet_of(bolts=0)
    assert events(sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}, tricks=dict.fromkeys(PLAYERS, 0)))) == [
        ("settle", None)
    ]


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize(("before", "taken"), [(500, 55), (-655, 100)])
def test_dump_truck(on: bool, before: int, taken: int) -> None:
    sheet = sheet_of(scores={BO: before}, dump_truck=on)
    log = sheet.settle(outcome({ANA: 0, BO: taken, CYR: 0}))
    assert events(log)[1:] == ([("dump_truck", BO)] if on else [])
    assert sheet.scores[BO] == (0 if on else before + taken)


def test_who_sits_out_meets_no_dump_truck_bolt_or_attempt() -> None:
    sheet = sheet_of(4, scores={DEE: 555})
    assert events(sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}))) == [("settle", None)]
    sheet = sheet_of(4, scores={DEE: 880}, sitter=DEE, attempts=2)
    assert events(sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}))) == [("settle", None)]
    assert (sheet.sitter, sheet.attempts) == (DEE, 2)


@pytest.mark.parametrize("golden", [True, False])
def test_the_last_attempt_ends_in_a_fall(golden: bool) -> None:
    sheet = sheet_of(scores={ANA: 880}, sitter=ANA, attempts=2)
    log = sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}, declarer=BO, golden=golden))
    fallen = 640 if golden else 760
    assert log[1:] == [
        {"event": "attempt", "player": ANA, "attempts": 3},
        {"event": "fall", "player": ANA, "reason": "attempts", "score": fallen},
    ]
    assert (sheet.sitter, sheet.attempts) == (None, 0)


def test_a_failed_order_leaves_the_barrel_without_a_fall() -> None:
    sheet = sheet_of(scores={ANA: 880}, sitter=ANA, attempts=1)
    assert events(sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}))) == [("settle", None)]
    assert (sheet.sitter, sheet.attempts, sheet.scores[ANA]) == (None, 0, 780)


def test_a_bolt_fine_leaves_the_barrel_to_who_climbs() -> None:
    sheet = sheet_of(scores={ANA: 880, BO: 800}, sitter=ANA, attempts=1, written={ANA: 2})
    log = sheet.settle(outcome({ANA: 0, BO: 100, CYR: 0}, declarer=BO, tricks={ANA: 0}))
    assert events(log)[1:] == [("bolt", ANA), ("bolt_fine", ANA), ("barrel", BO)]
    assert (sheet.sitter, sheet.attempts) == (BO, 0)


def test_who_fell_into_555_keeps_it_until_the_next_deal() -> None:
    sheet = sheet_of(scores={ANA: 880}, sitter=ANA, barrel_attempts=1, barrel_fine=325)
    log = sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}, declarer=BO))
    assert (events(log)[-1], sheet.scores[ANA]) == (("fall", ANA), 555)
    log = sheet.settle(outcome({ANA: 0, BO: 0, CYR: 0}, declarer=BO))
    assert (events(log)[-1], sheet.scores[ANA]) == (("dump_truck", ANA), 0)


def test_a_climber_knocks_off_even_who_sits_out() -> None:
    sheet = sheet_of(4, scores={DEE: 880, BO: 870}, sitter=DEE, attempts=1)
    log = sheet.settle(outcome({ANA: 0, BO: 60, CYR: 0}))
    assert log[1:] == [
        {"event": "barrel", "player": BO, "score": 880},
        {"event": "fall", "player": DEE, "reason": "knocked_off", "score": 760},
    ]
    assert (sheet.sitter, sheet.attempts) == (BO, 0)


@pytest.mark.parametrize(("declarer", "stays"), [(ANA, BO), (BO, BO), (CYR, CYR)])
def test_of_several_climbers_the_declarer_stays_or_the_first(declarer: str, stays: str) -> None:
    sheet = sheet_of(scores={ANA: 880, BO: 870, CYR: 870}, sitter=ANA)
    # Ana is still there because she is written nothing: as declarer of an order made below 120.
    log = sheet.settle(outcome({ANA: 100, BO: 100, CYR: 100}, declarer=declarer))
    falls = CYR if stays == BO else BO
    assert events(log)[1:] == [("attempt", ANA), ("barrel", BO), ("barrel", CYR), ("fall", ANA), ("fall", falls)]
    assert log[-1]["reason"] == "shared"
    assert sheet.scores == {ANA: 760, stays: 880, falls: 760}
    assert sheet.sitter == stays


@pytest.mark.parametrize("made", [None, 1, 2, 3])
def test_golden_reset_unless_an_order_was_made(made: int | None) -> None:
    sheet = sheet_of(written={CYR: 1})
    for deal in (1, 2, 3):
        log = sheet.settle(outcome({ANA: 120 * (deal == made), BO: 9, CYR: 9}, order=120, deal=deal, golden=True))
        assert (("golden_reset", None) in events(log)) == (deal == 3 and made is None)
    assert any(sheet.scores.values()) == (made is not None)
    assert sheet.bolts[CYR] == 1


def test_golden_reset_empties_the_barrel() -> None:
    sheet = sheet_of(scores={BO: 860})
    for deal in (1, 2, 3):
        sheet.settle(outcome({ANA: 0, BO: 10, CYR: 9}, order=120, deal=deal, golden=True))
    assert (sheet.sitter, sheet.attempts, sheet.scores[BO]) == (None, 0, 0)


@pytest.mark.parametrize(
    ("scores", "places", "payer"),
    [
        ((1000, 5, 10, 15), (1, 4, 3, 2), BO),
        ((1000, 5, 5, 15), (1, 3, 3, 2), CYR),
        ((5, 5, 1000, 5), (2, 2, 1, 2), BO),
        ((5, 15, 15, 1000), (4, 2, 2, 1), ANA),
    ],
)
def test_the_last_pays_the_winner(scores: tuple[int, ...], places: tuple[int, ...], payer: str) -> None:
    sheet = sheet_of(4, scores=dict(zip(PLAYERS, scores, strict=True)), bank=30)
    sheet.winner = winner = PLAYERS[scores.index(1000)]
    assert sheet.result() == {
        "winner": winner,
        "places": dict(zip(PLAYERS, places, strict=True)),
        "bank": dict.fromkeys(PLAYERS, 0) | {winner: 30, payer: -30},
    }
