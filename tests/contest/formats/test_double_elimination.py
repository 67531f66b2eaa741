"""Who has lost twice is out; those who have met meet again late; the grand final is played again where each has lost once."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.formats.playing import Judge, batches, by_chance, field_of, lower_number_wins, play, result_of

from tiltyard_contest.formats.double_elimination import DoubleElimination, DoubleEliminationOptions, crossed
from tiltyard_engine.formats import Fixture, FixtureResult

salts = st.integers(0, 2**32)
options_of_all_kinds = st.builds(
    DoubleEliminationOptions, st.integers(0, 5), st.integers(0, 2), st.sampled_from(["file", "drawn"]), st.booleans()
)
Pair = tuple[str, frozenset[int]]


def by_strength(order: list[int]) -> Judge:
    """Whoever comes first in ``order`` wins."""
    return lambda fixture: fixture.seats.index(min(fixture.seats, key=order.index)) + 1


def meetings(results: list[FixtureResult]) -> list[Pair]:
    """Each meeting once, in the order in which they began."""
    return list(dict.fromkeys((each.fixture.stage, frozenset(each.fixture.seats)) for each in results))


def losses(form: DoubleElimination, results: list[FixtureResult]) -> Counter[int]:
    """Meetings that each team has lost, by what the brackets show."""
    shown = [meeting for bracket in form.brackets(results) for column in bracket.columns for meeting in column]
    return Counter(team for one in shown if one and len(one.teams) == 2 for team in one.teams if team != one.winner)


@given(st.integers(2, 21), st.integers(1, 2), options_of_all_kinds, salts)
def test_everybody_but_the_champion_loses_twice(count: int, boards: int, options: DoubleEliminationOptions, salt: int) -> None:
    """Without a reset, the team that comes unbeaten into the grand final and loses it has lost once."""
    field = field_of(count, boards, seed=salt)
    form = DoubleElimination(field, options)
    played = play(form, field, by_chance(salt))
    groups = form.placings(played)
    champion, second = groups[0][0], groups[1][0]
    lost = losses(form, played)
    assert sorted(team for group in groups for team in group) == list(range(count))
    assert [len(group) for group in groups[:2]] == [1, 1]
    assert all(lost[team] == 2 for team in range(count) if team not in (champion, second))
    assert lost[champion] < 2
    assert lost[second] == 2 or (lost[second] == lost[champion] == 1 and not options.reset)
    assert len(meetings(played)) == sum(lost.values()) == 2 * count - 2 + (options.reset and lost[champion] == 1)
    fewest, most = form.expected_games()
    assert fewest <= len(played) <= most


@given(st.integers(2, 13), salts, st.randoms(use_true_random=False))
@settings(max_examples=12)
def test_the_next_batch_depends_on_results_alone(count: int, salt: int, lots: random.Random) -> None:
    """Not on their order, nor on who was asked before: a run that goes on from any batch plays as if nothing had happened."""
    field = field_of(count, 2)
    options = DoubleEliminationOptions(best_of=3)
    played: list[FixtureResult] = []
    for batch in batches(DoubleElimination(field, options), field, by_chance(salt)):
        shuffled = lots.sample(played, len(played))
        assert DoubleElimination(field, options).next_batch(shuffled) == batch
        played += [result_of(fixture, by_chance(salt)(fixture)) for fixture in batch]
        half = DoubleElimination(field, options).placings(lots.sample(played, len(played) // 2))
        assert sorted(team for group in half for team in group) == list(range(count))


@given(st.integers(2, 5), st.randoms(use_true_random=False))
def test_those_who_met_meet_again_late(power: int, lots: random.Random) -> None:
    """At the best in the round that joins the halves, where teams of all earlier rounds are in one half already."""
    count = 2**power
    field = field_of(count)
    played = play(
        DoubleElimination(field, DoubleEliminationOptions(best_of=1)), field, by_strength(lots.sample(range(count), count))
    )
    upper = {pair for stage, pair in meetings(played) if stage.startswith("upper")}
    lower = [stage for stage in dict.fromkeys(stage for stage, _ in meetings(played)) if stage.startswith("lower")]
    again = [lower.index(stage) + 1 for stage, pair in meetings(played) if stage in lower and pair in upper]
    assert min(again, default=99) >= {2: 2, 3: 3, 4: 4, 5: 5}[power]


def test_losers_come_crosswise_into_the_lower_bracket() -> None:
    assert crossed(range(8), 2) == [7, 6, 5, 4, 3, 2, 1, 0]
    assert crossed(range(8), 3) == [3, 2, 1, 0, 7, 6, 5, 4]
    assert crossed(range(4), 4) == [2, 3, 0, 1]
    assert crossed([5], 6) == [5]


EIGHT = {
    "upper quarter-final": [{0, 7}, {3, 4}, {1, 6}, {2, 5}],
    "upper semi-final": [{0, 3}, {1, 2}],
    "lower round 1": [{4, 7}, {5, 6}],
    "lower round 2": [{2, 4}, {3, 5}],
    "upper final": [{0, 1}],
    "lower round 3": [{2, 3}],
    "lower final": [{1, 2}],
    "grand final": [{0, 1}],
}
"""The pairings that other programs have for eight teams of which the better one always wins."""


def test_the_rounds_of_eight_are_those_that_everybody_has() -> None:
    field = field_of(8)
    form = DoubleElimination(field, DoubleEliminationOptions(best_of=1))
    played = play(form, field, lower_number_wins)
    rounds: dict[str, list[set[int]]] = {}
    for stage, pair in meetings(played):
        rounds.setdefault(stage, []).append(set(pair))
    assert rounds == EIGHT
    assert form.placings(played) == [[0], [1], [2], [3], [4, 5], [6, 7]]
    assert form.expected_games() == (14, 45)


def test_few_teams_leave_out_rounds_in_which_nobody_plays() -> None:
    field = field_of(5)
    form = DoubleElimination(field, DoubleEliminationOptions(best_of=1))
    played = play(form, field, lower_number_wins)
    assert [(stage, sorted(pair)) for stage, pair in meetings(played)] == [
        ("upper quarter-final", [3, 4]),
        ("upper semi-final", [0, 3]),
        ("upper semi-final", [1, 2]),
        ("lower round 1", [2, 4]),
        ("upper final", [0, 1]),
        ("lower round 2", [2, 3]),
        ("lower final", [1, 2]),
        ("grand final", [0, 1]),
    ]
    assert [(bye.team, bye.stage) for bye in form.byes(played)] == [
        *[(team, "upper quarter-final") for team in (0, 1, 2)],
        (3, "lower round 1"),
    ]
    assert [bye.team for bye in form.byes(played[:1])] == [0, 1, 2]


@pytest.mark.parametrize(("reset", "finals"), [(True, ["grand final", "grand final reset"]), (False, ["grand final"])])
def test_who_comes_from_below_must_win_twice(reset: bool, finals: list[str]) -> None:
    field = field_of(4)
    form = DoubleElimination(field, DoubleEliminationOptions(best_of=1, reset=reset))

    def judge(fixture: Fixture) -> int:
        return by_strength([1, 0, 2, 3] if fixture.stage.startswith("grand") else [0, 1, 2, 3])(fixture)

    played = play(form, field, judge)
    assert [stage for stage, _ in meetings(played) if stage.startswith("grand")] == finals
    assert form.placings(played)[:2] == [[1], [0]]
    upper = form.brackets(played)[0]
    assert [column[0].winner for column in upper.columns[2:] if column[0]] == [1] * len(finals)


def test_a_drawn_grand_final_is_won_by_who_has_not_lost() -> None:
    field = field_of(4)
    form = DoubleElimination(field, DoubleEliminationOptions(best_of=1, replays=0))

    def judge(fixture: Fixture) -> int:
        return 0 if fixture.stage == "grand final" else by_strength([1, 0, 2, 3])(fixture)

    played = play(form, field, judge)
    assert form.placings(played)[:2] == [[1], [0]]
    final = form.brackets(played)[0].columns[-1][0]
    assert final is not None
    assert (final.teams, final.winner, final.note) == ((1, 0), 1, "drawn, the first advances")


def test_a_second_meeting_has_further_games() -> None:
    """All fixtures are looked at by what the host refuses; here is what it sees."""
    field = field_of(2, 2)
    played = play(DoubleElimination(field, DoubleEliminationOptions(best_of=3, replays=1)), field, lambda fixture: 0)
    games = [(each.fixture.stage, each.fixture.seats, each.fixture.map, each.fixture.game) for each in played]
    assert games[:5] == [
        ("upper final", (0, 1), 0, 0),
        ("upper final", (1, 0), 0, 0),
        ("upper final", (0, 1), 1, 0),
        ("upper final", (0, 1), 0, 1),
        ("upper final", (1, 0), 0, 1),
    ]
    assert games[5] == ("grand final", (0, 1), 0, 2)


def test_brackets_fill_from_the_first_round_on() -> None:
    field = field_of(6)
    form = DoubleElimination(field, DoubleEliminationOptions(best_of=1))
    upper, lower = form.brackets([])
    assert [len(column) for column in upper.columns] == [4, 2, 1, 1]
    assert [len(column) for column in lower.columns] == [2, 1, 1]
    assert [one.teams for one in upper.columns[0] if one] == [(0,), (3, 4), (1,), (2, 5)]
    assert [one.winner for one in upper.columns[0] if one] == [0, None, 1, None]
    assert [one.teams for one in upper.columns[1] if one] == [(0,), (1,)]
