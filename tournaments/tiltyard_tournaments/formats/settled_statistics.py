"""What results say about who is better, for ``until-settled``. Whoever has better statistics can hand them to it instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from tiltyard_engine.formats import FixtureResult

if TYPE_CHECKING:
    import numpy as np

PRIOR_DEVIATION: Final = 2.0
"""Of a team's strength on the logistic scale, before anything is known: about 350 Elo points."""
_MOST_STEPS: Final = 100
_LONGEST_STEP: Final = 2.0
_CLOSE_ENOUGH: Final = 1e-10


class Strengths(Protocol):
    """What is known of the teams."""

    def order(self) -> list[int]:
        """All teams, the strongest first."""
        ...

    def superiority(self, one: int, other: int) -> float:
        """The probability that ``one`` is stronger than ``other``."""
        ...


Statistics: TypeAlias = Callable[[Sequence[FixtureResult], int], Strengths]
"""``statistics(results, teams)``: results of matches of two, and how many teams there are."""


@dataclass(frozen=True, slots=True)
class FittedStrengths:
    """Strengths on the logistic scale with the uncertainty of each difference."""

    values: tuple[float, ...]
    deviations: Mapping[tuple[int, int], float]

    def order(self) -> list[int]:
        return sorted(range(len(self.values)), key=lambda team: (-self.values[team], team))

    def superiority(self, one: int, other: int) -> float:
        difference = (self.values[one] - self.values[other]) / self.deviations[min(one, other), max(one, other)]
        return round(0.5 * (1 + math.erf(difference / math.sqrt(2))), 6)


def bradley_terry(results: Sequence[FixtureResult], teams: int) -> FittedStrengths:
    """The model of Bradley and Terry (1952): the stronger wins with odds that are the exponential of the difference.

    A tie is half a win and half a loss, which makes the result less certain, never more. Before any game strengths are
    normal with mean 0, which keeps them finite; the uncertainty is that of the normal approximation at the most probable
    strengths (Laplace). Games count as independent.
    """
    import numpy as np

    taken = np.zeros((teams, teams))
    for result in results:
        first, second = result.fixture.seats
        share = {0: 0.5, 1: 1.0, 2: 0.0}[result.winner]
        taken[first, second] += share
        taken[second, first] += 1 - share
    games = taken + taken.T
    strength = np.zeros(teams)
    for _ in range(_MOST_STEPS):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        slope = (taken - games * expected).sum(axis=1) - strength / PRIOR_DEVIATION**2
        step = np.linalg.solve(_curvature(games, expected), slope)
        strength = strength + step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _CLOSE_ENOUGH))
        if np.abs(step).max() < _CLOSE_ENOUGH:
            break
    spread = np.linalg.inv(_curvature(games, 1 / (1 + np.exp(strength[None, :] - strength[:, None]))))
    pairs = [(one, other) for other in range(teams) for one in range(other)]
    deviations = {(a, b): math.sqrt(spread[a, a] + spread[b, b] - 2 * spread[a, b]) for a, b in pairs}
    return FittedStrengths(tuple(round(float(value), 9) for value in strength), deviations)


def _curvature(games: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How sharply the likelihood and the prior together fall off."""
    import numpy as np

    information = games * expected * expected.T
    return np.asarray(np.diag(information.sum(axis=1) + 1 / PRIOR_DEVIATION**2) - information)


def repeats_itself(results: Sequence[FixtureResult]) -> bool:
    """Whether the games of a pair go the same way whatever the seed, so that further games would tell nothing new.

    Judged by the digests: all games in the same seats on the same map are equal, and there is more than one of some.
    """
    digests: dict[tuple[tuple[int, ...], int], list[str]] = {}
    for result in results:
        digests.setdefault((result.fixture.seats, result.fixture.map), []).append(result.digest)
    same = all(len(set(found)) == 1 and found[0] for found in digests.values())
    return same and any(len(found) > 1 for found in digests.values())


def telling(results: Sequence[FixtureResult]) -> list[FixtureResult]:
    """The results that count as evidence: there was a result; and of a pair that repeats itself each game only once."""
    pairs: dict[frozenset[int], list[FixtureResult]] = {}
    for result in results:
        if result.counts:
            pairs.setdefault(frozenset(result.fixture.seats), []).append(result)
    found: list[FixtureResult] = []
    for games in pairs.values():
        if repeats_itself(games):
            games = list({(game.fixture.seats, game.fixture.map): game for game in reversed(games)}.values())
        found += games
    return found
