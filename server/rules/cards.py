"""The 24 cards of the game of thousand, as single bits of a whole number; a set of cards is a sum of them."""

SUITS = "SCDH"
RANKS = "9JQKTA"

CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The cards in the order in which lists of them are sorted; the first is the lowest bit."""

BIT_OF = {card: 1 << place for place, card in enumerate(CARDS)}
CARD_OF = {bit: card for card, bit in BIT_OF.items()}
PACK = (1 << len(CARDS)) - 1


def _all_with(sign: str) -> int:
    return sum(bit for card, bit in BIT_OF.items() if sign in card)


SUIT_CARDS = {suit: _all_with(suit) for suit in SUITS}
SUIT_OF = {bit: card[1] for bit, card in CARD_OF.items()}
NINES, JACKS, ACES = (_all_with(rank) for rank in "9JA")

RANK_POINTS = {"9": 0, "J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
POINTS_OF = {bit: RANK_POINTS[card[0]] for card, bit in BIT_OF.items()}
_RANK_SETS = tuple((_all_with(rank), points) for rank, points in RANK_POINTS.items())

MARRIAGE_POINTS = {"S": 40, "C": 60, "D": 80, "H": 100}
MARRIAGES = {suit: BIT_OF["K" + suit] + BIT_OF["Q" + suit] for suit in SUITS}


def cards_in(held: int) -> list[str]:
    """The cards of a set, sorted."""
    return [card for card, bit in BIT_OF.items() if held & bit]


def card_points(held: int) -> int:
    """What the cards of a set count in a trick, 0 to 120."""
    return sum(points * (held & rank).bit_count() for rank, points in _RANK_SETS)


def marriage_points(held: int) -> int:
    """The value of all marriages that a set holds complete, 0 to 280."""
    return sum(MARRIAGE_POINTS[suit] for suit, pair in MARRIAGES.items() if held & pair == pair)


def playable(held: int, led: int, trump: int) -> int:
    """What of a set may be played: the suit led, else a trump, else anything; a suit is the set of its cards or 0."""
    return held & led or held & trump or held


def taking(trick: list[int], led: int, trump: int) -> int:
    """The place in a trick of the card that takes it: the highest trump, without one the highest of the suit led."""
    played = sum(trick)
    # Within a suit a higher card is a higher bit.
    highest = (played & trump or played & led).bit_length() - 1
    return trick.index(1 << highest)
