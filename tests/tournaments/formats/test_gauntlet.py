"""Challengers meet all others, and nobody else meets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import field_of, only_batch, seat_counts

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.formats.gauntlet import Gauntlet, GauntletOptions


@given(st.integers(2, 10), st.integers(1, 3), st.integers(1, 2), st.data())
def test_double_every_challenger_meets_every_other_in_both_seats(
    count: int, boards: int, repeats: int, data: st.DataObject
) -> None:
    field = field_of(count, boards, games=repeats)
    challengers = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=count - 1))
    names = tuple(field.teams[place] for place in challengers)
    batch = only_batch(Gauntlet(field, GauntletOptions(names)), field)
    pairs = [pair for pair in product(range(count), repeat=2) if (pair[0] in challengers) != (pair[1] in challengers)]
    assert {(fixture.seats, fixture.map, fixture.game) for fixture in batch} == set(product(pairs, range(boards), range(repeats)))
    assert len(batch) == len(pairs) * boards * repeats


@given(st.integers(2, 10), st.integers(1, 3), st.data())
def test_single_once_under_each_condition_with_balanced_seats(count: int, boards: int, data: st.DataObject) -> None:
    field = field_of(count, boards)
    challengers = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=count - 1))
    meet = data.draw(st.booleans())
    options = GauntletOptions([field.teams[place] for place in challengers], challengers_meet=meet, seats="single")
    batch = only_batch(Gauntlet(field, options), field)
    pairs = [pair for pair in combinations(range(count), 2) if any(team in challengers for team in pair)]
    wanted = [pair for pair in pairs if meet or not challengers.issuperset(pair)]
    assert Counter((tuple(sorted(fixture.seats)), fixture.map) for fixture in batch) == Counter(product(wanted, range(boards)))
    seats = seat_counts(batch)
    assert all(abs(seats[team, 1] - seats[team, 2]) <= (2 if meet else 1) for team in range(count))


def test_the_first_team_is_the_challenger_where_none_is_named() -> None:
    field = field_of(5)
    assert all(0 in fixture.seats for fixture in only_batch(Gauntlet(field, GauntletOptions()), field))


def test_rounds_hold_nobody_twice() -> None:
    field = field_of(9, 2)
    batch = only_batch(Gauntlet(field, GauntletOptions(("team-1", "team-2", "team-3"), challengers_meet=True)), field)
    stages = Counter((fixture.stage, team) for fixture in batch for team in fixture.seats)
    assert set(stages.values()) == {1}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("team-9",), "gauntlet: challengers: no team is called 'team-9'; did you mean"),
        (("team-0", "team-1", "team-2"), "names every team, so there is no team left to challenge"),
    ],
)
def test_challengers_that_cannot_be(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Gauntlet(field_of(3), GauntletOptions(names))


def test_a_game_for_more_players() -> None:
    with pytest.raises(UserError, match="gauntlet: is for matches of 2 players, but these have 3; use pools or round-robin"):
        Gauntlet(field_of(5, seats=3), GauntletOptions())
