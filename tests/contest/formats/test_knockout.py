"""Who loses is out; nobody plays on after a meeting is decided; draws are played off; placings follow the rounds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import batches, by_chance, field_of, lower_number_wins, play, result_of

from tiltyard_contest.formats.knockout import Knockout, KnockoutOptions
from tiltyard_contest.formats.meetings import NOBODY, seeded_places
from tiltyard_engine.formats import Fixture, FixtureResult

THIRD_PLACE = "third place"
salts = st.integers(0, 2**32)
options_of_all_kinds = st.builds(
    KnockoutOptions, st.integers(0, 6), st.integers(0, 2), st.sampled_from(["file", "drawn"]), st.booleans()
)


def meetings(fixtures: list[Fixture]) -> Counter[tuple[str, frozenset[int]]]:
    """Games of each meeting."""
    return Counter((fixture.stage, frozenset(fixture.seats)) for fixture in fixtures)


@given(st.integers(2, 70))
def test_the_tree_holds_every_seed_and_the_best_have_no_opponent(teams: int) -> None:
    places = seeded_places(teams)
    assert sorted(seed for seed in places if seed != NOBODY) == list(range(teams))
    byes = sorted(max(pair) for pair in zip(places[::2], places[1::2]) if NOBODY in pair)
    assert byes == list(range(len(byes)))


@given(st.integers(2, 6))
def test_if_the_better_seed_always_wins_the_best_meet_last(power: int) -> None:
    line = seeded_places(2**power)
    while len(line) > 1:
        pairs = list(zip(line[::2], line[1::2]))
        assert {sum(pair) for pair in pairs} == {len(line) - 1}
        line = [min(pair) for pair in pairs]


@given(st.integers(2, 17), st.integers(1, 3), options_of_all_kinds, salts)
def test_a_tournament_ends_with_everybody_placed(count: int, boards: int, options: KnockoutOptions, salt: int) -> None:
    field = field_of(count, boards, seed=salt)
    tournament = Knockout(field, options)
    played = play(tournament, field, by_chance(salt))
    found = meetings([result.fixture for result in played])
    third = options.third_place and count >= 4
    assert len(found) == count - 1 + third
    assert (THIRD_PLACE in {stage for stage, _ in found}) == third
    fewest, most = tournament.expected_games()
    assert fewest <= len(played) <= most
    groups = tournament.placings(played)
    assert sorted(team for group in groups for team in group) == list(range(count))
    assert len(groups[0]) == len(groups[1]) == 1
    finals = [pair for stage, pair in found if stage == "final"]
    assert finals == [{groups[0][0], groups[1][0]}]


@given(st.integers(4, 17), st.integers(1, 4), salts)
def test_no_game_is_played_after_the_decision(count: int, half: int, salt: int) -> None:
    best_of = 2 * half + 1
    field = field_of(count, 2)
    played = play(Knockout(field, KnockoutOptions(best_of)), field, by_chance(salt))
    scores: dict[tuple[str, frozenset[int]], Counter[int]] = {}
    for result in played:
        fixture = result.fixture
        score = scores.setdefault((fixture.stage, frozenset(fixture.seats)), Counter(dict.fromkeys(fixture.seats, 0)))
        games = sum(score.values())
        left = 2 * best_of - games
        assert games >= 2 * best_of or abs(score[fixture.seats[0]] - score[fixture.seats[1]]) <= left
        # Two for a win and one for a tie, so that every game adds two.
        for seat, team in enumerate(fixture.seats, start=1):
            score[team] += 1 if result.winner == 0 else 2 * (result.winner == seat)


def test_all_meetings_have_the_same_games_in_the_same_order() -> None:
    field = field_of(4, 2)
    (semi, _) = batches(Knockout(field, KnockoutOptions(best_of=8)), field, lower_number_wins)
    places = [(fixture.seats, fixture.map, fixture.game) for fixture in semi]
    assert places[::2] == [
        ((0, 3), 0, 0),
        ((3, 0), 0, 0),
        ((0, 3), 1, 0),
        ((3, 0), 1, 0),
        ((0, 3), 0, 1),
    ]
    assert [(map_, game) for _, map_, game in places[1::2]] == [(map_, game) for _, map_, game in places[::2]]


def test_by_default_a_meeting_is_all_maps_in_both_seats() -> None:
    field = field_of(2, 3, games=2)
    assert Knockout(field, KnockoutOptions()).best_of == 12


def test_draws_are_played_off_in_both_seats_then_the_better_seed_goes_on() -> None:
    field = field_of(2, 2)
    tournament = Knockout(field, KnockoutOptions(best_of=3, replays=2))
    found = batches(tournament, field, lambda fixture: 0)
    replays = [fixture for batch in found[-2:] for fixture in batch]
    assert [fixture.seats for fixture in replays] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert sum(map(len, found)) == 3 + 4
    assert tournament.placings([result_of(fixture, 0) for batch in found for fixture in batch]) == [[0], [1]]


def test_a_replay_is_won_by_who_leads_after_both_games() -> None:
    field = field_of(2)
    tournament = Knockout(field, KnockoutOptions(best_of=2, replays=1))
    results = [result_of(fixture, 0) for fixture in tournament.next_batch([])]
    results += [result_of(fixture, number) for number, fixture in zip((0, 1), tournament.next_batch(results))]
    assert len(results) == 4
    assert not tournament.next_batch(results)
    assert tournament.placings(results) == [[1], [0]]


def test_stages_third_place_and_placings() -> None:
    field = field_of(6)
    tournament = Knockout(field, KnockoutOptions(best_of=1))
    found = batches(tournament, field, lower_number_wins)
    assert [list(dict.fromkeys(fixture.stage for fixture in batch)) for batch in found] == [
        ["quarter-final"],
        ["semi-final"],
        ["final", "third place"],
    ]
    played = [result_of(fixture, lower_number_wins(fixture)) for batch in found for fixture in batch]
    assert [(bye.team, bye.stage, bye.games) for bye in tournament.byes(played)] == [
        (0, "quarter-final", 0),
        (1, "quarter-final", 0),
    ]
    assert tournament.placings(played) == [[0], [1], [2], [3], [4, 5]]
    assert tournament.placings([]) == [[0, 1, 2, 3, 4, 5]]
    assert tournament.placings(played[:2]) == [[0, 1, 2, 3], [4, 5]]


@given(st.integers(2, 33), st.sampled_from([1, 2, 3, 6, 8, 16]), salts)
def test_losers_play_for_the_places_that_are_asked_for(count: int, last: int, salt: int) -> None:
    field = field_of(count, seed=salt)
    form = Knockout(field, KnockoutOptions(best_of=1, places=last))
    played = play(form, field, by_chance(salt))
    groups = form.placings(played)
    assert sorted(team for group in groups for team in group) == list(range(count))
    assert [len(group) for group in groups[: max(2, last)]] == [1] * min(count, max(2, last))
    fewest, most = form.expected_games()
    assert fewest <= len(played) <= most
    # Each meeting for a place is between teams that nothing told apart before.
    stages = [stage for stage, _ in meetings([result.fixture for result in played]) if "place" in stage]
    assert len(stages) == len(set(stages)) or last > 4
    assert bool(stages) == (last > 2 and count > 3)


def test_eight_teams_play_for_eight_places() -> None:
    field = field_of(8)
    form = Knockout(field, KnockoutOptions(best_of=1, places=8))
    found = batches(form, field, lower_number_wins)
    assert [list(dict.fromkeys(fixture.stage for fixture in batch)) for batch in found] == [
        ["quarter-final"],
        ["semi-final", "places 5 to 8"],
        ["final", "third place", "fifth place", "seventh place"],
    ]
    assert form.expected_games() == (12, 36)
    played = [result_of(fixture, lower_number_wins(fixture)) for batch in found for fixture in batch]
    assert form.placings(played) == [[team] for team in range(8)]
    assert [bracket.name for bracket in form.brackets(played)] == ["", "third place", "places 5 to 8", "seventh place"]
    # The other losers know where they play before all quarter-finals are over, and their places are not told before.
    assert form.placings(played[:4]) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_without_a_third_place_its_two_are_equal() -> None:
    field = field_of(4)
    tournament = Knockout(field, KnockoutOptions(best_of=1, third_place=False))
    played = play(tournament, field, lower_number_wins)
    assert tournament.placings(played) == [[0], [1], [2, 3]]


def test_a_long_match_for_the_third_place_does_not_hold_up_the_final() -> None:
    """And the other way round: each of the two ends by itself."""
    field = field_of(4)
    tournament = Knockout(field, KnockoutOptions(best_of=3))

    def judge(fixture: Fixture) -> int:
        return fixture.game % 3 if fixture.stage == THIRD_PLACE else lower_number_wins(fixture)

    played = play(tournament, field, judge)
    late = [result.fixture.stage for result in played[-2:]]
    assert late == [THIRD_PLACE, THIRD_PLACE]
    assert tournament.placings(played)[:2] == [[0], [1]]


def test_seeds_drawn_by_lot_depend_on_the_seed_alone() -> None:
    options = KnockoutOptions(seeding="drawn")
    lines = [tuple(Knockout(field_of(8, seed=seed), options).team) for seed in range(20)]
    assert len(set(lines)) > 15
    assert lines[3] == tuple(Knockout(field_of(8, seed=3), options).team)


def test_a_game_without_a_result_is_a_tie() -> None:
    field = field_of(2)
    tournament = Knockout(field, KnockoutOptions(best_of=1, replays=0))
    played: list[FixtureResult] = [result_of(fixture, 0, counts=False) for fixture in tournament.next_batch([])]
    assert not tournament.next_batch(played)
    assert tournament.placings(played) == [[0], [1]]


@pytest.mark.parametrize("count", [2, 3])
def test_too_few_for_a_third_place(count: int) -> None:
    field = field_of(count)
    tournament = Knockout(field, KnockoutOptions(best_of=1))
    assert tournament.placings(play(tournament, field, lower_number_wins)) == [[team] for team in range(count)]
