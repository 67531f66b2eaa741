from __future__ import annotations

import importlib
from dataclasses import replace
from itertools import permutations
from math import exp, log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.made_matches import NAMES, duel, many, orders

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Fault, GameResult, PairingEnding, Termination, judge
from tiltyard_tournaments.ratings.counts import count_orders
from tiltyard_tournaments.ratings.davidson import fit_davidson
from tiltyard_tournaments.ratings.model import ELO
from tiltyard_tournaments.ratings.plackett_luce import _Likelihood, fit_plackett_luce
from tiltyard_tournaments.standings.scoring import Scoring, points

FLAT = 1e7
RANKINGS = [(0, 1, 2, 3), (1, 0, 3, 2), (3, 0, 1), (2, 1), (0, 2, 3), (2, 0, 1, 3), (1, 3, 2), (3, 2, 0, 1)]


def ranked(ranking: tuple[int, ...]) -> Outcome:
    return many(*range(1, len(ranking) + 1), teams=[NAMES[place] for place in ranking])


@given(orders(), st.data())
@settings(max_examples=25, deadline=None)
def test_the_order_of_games_does_not_matter_in_any_digit(matches: list[Outcome], data: st.DataObject) -> None:
    one, other = fit_plackett_luce(matches), fit_plackett_luce(data.draw(st.permutations(matches)))
    assert [(team, one.rating(team)) for team in one.teams] == [(team, other.rating(team)) for team in other.teams]


@given(orders(), st.permutations(NAMES))
@settings(max_examples=25, deadline=None)
def test_names_and_seats_do_not_matter(matches: list[Outcome], other_names: tuple[str, ...]) -> None:
    renamed = dict(zip(NAMES, other_names))
    before = fit_plackett_luce(matches)
    after = fit_plackett_luce(
        [
            replace(
                match,
                teams=tuple(renamed[team] for team in reversed(match.teams)),
                ranks=match.ranks[::-1],
                winner=len(match.teams) + 1 - match.winner if match.winner else 0,
            )
            for match in matches
        ]
    )
    for team in before.teams:
        assert after.rating(renamed[team]).value == pytest.approx(before.rating(team).value, abs=1e-6)
        assert after.rating(renamed[team]).low == pytest.approx(before.rating(team).low, abs=1e-3)


def test_without_ties_it_is_what_choix_finds() -> None:
    choix = importlib.import_module("choix")  # not above: it imports scipy, and every test process collects this file
    expected = choix.opt_rankings(4, RANKINGS, alpha=0, tol=1e-12)
    ratings = fit_plackett_luce([ranked(ranking) for ranking in RANKINGS], prior=FLAT)
    assert [ratings.rating(name).value / ELO for name in NAMES] == pytest.approx(list(expected - expected.mean()), abs=1e-6)


def test_of_two_it_is_bradley_terry() -> None:
    matches = [duel(one, other, 1) for one, other in permutations(NAMES, 2)] + [duel("ant", "bee", 1), duel("dog", "bee", 2)]
    one, other = fit_plackett_luce(matches), fit_davidson(matches)
    for name in NAMES:
        assert one.rating(name).value == pytest.approx(other.rating(name).value, abs=1e-6)
        assert one.rating(name).low == pytest.approx(other.rating(name).low, abs=1e-3)


def test_a_tie_says_nothing_about_who_is_better() -> None:
    decided = [duel("ant", "bee", 1), duel("ant", "bee", 1), duel("ant", "bee", 2)]
    tied = fit_plackett_luce([*decided, duel("ant", "bee", 0)])
    assert tied.rating("ant") == fit_plackett_luce(decided).rating("ant")
    assert tied.games("ant") == 4


def log_of_orders(ranks: tuple[int, ...], strengths: dict[str, float]) -> float:
    """By definition: the chances of all orders that the ranks leave open."""
    place_of = dict(zip(NAMES, ranks))
    total = 0.0
    for order in permutations(NAMES):
        if [place_of[name] for name in order] == sorted(ranks):
            left = [sum(exp(strengths[later]) for later in order[place:]) for place in range(len(order))]
            total += prod(exp(strengths[name]) / among for name, among in zip(order, left))
    return log(total)


