from __future__ import annotations

import numpy as np
import pytest
from tests.tournaments.made_matches import duel

from tiltyard_cycles.many_fits import fit_all
from tiltyard_cycles.pair_counts import pair_counts
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.davidson import fit_davidson
from tiltyard_tournaments.ratings.model import ELO


def games_of(seed: int, tie: float) -> list[Outcome]:
    """Some games of five teams, of which one wins all."""
    draw = np.random.default_rng(seed)
    games = []
    for one, other in draw.integers(0, 5, (60, 2)):
        if one != other:
            winner = 1 if one == 0 else 2 if other == 0 else int(draw.choice((1, 0, 2), p=((1 - tie) / 2, tie, (1 - tie) / 2)))
            games.append(duel(f"t{one}", f"t{other}", winner))
    return games


@pytest.mark.parametrize("tie", [0.0, 0.3])
def test_it_is_the_fit_of_the_ratings(tie: float) -> None:
    games = games_of(1, tie)
    pairs, ratings = pair_counts(games), fit_davidson(games)
    assert pairs is not None
    strengths = fit_all(pairs, pairs.results[None]).strengths[0] * ELO
    expected = [ratings.rating(team).value for team in pairs.teams]
    assert strengths - strengths.mean() == pytest.approx(expected, abs=0.1)


def test_seasons_side_by_side_are_fitted_as_alone() -> None:
    pairs = pair_counts(games_of(2, 0.3))
    assert pairs is not None
    seasons = np.stack([pairs.results, pairs.results[:, ::-1], np.roll(pairs.results, 1, axis=1)])
    seasons[:, :, 2] += pairs.games - seasons.sum(axis=2)
    together = fit_all(pairs, seasons, fit_all(pairs, seasons[:1]))
    for number, results in enumerate(seasons):
        alone = fit_all(pairs, results[None])
        assert together.strengths[number] == pytest.approx(alone.strengths[0], abs=1e-3)
        assert together.tie[number] == pytest.approx(alone.tie[0], abs=1e-3)
