"""Equal points meet, nobody meets twice, byes and seats are fair."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import Judge, batches, by_chance, field_of, lower_number_wins, play, result_of, seat_counts

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, Fixture, FixtureResult
from tiltyard_tournaments.formats.swiss import Swiss, SwissOptions
from tiltyard_tournaments.formats.swiss_pairing import SwissStanding, pair_round


def meetings(batch: list[Fixture]) -> list[frozenset[int]]:
    """Who meets whom in a round, once each, in order."""
    return list(dict.fromkeys(frozenset(fixture.seats) for fixture in batch))


def rounds_of(field: Field, options: SwissOptions, salt: int) -> list[list[frozenset[int]]]:
    return [meetings(batch) for batch in batches(Swiss(field, options), field, by_chance(salt))]


salts = st.integers(0, 2**32)
options_of_all_kinds = st.builds(
    SwissOptions,
    st.just(0),
    st.sampled_from(["rotate", "all"]),
    st.sampled_from(["both", "balanced"]),
    st.sampled_from(["file", "drawn"]),
)


@given(st.integers(2, 20), st.integers(1, 3), st.integers(1, 2), options_of_all_kinds, salts)
def test_everybody_plays_or_sits_out_each_round(count: int, boards: int, repeats: int, options: SwissOptions, salt: int) -> None:
    field = field_of(count, boards, games=repeats, seed=salt)
    tournament = Swiss(field, options)
    found = batches(tournament, field, by_chance(salt))
    assert len(found) == (count - 1).bit_length()
    games = sum(map(len, found))
    assert tournament.expected_games() == (games, games)
    played = [result_of(fixture, by_chance(salt)(fixture)) for batch in found for fixture in batch]
    byes = {bye.stage: bye.team for bye in tournament.byes(played)}
    assert len(byes) == (len(found) if count % 2 else 0)
    for batch in found:
        teams = [team for pair in meetings(batch) for team in pair]
        assert sorted([*teams, byes[batch[0].stage]] if count % 2 else teams) == list(range(count))


@given(st.integers(2, 20), options_of_all_kinds, salts)
def test_nobody_meets_again_in_the_first_half_of_all_rounds(count: int, options: SwissOptions, salt: int) -> None:
    """As long as everybody has at least half of the others before them, a pairing without a repeat exists (Dirac)."""
    rounds = max(1, (count + 1) // 2)
    field = field_of(count, seed=salt)
    found = rounds_of(field, SwissOptions(rounds, options.maps, options.seats, options.seeding), salt)
    pairs = [pair for pairs in found for pair in pairs]
    assert len(set(pairs)) == len(pairs)


@given(st.integers(1, 7).map(lambda number: 2 * number + 1), salts, st.booleans())
def test_nobody_sits_out_twice_before_all_have(count: int, salt: int, balanced: bool) -> None:
    field = field_of(count)
    tournament = Swiss(field, SwissOptions(rounds=count, seats="balanced" if balanced else "both"))
    byes = tournament.byes(play(tournament, field, by_chance(salt)))
    assert sorted(bye.team for bye in byes) == list(range(count))


@given(st.integers(1, 8).map(lambda number: 2 * number + 1), salts)
def test_the_lowest_who_has_not_sat_out_does(count: int, salt: int) -> None:
    """With few rounds nothing else forbids it."""
    field = field_of(count)
    tournament = Swiss(field, SwissOptions(rounds=2))
    played = play(tournament, field, by_chance(salt))
    first, second = tournament.byes(played)
    points = dict.fromkeys(range(count), 0.0)
    points[first.team] = first.games * field.win_points
    for result in played:
        if result.fixture.stage == first.stage:
            for team, gained in zip(result.fixture.seats, result.points):
                points[team] += gained
    assert first.team == count - 1
    assert (first.games, second.games) == (2, 2)
    others = [team for team in range(count) if team != first.team]
    assert second.team == max(others, key=lambda team: (-points[team], team))


@given(st.integers(2, 16), salts, st.integers(1, 3))
def test_balanced_seats_differ_by_two_at_most(count: int, salt: int, boards: int) -> None:
    """As long as there is a choice: the first quarter of all rounds."""
    field = field_of(count, boards)
    options = SwissOptions(rounds=max(1, count // 4), seats="balanced")
    batch = [fixture for found in batches(Swiss(field, options), field, by_chance(salt)) for fixture in found]
    seats = seat_counts(batch)
    assert all(abs(seats[team, 1] - seats[team, 2]) <= 2 for team in range(count))


@given(st.integers(2, 12), salts)
def test_balanced_seats_differ_little_even_in_the_longest_swiss(count: int, salt: int) -> None:
    field = field_of(count)
    options = SwissOptions(rounds=count - 1 + count % 2, seats="balanced")
    seats = seat_counts([result.fixture for result in play(Swiss(field, options), field, by_chance(salt))])
    assert all(abs(seats[team, 1] - seats[team, 2]) <= 3 for team in range(count))


@given(st.integers(2, 12), st.integers(1, 3), salts)
def test_all_pairings_of_a_round_meet_the_same_maps_and_games(count: int, boards: int, salt: int) -> None:
    field = field_of(count, boards, games=2)
    for batch in batches(Swiss(field, SwissOptions()), field, by_chance(salt)):
        places: dict[frozenset[int], list[tuple[int, int]]] = {pair: [] for pair in meetings(batch)}
        for fixture in batch:
            places[frozenset(fixture.seats)].append((fixture.map, fixture.game % 2))
        assert len({tuple(sorted(found)) for found in places.values()}) == 1


def test_a_second_meeting_has_games_of_its_own() -> None:
    field = field_of(3, games=2)
    found = rounds_of(field, SwissOptions(rounds=3), 1)
    assert len({pair for pairs in found for pair in pairs}) == 3
    four = field_of(4)
    late = [fixture for batch in batches(Swiss(four, SwissOptions(rounds=3)), four, by_chance(2)) for fixture in batch]
    assert len({(fixture.seats, fixture.map, fixture.game) for fixture in late}) == len(late)


def test_the_first_round_is_upper_half_against_lower_half() -> None:
    assert rounds_of(field_of(8), SwissOptions(), 0)[0] == [frozenset(pair) for pair in ((0, 4), (1, 5), (2, 6), (3, 7))]


def test_winners_meet_winners() -> None:
    field = field_of(8)
    _, second, third = batches(Swiss(field, SwissOptions()), field, lower_number_wins)
    assert meetings(second) == [frozenset(pair) for pair in ((0, 2), (1, 3), (4, 6), (5, 7))]
    assert meetings(third)[0] == {0, 1}
    assert meetings(third)[-1] == {6, 7}


@given(st.integers(8, 24).map(lambda number: number - number % 2), salts)
def test_pairs_are_at_least_as_close_in_points_as_neighbours_in_the_table(count: int, salt: int) -> None:
    table = [SwissStanding(team, points=float((salt >> team) % 3)) for team in range(count)]
    table.sort(key=lambda team: (-team.points, team.team))
    groups = {points: place for place, points in enumerate(sorted({team.points for team in table}, reverse=True))}
    where = {team.team: groups[team.points] for team in table}
    found = pair_round(table, weigh_seats=False)
    apart = sum((where[one] - where[other]) ** 2 for one, other in found.pairs)
    in_order = sum((where[one.team] - where[other.team]) ** 2 for one, other in zip(table[::2], table[1::2]))
    assert apart <= in_order


@given(st.integers(2, 10), st.data())
def test_balanced_seats_cross_no_more_groups_of_points_than_needed(half: int, data: st.DataObject) -> None:
    """A wish for a seat stands below them, as in FIDE's rules; that nobody comes beyond a difference of two stands above them."""
    points = sorted(data.draw(st.lists(st.integers(0, 4), min_size=2 * half, max_size=2 * half)), reverse=True)
    leans = data.draw(st.lists(st.integers(-1, 1), min_size=2 * half, max_size=2 * half))
    table = [SwissStanding(place, float(own), lean=lean) for place, (own, lean) in enumerate(zip(points, leans))]
    groups = {own: number for number, own in enumerate(dict.fromkeys(points))}

    def distance(weigh_seats: bool) -> int:
        pairs = pair_round(table, weigh_seats).pairs
        return sum((groups[points[one]] - groups[points[other]]) ** 2 for one, other in pairs)

    assert distance(True) == distance(False)


