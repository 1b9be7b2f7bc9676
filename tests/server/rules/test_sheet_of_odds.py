"""What the bank pays, as the sheet on the wall lists it: the lines of the pages `vingt-six` and `quatorze`."""

import pytest

from server.rules.quatorze import Quatorze
from server.rules.vingt_six import VingtSix


def test_the_odds_of_vingt_six_are_listed_by_neighbouring_totals() -> None:
    lines = [(line["from"], line["to"], line["odds"]) for line in VingtSix(["Ana", "Bo"]).paid()]
    assert lines == [(0, 10, 10), (13, 13, 5), (26, 26, 4), (27, 27, 5), (28, 28, 6), (29, 29, 8), (30, 130, 10)]


@pytest.mark.parametrize(("fourteen", "most"), [("at_least", 50), ("exactly", 14)])
def test_the_two_ways_to_win_at_quatorze_are_listed(fourteen: str, most: int) -> None:
    won, blank = Quatorze(["Ana", "Bo"], {"fourteen": fourteen}).paid()
    assert won == {"from": 14, "to": most, "odds": 8}
    assert blank == {"way": "coup_blanc", "odds": 8}
