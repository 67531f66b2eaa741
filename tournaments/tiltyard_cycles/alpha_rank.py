"""Alpha-rank: how much of the time a population that imitates success would play as each team.

All members of a population of POPULATION play as one team, until one tries another. With the chance that follows from how the two
do against each other, that one's way takes over the whole population. The more often it arrives somewhere, and the longer it stays,
the greater is that team's share. With this INTENSITY, whoever wins more than half of the games against another one takes over from
it nearly always: a team keeps a share only if nothing beats it, or if it is part of a circle that nothing beats.

Source: S. Omidshafiei et al., Alpha-rank: multi-agent evaluation by evolution, Scientific Reports 9 (2019), 9937: a single
population with the local selection model, as in OpenSpiel, against which the tests hold it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tiltyard_cycles.many_fits import Values

POPULATION: Final = 50
INTENSITY: Final = 100.0


def alpha_ranks(shares: Values) -> Values:
    """The share of time with each team, for each matrix of the shares of points of the row's team against the column's."""
    number = shares.shape[-1]
    if number < 2:
        return np.ones(shares.shape[:2])
    # The pull from the row's team to the column's.
    pull = INTENSITY * (np.swapaxes(shares, 1, 2) - shares)
    strength = np.maximum(np.abs(pull), 1e-14)
    forward = np.expm1(-strength) / np.expm1(-POPULATION * strength)
    moves = np.where(pull > 0, forward, forward * np.exp(-(POPULATION - 1) * strength)) / (number - 1)
    diagonal = np.arange(number)
    moves[:, diagonal, diagonal] = 0.0
    moves[:, diagonal, diagonal] = -moves.sum(axis=-1)
    # What arrives at each is what leaves it; the last of these equations follows from the others, and makes room for the sum.
    flows = np.swapaxes(moves, 1, 2).copy()
    flows[:, -1, :] = 1.0
    side = np.zeros((len(shares), number, 1))
    side[:, -1] = 1.0
    return np.clip(np.linalg.solve(flows, side)[..., 0], 0.0, 1.0)
