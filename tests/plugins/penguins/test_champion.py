"""The champion: sane where one can see by hand what is right, and far above the greedy one."""

from __future__ import annotations

import pytest
from tests.plugins.penguins.matches import Create, play

from tiltyard_penguins.algorithms import GreedyPlayer, RandomPlayer
from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.champion import Champion
from tiltyard_penguins.map_generator import MapOptions, generate_board
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition, position_of
from tiltyard_penguins.search import Budget
from tiltyard_penguins.solo import find_way
from tiltyard_penguins.territory import nearer, read_position, region, slides, spread

NO_HURRY = 100.0


def position(text: str, phase: str = MOVEMENT, player: int = 1, penguins: int = 1) -> PenguinsPosition:
    return position_of(read_board_file(text.encode()), phase, penguins, player)


def champion(seat: int) -> Champion:
    return Champion(work=300, seconds=NO_HURRY)


def squares(bits: int, at: PenguinsPosition) -> list[int]:
    ice, _ = read_position(at)
    return [square for square in range(at.rows * at.columns) if ice.bit(square) & bits]


LAKE = "3 5\n01 10 20 00 10\n30 00 10 10 02\n10 10 00 10 10\nA 1 1\nB 2 1\n"


def test_slides_stop_at_water_and_at_the_edge() -> None:
    at = position(LAKE)
    ice, state = read_position(at)
    assert {ice.square(bit) for bit in slides(state.penguins[0], state.floes, ice.stride)} == {1, 2, 5, 10}
    assert squares(spread(state.penguins[0], state.floes, ice.stride), at) == [1, 2, 5, 10]
    assert squares(region(state.penguins[0], state.floes, ice.stride), at) == [1, 2, 5, 7, 8, 10, 11, 13, 14]


def test_each_side_has_what_it_reaches_sooner() -> None:
    at = position(LAKE)
    ice, state = read_position(at)
    mine, theirs = nearer(state.penguins[0], state.penguins[1], state.floes, ice.stride)
    assert (squares(mine, at), squares(theirs, at)) == ([1, 2, 5, 10, 11], [4, 7, 8, 13, 14])
    assert ice.fish(mine) == 1 + 2 + 3 + 1 + 1


def test_shuts_the_other_one_in() -> None:
    # It has one way out, to the square beside it.
    at = position("3 7\n00 00 00 00 10 30 30\n01 10 10 10 20 30 30\n00 02 00 00 10 30 30\nA 1 1\nB 2 1\n")
    assert Champion(work=2000, seconds=NO_HURRY).choose(at) == Move(8, 7)


def test_alone_it_takes_all_that_there_is() -> None:
    # A dead end can be emptied by sliding to its end first.
    at = position("3 4\n01 10 10 10\n00 10 00 00\n00 10 00 00\nA 1 1\n")
    ice, state = read_position(at)
    taken, way = find_way(ice, state.penguins[0], state.floes, Budget(10_000, NO_HURRY))
    assert taken == sum(ice.fish(target) for _, target in way) == 5
    walk = position("1 6\n01 10 20 30 10 10\nA 1 1\n")
    ice, state = read_position(walk)
    assert find_way(ice, state.penguins[0], state.floes, Budget(10_000, NO_HURRY))[0] == 8


def test_passes_where_there_is_nothing_to_do() -> None:
    assert champion(1).choose(position("1 3\n01 00 10\nA 1 1\n")) == PASS
    assert champion(1).choose(position("1 3\n01 10 10\nA 1 1\n", PLACEMENT)) == PASS


def test_places_where_there_is_most_to_have() -> None:
    at = position("1 9\n10 00 10 30 30 30 00 10 20\n", PLACEMENT)
    assert champion(1).choose(at) == Move(2)


@pytest.mark.parametrize("players", [1, 2, 4])
def test_a_match_is_the_same_each_time(players: int) -> None:
    board = generate_board(MapOptions(7, 8, 1), 5, players)
    results = [play([champion] * players, board) for _ in range(2)]
    assert results[0] == results[1]
    assert not results[0].faults


@pytest.mark.parametrize("opponent", [GreedyPlayer, RandomPlayer])
def test_wins_from_both_seats(opponent: Create) -> None:
    board = generate_board(MapOptions(10, 10, 2), 3, 2)
    assert play([champion, opponent], board).winner == 1
    assert play([opponent, champion], board).winner == 2


def test_an_empty_budget_still_gives_a_legal_move() -> None:
    board = generate_board(MapOptions(6, 6, 2), 1, 2)
    result = play([lambda seat: Champion(seat, 0, NO_HURRY), lambda seat: Champion(seat, 10, 0.0)], board)
    assert not result.faults


def test_fights_first_and_takes_what_is_safe_later() -> None:
    # Three fish above are its own whenever it likes; those below go to who comes first.
    at = position("3 6\n01 30 00 00 00 00\n00 00 00 00 00 00\n01 20 30 10 02 00\nA 1 2\nB 2 1\n")
    assert Champion(work=2000, seconds=NO_HURRY).choose(at).origin == 12
    # Nothing is left to fight for.
    over = position("3 6\n01 30 00 00 00 00\n00 00 00 00 00 00\n01 02 10 10 00 00\nA 1 2\nB 2 1\n")
    assert Champion(work=2000, seconds=NO_HURRY).choose(over) == Move(1, 0)
