"""What the tests of figures share: where the published ones are, and when one has come out."""

from decimal import Decimal
from pathlib import Path

CASES = Path(__file__).parents[1] / "cases" / "fairness"


def prints(value: float, printed: str) -> bool:
    """Whether a value, rounded to the digits of a printed one, is that one."""
    wanted = Decimal(printed)
    return abs(Decimal(value) - wanted) <= Decimal(5).scaleb(int(wanted.as_tuple().exponent) - 1)
