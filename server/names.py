"""What may be shown as a person's name, and which two names are one."""

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

LONGEST = 16
"""Most graphemes of a name: what people count as letters."""
_CODES_A_LETTER = 4  # on the mean: a letter with a tower of accents is still one letter
_LONGEST_GIVEN = 1000

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_AS_TEXT, _AS_PICTURE = "\ufe0e", "\ufe0f"
# Count as letters, symbols or marks, show nothing: blanks, the grapheme joiner, inherent vowels, most selectors.
_BLANKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)
_KEPT_FORMATS = {_JOINER, _NON_JOINER}  # emoji and Persian are written with them
_LOOKS_LIKE: dict[int, str | None] = {}
for _line in Path(__file__).with_name("lookalikes.txt").read_text("utf-8").splitlines():
    _shape, _, _others = _line.partition(" ")
    if _shape != "#":
        _LOOKS_LIKE |= dict.fromkeys(map(ord, _others), _shape)
# Between letters nobody sees these.
_LOOKS_LIKE |= dict.fromkeys(map(ord, _JOINER + _NON_JOINER + _AS_TEXT + _AS_PICTURE))
_BAR = "\ue000"
_BARS = str.maketrans(dict.fromkeys("I1l", _BAR))  # they look the same, but not as a small I or a capital L does
_DOTS = re.compile("(?<=[ij])\u0307+")  # in the place of the letter's own
_FAINT = " .,'`\u00b7\u2018\u2019"  # at a name's end hardly anybody sees these
_PICTURES = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]")  # Extended_Pictographic, a little widened


class BadName(ValueError):
    """A name that cannot be shown; the message says why."""


def clean(given: str, longest: int = LONGEST) -> str:
    """The name as it is shown: NFC, single spaces, nothing unseen; BadName if nothing or too much is left of it."""
    if len(given) > _LONGEST_GIVEN:
        raise BadName(f"A name has at most {longest} letters.")
    name = shown(given)
    if not name:
        raise BadName("A name needs at least one letter that can be seen.")
    if graphemes(name) > longest or len(name) > _CODES_A_LETTER * longest:
        raise BadName(f"A name has at most {longest} letters.")
    return name


def shown(given: str) -> str:
    """What can be seen of a text: NFC, single spaces, no mark that turns the line around; empty if nothing is left."""
    seen = "".join(" " if letter.isspace() else letter for letter in given if letter.isspace() or _may_show(letter))
    text = " ".join(unicodedata.normalize("NFC", seen).split()).strip(_JOINER + _NON_JOINER + " ")
    return text if any(unicodedata.category(letter)[0] in "LNPS" for letter in text) else ""


def alike(one: str, other: str) -> bool:
    """Whether people cannot tell two names apart when they are called out, or on a screen."""
    return not _guises(one).isdisjoint(_guises(other))


@lru_cache(maxsize=1024)
def _guises(name: str) -> frozenset[str]:
    """The forms by which a name is confused with others: spoken, written, and with I, l and 1 all drawn as a bar."""
    # A capital may look like another letter than its small form does: a Greek nu like N, and like v.
    written = unicodedata.normalize("NFKD", name).translate(_LOOKS_LIKE)
    return frozenset(map(folded, (name, written, written.translate(_BARS))))


def folded(name: str) -> str:
    """The name with case, alphabet and letters that look alike folded away."""
    small = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    letters = _DOTS.sub("", small.translate(_LOOKS_LIKE).casefold())
    letters = unicodedata.normalize("NFKC", letters)
    return letters.rstrip(_FAINT) or letters


def graphemes(text: str) -> int:
    """How many letters people see: extended grapheme clusters (Unicode Standard Annex 29, rules GB3 to GB13).

    The classes come from the general categories of `unicodedata`; prepended marks of a few scripts count by themselves.
    """
    return sum(_breaks(text, place) for place in range(len(text)))


def _may_show(letter: str) -> bool:
    if _BLANKS.match(letter):
        return False
    return unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Co", "Cn") or letter in _KEPT_FORMATS


def _breaks(text: str, place: int) -> bool:
    """Whether a new letter begins at this place."""
    if place == 0:
        return True
    letter = text[place]
    if _extends(letter) or unicodedata.category(letter) == "Mc":
        return False
    if _conjunct(text, place):
        return False
    if text[place - 1] == _JOINER and _PICTURES.match(letter):
        return not _PICTURES.match(_base(text, place - 1))
    return not (_flag(letter) and _flags_before(text, place) % 2)


def _extends(letter: str) -> bool:
    toned = "\U0001f3fb" <= letter <= "\U0001f3ff"
    jamo = "\u1160" <= letter <= "\u11ff"  # vowels and finals of a Korean syllable that NFC does not compose
    return letter in (_JOINER, _NON_JOINER) or toned or jamo or unicodedata.category(letter) in ("Mn", "Me")


def _base(text: str, place: int) -> str:
    """What the marks before this place stand on."""
    while place > 0 and _extends(text[place - 1]):
        place -= 1
    return text[max(place - 1, 0)]


def _conjunct(text: str, place: int) -> bool:
    """Whether a virama binds this consonant to the one before (GB9c), in the scripts from Devanagari to Malayalam."""
    letter = text[place]
    if not "\u0900" <= letter <= "\u0d7f" or unicodedata.category(letter) != "Lo":
        return False
    while place > 0 and _extends(text[place - 1]):
        place -= 1
        if unicodedata.combining(text[place]) == 9:
            return place > 0 and ord(text[place]) // 128 == ord(letter) // 128
    return False


def _flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _flags_before(text: str, place: int) -> int:
    start = place
    while start > 0 and _flag(text[start - 1]):
        start -= 1
    return place - start
