"""A test of whether seats matter, which assumes nothing but that the blocks are independent.

If no seat is worth anything, a block with all seats moved on by one is as likely as the block itself: each team has played from
each seat. So the seats' sums of each block may be moved round by any number of seats. The test asks how often sums that were moved
by chance differ as much as those that were seen. With two seats, moving exchanges them: all ways are counted, which is exact. With
more, 9,999 are drawn, which is exact too, as the sums that were seen count as one of them.

Sources: E. S. Edgington, P. Onghena, Randomization tests, 4th edition (2007); B. Phipson, G. K. Smyth, Permutation p-values
should never be zero, Statistical Applications in Genetics and Molecular Biology 9 (2010); S. Holm, A simple sequentially rejective
multiple test procedure, Scandinavian Journal of Statistics 6 (1979), 65-70.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from tiltyard_fairness.blocks import SeatBlock, Shares

DRAWS: Final = 9_999
SEED: Final = 20_261_126
"""So that the same games give the same figure."""
ROUNDING: Final = 1e-9


def seat_p_value(blocks: Sequence[SeatBlock]) -> float:
    """How likely it is that seats differ at least as much as they did, if no seat is worth anything; 1 without blocks."""
    if not blocks:
        return 1.0
    sums = np.array([block.by_seat for block in blocks])
    return _by_all_signs(sums) if sums.shape[1] == 2 else _by_draws(sums)


def least_p_value(blocks: Sequence[SeatBlock]) -> float:
    """The smallest value that so many blocks could give, if one seat had won all of them."""
    if not blocks:
        return 1.0
    seats = blocks[0].shares.shape[1]
    return max(float(seats) ** (1 - len(blocks)), 1 / (DRAWS + 1) if seats > 2 else 0.0)


def _by_all_signs(sums: Shares) -> float:
    differences = [Fraction(one - other).limit_denominator(1000) for one, other in sums]
    own = abs(sum(differences, Fraction(0)))
    ways: Counter[Fraction] = Counter({Fraction(0): 1})
    for difference in differences:
        if difference:
            after: Counter[Fraction] = Counter()
            for total, count in ways.items():
                after[total + difference] += count
                after[total - difference] += count
            ways = after
    as_far = sum(count for total, count in ways.items() if abs(total) >= own)
    return float(Fraction(as_far, sum(ways.values())))


def _by_draws(sums: Shares) -> float:
    count, seats = sums.shape
    chance = np.random.default_rng(SEED)
    moves = chance.integers(seats, size=(DRAWS, count))
    totals = np.zeros((DRAWS, seats))
    for seat in range(seats):
        totals[:, seat] = sums[np.arange(count), (seat + moves) % seats].sum(axis=1)
    own = float(np.var(sums.sum(axis=0)))
    return (1 + int(np.sum(np.var(totals, axis=1) >= own - ROUNDING))) / (DRAWS + 1)


def holm_correction(p_values: Sequence[float]) -> list[float]:
    """Holm's: among so many tests, one of true hypotheses falls below a level no more often than the level says."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    results, most = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        most = max(most, min(1.0, (len(p_values) - rank) * p_values[place]))
        results[place] = most
    return results