@pytest.mark.parametrize(
    "ranks", [(1, 1, 3, 4), (1, 2, 2, 4), (1, 1, 1, 4), (1, 1, 1, 1), (1, 2, 3, 3), (2, 1, 2, 2), (1, 1, 3, 3), (4, 1, 1, 1)]
)
def test_those_that_share_a_place_may_have_come_in_any_order(ranks: tuple[int, ...]) -> None:
    strengths = dict(zip(NAMES, (0.3, -0.8, 1.1, 0.2)))
    likelihood = _Likelihood(list(NAMES), count_orders([many(*ranks)]), np.eye(4) * 1e-18)
    point = np.array(list(strengths.values()))
    assert likelihood(point)[0] == pytest.approx(log_of_orders(ranks, strengths), abs=1e-9)
    assert list(likelihood.along(point, point, np.zeros(2))) == pytest.approx([likelihood(point)[0]] * 2, abs=1e-12)


def test_the_likelihoods_derivatives_are_those_of_its_values() -> None:
    matches = [many(1, 1, 3, 4), many(1, 1, 1, 4), many(2, 1, 2), many(1, 2, 2, 2), ranked((3, 0, 1)), duel("bee", "dog", 0)]
    likelihood = _Likelihood(list(NAMES), count_orders(matches), np.eye(4) / 1.7**2)
    point = np.array([0.3, -0.4, 0.9, 0.2])
    _, gradient, information = likelihood(point)
    for number, direction in enumerate(np.eye(4) * 1e-5):
        forward, backward = likelihood(point + direction), likelihood(point - direction)
        assert (forward[0] - backward[0]) / 2e-5 == pytest.approx(gradient[number], abs=1e-6)
        assert (forward[1] - backward[1]) / -2e-5 == pytest.approx(information[number], abs=1e-5)
    steps = np.array([-0.5, 0.0, 2.0])
    values = [likelihood(point + step * gradient)[0] for step in steps]
    assert list(likelihood.along(point, gradient, steps)) == pytest.approx(values, abs=1e-9)


def test_one_that_always_wins_and_one_that_always_loses_stay_finite() -> None:
    ratings = fit_plackett_luce([many(1, 2, 2, 4)] * 5)
    assert ratings.teams == ("ant", "bee", "cat", "dog")
    assert ratings.rating("bee").value == pytest.approx(ratings.rating("cat").value, abs=1e-6)
    assert 0 < ratings.rating("ant").value < 3000
    assert 0.9 < ratings.superiority("ant", "dog") < 1


def test_a_table_of_nine_that_all_tie_is_fast_enough() -> None:
    ratings = fit_plackett_luce([many(*(1,) * 9, teams=[f"t{number}" for number in range(9)])] * 100)
    assert all(ratings.rating(team).value == pytest.approx(0, abs=1e-9) for team in ratings.teams)


CRASH, FORFEIT = Termination.CRASH, Termination.FORFEIT


def test_of_four_three_keep_their_places_when_one_fails_in_points_and_ratings() -> None:
    claim = GameResult(2, "", 9, (), ranks=(2, 1, 3, 4))
    faults = (Fault(2, CRASH, "", 3),)
    winner, ranks = judge(claim, faults, 4)
    failed = replace(many(*ranks), winner=winner, faults=faults)
    lost = many(1, 4, 2, 3)
    assert failed.ending is PairingEnding.PLAYED
    for scoring in (Scoring(), Scoring(places=(5, 3, 1))):
        assert points(failed, scoring) == points(lost, scoring)
    assert list(map(float, points(failed, Scoring(places=(5, 3, 1))))) == [5, 0, 3, 1]
    others = [many(1, 2, 3, 4), many(2, 1, 4, 3)]
    rated, expected = fit_plackett_luce([*others, failed]), fit_plackett_luce([*others, lost])
    assert [rated.rating(team) for team in NAMES] == [expected.rating(team) for team in NAMES]
    assert count_orders([failed]) == {(("ant",), ("cat",), ("dog",), ("bee",)): 1}
    # Where the game can't go on and its GameManager says nothing of the others, nothing is known of them but that they didn't fail.
    winner, ranks = judge(GameResult(0, "", 9, ()), faults, 4)
    assert list(count_orders([replace(failed, winner=winner, ranks=ranks)])) == [(("ant", "cat", "dog"), ("bee",))]


def test_of_four_three_share_the_first_place_and_are_not_rated_when_one_does_not_play() -> None:
    for absent in (replace(many(1, 4, 1, 1), faults=(Fault(2, FORFEIT, "", 0),)), replace(many(1, 4, 1, 1), forfeited=(2,))):
        assert list(map(float, points(absent, Scoring()))) == [1, 0, 1, 1]
        assert list(map(float, points(absent, Scoring(places=(5, 3, 1))))) == [3, 0, 3, 3]
        assert fit_plackett_luce([absent, many(1, 2, 3, 4)]).games("ant") == 1


def test_a_senseless_prior_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        fit_plackett_luce([], prior=-1)
