"""Names: what is taken out of them, how long they may be, and which two are one."""

import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.names import LONGEST, BadName, alike, clean, folded, graphemes

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
    assert alike("Ana", other)
    assert alike("\u039cAD \u04baUD", "Mad Hud")
    assert not alike("\u0410\u043d\u043d\u0430", "Anna")


@pytest.mark.parametrize("other", ["\u0251na", "An\u2c80", "\ua4eena", "\u13aana", "An\uab7a", "Ana.", "Ana\u2026"])
def test_letters_and_points_that_hardly_differ_make_no_other_name(other: str) -> None:
    assert folded(clean(other)) == folded("Ana")
    assert folded("G\u0131\u0585") == folded("\u0261io")
    assert folded(".") != folded(",")


@pytest.mark.parametrize("other", ["A\u200dna", "An\u200ca", "Ana\ufe0f", "An\ufe0ea", "A\u034fna", "An\U000e0100a"])
def test_what_nobody_sees_makes_no_other_name(other: str) -> None:
    assert folded(clean(other)) == folded("Ana")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nikita", "\u039dikita"),  # a Greek capital nu
        ("vera", "\u03bdera"),  # and a small one
        ("NIKITA", "\u039d\u0399\u039a\u0399\u03a4\u0391"),
        ("Ivan", "lvan"),
        ("IVAN", "lVAN"),
        ("Ivan", "\u04cfvan"),
        ("Ivan", "1van"),
        ("Ivan", "|van"),
        ("Ivan", "\ua4f2\ua4e6\ua4ee\ua4e0"),  # Lisu
        ("JAKE", "\u13ab\u13aa\u13e6\u13ac"),  # Cherokee
        ("Ana", "\u1d00\u0274\u1d00"),  # small capitals
        ("Bob", "B0b"),
        ("Anna1", "Annal"),
        ("Ana", "\uff21\U0001d427\U0001d5ba"),  # wide, bold and without serifs
        ("Zo\u00eb", "Zo\u0451"),  # a Cyrillic yo
        ("Nikita", "Ni\u0307kita"),
        ("O'Neil", "O\u2019Neil"),
        ("\u0420\u0430\u044f", "Pa\u044f"),
        ("\u0413\u0435\u043d\u0430", "\u0393e\u043da"),
        ("\u039d\u03af\u03ba\u03bf\u03c2", "\u03bd\u03af\u03ba\u03bf\u03c2"),
    ],
)
def test_what_is_told_apart_by_nobody_is_one_name(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


DIFFERENT = (
    "Anna Ana Jean Jeanne Ivan Iwan Zoe Zo\u00eb Ian Lan Alan Ella Elia Lila Ilia Mila Miia Ali Nina Vina Rob Bob "
    "Nikita Viki Niki Lukasz \u0141ukasz \u0420\u0430\u044f \u0420\u0430\u0438\u0441\u0430 "
    "\u0413\u0435\u043d\u0430 \u041b\u0435\u043d\u0430 \u0414\u0438\u043d\u0430 \u0417\u0438\u043d\u0430 "
    "\u0415\u0433\u043e\u0440 \u0410\u043d\u043d\u0430 \u039d\u03af\u03bd\u03b1 \u039b\u03af\u03bd\u03b1"
)


def test_names_that_people_tell_apart_stay_two() -> None:
    assert [pair for pair in combinations(DIFFERENT.split(), 2) if alike(*pair)] == []


@given(st.text(max_size=20))
def test_a_name_is_one_with_itself_in_capitals_and_in_small_letters(given: str) -> None:
    assert alike(given, given)
    assert folded(given) == folded(unicodedata.normalize("NFD", given)) == folded(folded(given))
    assert alike(given, given.upper())
    assert alike(given, given.lower())


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
