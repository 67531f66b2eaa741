"""The tables that ``tiltyard standings`` and ``Cup.table`` show on request: ``fit``, ``nash`` and ``alpha-rank``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from tiltyard_cycles.fit_test import fitted_or_not
from tiltyard_cycles.pair_counts import PairCounts, pair_counts
from tiltyard_cycles.words import fit_sentence
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.output.tables import Cell, Table
from tiltyard_tournaments.standings.scoring import without_tie_breaks


def fit_table(pairs: PairCounts) -> Table:
    """Each two teams that met, those first whose results are furthest from what the ratings expect."""
    test = fitted_or_not(pairs)
    rows: list[tuple[Cell, ...]] = []
    for row in np.argsort(-np.abs(test.residuals), kind="stable"):
        one, other, off = int(pairs.one[row]), int(pairs.other[row]), float(test.residuals[row])
        points, games, expected = float(pairs.results[row] @ (1, 0.5, 0)), float(pairs.games[row]), float(test.expected[row])
        if off < 0:
            one, other, points, expected, off = other, one, games - points, games - expected, -off
        numbers = (round(games), round(points, 1), round(expected, 1), round(off, 1))
        rows.append((pairs.teams[one], pairs.teams[other], *numbers))
    title = "Fit: points of each two teams, those that the ratings expect, and how many standard deviations lie between"
    note = fit_sentence(test) if len(pairs.teams) > 2 else ""
    return Table(title, ("algorithm", "against", "games", "points", "expected", "off"), tuple(rows), note)


_TABLES: Final[Mapping[str, Callable[[PairCounts], Table]]] = {"fit": fit_table}


def table(name: str, matches: Sequence[Outcome]) -> Table:
    """One of the tables by its name.

    Raises:
        UserError: some of the games are of more than two.
    """
    pairs = pair_counts(without_tie_breaks(matches))
    if pairs is None:
        raise UserError(f"the table {name} needs games of two, and some here are of more; the table ratings is for all games")
    return _TABLES[name](pairs)
