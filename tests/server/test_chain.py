"""The chain: one way to write an event, and no changed one fits."""

import itertools

import pytest

from server.chain import START, BrokenLog, canonical, chained, walk


def test_a_body_is_the_same_whatever_the_order_of_its_keys() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"\\u00e9","b":1}'


def test_one_flipped_bit_anywhere_in_an_event_is_found() -> None:
    rows, head = list[tuple[int, str, str]](), START
    for seq in (1, 2, 3):
        text = canonical({"kind": "note", "number": seq})
        head = chained(head, text)
        rows.append((seq, text, head.hex()))
    assert len(list(walk(rows))) == 3
    tried = 0
    for number, (seq, *texts) in enumerate(rows):
        for column, text in enumerate(texts):
            for place, bit in itertools.product(range(len(text)), range(7)):
                changed = list(texts)
                changed[column] = text[:place] + chr(ord(text[place]) ^ 1 << bit) + text[place + 1 :]
                body, digest = changed
                with pytest.raises(BrokenLog, match=f"event {seq}"):
                    list(walk([*rows[:number], (seq, body, digest), *rows[number + 1 :]]))
                tried += 1
    assert tried > 1500