@given(st.integers(2, 8), st.data())
def test_a_pairing_costs_the_least_of_all(half: int, data: st.DataObject) -> None:
    """Repeats are as few as can be, whatever has been played; against trying all pairings of a few teams."""
    count = min(2 * half, 8)
    met = {pair: data.draw(st.integers(0, 1)) for pair in combinations(range(count), 2)}
    table = [
        SwissStanding(team, met={other: met[min(team, other), max(team, other)] for other in range(count) if other != team})
        for team in range(count)
    ]
    found = sum(met[min(pair), max(pair)] for pair in pair_round(table, weigh_seats=False).pairs)

    def least(left: tuple[int, ...]) -> int:
        if not left:
            return 0
        first, *rest = left
        return min(met[first, other] + least(tuple(team for team in rest if team != other)) for other in rest)

    assert found == least(tuple(range(count)))


def test_while_a_round_is_played_its_own_bye_is_the_last() -> None:
    field = field_of(5)
    tournament = Swiss(field, SwissOptions())
    first = [result_of(fixture, 1) for fixture in tournament.next_batch([])]
    assert [bye.stage for bye in tournament.byes(first[:2])] == ["round 1"]
    assert [bye.stage for bye in tournament.byes(first)] == ["round 1", "round 2"]


def test_matches_without_a_result_give_nothing_but_are_not_played_again() -> None:
    field = field_of(4)
    tournament = Swiss(field, SwissOptions(rounds=3))
    played: list[FixtureResult] = []
    while batch := tournament.next_batch(played):
        played += [result_of(fixture, 0, counts=False) for fixture in batch]
    assert Counter(frozenset(result.fixture.seats) for result in played) == dict.fromkeys(
        map(frozenset, combinations(range(4), 2)), 2
    )


def test_the_best_team_wins_far_more_often_than_by_lot() -> None:
    """Strength decides 3 of 4 games: after the usual number of rounds the best of 16 stands well above the middle."""
    field = field_of(16)
    places: list[int] = []
    for salt in range(30):
        chance = by_chance(salt)

        def judge(fixture: Fixture, chance: Judge = chance) -> int:
            upset = chance(Fixture((*fixture.seats, 99), fixture.map, fixture.game)) == 0
            return 3 - lower_number_wins(fixture) if upset else lower_number_wins(fixture)

        points = dict.fromkeys(range(16), 0.0)
        for result in play(Swiss(field, SwissOptions(rounds=6, seats="balanced")), field, judge):
            for team, gained in zip(result.fixture.seats, result.points):
                points[team] += gained
        places.append(sorted(points, key=lambda team: -points[team]).index(0))
    assert mean(places) < 4


@pytest.mark.parametrize(("count", "most"), [(6, 5), (7, 7)])
def test_more_rounds_than_opponents(count: int, most: int) -> None:
    Swiss(field_of(count), SwissOptions(rounds=most))
    with pytest.raises(
        UserError, match=f"swiss: rounds: {most + 1} rounds are too many for {count} teams .* expected at most {most}"
    ):
        Swiss(field_of(count), SwissOptions(rounds=most + 1))
