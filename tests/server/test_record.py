"""The records of `tests/cases/records`, and what is no record at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.record import Refused, answer_lines, parse, record_of, replay

CASES = Path(__file__).parents[1] / "cases" / "records"


def cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("*.json")):
        for case in json.loads(path.read_text("utf-8")):
            yield pytest.param(case, id=f"{path.stem}-{case['name']}")


def answer(case: dict[str, Any]) -> Any:
    """What a replay answers, the message of an error taken out: cases leave it free."""
    try:
        game = replay(parse(json.dumps(case["record"]).encode()), case.get("as"))
        state = game.view(case["as"]) if "as" in case else game.state()
    except Refused as error:
        answered = error.as_json()
        assert answered["error"].pop("message")
        return answered
    return json.loads(json.dumps(state))


@pytest.mark.parametrize("case", list(cases()))
def test_case(case: dict[str, Any]) -> None:
    expected = {"error": case["expect_error"]} if "expect_error" in case else case["expect"]
    assert answer(case) == expected


def played(case: Any) -> bool:
    return "error" not in case.values[0].get("expect", {"error": None})


@pytest.mark.parametrize("case", list(filter(played, cases())))
def test_the_record_of_a_replay_replays_to_the_same_state(case: dict[str, Any]) -> None:
    game = replay(case["record"])
    record = record_of(game, case["record"].get("actions", []))
    assert replay(record).state() == game.state()


GOOD = {"format": 1, "game": "vingt-cinq", "players": ["Ana", "Bo"]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff", "UTF-8"),
        (b"\xef\xbb\xbf{}", "without one"),
        (b'{"game": "a\tb"}', "control character at line 1"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 2_000_000 + b"]" * 2_000_000, "too deeply to be read"),
        (b'["' + b"x" * 5_000_000 + b'", ' + b"[" * 100_000, "nested too deeply"),
        (b'{"format": 1, "format": 1}', "stands twice"),
        (b'{"format": NaN}', "NaN"),
        (b'{"format": -Infinity}', "Infinity"),
        (b"3", "JSON object"),
        (b'{"game": "vingt-cinq", "players": ["Ana", "Bo"]}', 'lacks "format"'),
        (b'{"format": 1, "players": ["Ana", "Bo"]}', 'lacks "game"'),
        (b'{"format": 1, "game": "vingt-cinq"}', 'lacks "players"'),
        (json.dumps({**GOOD, "format": 2}).encode(), "must be 1"),
        (json.dumps({**GOOD, "format": 1.0}).encode(), "must be 1"),
        (json.dumps({**GOOD, "format": True}).encode(), "must be 1"),
        (json.dumps({**GOOD, "game": "poker"}).encode(), "the games are"),
        (json.dumps({**GOOD, "game": ["vingt-cinq"]}).encode(), "the games are"),
        (json.dumps({**GOOD, "players": "Ana"}).encode(), "list of names"),
        (json.dumps({**GOOD, "players": ["Ana"]}).encode(), "2 or more"),
        (json.dumps({**GOOD, "players": ["Ana", "Ana"]}).encode(), "same name"),
        (json.dumps({**GOOD, "players": ["Ana", ""]}).encode(), "non-empty"),
        (json.dumps({**GOOD, "players": ["Ana", None]}).encode(), "non-empty"),
        (json.dumps({**GOOD, "options": []}).encode(), "must be an object"),
        (json.dumps({**GOOD, "options": {"live": 3}}).encode(), "the options are"),
        (json.dumps({**GOOD, "options": {"life": 0}}).encode(), "from 1 to 1000"),
        (json.dumps({**GOOD, "options": {"attack_again": 1}}).encode(), "true or false"),
        (json.dumps({**GOOD, "actions": {}}).encode(), "must be a list"),
        (json.dumps({**GOOD, "note": ""}).encode(), "has no"),
        (json.dumps(GOOD).encode()[:-1] + b', "actions": [], "x": ' + b"9" * 5000 + b"}", "has no"),
        (b"[" + b"9" * 5000 + b", ", "no JSON"),
        (b"[" + b"9" * 5000 + b", " + b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5000 + b', {"a": 1, "a": 2}]', "stands twice"),
    ],
)
def test_what_is_no_record_is_refused_before_any_action(text: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says) as refused:
        replay(parse(text))
    assert refused.value.action is None


@pytest.mark.parametrize(
    "action", [3, {}, None, {"do": 3}, {"do": "throw", "dice": 10**4400}, {"do": "keep", "dice": [5]}]
)
def test_the_first_bad_action_is_refused_at_its_index(action: object) -> None:
    good = {"do": "throw", "dice": [6, 1, 1, 1, 1]}
    with pytest.raises(Refused) as refused:
        replay({**GOOD, "actions": [good, action, 3]})
    assert refused.value.action == 1


def test_a_refusal_tells_a_viewer_nothing_about_another_players_cards() -> None:
    case = next(case.values[0] for case in cases() if case.id == "thousand-cards-cards-won")
    record = json.loads(json.dumps(case["record"]))
    while record["actions"][-1]["do"] != "play":
        record["actions"].pop()
    record["actions"][-1]["card"] = "ZZ"
    actor = replay({**record, "actions": record["actions"][:-1]}).actor
    with pytest.raises(Refused, match="ZZ"):
        replay(record, actor)
    other = next(name for name in record["players"] if name != actor)
    with pytest.raises(Refused, match=f"what would be legal is for {actor} to see"):
        replay(record, other)
    with pytest.raises(Refused, match="Nobody called"):
        replay(record, "Eve")


def test_where_nothing_is_hidden_a_viewer_changes_nothing() -> None:
    record = {**GOOD, "actions": [{"do": "throw", "dice": [6, 6, 1, 1, 1]}, {"do": "keep", "dice": [5]}]}
    for viewer in ("Ana", "Bo", None):
        with pytest.raises(Refused, match="Set aside 1 to 2 dice that show 6"):
            replay(record, viewer)


def test_a_key_that_stands_twice_among_many_is_found_at_once() -> None:
    keys = [f'"k{number}": 1' for number in range(100_000)]
    with pytest.raises(Refused, match="k99999"):
        parse(("{" + ", ".join([*keys, keys[-1]]) + "}").encode())


def test_a_huge_number_in_an_action_is_refused_there() -> None:
    record = json.dumps({**GOOD, "actions": [{"do": "throw", "dice": "HUGE"}]}).replace('"HUGE"', "9" * 5000)
    with pytest.raises(Refused) as refused:
        replay(parse(record.encode()))
    assert refused.value.action == 0


@pytest.mark.parametrize(
    "place", ['"options": {"life": DEEP}', '"actions": [{"do": "throw", "dice": DEEP}]', '"x": DEEP']
)
def test_however_deep_a_record_is_nested_it_is_answered(place: str) -> None:
    # What the parser just bears may be too deep for a message that names it.
    for depth in (*range(700, 1000), 10_000, 100_000):
        text = json.dumps(GOOD)[:-1] + ", " + place.replace("DEEP", "[" * depth + "]" * depth) + "}"
        (answered,) = answer_lines([text.encode()])
        assert json.loads(answered)["error"]["action"] in (None, 0)


@pytest.mark.parametrize("depth", [1000, 100_000])
@pytest.mark.parametrize(
    "entry",
    ["DEEP", '{"do": "throw", "dice": DEEP}', '{"do": "]\\"", "x": [DEEP, 3]}', '{"do": DEEP, "dice": {"a": DEEP}}'],
)
def test_a_bad_action_is_refused_at_its_index_however_deep_it_is_nested(entry: str, depth: int) -> None:
    first = '{"do": "throw", "dice": [1, 2, 3, 4, 5]}'
    deep = entry.replace("DEEP", '[{"x":' * depth + "7" + "}]" * depth)
    text = f'{json.dumps(GOOD)[:-1]}, "actions": [{first}, {deep}, 3]}}'
    replay(parse(text.replace(f", {deep}, 3", "").encode()))
    with pytest.raises(Refused) as refused:
        replay(parse(text.encode()))
    assert refused.value.action == 1


@pytest.mark.parametrize("depth", [60, 2000, 100_000])
@pytest.mark.parametrize("entry", ["NaN", '{"a": 1, "a": 2}', "oops,,,:", '"\\q"', "1 2", "[}", "]["])
def test_what_is_no_json_is_none_however_deep_it_is_nested(entry: str, depth: int) -> None:
    action = '{"do": "throw", "dice": ' + "[" * depth + entry + "]" * depth + "}"
    with pytest.raises(Refused) as refused:
        replay(parse(f'{json.dumps(GOOD)[:-1]}, "actions": [{action}]}}'.encode()))
    assert refused.value.action is None


def test_a_line_that_is_no_json_is_wrong_in_its_first_line() -> None:
    for answered in answer_lines([b"\n", b"[1,\r\n"]):
        assert "at line 1, column" in json.loads(answered)["error"]["message"]


def test_lines_are_answered_one_by_one_and_lazily() -> None:
    def lines() -> Iterator[bytes]:
        yield json.dumps(GOOD).encode() + b"\n"
        yield b"\n"
        raise AssertionError("read ahead")

    answers = answer_lines(lines())
    assert json.loads(next(answers)) == replay(GOOD).state()
    assert json.loads(next(answers))["error"]["action"] is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(anything)
def test_whatever_is_no_record_is_refused_and_nothing_else_happens(value: Any) -> None:
    with pytest.raises(Refused):
        replay(value)


@given(st.binary())
def test_whatever_bytes_are_answered_with_an_error_of_the_record(text: bytes) -> None:
    (answered,) = answer_lines([text])
    assert json.loads(answered)["error"]["action"] is None
