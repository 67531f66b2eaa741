from __future__ import annotations

import importlib
from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.made_matches import NAMES, NO_RESULT, duel, duels, fault, many

from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import Termination
from tiltyard_tournaments.ratings.counts import count_pairs
from tiltyard_tournaments.ratings.davidson import _Likelihood, fit_davidson, fit_pairs
from tiltyard_tournaments.ratings.model import ELO, Estimate
from tiltyard_tournaments.ratings.newton import maximise

FLAT = 1e7
"""A prior that says next to nothing."""


def width(estimate: Estimate) -> float:
    """Of an interval, in Elo points."""
    return estimate.high - estimate.low


def season(*results: tuple[str, str, int, int, int]) -> list[Outcome]:
    """Wins of the first, ties, wins of the second."""
    return [
        duel(first, second, winner)
        for first, second, *counts in results
        for winner, count in zip((1, 0, 2), counts)
        for _ in range(count)
    ]


SEASON = season(
    ("ant", "bee", 7, 3, 2), ("bee", "cat", 5, 4, 3), ("cat", "ant", 2, 2, 8), ("dog", "bee", 1, 1, 4), ("dog", "cat", 3, 0, 2)
)


@given(duels(), st.data())
@settings(max_examples=25, deadline=None)
def test_the_order_of_games_does_not_matter_in_any_digit(matches: list[Outcome], data: st.DataObject) -> None:
    one = fit_davidson(matches)
    other = fit_davidson(data.draw(st.permutations(matches)))
    assert one.teams == other.teams
    assert [one.rating(team) for team in one.teams] == [other.rating(team) for team in one.teams]


@given(duels(), st.permutations(NAMES))
@settings(max_examples=25, deadline=None)
def test_names_do_not_matter(matches: list[Outcome], other_names: tuple[str, ...]) -> None:
    renamed = dict(zip(NAMES, other_names))
    before = fit_davidson(matches)
    after = fit_davidson([replace(match, teams=tuple(renamed[team] for team in match.teams)) for match in matches])
    for team in before.teams:
        assert after.rating(renamed[team]).value == pytest.approx(before.rating(team).value, abs=1e-6)
        assert width(after.rating(renamed[team])) == pytest.approx(width(before.rating(team)), rel=1e-6)


@given(duels())
@settings(max_examples=25, deadline=None)
def test_everything_is_finite_whoever_met_whom(matches: list[Outcome]) -> None:
    ratings = fit_davidson(matches)
    assert sum(ratings.rating(team).value for team in ratings.teams) == pytest.approx(0, abs=1e-6)
    for one in ratings.teams:
        assert abs(ratings.rating(one).value) < 4000
        assert 0 <= width(ratings.rating(one)) < 8000
        for other in ratings.teams:
            assert ratings.superiority(one, other) + ratings.superiority(other, one) == pytest.approx(1)


def test_without_ties_it_is_what_choix_finds() -> None:
    games = [(one, other) for one in range(4) for other in range(4) for _ in range(2 + one * 3 % 5 + other) if one != other]
    matches = [duel(NAMES[winner], NAMES[loser], 1) for winner, loser in games]
    choix = importlib.import_module("choix")  # not above: it imports scipy, and every test process collects this file
    expected = choix.opt_pairwise(4, games, alpha=0, tol=1e-12)
    ratings = fit_davidson(matches, prior=FLAT)
    assert [ratings.rating(name).value / ELO for name in NAMES] == pytest.approx(list(expected - expected.mean()), abs=1e-6)


def test_with_the_prior_it_is_what_choix_finds_with_its_penalty() -> None:
    # choix takes alpha * sum of squares from the log-likelihood, a normal prior half of that over the variance.
    deviation = 200 / ELO
    choix = importlib.import_module("choix")  # not above: it imports scipy, and every test process collects this file
    expected = choix.opt_pairwise(4, [(0, 1), (0, 1), (0, 2)], alpha=1 / (2 * deviation**2), tol=1e-12)
    ratings = fit_davidson([duel("ant", "bee", 1), duel("bee", "ant", 2), duel("ant", "cat", 1)], prior=200)
    centred = expected[:3] - expected[:3].mean()
    assert [ratings.rating(name).value / ELO for name in NAMES[:3]] == pytest.approx(list(centred), abs=1e-6)


def test_of_two_teams_the_strengths_are_the_odds() -> None:
    ratings = fit_davidson(season(("ant", "bee", 30, 20, 10)), prior=FLAT)
    assert ratings.difference("ant", "bee").value == pytest.approx(400 * log(3, 10), abs=1e-4)
    # The variance of the logarithm of odds of two counts.
    assert width(ratings.difference("ant", "bee")) == pytest.approx(2 * ELO * 1.959964 * sqrt(1 / 30 + 1 / 10), rel=0.01)


def test_it_is_the_maximum_of_davidsons_likelihood() -> None:
    ratings = fit_davidson(SEASON, prior=FLAT)
    strengths = {name: ratings.rating(name).value / ELO for name in NAMES}
    likelihood = _Likelihood(list(NAMES), count_pairs(SEASON), FLAT / ELO)
    tie = exp(float(maximise(likelihood, np.zeros(likelihood.size))[0][-1]))

    def log_likelihood(strengths: dict[str, float], tie: float) -> float:
        total = 0.0
        for match in SEASON:
            one, other = (exp(strengths[name]) for name in match.teams)
            share = (tie * sqrt(one * other), one, other)[match.winner]
            total += log(share / (one + other + tie * sqrt(one * other)))
        return total

    best = log_likelihood(strengths, tie)
    for step in (-1e-3, 1e-3):
        assert log_likelihood(strengths, tie * exp(step)) < best
        for name in NAMES:
            assert log_likelihood({**strengths, name: strengths[name] + step}, tie) < best


