"""Whether one number for each team fits: results of pairs against what the ratings expect, by simulation from the fitted model.

Two things are looked at, because each finds what the other overlooks:

- the sum over pairs of squared residuals, each over its variance: many results that are a little off, or one that is far off;
- over threes of teams that beat each other in a circle, the sum of the circle's residuals over its standard deviation, which is
  greatest where a cycle is. No strengths can explain a circle, so fitting them takes nothing away from it.

Seasons are simulated from the fitted ratings, and fitted again. A measure shows something if fewer than MOST_EXCEEDANCES of
SIMULATIONS seasons have one at least as great as the real season's. Once both have more, no further ones are simulated (Besag and
Clifford). Where one number is true, the squares are wrong in 1 % of seasons and the circles in 2 %, so the test in 3 % at most.

Sources: J. Besag, P. Clifford, Sequential Monte Carlo p-values, Biometrika 78 (1991), 301-304; X. Jiang, L.-H. Lim, Y. Yao, Y. Ye,
Statistical ranking and combinatorial Hodge theory, Mathematical Programming 127 (2011), 203-244 (the curl of residuals).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from itertools import combinations
from math import comb, log2
from typing import Final, NamedTuple

import numpy as np

from tiltyard_cycles.many_fits import Fits, Values, ends_of, fit_all
from tiltyard_cycles.pair_counts import PairCounts, Places

SIMULATIONS: Final = 199
MOST_EXCEEDANCES: Final = (2, 4)
"""Of the squares and of the circles."""
BATCHES: Final = (19, 60, 120)
SPARE_VARIANCE: Final = 0.5
"""Games squared, added to each variance: one surprise in a single game that was thought to be sure should not decide all."""
RISK: Final = 0.01
"""Half of that of the circles, so that a clean one is named."""


class FitVerdict(Enum):
    """What a test has shown."""

    FITS = "fits"
    FEW = "too few games"
    CYCLE = "a cycle"
    PAIR = "a pair"


@dataclass(frozen=True, slots=True, eq=False)
class FitTest:
    """What the test of a season has shown."""

    pairs: PairCounts
    fit: Fits
    verdict: FitVerdict
    cycle: tuple[int, int, int] | None
    """The circle that is furthest from the ratings: each beats the next, and the last the first; None: nobody beats in a circle."""
    residuals: Values
    """Of each pair: points of the one, less those expected, over their standard deviation."""
    expected: Values
    """Points of the one in each pair."""

    def surprise(self, row: int) -> PairSurprise:
        """A pair, the team first that had more points than expected."""
        return surprise_of(self.pairs, row, float(self.expected[row]), float(self.residuals[row]))


class PairSurprise(NamedTuple):
    """Two teams, and by how much the one did better than the ratings expect."""

    one: str
    other: str
    games: float
    points: float
    """Of the one."""
    expected: float
    off: float
    """Standard deviations between the two."""


def surprise_of(pairs: PairCounts, row: int, expected: float, off: float) -> PairSurprise:
    """A pair by its row, the team first that had more points than expected.

    Args:
        pairs: who met.
        row: the pair's.
        expected: points of the pair's one.
        off: standard deviations between these and its points.
    """
    one, other = pairs.teams[pairs.one[row]], pairs.teams[pairs.other[row]]
    points, games = float(pairs.results[row] @ (1, 0.5, 0)), float(pairs.games[row])
    if off < 0:
        one, other, points, expected, off = other, one, games - points, games - expected, -off
    return PairSurprise(one, other, games, points, expected, off)


@dataclass(frozen=True, slots=True, eq=False)
class Threes:
    """All threes of teams in which each pair has met: the rows of their pairs."""

    first: Places
    """Of the first and second team; the next two are of second and third, first and third."""
    second: Places
    third: Places


def number_of_threes(pairs: PairCounts) -> int:
    """Of all teams, whether they have met or not."""
    return comb(len(pairs.teams), 3)


def threes_of(pairs: PairCounts) -> tuple[Threes, Places]:
    """The threes, and the teams of each, by their places."""
    number = len(pairs.teams)
    row = np.full((number, number), -1, dtype=np.intp)
    row[pairs.one, pairs.other] = np.arange(len(pairs.one))
    teams = np.array(list(combinations(range(number), 3)), dtype=np.intp).reshape(-1, 3)
    rows = np.stack([row[teams[:, 0], teams[:, 1]], row[teams[:, 1], teams[:, 2]], row[teams[:, 0], teams[:, 2]]])
    have_met = (rows >= 0).all(axis=0)
    return Threes(*rows[:, have_met]), teams[have_met]


def residuals_of(pairs: PairCounts, results: Values, fits: Fits) -> tuple[Values, Values]:
    """Points less expected ones, and their variances."""
    win, tied, loss = fits.chances(pairs)
    games = pairs.games
    points = results[..., 0] + results[..., 1] / 2
    return points - games * (win + tied / 2), games * (win + loss - (win - loss) ** 2) / 4


def _circles(threes: Threes, results: Values, residuals: Values, variances: Values) -> tuple[Places, Values]:
    """Of one season: which threes beat each other in a circle, and how far each circle is from the ratings."""
    ahead = np.sign(results[:, 0] - results[:, 2]).astype(np.int8)
    first, second, third = ahead[threes.first], ahead[threes.second], ahead[threes.third]
    circles = np.flatnonzero((first == second) & (second == -third) & (first != 0))
    ends = threes.first[circles], threes.second[circles], threes.third[circles]
    sums = residuals[ends[0]] + residuals[ends[1]] - residuals[ends[2]]
    spread = variances[ends[0]] + variances[ends[1]] + variances[ends[2]] + SPARE_VARIANCE
    # In the other direction than the residuals, a circle is less than the ratings expect.
    return circles, sums * first[circles] / np.sqrt(spread)


def _measures(pairs: PairCounts, threes: Threes, results: Values, fits: Fits) -> tuple[Values, Values]:
    """The two measures of each season."""
    residuals, variances = residuals_of(pairs, results, fits)
    squares = (residuals**2 / (variances + SPARE_VARIANCE)).sum(axis=-1)
    circles = [_circles(threes, *season)[1].max(initial=0.0) for season in zip(results, residuals, variances, strict=True)]
    return squares, np.array(circles)


def games_to_tell(threes: int) -> float:
    """The games in a three below which even a clean circle would be no surprise, with so many threes to look for one in.

    Of three teams of any strengths, each beats the next in all of n games with a chance of at most 2 ** -n, in either direction.
    """
    return log2(2 * max(1, threes) / RISK)


def _tells(pairs: PairCounts, threes: Threes) -> tuple[bool, bool]:
    """Whether there are games enough to find something anywhere, and in at least half of all places where it could be."""
    if threes.first.size:
        games, places = pairs.games[threes.first] + pairs.games[threes.second] + pairs.games[threes.third], number_of_threes(pairs)
    elif np.linalg.matrix_rank(ends_of(pairs)) == len(pairs.games):
        return False, False  # whatever the results, some strengths explain them
    else:
        games, places = pairs.games, len(pairs.games)
    enough = games >= games_to_tell(places)
    return bool(enough.any()), 2 * int(enough.sum()) >= places


def fitted_or_not(pairs: PairCounts) -> FitTest:
    """Whether one number for each team fits; the same counts give the same answer."""
    results = pairs.results[None]
    fit = fit_all(pairs, results)
    residuals, variances = residuals_of(pairs, results, fit)
    threes, teams = threes_of(pairs)
    circles, distances = _circles(threes, pairs.results, residuals[0], variances[0])
    cycle = None
    if circles.size:
        three = circles[np.argmax(distances)]
        first, second, third = (int(team) for team in teams[three])
        ahead = pairs.results[threes.first[three]]
        cycle = (first, second, third) if ahead[0] > ahead[2] else (first, third, second)
    somewhere, widely = _tells(pairs, threes)
    by_squares, by_circle = _is_beyond_luck(pairs, threes, fit) if somewhere else (False, False)
    otherwise = FitVerdict.FITS if widely else FitVerdict.FEW
    verdict = FitVerdict.CYCLE if by_circle else FitVerdict.PAIR if by_squares else otherwise
    standard = standardized(residuals[0], variances[0])
    points = pairs.results[:, 0] + pairs.results[:, 1] / 2
    return FitTest(pairs, fit, verdict, cycle, standard, points - residuals[0])


def standardized(residuals: Values, variances: Values) -> Values:
    """How many standard deviations each pair's points are from those expected."""
    return residuals / np.sqrt(variances + SPARE_VARIANCE)


