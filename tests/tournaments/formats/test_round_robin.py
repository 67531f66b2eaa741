"""Everybody meets everybody under the same conditions, and the table can be read early."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import field_of, largest_spread, only_batch, seat_counts, shortest_rest

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.formats.conditions import SeatOrders
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions

teams, maps, games = st.integers(2, 13), st.integers(1, 4), st.integers(1, 3)


@given(teams, maps, games)
def test_double_every_pair_on_every_map_and_game_in_both_orders(count: int, boards: int, repeats: int) -> None:
    field = field_of(count, boards, games=repeats)
    batch = only_batch(RoundRobin(field, RoundRobinOptions()), field)
    found = {(fixture.seats, fixture.map, fixture.game) for fixture in batch}
    assert found == set(product(permutations(range(count), 2), range(boards), range(repeats)))


@given(teams, maps, games)
def test_single_every_pair_once_under_each_condition_with_balanced_seats(count: int, boards: int, repeats: int) -> None:
    field = field_of(count, boards, games=repeats)
    batch = only_batch(RoundRobin(field, RoundRobinOptions(seats="single")), field)
    found = sorted((tuple(sorted(fixture.seats)), fixture.map, fixture.game) for fixture in batch)
    assert found == sorted(product(combinations(range(count), 2), range(boards), range(repeats)))
    seats = seat_counts(batch)
    assert all(abs(seats[team, 1] - seats[team, 2]) <= 1 for team in range(count))
    orders = Counter(fixture.seats for fixture in batch)
    assert all(abs(orders[one, other] - orders[other, one]) <= 1 for one, other in combinations(range(count), 2))


@given(teams, maps, games, st.sampled_from(["single", "double"]))
def test_after_any_number_of_matches_all_have_played_about_equally_often(
    count: int, boards: int, repeats: int, orders: SeatOrders
) -> None:
    field = field_of(count, boards, games=repeats)
    batch = only_batch(RoundRobin(field, RoundRobinOptions(orders)), field)
    assert largest_spread(count, batch) <= (2 if count % 2 else 1)
    by_stage: dict[str, list[int]] = {}
    for fixture in batch:
        by_stage.setdefault(fixture.stage, []).extend(fixture.seats)
    assert all(len(set(played)) == len(played) >= count - 1 for played in by_stage.values())


@pytest.mark.parametrize(("count", "rest"), [(6, 1), (7, 1), (8, 2), (9, 2), (16, 6), (30, 13)])
def test_nobody_plays_back_to_back(count: int, rest: int) -> None:
    field = field_of(count, 2)
    assert shortest_rest(only_batch(RoundRobin(field, RoundRobinOptions()), field)) == rest


def test_maps_rotate_from_round_to_round() -> None:
    field = field_of(4, 3)
    batch = only_batch(RoundRobin(field, RoundRobinOptions()), field)
    assert [fixture.map for fixture in batch[:8:2]] == [0, 1, 2, 1]


def test_a_new_team_at_the_end_leaves_the_matches_of_the_others_as_they_are() -> None:
    field, larger = field_of(5, 2), field_of(6, 2)
    options = RoundRobinOptions(seats="single")
    before = {(fixture.seats, fixture.map, fixture.game) for fixture in only_batch(RoundRobin(field, options), field)}
    after = {(fixture.seats, fixture.map, fixture.game) for fixture in only_batch(RoundRobin(larger, options), larger)}
    assert before == {key for key in after if 5 not in key[0]}


@given(st.integers(3, 9), st.integers(3, 5), maps, st.sampled_from(["single", "double"]))
def test_more_than_two_players_every_group_under_every_condition(count: int, size: int, boards: int, orders: SeatOrders) -> None:
    if size > count:
        return
    field = field_of(count, boards, seats=size)
    batch = only_batch(RoundRobin(field, RoundRobinOptions(orders)), field)
    times = size if orders == "double" else 1
    groups = Counter((tuple(sorted(fixture.seats)), fixture.map) for fixture in batch)
    assert groups == dict.fromkeys(product(combinations(range(count), size), range(boards)), times)
    assert largest_spread(count, batch) <= size
    if orders == "double":
        assert len(set(seat_counts(batch).values())) == 1


def test_every_order_of_seats() -> None:
    field = field_of(4, seats=3)
    batch = only_batch(RoundRobin(field, RoundRobinOptions(seats="every")), field)
    assert {fixture.seats for fixture in batch} == set(permutations(range(4), 3))
    assert len(batch) == 24


@pytest.mark.parametrize(
    ("count", "boards", "size", "reason"),
    [
        (1, 1, 2, "at least 2 teams, found 1"),
        (3, 1, 4, "at least 4 teams, as many as a match has players (4), found 3"),
        (2, 0, 2, "at least one map"),
    ],
)
def test_what_cannot_be_played(count: int, boards: int, size: int, reason: str) -> None:
    with pytest.raises(UserError, match=re.escape(f"round-robin: needs {reason}")):
        RoundRobin(field_of(count, boards, seats=size), RoundRobinOptions())
