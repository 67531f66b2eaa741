"""The tables that ``tiltyard standings`` and ``Cup.table`` show on request: ``fit``, ``nash`` and ``alpha-rank``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from tiltyard_cycles.alpha_rank import alpha_ranks
from tiltyard_cycles.fit_test import fitted_or_not
from tiltyard_cycles.nash import log_odds, nash_mixtures
from tiltyard_cycles.pair_counts import PairCounts, pair_counts
from tiltyard_cycles.payoffs import interval, win_shares
from tiltyard_cycles.words import fit_sentence
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.output.tables import Cell, Table
from tiltyard_tournaments.ratings.model import ELO
from tiltyard_tournaments.standings.scoring import without_tie_breaks

NASH_NOTE: Final = "Skill 0: as good as the mixture. Copies of a team share its weight, so they change nobody's skill."
ALPHA_RANK_NOTE: Final = "Only teams that nothing beats, or that are in a circle that nothing beats, have a share."


def fit_table(pairs: PairCounts) -> Table:
    """Each pair of teams that met, those first whose results are furthest from what the ratings expect."""
    test = fitted_or_not(pairs)
    rows: list[tuple[Cell, ...]] = []
    for row in np.argsort(-np.abs(test.residuals), kind="stable"):
        each = test.surprise(int(row))
        rows.append((each.one, each.other, round(each.games), round(each.points, 1), round(each.expected, 1), round(each.off, 1)))
    title = "Fit: the points of each pair of teams, the points that the ratings expect, and the difference in standard deviations"
    note = fit_sentence(test) if len(pairs.teams) > 2 else ""
    return Table(title, ("algorithm", "against", "games", "points", "expected", "off"), tuple(rows), note)


def nash_table(pairs: PairCounts) -> Table:
    """Each team's weight in the mixture that no team beats, and its skill against that mixture."""
    payoffs = log_odds(win_shares(pairs))
    weights = nash_mixtures(payoffs)
    skills = np.einsum("sij,sj->si", payoffs, weights) * ELO
    ends = [*interval(weights[1:] * 100), *interval(skills[1:])]
    order = sorted(range(len(pairs.teams)), key=lambda team: (-round(weights[0, team], 3), -skills[0, team], team))
    rows: list[tuple[Cell, ...]] = []
    for team in order:
        low, high, least, most = (float(end[team]) for end in ends)
        weight = (_tenths(weights[0, team] * 100), _tenths(low), _tenths(high))
        rows.append((pairs.teams[team], *weight, round(skills[0, team]), round(least), round(most)))
    headers = ("algorithm", "weight, %", "weight from", "weight to", "skill", "skill from", "skill to")
    title = "Nash averaging: weights of the mixture that no team beats, skill against it in Elo points, and 95 % intervals"
    return Table(title, headers, tuple(rows), NASH_NOTE)


def alpha_rank_table(pairs: PairCounts) -> Table:
    """Each team's share of the time of a population that imitates success."""
    shares = alpha_ranks(win_shares(pairs)) * 100
    low, high = interval(shares[1:])
    order = sorted(range(len(pairs.teams)), key=lambda team: (-round(shares[0, team], 3), team))
    rows: list[tuple[Cell, ...]] = [
        (pairs.teams[team], *(_tenths(each[team]) for each in (shares[0], low, high))) for team in order
    ]
    title = "Alpha-rank: share of the time of a population that imitates success, and the ends of the 95 % interval"
    return Table(title, ("algorithm", "share, %", "from", "to"), tuple(rows), ALPHA_RANK_NOTE)


def _tenths(value: float) -> float:
    return round(float(value), 1) + 0.0


_TABLES: Final[Mapping[str, Callable[[PairCounts], Table]]] = {
    "fit": fit_table,
    "nash": nash_table,
    "alpha-rank": alpha_rank_table,
}


def table(name: str, matches: Sequence[Outcome]) -> Table:
    """One of the tables by its name.

    Raises:
        UserError: some of the games are of more than two.
    """
    pairs = pair_counts(without_tie_breaks(matches))
    if pairs is None:
        raise UserError(
            f"the table {name} needs games of two players, but some games here have more; use the table ratings instead"
        )
    if not pairs.teams:
        return Table(f"{name}: no rated games", ("algorithm",), ())
    return _TABLES[name](pairs)
