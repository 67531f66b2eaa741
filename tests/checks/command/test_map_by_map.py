from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_checks.command.games import MapByMap
from tiltyard_engine.formats import Field, Fixture, FixtureResult
from tiltyard_tournaments.formats.batch_checks import check_batch


def field(teams: int, maps: int, seats: int = 2) -> Field:
    names = tuple(f"t{number}" for number in range(teams))
    return Field(teams=names, maps=tuple(f"m{number}" for number in range(maps)), seats=seats)


def test_groups_of_three_meet_in_each_turn_of_their_seats() -> None:
    fixtures = MapByMap(field(4, 2, 3)).next_batch(())
    turns = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert list(fixtures[:3]) == [Fixture(seats, 0) for seats in turns]
    assert len(check_batch("round-robin", field(4, 2, 3), fixtures, [])) == 2 * 4 * 3
    assert set(Counter((seat, team) for each in fixtures for seat, team in enumerate(each.seats)).values()) == {6}


@given(st.integers(2, 8), st.integers(1, 4))
def test_every_ordered_pair_meets_once_a_map(teams: int, maps: int) -> None:
    fixtures = MapByMap(field(teams, maps)).next_batch(())
    played = Counter((fixture.map, *fixture.seats) for fixture in fixtures)
    assert set(played.values()) == {1}
    assert len(played) == maps * teams * (teams - 1)
    assert all(first != second for _, first, second in played)


def test_map_by_map_both_seats_one_after_the_other() -> None:
    fixtures = MapByMap(field(3, 2)).next_batch(())
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    assert list(fixtures) == [Fixture(pair, number) for number in (0, 1) for pair in pairs]


@pytest.mark.parametrize(("teams", "maps", "games"), [(2, 1, 2), (3, 2, 12), (2, 0, 0)])
def test_it_is_one_batch_of_as_many_games_as_it_says(teams: int, maps: int, games: int) -> None:
    wanted = MapByMap(field(teams, maps))
    fixtures = wanted.next_batch(())
    assert wanted.expected_games() == (games, games)
    assert len(check_batch("round-robin", field(teams, maps), fixtures, [])) == games
    if fixtures:
        assert wanted.next_batch([FixtureResult(fixture=fixtures[0], winner=1, ranks=(1, 2))]) == ()
