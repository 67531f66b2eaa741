"""What games say of maps: unfair ones are found, fair ones are left alone, and repeats tell nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_cycles.hook import TABLES
from tiltyard_engine.match_record import Outcome
from tiltyard_fairness.blocks import blocks_of, shares_of, telling_games
from tiltyard_fairness.map_fairness import MapFairness, SeatVerdict, fairness_of
from tiltyard_fairness.seat_test import holm_correction, seat_p_value
from tiltyard_fairness.tables import fair_maps, fairness_table, sentences

Strength = dict[str, float]


def game(teams: Sequence[str], ranks: Sequence[int], *, seed: int = 0, game_map: str = "m", digest: str = "") -> Outcome:
    winner = ranks.index(1) + 1 if list(ranks).count(1) == 1 else 0
    return Outcome(teams=tuple(teams), ranks=tuple(ranks), winner=winner, seed=seed, map=game_map, digest=digest)


def season(
    chance: random.Random, first_wins: Callable[[str, str], float], games: int, teams: str = "abcd", game_map: str = "m"
) -> list[Outcome]:
    """Copies and pairs of teams for two seats, ``games`` times; each pair from both seats."""
    outcomes = []
    seatings = [(one, one) for one in teams] + [pair for two in combinations(teams, 2) for pair in (two, two[::-1])]
    for seed, (one, other) in product(range(games), seatings):
        ranks = (1, 2) if chance.random() < first_wins(one, other) else (2, 1)
        outcomes.append(game((one, other), ranks, seed=seed, game_map=game_map, digest=f"{seed} {one} {other} {chance.random()}"))
    return outcomes


def only(outcomes: Sequence[Outcome]) -> MapFairness:
    (fairness,) = fairness_of(outcomes)
    return fairness


def test_shares() -> None:
    assert shares_of(game("abcd", (1, 2, 2, 4))) == [1.0, 0.5, 0.5, 0.0]
    assert shares_of(game("ab", (1, 1))) == [0.5, 0.5]


def test_a_block_has_every_team_in_every_seat() -> None:
    whole = [game(teams, (1, 2, 3)) for teams in ("abc", "bca", "cab")]
    (block,) = blocks_of(whole)
    assert block.by_seat.tolist() == [3.0, 1.5, 0.0]
    assert blocks_of(whole[:2]) == []
    # The same teams round the table the other way, with another seed, and copies.
    assert len(blocks_of([*whole, game("acb", (1, 2, 3)), game("abc", (1, 2, 3), seed=1), game("aaa", (1, 2, 3))])) == 2


def test_repeats_are_blocks_whichever_seat_was_played_first() -> None:
    repeats = [game(teams, (1, 2), seed=seed, digest=teams) for teams, seeds in (("ab", (1, 2)), ("ba", (2, 1))) for seed in seeds]
    assert len(blocks_of(telling_games(repeats, "m"))) == 1


def test_a_seat_that_wins_is_found() -> None:
    fairness = only(season(random.Random(1), lambda one, other: 0.75, 10))
    assert fairness.verdict is SeatVerdict.UNFAIR
    assert fairness.seat == 1
    assert fairness.low < 0.75 < fairness.high
    assert fairness.p_value < 0.01
    assert sentences([fairness])[0].startswith("the map m is unfair: every seat should get 50 % of the points, but seat 1 gets ")


def test_strength_is_no_unfair_seat() -> None:
    strength = {"a": 0, "b": 1, "c": 2, "d": 3}
    fairness = only(season(random.Random(1), lambda one, other: 0.5 if one == other else strength[one] > strength[other], 10))
    assert fairness.verdict is SeatVerdict.NO_DIFFERENCE
    assert fairness.separation == 1.0
    assert sentences([fairness]) == []


def test_chance_and_seats_tell_no_teams_apart() -> None:
    by_chance = only(season(random.Random(3), lambda one, other: 0.5, 20))
    assert by_chance.separation == pytest.approx(0.0, abs=0.2)
    by_seat = only(season(random.Random(1), lambda one, other: 1.0, 2))
    assert by_seat.separation == -1.0
    assert sentences([by_seat])[-1].endswith("the same team is not ahead again; the seat decides more than the team")


def test_where_no_seat_is_better_no_sentence_says_that_seats_decide() -> None:
    fairness = only(season(random.Random(3), lambda one, other: 0.5, 20))
    assert fairness.verdict is SeatVerdict.NO_DIFFERENCE
    (line,) = sentences([fairness])
    assert line.startswith("games on m tell little about which team is better: ")
    assert line.endswith("; no seat has an advantage that can be seen, so chance or ties decide")


def test_few_games_and_equal_games_say_nothing() -> None:
    few = only(season(random.Random(1), lambda one, other: 1.0, 1, teams="ab"))
    assert few.verdict is SeatVerdict.TOO_FEW
    repeated = [game("ab"[::step], (1, 2), seed=seed, digest="same") for step in (1, -1) for seed in range(20)]
    equal = only(repeated)
    assert (equal.verdict, equal.games, equal.different) == (SeatVerdict.ONE_GAME, 40, 2)
    assert "shows nothing" in sentences([equal])[0]


def test_fair_maps_are_rarely_called_unfair() -> None:
    """At most one class of maps in twenty has any that is; with 40 of them, six would be chance in one case of fifty."""
    chance = random.Random(4)
    alarms = 0
    for _ in range(40):
        outcomes = [match for number in range(5) for match in season(chance, lambda one, other: 0.5, 3, game_map=f"m{number}")]
        alarms += any(fairness.verdict is SeatVerdict.UNFAIR for fairness in fairness_of(outcomes))
    assert alarms <= 5


def test_seats_of_three() -> None:
    chance = random.Random(2)
    outcomes = []
    for seed, teams in product(range(12), ("abc", "bca", "cab")):
        points = [chance.random() + (0.4 if seat == 2 else 0) for seat in range(3)]
        ranks = [1 + sum(other > own for other in points) for own in points]
        outcomes.append(game(teams, ranks, seed=seed, digest=str(chance.random())))
    fairness = only(outcomes)
    assert (fairness.verdict, fairness.seat) == (SeatVerdict.UNFAIR, 3)


@given(st.lists(st.sampled_from([(1, 2), (2, 1), (1, 1)]), max_size=12))
def test_two_seats_are_a_sign_test(ranks: list[tuple[int, int]]) -> None:
    """Of copies, whose games are blocks of one: as with coins, where ties say nothing."""
    blocks = blocks_of([game("aa", each, seed=seed) for seed, each in enumerate(ranks)])
    first, second = ranks.count((1, 2)), ranks.count((2, 1))
    flips = [sum(signs) for signs in product((-1, 1), repeat=first + second)]
    expected = sum(abs(total) >= abs(first - second) for total in flips) / len(flips)
    assert seat_p_value(blocks) == pytest.approx(expected)


def test_holm() -> None:
    assert holm_correction([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm_correction([]) == []


def test_a_row_for_each_map() -> None:
    outcomes = season(random.Random(1), lambda one, other: 0.5, 2, game_map="one")
    table = fairness_table(fairness_of([*outcomes, game("ab", (1, 2), game_map="two")]))
    assert [row[0] for row in table.rows] == ["one", "two"]
    assert table.rows[1] == ("two", 1, 1, "", "", "", "", "", "", "too few different games")


def test_it_is_a_table_of_tournaments_too() -> None:
    outcomes = season(random.Random(1), lambda one, other: 1.0, 2, game_map="one")
    tournament: Any = None
    table = TABLES["fair-maps"](tournament, tournament, outcomes)
    assert table.rows == fairness_table(fairness_of(outcomes)).rows
    assert table.note.startswith("The map one is unfair: every seat should get 50 % of the points, but seat 1 gets 100 % ")


def test_a_table_for_readers_has_no_row_if_nothing_can_be_said() -> None:
    few = [game(teams, (1, 2)) for teams in ("ab", "ba")]
    assert [row[-1] for row in fair_maps(few).rows] == ["too few different games"]
    assert fair_maps(few, only_if_conclusive=True).rows == ()
