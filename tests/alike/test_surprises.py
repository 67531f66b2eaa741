"""Results of two teams that the ratings do not explain are a hint, and luck hardly ever is."""

from __future__ import annotations

import numpy as np
from tests.tournaments.made_matches import duel, many

from tiltyard_alike.surprises import surprises, surprising_pairs
from tiltyard_cycles.pair_counts import PairCounts


def season(seed: int, teams: int = 10, games: int = 10) -> PairCounts:
    """A season in which one number for each team is true."""
    draw = np.random.default_rng(seed)
    strengths = draw.normal(0, 1, teams)
    one, other = np.triu_indices(teams, 1)
    wins = draw.binomial(games, 1 / (1 + np.exp(strengths[other] - strengths[one])))
    results = np.stack([wins, np.zeros_like(wins), games - wins], axis=1).astype(np.float64)
    return PairCounts(tuple(f"t{number}" for number in range(teams)), one, other, results)


def test_luck_is_hardly_ever_a_hint() -> None:
    hints = [each for seed in range(20) for each in surprising_pairs(season(seed))[:1] if each.is_hint]
    # At most one of twenty seasons is expected to have one.
    assert len(hints) <= 3


def test_games_that_a_strong_team_throws_to_a_weak_one_are_a_hint() -> None:
    pairs = season(3)
    points = np.zeros(10)
    np.add.at(points, pairs.one, pairs.results[:, 0])
    np.add.at(points, pairs.other, pairs.results[:, 2])
    best, worst = int(points.argmax()), int(points.argmin())
    (row,) = np.flatnonzero((pairs.one == min(best, worst)) & (pairs.other == max(best, worst)))
    pairs.results[row] = (10, 0, 0) if worst < best else (0, 0, 10)
    first, *others = surprising_pairs(pairs)
    assert (first.pair.one, first.pair.other, first.pair.points) == (f"t{worst}", f"t{best}", 10)
    assert first.is_hint
    assert first.pair.expected < 5
    assert not any(each.is_hint for each in others)
    assert surprising_pairs(pairs) == [first, *others]


def test_few_games_tell_nothing() -> None:
    games = [duel("ant", "bee", 1), duel("bee", "cat", 1), duel("cat", "ant", 1), duel("ant", "dog", 1), duel("dog", "bee", 2)]
    assert all(each.chance > 0.2 for each in surprises(games) or ())


def test_two_teams_and_no_games_are_no_surprise() -> None:
    assert surprises([duel("ant", "bee", 1)] * 20) == []
    assert surprises([]) == []


def test_games_of_more_than_two_are_not_looked_at() -> None:
    assert surprises([many(1, 2, 3)] * 5) is None
