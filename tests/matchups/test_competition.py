from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made_records import made_record

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_matchups.competition import CompetitionPlan, competition_text, schedule, score
from tiltyard_simulator.match.spec import MapSource
from tiltyard_tournaments.formats.competition import pairings

GAME = Reference(kind="game", name="g", game="g", source=Source(name="g", origin=Origin.FILE, value="/g.py"))
MANAGER = Reference(kind="game manager", name="m", game="g", source=Source(name="m", origin=Origin.FILE, value="/m.py"))


def team(name: str) -> Reference:
    return Reference(kind="algorithm", name=name, game="g", source=Source(name=name, origin=Origin.FILE, value=f"/{name}.py"))


def game(first: Reference, second: Reference, winner: int, *faults: Fault) -> Outcome:
    claim = GameResult(winner, "x", 1, ())
    return made_record(teams=(first.name, second.name), map="map", claim=claim, winner=winner, ranks=(1, 1), faults=faults).outcome


@given(st.integers(2, 30), st.integers(0, 100))
def test_everybody_plays_twice_a_map_or_once_where_pairs_would_repeat(algorithms: int, number: int) -> None:
    games = pairings(algorithms, number)
    halved = algorithms % 2 == 0 and number % (algorithms - 1) == algorithms // 2 - 1
    played = Counter(place for pair in games for place in pair)
    assert played == dict.fromkeys(range(algorithms), 1 if halved else 2)
    assert len({frozenset(pair) for pair in games}) == len(games)


@given(st.integers(2, 30), st.integers(0, 100))
def test_opponents_are_those_of_the_formula(algorithms: int, number: int) -> None:
    for first, second in pairings(algorithms, number):
        assert second == (first + 1 + number % (algorithms - 1)) % algorithms
    if len(pairings(algorithms, number)) < algorithms:
        assert all(first < second for first, second in pairings(algorithms, number))


@given(st.integers(2, 12))
def test_after_all_shifts_everybody_met_everybody(algorithms: int) -> None:
    met = {frozenset(pair) for number in range(algorithms - 1) for pair in pairings(algorithms, number)}
    assert len(met) == algorithms * (algorithms - 1) // 2


def test_two_algorithms_meet_once_a_map_in_the_given_seats() -> None:
    assert [pairings(2, number) for number in range(3)] == [[(0, 1)]] * 3


def test_four_algorithms() -> None:
    assert pairings(4, 0) == [(0, 1), (1, 2), (2, 3), (3, 0)]
    assert pairings(4, 1) == [(0, 2), (1, 3)]
    assert pairings(4, 2) == [(0, 3), (1, 0), (2, 1), (3, 2)]
    assert pairings(4, 3) == pairings(4, 0)


def test_schedule_goes_map_by_map() -> None:
    maps = [MapSource(name, b"") for name in ("k0", "k1")]
    specs = schedule(CompetitionPlan(GAME, MANAGER, maps, [team(name) for name in "abc"]), log=True)
    assert [(spec.input.map.name, *spec.input.names) for spec in specs] == [
        *(("k0", "a", "b"), ("k0", "b", "c"), ("k0", "c", "a")),
        *(("k1", "a", "c"), ("k1", "b", "a"), ("k1", "c", "b")),
    ]
    assert all(spec.recording.log for spec in specs)


def test_scores_are_sorted_and_equal_ones_by_name() -> None:
    a, b, c = team("a"), team("b"), team("c")
    games = [game(c, b, 1), game(b, a, 0), game(a, c, 0)]
    assert score([a, b, c], games) == [("c", 4), ("a", 2), ("b", 1)]
    assert score([c, b, a], []) == [("a", 0), ("b", 0), ("c", 0)]


def test_a_game_without_a_result_gives_nobody_points() -> None:
    a, b = team("a"), team("b")
    assert score([a, b], [game(a, b, 0, Fault(0, Termination.CRASH, "boom"))]) == [("a", 0), ("b", 0)]


@pytest.mark.parametrize("totals", [[("b", 4), ("a", 1)], []])
def test_the_file_is_that_of_the_text(totals: list[tuple[str, int]]) -> None:
    lines = competition_text([("game_maps_folder", "m/"), ("game_manager", "g.py")], totals).split("\n")
    assert lines == ["game_maps_folder=m/", "game_manager=g.py", "", *[f"{name} {points}" for name, points in totals], ""]
