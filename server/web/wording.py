"""The words for games, for what their odds are counted in, and for the values of their options, as people say them.

The catalogues have them too.
"""

TITLES = {
    "vingt-six": "Le Vingt-Six",
    "quatorze": "Le Quatorze",
    "vingt-cinq": "Le 25",
    "421": "421",
    "thousand": "Thousand",
    "thousand-cards": "Thousand with cards",
}
AIMS = {
    "vingt-six": "Name a number, let the dice fall, and be paid by how often it came.",
    "quatorze": "The first throw finds your number. Bring it to fourteen, or never see it again.",
    "vingt-cinq": "Build a high sum, and what is above the mark hits your neighbour. The last one in wins.",
    "421": "A pot of fiches that nobody wants. Whoever is left with all of them has lost.",
    "thousand": "Set aside what scores, and dare one more throw, or write it down in time.",
    "thousand-cards": "Bid for three cards, take tricks, marry a king to his queen, and win from the barrel.",
}
UNITS = (
    "chips",
    "fiches",
    "life points",
    "points",
    "place",
    "rounds",
    "chance",
    "chance to win",
    "chance not to lose the manche",
)
"""In what a worth or an outcome is counted; a chance is from 0 to 1."""
CHOICES = {
    "bet_mode": {"fixed": "always the same", "capped": "up to a limit", "free": "as the thrower likes"},
    "fourteen": {"at_least": "fourteen or more", "exactly": "fourteen exactly"},
    "version": {"11": "11 fiches, the classic", "41": "41 fiches, à la vache", "21": "21 fiches, à la lyonnaise"},
    "order": {
        "aces_first": "two aces above brelans",
        "triples_first": "brelans above two aces",
        "mixed": "two aces and brelans by turns",
    },
    "nenette": {"lowest": "the lowest of all", "above_simple": "above the simple ones"},
    "followers": {"exact": "as often as the leader", "at_most": "as often, or less"},
    "le_bon": {"stand": "the throw stands", "last_throw": "one more, the last", "off": "not played"},
    "opener": {"fewest": "who has fewest", "most": "who has most"},
    "lead": {"loser": "the loser of the coup before", "stays": "the same player all along"},
    "ties": {"rampeau": "a rampeau decides", "first": "who threw first is better"},
    "preset": {"shop": "the shop", "home": "at home", "club": "the club"},
    "set_aside": {"all": "all of them", "some": "at least one"},
    "four_of_a_kind": {"double": "twice as much as three", "plus_ten": "ten more than three"},
    "five_ones": {"points": "their points", "win": "the game"},
    "barrel_exit": {"reach": "by reaching its end", "pass": "only by passing its end"},
    "ending": {
        "reach": "by reaching it",
        "above": "by going above it",
        "exact": "by hitting it exactly",
        "barrel": "from the final barrel",
    },
    "barrel_fall": {"down": "loses points", "entry": "back to coming in"},
    "bolt_on": {"first_throw": "an empty first throw", "turn": "every turn lost"},
}
