"""Cells of tables, ready to be written, and the tallies of results that many of them show."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

from tiltyard_engine.match_record import Outcome
from tiltyard_site.pages.labels import counted
from tiltyard_tournaments.standings import Meeting

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

    With more than two seats a match counts as one game between each two of its teams, won by the better rank.
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