def test_the_likelihoods_derivatives_are_those_of_its_values() -> None:
    likelihood = _Likelihood(list(NAMES), count_pairs(SEASON), 1.7)
    point = np.array([0.3, -0.4, 0.9, 0.2, -0.6])
    _, gradient, information = likelihood(point)
    for number, direction in enumerate(np.eye(5) * 1e-5):
        forward, backward = likelihood(point + direction), likelihood(point - direction)
        assert (forward[0] - backward[0]) / 2e-5 == pytest.approx(gradient[number], abs=1e-6)
        assert (forward[1] - backward[1]) / -2e-5 == pytest.approx(information[number], abs=1e-5)
    steps = np.array([-0.5, 0.0, 2.0])
    values = [likelihood(point + step * gradient)[0] for step in steps]
    assert list(likelihood.along(point, gradient, steps)) == pytest.approx(values, abs=1e-9)


def test_four_times_the_games_half_the_interval() -> None:
    once, four_times = fit_davidson(SEASON, prior=FLAT), fit_davidson(SEASON * 4, prior=FLAT)
    twice = fit_davidson(SEASON * 2, prior=FLAT)
    for name in NAMES:
        assert four_times.rating(name).value == pytest.approx(once.rating(name).value, abs=1e-3)
        assert width(four_times.rating(name)) == pytest.approx(width(once.rating(name)) / 2, rel=0.05)
        assert width(twice.rating(name)) == pytest.approx(width(once.rating(name)) / sqrt(2), rel=0.05)
    assert four_times.superiority("ant", "bee") > once.superiority("ant", "bee") > 0.5


def test_the_weak_prior_moves_little_where_there_are_games() -> None:
    flat, weak = fit_davidson(SEASON, prior=FLAT), fit_davidson(SEASON)
    for name in NAMES:
        assert abs(weak.rating(name).value - flat.rating(name).value) < 0.05 * width(flat.rating(name))


def test_more_wins_of_an_undefeated_team_raise_its_rating_and_its_certainty() -> None:
    few, more = (fit_davidson(season(("ant", "bee", games, 0, 0))) for games in (3, 30))
    assert 0 < few.difference("ant", "bee").value < more.difference("ant", "bee").value
    assert 0.5 < few.superiority("ant", "bee") < more.superiority("ant", "bee") < 1
    assert few.difference("ant", "bee").low < more.difference("ant", "bee").low


def test_groups_that_never_met_cannot_be_compared() -> None:
    ratings = fit_davidson(season(("ant", "bee", 9, 0, 1), ("cat", "dog", 5, 0, 5)))
    assert not ratings.connected
    assert width(ratings.difference("ant", "cat")) > 2000
    assert width(ratings.difference("ant", "bee")) < 1400
    assert fit_davidson(season(("ant", "bee", 9, 0, 1), ("bee", "dog", 5, 0, 5))).connected


def test_only_ties_are_equal_strengths() -> None:
    ratings = fit_davidson(season(("ant", "bee", 0, 12, 0)))
    assert ratings.difference("ant", "bee").value == pytest.approx(0, abs=1e-9)
    assert ratings.superiority("ant", "bee") == pytest.approx(0.5)


def test_what_was_not_played_tells_nothing() -> None:
    extra = [
        bye("dog"),
        duel("ant", "dog", 2, "m", fault(1, Termination.FORFEIT)),
        duel("ant", "dog", 1, "m", NO_RESULT),
        many(1, 2, teams=("ant", "ant")),
    ]
    one, other = fit_davidson(SEASON), fit_davidson(SEASON + extra)
    assert [one.rating(team) for team in NAMES] == [other.rating(team) for team in NAMES]
    assert one.games("ant") == other.games("ant") == 24


def test_no_games_are_no_ratings() -> None:
    assert fit_davidson([]).teams == ()
    assert "ant" not in fit_davidson([])


def test_more_than_two_seats_or_a_senseless_prior_are_refused() -> None:
    with pytest.raises(ValueError, match="fit_plackett_luce"):
        fit_davidson([many(1, 2, 3)])
    with pytest.raises(ValueError, match="above 0"):
        fit_davidson([], prior=0)


def test_counts_give_the_same_fit_as_matches_and_a_common_prior_pulls_two_together() -> None:
    whole = fit_davidson(SEASON)
    names = sorted(whole.teams)
    alone = np.eye(4) * (ELO / 800.0) ** 2
    strengths = fit_pairs(names, count_pairs(SEASON), alone).point
    for one, other in (("ant", "bee"), ("cat", "dog")):
        apart = ELO * float(strengths[names.index(one)] - strengths[names.index(other)])
        assert apart == pytest.approx(whole.difference(one, other).value, abs=1e-6)
    # "new" is a later version of "ant" that has not played: it is thought to be as strong, and less sure.
    weight = (ELO / 150.0) ** 2
    precision = np.zeros((5, 5))
    precision[:4, :4] = alone
    precision[np.ix_([0, 4], [0, 4])] += [[weight, -weight], [-weight, weight]]
    later = fit_pairs([*names, "new"], count_pairs(SEASON), precision)
    strengths, covariance = later.point, later.covariance
    assert strengths[4] == pytest.approx(strengths[names.index("ant")])
    assert covariance[4, 4] == pytest.approx(covariance[0, 0] + 1 / weight)
