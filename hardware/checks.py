"""A rule that the hardware must hold: what is calculated, beside its bound."""

from typing import NamedTuple


class Check(NamedTuple):
    """One rule: what is calculated, with its unit, the bound, and whether it holds."""

    rule: str
    value: str
    bound: str
    holds: bool


def at_least(rule: str, value: float, bound: float, unit: str = "mm") -> Check:
    """A rule with a lower bound."""
    return Check(rule, f"{value:.4g} {unit}", f"at least {bound:.3g} {unit}", value >= bound)


def at_most(rule: str, value: float, bound: float, unit: str = "mm") -> Check:
    """A rule with an upper bound."""
    return Check(rule, f"{value:.4g} {unit}", f"at most {bound:.3g} {unit}", value <= bound)


def table(found: list[Check]) -> str:
    """The checks as Markdown."""
    rows = [f"| {one.rule} | {one.value} | {one.bound} | {'yes' if one.holds else '**no**'} |" for one in found]
    return "\n".join(["| rule | calculated | must be | holds |", "|---|---|---|---|", *rows]) + "\n"
