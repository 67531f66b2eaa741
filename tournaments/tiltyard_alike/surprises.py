"""Results of two teams that the ratings do not explain: thrown games look so, and so does a style that suits one against the other.

Each pair's points are compared with those that the fitted ratings expect. Seasons with the same games are drawn from the fit and
fitted again. The figure of a pair is in how many of 100 such seasons any pair at all is as far from the ratings: so it is
corrected for the number of pairs (P. Westfall, S. Young, Resampling-based multiple testing, 1993), and for the fit's having seen
the games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tiltyard_cycles.fit_test import PairSurprise, residuals_of, simulated_seasons, standardized, surprise_of
from tiltyard_cycles.many_fits import fit_all
from tiltyard_cycles.pair_counts import PairCounts, pair_counts, pairs_of
from tiltyard_engine.match_record import Outcome

BATCHES: Final = (99,) * 5 + (4,)
"""Simulated seasons; with the real one, a share of them is in steps of a fifth of a percent."""
CHANCE: Final = 0.05
"""A pair is a hint if less than this part of seasons has one as far from the ratings."""
MOST_SHOWN: Final = 10
"""Pairs that are no hints but come next."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """A pair of teams whose results are far from the ratings."""

    pair: PairSurprise
    chance: float
    """The part of simulated seasons in which any pair is as far from the ratings, the real one included."""

    @property
    def is_hint(self) -> bool:
        """Whether it is hardly chance."""
        return self.chance < CHANCE


def surprises(outcomes: Iterable[Outcome]) -> list[Surprise] | None:
    """The pairs that are furthest from the ratings, all hints among them; None where games are of more than two.

    Args:
        outcomes: those that ratings are made from.
    """
    pairs = pair_counts(outcomes)
    return None if pairs is None else surprising_pairs(pairs)


def surprises_of_counts(counts: Mapping[tuple[str, str], Sequence[float]]) -> list[Surprise]:
    """The pairs that are furthest from the ratings, by wins of the first, ties and wins of the second of each pair."""
    return surprising_pairs(pairs_of(counts))


def surprising_pairs(pairs: PairCounts) -> list[Surprise]:
    """The pairs that are furthest from the ratings, all hints among them; the same counts give the same answer."""
    if len(pairs.teams) < 3:
        # Two teams' ratings explain whatever they did.
        return []
    results = pairs.results[None]
    fit = fit_all(pairs, results)
    residuals, variances = residuals_of(pairs, results, fit)
    off = standardized(residuals[0], variances[0])
    points = pairs.results @ np.array([1.0, 0.5, 0.0])
    furthest = np.concatenate(
        [
            np.abs(standardized(*residuals_of(pairs, seasons, fit_all(pairs, seasons, fit)))).max(axis=1)
            for seasons in simulated_seasons(pairs, fit, BATCHES)
        ]
    )
    first: list[Surprise] = []
    for row in map(int, np.argsort(-np.abs(off), kind="stable")):
        chance = float((1 + (furthest >= abs(off[row]) - 1e-9).sum()) / (1 + len(furthest)))
        if chance >= CHANCE and len(first) >= MOST_SHOWN:
            break
        first.append(Surprise(surprise_of(pairs, row, float(points[row] - residuals[0, row]), float(off[row])), chance))
    return first