def simulated_seasons(pairs: PairCounts, fit: Fits, sizes: Iterable[int]) -> Iterator[Values]:
    """Seasons with the same games, drawn from a fit, so many at a time; the same counts give the same seasons."""
    chances = np.stack(fit.chances(pairs), axis=-1)[0]
    draw = np.random.default_rng(int.from_bytes(sha256(pairs.results.tobytes()).digest()[:8]))
    for size in sizes:
        yield draw.multinomial(pairs.games.astype(np.int64), chances, (size, len(chances))).astype(np.float64)


def _is_beyond_luck(pairs: PairCounts, threes: Threes, fit: Fits) -> tuple[bool, bool]:
    """Whether each measure is greater than in nearly all seasons that are simulated from the fit."""
    real = np.array(_measures(pairs, threes, pairs.results[None], fit))
    exceedances = np.zeros(2, dtype=np.int64)
    for seasons in simulated_seasons(pairs, fit, BATCHES):
        simulated = np.array(_measures(pairs, threes, seasons, fit_all(pairs, seasons, fit)))
        exceedances += (simulated >= real - 1e-9).sum(axis=1)
        if (exceedances >= MOST_EXCEEDANCES).all():
            break
    by_squares, by_circle = (bool(count) for count in exceedances < MOST_EXCEEDANCES)
    return by_squares, by_circle
