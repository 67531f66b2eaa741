"""Groups of several players: seats exactly balanced, meetings about equally frequent."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice, pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import field_of, largest_spread, only_batch, seat_counts

from tiltyard_engine.formats import Fixture
from tiltyard_tournaments.formats.conditions import MapChoice
from tiltyard_tournaments.formats.orbits import _candidates, _combination, all_groups, balanced_groups, turns
from tiltyard_tournaments.formats.pools import Pools, PoolsOptions

fields = st.integers(2, 6).flatmap(lambda size: st.tuples(st.just(size), st.integers(size, 14)))


def meetings(count: int, batch: list[Fixture]) -> list[int]:
    """How often each pair meets, the pairs in order."""
    met = Counter(pair for fixture in batch for pair in combinations(sorted(fixture.seats), 2))
    return [met[pair] for pair in combinations(range(count), 2)]


@given(fields, st.integers(0, 6), st.integers(1, 3), st.integers(1, 2), st.sampled_from(["all", "rotate"]))
def test_every_team_sits_equally_often_in_every_seat(
    shape: tuple[int, int], rounds: int, boards: int, repeats: int, maps: MapChoice
) -> None:
    size, count = shape
    field = field_of(count, boards, seats=size, games=repeats)
    batch = only_batch(Pools(field, PoolsOptions(rounds, maps)), field)
    seats = seat_counts(batch)
    assert {seats[team, seat] for team in range(count) for seat in range(1, size + 1)} == {len(batch) // count}
    assert largest_spread(count, batch) <= size


@given(fields)
def test_without_a_number_of_rounds_everybody_meets_everybody(shape: tuple[int, int]) -> None:
    size, count = shape
    field = field_of(count, seats=size)
    assert min(meetings(count, only_batch(Pools(field, PoolsOptions()), field))) >= 1


@pytest.mark.parametrize(
    ("count", "size", "rounds", "least", "most"),
    [(7, 3, 1, 1, 1), (13, 4, 1, 1, 1), (13, 4, 5, 5, 5), (9, 4, 2, 3, 3), (10, 4, 3, 4, 4), (12, 3, 4, 2, 3), (20, 4, 6, 3, 4)],
)
def test_how_evenly_pairs_meet(count: int, size: int, rounds: int, least: int, most: int) -> None:
    """Of 7 teams by 3 and of 13 by 4, one turned group is a perfect design: everybody meets everybody once."""
    field = field_of(count, seats=size)
    met = meetings(count, only_batch(Pools(field, PoolsOptions(rounds)), field))
    assert (min(met), max(met)) == (least, most)
    assert sum(met) == comb(size, 2) * count * rounds


@given(fields, st.integers(1, 6))
def test_no_pair_meets_more_than_two_times_more_often_than_another(shape: tuple[int, int], rounds: int) -> None:
    size, count = shape
    field = field_of(count, seats=size)
    met = meetings(count, only_batch(Pools(field, PoolsOptions(rounds)), field))
    assert max(met) - min(met) <= 2


def test_maps_rotate_or_are_all_played() -> None:
    field = field_of(7, 3, seats=3)
    assert len(only_batch(Pools(field, PoolsOptions(2)), field)) == 2 * 3 * 7
    batch = only_batch(Pools(field, PoolsOptions(4, "rotate")), field)
    assert [fixture.map for fixture in batch[::7]] == [0, 1, 2, 0]


def test_one_group_of_all_is_turned_through_all_seats() -> None:
    field = field_of(4, seats=4)
    batch = only_batch(Pools(field, PoolsOptions(2)), field)
    assert len({fixture.seats for fixture in batch}) == 4
    assert [fixture.game for fixture in batch] == [0] * 4 + [1] * 4


@given(st.integers(2, 9), st.integers(2, 5))
def test_all_groups_are_all(count: int, size: int) -> None:
    if size <= count:
        groups = [tuple(sorted(group)) for orbit in all_groups(count, size) for group in orbit]
        assert sorted(groups) == list(combinations(range(count), size))


@given(st.integers(1, 10), st.integers(1, 5), st.data())
def test_a_combination_by_its_place(number: int, size: int, data: st.DataObject) -> None:
    every = list(combinations(range(1, number + 1), size))
    if every:
        place = data.draw(st.integers(0, len(every) - 1))
        assert _combination(number, size, place) == every[place]


def test_a_list_too_long_to_try_is_tried_in_parts() -> None:
    found = _candidates(99, 5)
    assert len(found) == len(set(found)) == 5000
    first = next(iter(balanced_groups(100, 6)))
    assert len({min((a - b) % 100, (b - a) % 100) for a, b in combinations(first, 2)}) == comb(6, 2)


def test_turns_have_few_teams_in_common_with_their_neighbours() -> None:
    (group,) = islice(balanced_groups(12, 4), 1)
    found = turns(group, 12)
    assert len(set(found)) == 12
    assert max(len(set(one) & set(other)) for one, other in pairwise(found)) <= 1
