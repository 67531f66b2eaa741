"""Parts of tables, ready to be written: cells, the tallies of results that many of them show, and where values stand in a chart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import floor, log10
from typing import Final, TypeVar

from tiltyard_engine.match_record import Outcome
from tiltyard_site.pages.labels import counted
from tiltyard_tournaments.standings import Meeting

PAD: Final = 4.0
"""Percent left free at each end of a chart, for labels of the outermost ticks."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to percents of a chart's width: it fits any width without a script and without distortion."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> str:
        """Where a value stands, such as ``37.5%``."""
        span = self.high - self.low or 1.0
        share = min(1.0, max(0.0, (value - self.low) / span))
        return f"{PAD + share * (100 - 2 * PAD):.2f}%"


def scale(values: Sequence[float], ticks: int = 5) -> Scale:
    """A scale with round ticks that holds all values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / ticks
    power = 10.0 ** floor(log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first, last = floor(low / step), -floor(-high / step)
    # Rounded: three times 0.1 is not 0.3.
    marks = tuple(round(number * step, 9) for number in range(int(first), int(last) + 1))
    return Scale(marks[0], marks[-1], marks)


SHARES: Final = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of a table, ready to be written."""

    text: str
    number: bool = False
    page: str = ""
    tint: str = ""
    label: str = ""
    """In words, where the text alone says too little."""
    small: str = ""
    """After the text, such as how certain it is."""
    column: str = ""
    """What the column is called in the style sheet."""


def results_by(key: Callable[[Outcome, int, int], K], matches: Iterable[Outcome]) -> dict[K, Meeting]:
    """Results by ``key(match, seat, opponent's seat)``, seats from 0, over all ordered pairs of seats of matches that count.

    With more than two seats a match counts as one game between each pair of its teams, won by the better rank.
    """
    meetings: dict[K, Meeting] = {}
    for match in matches:
        for seat, other in permutations(range(len(match.teams)), 2) if match.counts else ():
            if match.teams[seat] != match.teams[other]:
                meetings.setdefault(key(match, seat, other), Meeting()).add(match.ranks[seat], match.ranks[other])
    return meetings


def tally_cell(tally: Meeting, where: str, what: str, text: str = "") -> ShownCell:
    """Wins, ties and losses, coloured by their share; ``where`` is the page about them, ``what`` whose they are in words.

    ``text`` is what to show instead of the three numbers.
    """
    words = f"{what}: {counted(tally.wins, 'win')}, {counted(tally.ties, 'tie')}, {counted(tally.losses, 'loss', 'losses')}"
    tint = f"share{min(6, int(share(tally) * 7))}"
    return ShownCell(text or f"{tally.wins}\u2013{tally.ties}\u2013{tally.losses}", True, where, tint, words)


def share(tally: Meeting) -> float:
    """Wins and half the ties, of all games."""
    return float(tally.share) / tally.games
