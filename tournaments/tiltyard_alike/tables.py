"""What was found out about a class, as tables and sentences for staff."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Final

from tiltyard_alike.comparison import EXPECTED, FEWEST_TEAMS, LEAST_TELLING, ClassComparison
from tiltyard_alike.surprises import Surprise
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.tables import Cell, Table

HINT: Final = "A reason to look closer, never a verdict: teams can answer alike, and results can surprise, for many good reasons."
MOST_SHOWN: Final = 10
"""Pairs that are no hints but come next."""


def comparison_table(comparison: ClassComparison) -> Table:
    """The pairs that are hardly chance, and those that come next."""
    hints = len(comparison.hints)
    rows: list[tuple[Cell, ...]] = []
    for pair in comparison.pairs[: hints + MOST_SHOWN]:
        low, high = pair.interval
        rows.append(
            (
                pair.one,
                pair.other,
                "look" if pair.is_hint else "",
                f"{pair.equal:,} of {pair.compared:,}",
                round(100 * pair.usual),
                round(pair.telling),
                _tenths(100 * pair.difference),
                f"{100 * low:.1f} to {100 * high:.1f}",
                _tenths(100 * pair.nearest),
                number(pair.expected),
            )
        )
    headers = (
        *("algorithm", "and", "hint", "same answers", "usual, %", "telling", "differ, %", "95 %"),
        *("next, %", "by chance"),
    )
    note = (
        "differ: the share of their unusual answers in which they differ. next: how far the next team is from them."
        " by chance: how many groups this far from all others to expect in such a class without copies;"
        f" below {EXPECTED:g} it is a hint."
    )
    return Table("Teams that answer alike", headers, tuple(rows), note)


def not_compared_table(comparison: ClassComparison) -> Table | None:
    """Teams of which nothing can be said; None if there are none."""
    if not comparison.not_compared:
        return None
    return Table("Teams that can't be compared", ("algorithm", "why"), tuple(sorted(comparison.not_compared)))


def surprises_table(surprises: Sequence[Surprise] | None) -> Table | None:
    """The pairs whose results are furthest from the ratings; None where there are no games of two."""
    if not surprises:
        return None
    rows = [
        (
            *(each.pair.one, each.pair.other, "look" if each.is_hint else "", round(each.pair.games)),
            *(_tenths(each.pair.points), _tenths(each.pair.expected), _tenths(each.pair.off), number(each.chance)),
        )
        for each in surprises
    ]
    headers = ("algorithm", "against", "hint", "games", "points", "expected", "off", "chance")
    note = (
        "off: how far the points are from those that the ratings expect, in standard deviations. chance: the share of simulated"
        " seasons in which any pair is this far off. Thrown games look like this, and so does a style that suits one team"
        " against the other."
    )
    return Table("Results that the ratings don't explain", headers, tuple(rows), note)


def sentences(comparison: ClassComparison) -> list[str]:
    """What follows from a comparison, and what doesn't."""
    middle = f"; of two of them, {comparison.telling:.0f} are telling in the middle" if comparison.pairs else ""
    lines = [f"{counted(comparison.teams, 'team')} compared at {counted(comparison.positions, 'position')}{middle}"]
    if comparison.teams < FEWEST_TEAMS:
        lines.append(f"too few teams to know which answers are usual: {FEWEST_TEAMS} are needed, so there are no hints")
    if comparison.too_few:
        lines.append(
            f"{counted(comparison.too_few, 'pair')} with fewer than {LEAST_TELLING:.0f} telling positions can't be compared:"
            " nearly all teams give the same answers there, or too few positions were asked; raise --cpu-seconds to ask more"
        )
    hints = len(comparison.hints)
    lines.append(f"{counted(hints, 'pair')} to look at" if hints else "no pair to look at")
    return lines


def number(value: float) -> str:
    """A small number for people, such as ``0.0003``."""
    if isinf(value):
        return ""
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}" if value >= 1e-4 else "< 0.0001"


def _tenths(value: float) -> float:
    return round(value, 1) + 0.0
