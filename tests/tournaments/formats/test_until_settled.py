"""Play goes on between close teams, stops when the order is certain, and says what was not shown."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import exp
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.formats.playing import Judge, batches, by_chance, field_of, lower_number_wins, play, result_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Fixture, FixtureResult
from tiltyard_tournaments.formats.batch_checks import check_groups
from tiltyard_tournaments.formats.until_settled import UntilSettled, UntilSettledOptions


def of_strengths(*strengths: float) -> Judge:
    """The odds of the stronger are the exponential of the difference."""

    def judge(fixture: Fixture) -> int:
        first, second = (strengths[team] for team in fixture.seats)
        drawn = Random(repr((fixture.seats, fixture.map, fixture.game))).random()
        return 1 if drawn < 1 / (1 + exp(second - first)) else 2

    return judge


@given(st.integers(2, 6), st.integers(1, 3), st.integers(1, 2), st.integers(0, 400), st.integers(0, 2**32))
@settings(deadline=None, max_examples=25)
def test_it_ends_within_the_budget_and_all_pairs_get_whole_blocks(
    count: int, boards: int, repeats: int, more: int, salt: int
) -> None:
    field = field_of(count, boards, games=repeats)
    first = count * (count - 1) * boards * repeats
    tournament = UntilSettled(field, UntilSettledOptions(budget=first + more))
    played = play(tournament, field, by_chance(salt))
    assert tournament.expected_games() == (first, first + more)
    assert first <= len(played) <= first + more
    check_groups("until-settled", field, tournament.placings(played))
    games = Counter(frozenset(result.fixture.seats) for result in played)
    for pair in combinations(range(count), 2):
        found = {
            (result.fixture.seats, result.fixture.map, result.fixture.game)
            for result in played
            if set(result.fixture.seats) == set(pair)
        }
        blocks = games[frozenset(pair)] // (2 * boards * repeats)
        wanted = {
            (seats, board, game) for seats in (pair, pair[::-1]) for board in range(boards) for game in range(blocks * repeats)
        }
        assert found == wanted


def test_clear_differences_end_with_the_first_batch() -> None:
    field = field_of(4, 3, games=4)
    tournament = UntilSettled(field, UntilSettledOptions())
    (batch,) = batches(tournament, field, lower_number_wins)
    played = [result_of(fixture, lower_number_wins(fixture)) for fixture in batch]
    assert tournament.placings(played) == [[0], [1], [2], [3]]
    assert all(": shown, " in note for note in tournament.notes(played)[:3])


def test_only_close_neighbours_go_on_and_the_others_are_settled() -> None:
    """Teams 1 and 2 are equal, all others far apart."""
    field = field_of(4, 4)
    judge = of_strengths(6, 3, 3, 0)
    tournament = UntilSettled(field, UntilSettledOptions(budget=400))
    found = batches(tournament, field, judge)
    assert len(found) >= 3
    assert {frozenset(fixture.seats) for batch in found[2:] for fixture in batch} == {frozenset((1, 2))}
    played = [result_of(fixture, judge(fixture)) for batch in found for fixture in batch]
    assert [sorted(group) for group in tournament.placings(played)] == [[0], [1, 2], [3]]
    notes = tournament.notes(played)
    assert [note.split(": ")[1].split(",")[0] for note in notes[:3]] == ["shown", "not shown", "shown"]


def test_each_batch_doubles_the_games_of_a_close_pair() -> None:
    field = field_of(3)
    found = batches(UntilSettled(field, UntilSettledOptions(budget=100)), field, lambda fixture: 0)
    pairs = [Counter(frozenset(fixture.seats) for fixture in batch)[frozenset((0, 1))] for batch in found]
    assert pairs[:4] == [2, 2, 4, 8]
    assert [batch[0].stage for batch in found] == [f"batch {number}" for number in range(1, len(found) + 1)]


@pytest.mark.parametrize(("difference", "better"), [(0.85, 0), (-0.85, 1)])
def test_two_teams_by_the_sequential_test(difference: float, better: int) -> None:
    field = field_of(2, 2)
    tournament = UntilSettled(field, UntilSettledOptions(batch=8))
    played = play(tournament, field, of_strengths(difference, 0))
    assert len(played) < 400
    assert tournament.placings(played) == [[better], [1 - better]]
    assert tournament.notes(played)[0] == f"team-{better} is better than team-{1 - better}: shown"
    assert "SPRT of 50 Elo points or none, 5 % error" in tournament.notes(played)[1]


def test_two_teams_that_are_about_equal_are_shown_to_be() -> None:
    field = field_of(2, 2)
    tournament = UntilSettled(field, UntilSettledOptions())
    played = play(tournament, field, of_strengths(0, 0))
    assert 100 < len(played) < 1000
    assert tournament.placings(played) == [[0, 1]]
    assert tournament.notes(played)[0] == "team-0 and team-1 differ by less than 50 Elo points: shown"


def test_where_the_budget_is_used_up_it_says_so() -> None:
    field = field_of(2)
    tournament = UntilSettled(field, UntilSettledOptions(batch=10, budget=65))
    played = play(tournament, field, by_chance(1))
    assert len(played) == 64
    assert tournament.placings(played) in ([[0, 1]], [[1, 0]])
    assert tournament.notes(played)[0] == "which of team-0 and team-1 is better: not shown"


def test_three_equal_teams_are_put_in_order_as_rarely_as_wanted() -> None:
    """5 % are allowed for each of two pairs of neighbours; 30 tournaments with fixed chance."""
    field = field_of(3, 2)
    tournament = UntilSettled(field, UntilSettledOptions(budget=200))
    ordered = 0
    for run in range(30):
        judge = by_chance(run)
        ordered += len(tournament.placings(play(tournament, field, judge))) > 1
    assert ordered <= 5


@pytest.mark.parametrize("count", [2, 3])
def test_games_that_repeat_whatever_the_seed_end_it(count: int) -> None:
    """The same 2 games again and again are not evidence of anything."""
    field = field_of(count)
    tournament = UntilSettled(field, UntilSettledOptions(batch=4, confidence=0.99))
    played: list[FixtureResult] = []
    while batch := tournament.next_batch(played):
        played += [result_of(fixture, lower_number_wins(fixture), digest=f"{fixture.seats}") for fixture in batch]
    assert len(played) <= (2 + 4 if count == 2 else 6 * 2)
    assert [sorted(group) for group in tournament.placings(played)] == [list(range(count))]
    assert any("play the same games whatever the seed" in note for note in tournament.notes(played))


def test_before_anything_is_played_all_are_equal() -> None:
    tournament = UntilSettled(field_of(3), UntilSettledOptions())
    assert tournament.placings([]) == [[0, 1, 2]]
    assert tournament.notes([]) == ()


def test_a_budget_that_is_too_small() -> None:
    with pytest.raises(UserError, match="until-settled: budget: 11 games are fewer than the 12 of the first batch"):
        UntilSettled(field_of(3, 2), UntilSettledOptions(budget=11))
