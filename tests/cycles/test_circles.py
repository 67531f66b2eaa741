from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from tiltyard_cycles.circles import circle_edges
from tiltyard_engine.formats import Field, Fixture, FixtureResult
from tiltyard_tournaments.formats.until_settled import UntilSettled, UntilSettledOptions


def games(one: int, other: int, wins: int, losses: int, ties: int = 0) -> list[FixtureResult]:
    """Wins of the one and of the other."""
    winners = [1] * wins + [2] * losses + [0] * ties
    return [FixtureResult(fixture=Fixture((one, other), 0, 0), winner=winner, ranks=(1, 1)) for winner in winners]


def test_the_pair_of_a_circle_that_has_met_least() -> None:
    results = [*games(0, 1, 9, 1), *games(1, 2, 9, 1), *games(2, 0, 3, 1), *games(3, 0, 0, 8), *games(3, 1, 0, 8)]
    assert circle_edges(results, [(0, 1), (1, 0), (0, 3)]) == {(0, 1): ((2, 0), True), (1, 0): ((0, 2), True)}


@pytest.mark.parametrize(("wins", "losses", "ties", "edges"), [(0, 2, 0, {(0, 1): ((2, 0), False)}), (0, 4, 0, {}), (2, 2, 4, {})])
def test_a_pair_that_hardly_met_may_close_a_circle(
    wins: int, losses: int, ties: int, edges: dict[tuple[int, int], tuple[tuple[int, int], bool]]
) -> None:
    results = [*games(0, 1, 7, 1), *games(1, 2, 7, 1), *games(2, 0, wins, losses, ties)]
    assert circle_edges(results, [(0, 1)]) == edges


def test_who_has_not_met_closes_no_circle() -> None:
    assert circle_edges([*games(0, 1, 7, 1), *games(1, 2, 7, 1)], [(0, 1), (1, 2)]) == {}
    assert circle_edges([], [(0, 1)]) == {}


@pytest.mark.parametrize("seed", range(3))
def test_until_settled_puts_a_circle_into_no_order(seed: int) -> None:
    """Each beats the next in 8 of 10 games. Where only neighbours played on, ratings were sure of an order that meant nothing."""
    chance, results = Random(seed), list[FixtureResult]()
    tournament_format = UntilSettled(Field(teams=("ant", "bee", "cat"), maps=("m",)), UntilSettledOptions())
    while batch := tournament_format.next_batch(results):
        for fixture in batch:
            one, other = fixture.seats
            winner = 1 if chance.random() < (0.8 if (one + 1) % 3 == other else 0.2) else 2
            results.append(FixtureResult(fixture=fixture, winner=winner, ranks=(1, 1)))
    assert len(tournament_format.placings(results)) == 1
    met = Counter(frozenset(result.fixture.seats) for result in results)
    assert min(met.values()) * 8 >= max(met.values())
    assert set(met) == {frozenset(pair) for pair in permutations(range(3), 2)}
