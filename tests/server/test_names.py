"""Names: what is taken out of them, how long they may be, and which two are one."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.names import LONGEST, BadName, clean, folded, graphemes

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Ana", 3),
        ("e\u0301", 1),
        ("Zo\u0308e\u0301", 3),
        (FAMILY, 1),
        (f"{FAMILY}{FAMILY}", 2),
        ("\U0001f44d\U0001f3fd", 1),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", 1),
        ("\U0001f1eb\U0001f1f7\U0001f1f7\U0001f1fa", 2),
        ("\U0001f1eb\U0001f1f7\U0001f1f7", 2),
        ("\U0001f1eb\U0001f1f7a\U0001f1f7\U0001f1fa", 3),
        ("\ud55c\uad6d", 2),
        ("\u1112\u1161\u11ab", 1),
        ("\u0928\u092e\u0938\u094d\u0924\u0947", 3),
        ("\u0e01\u0e33", 2),
        ("\u0646\u200c\u0647", 2),
        ("a\u200db", 2),
        ("", 0),
    ],
)
def test_letters_are_counted_as_people_see_them(text: str, letters: int) -> None:
    assert graphemes(text) == letters


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("  Ana \t  Bo\n", "Ana Bo"),
        ("A\u202ena\u2066", "Ana"),
        ("A\x00n\x1b[31ma", "An[31ma"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("<img onerror=x>", "<img onerror=x>"),
        (FAMILY, FAMILY),
        ("\u200dAna\u200c", "Ana"),
        ("A\u00adna\ufeff", "Ana"),
        ("a\u200bb", "ab"),
        ("\u2028Ana", "Ana"),
        ("A\ud800na", "Ana"),
        ("e\u202e\u0301", "\u00e9"),
        ("A\u034fna\ufe00\U000e0100", "Ana"),
        ("A\u17b4n\u180ba\u180f", "Ana"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
    ],
)
def test_what_cannot_be_seen_is_taken_out(given: str, shown: str) -> None:
    assert clean(given) == shown


@pytest.mark.parametrize(
    "given", ["", " ", "\u202e", "\u3164", "\u2800\u200d", "\u0301", "x" * 17, "e" + "\u0315" * 64]
)
def test_what_is_no_name_is_refused(given: str) -> None:
    with pytest.raises(BadName):
        clean(given)


def test_sixteen_families_are_too_many_signs_but_sixteen_accents_are_not() -> None:
    assert clean("e\u0315" * LONGEST) == "e\u0315" * LONGEST
    with pytest.raises(BadName):
        clean("x" * 100_000)


@pytest.mark.parametrize(
    ("one", "other"), [("Ana", "ANA"), ("Zo\u00eb", "Zoe\u0308"), ("\uff21na", "ana"), ("\ufb01n", "FIN")]
)
def test_names_that_sound_alike_are_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize("other", ["\u0410na", "An\u0430", "\u0410n\u0430", "\u0391na", "\u0410N\u0410"])
def test_names_that_look_alike_are_one_in_whatever_alphabet(other: str) -> None:
    assert folded("Ana") == folded(other)
    assert folded("\u039cAD \u04baUD") == folded("Mad Hud")
    assert folded("\u0410\u043d\u043d\u0430") != folded("Anna")


@pytest.mark.parametrize("other", ["\u0251na", "An\u2c80", "\ua4eena", "\u13aana", "An\uab7a", "Ana.", "Ana\u2026"])
def test_letters_and_points_that_hardly_differ_make_no_other_name(other: str) -> None:
    assert folded(clean(other)) == folded("Ana")
    assert folded("G\u0131\u0585") == folded("\u0261io")
    assert folded(".") != folded(",")


@pytest.mark.parametrize("other", ["A\u200dna", "An\u200ca", "Ana\ufe0f", "An\ufe0ea", "A\u034fna", "An\U000e0100a"])
def test_what_nobody_sees_makes_no_other_name(other: str) -> None:
    assert folded(clean(other)) == folded("Ana")


@given(st.text(max_size=40))
def test_a_clean_name_stays_as_it_is_and_shows_nothing_hidden(given: str) -> None:
    try:
        name = clean(given)
    except BadName:
        return
    assert clean(name) == name == unicodedata.normalize("NFC", name)
    assert 1 <= graphemes(name) <= LONGEST
    assert not {unicodedata.bidirectional(letter) for letter in name} & {
        "RLO",
        "LRO",
        "RLE",
        "LRE",
        "PDF",
        "RLI",
        "LRI",
    }
    assert all(unicodedata.category(letter) != "Cc" for letter in name)
