"""What the core finds of this package, by the entry-point group ``tiltyard.tables``; see ``ratings.beyond_ratings``.

numpy takes a moment to load, so all else is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from tiltyard_cycles.circles import circle_edges
from tiltyard_engine.lifecycle import Table
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import Tournament

if TYPE_CHECKING:
    from tiltyard_cycles.words import Hardest


__all__ = ["TABLES", "circle_edges", "counts_note", "fair_maps", "fit_note", "hardest_opponents"]


def fit_note(matches: Iterable[Outcome]) -> str:
    """Whether one number a team fits these matches, in a sentence; empty if there is nothing to say."""
    from tiltyard_cycles.words import fit_note

    return fit_note(matches)


def counts_note(counts: Mapping[tuple[str, str], Sequence[float]]) -> str:
    """As ``fit_note``, of wins of the one, ties and wins of the other of each pair that met."""
    from tiltyard_cycles.words import counts_note

    return counts_note(counts)


def hardest_opponents(matches: Iterable[Outcome]) -> dict[str, Hardest]:
    """Of each team that somebody has the better of: its hardest opponent."""
    from tiltyard_cycles.words import hardest_opponents

    return hardest_opponents(matches)


def _table(name: str, tournament: Tournament, schedule: Schedule, matches: Sequence[Outcome]) -> Table:
    from tiltyard_cycles.tables import table

    return table(name, matches)


def fair_maps(matches: Sequence[Outcome], *, only_if_conclusive: bool = False) -> Table:
    """What these matches say of their maps, a row a map; ``only_if_conclusive``: no row if that is nothing."""
    from tiltyard_fairness.tables import fair_maps

    return fair_maps(matches, only_if_conclusive=only_if_conclusive)


TABLES: Final[Mapping[str, Callable[[Tournament, Schedule, Sequence[Outcome]], Table]]] = {
    **{name: partial(_table, name) for name in ("fit", "nash", "alpha-rank")},
    "fair-maps": lambda tournament, schedule, matches: fair_maps(matches),
}
"""The tables on request, by the names that are asked for."""
