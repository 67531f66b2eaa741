"""Boards as numbers: the same placements, distances and races as square by square."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.filler.algorithms.positions_reached import reached

from tiltyard_filler.algorithms.bitboards import Field, Shape, Turn, field_of, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements, rings
from tiltyard_filler.algorithms.races import octagon_race, race
from tiltyard_filler.positions import FillerPosition, Piece
from tiltyard_filler.rules import legal_placements

Square = tuple[int, int]
Step = Callable[[set[Square]], set[Square]]
Race = Callable[[Field, int, int, int], tuple[int, int]]


def place_of(field: Field, square: int) -> Square:
    return square % field.stride, square // field.stride


def places(field: Field, board: int) -> set[Square]:
    return {place_of(field, square) for square in squares_of(board)}


def neighbours(squares: set[Square]) -> set[Square]:
    return {(x + right, y + down) for x, y in squares for right in (-1, 0, 1) for down in (-1, 0, 1)}


def cross(squares: set[Square]) -> set[Square]:
    return {(x + right, y + down) for x, y in squares for right, down in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}


def slow_race(mine: set[Square], theirs: set[Square], free: set[Square], steps: Sequence[Step]) -> tuple[set[Square], set[Square]]:
    """``steps`` take turns."""
    mine_first: set[Square] = set()
    theirs_first: set[Square] = set()
    for step in cycle(steps):
        if not (neighbours(mine | theirs) & free):
            return mine_first, theirs_first
        my_new, their_new = step(mine) & free, step(theirs) & free
        free = free - my_new - their_new
        my_first, their_first = my_new - their_new, their_new - my_new
        mine, theirs = mine | my_first, theirs | their_first
        mine_first |= my_first
        theirs_first |= their_first
    raise AssertionError


@given(reached())
def test_the_legal_placements_are_those_of_the_rules(position: FillerPosition) -> None:
    turn = Turn(position)
    found = [(answer.x, answer.y) for answer in map(turn.answer, squares_of(turn.legal))]
    wanted = legal_placements(position.board, position.width, position.height, position.player, position.piece.offsets)
    assert found == wanted


@pytest.mark.parametrize(("flood", "steps"), [(race, (neighbours,)), (octagon_race, (cross, neighbours))])
@given(position=reached(largest=9))
def test_a_race_is_that_of_squares_one_by_one(flood: Race, steps: Sequence[Step], position: FillerPosition) -> None:
    turn = Turn(position)
    mine, theirs = flood(turn.field, turn.own, turn.enemy, turn.free)
    own, enemy, free = (places(turn.field, board) for board in (turn.own, turn.enemy, turn.free))
    assert (places(turn.field, mine), places(turn.field, theirs)) == slow_race(own, enemy, free, steps)


@pytest.mark.parametrize("flood", [race, octagon_race])
@given(positions=st.lists(reached(largest=7), min_size=1, max_size=5))
def test_a_stack_is_raced_as_its_boards_are(flood: Race, positions: list[FillerPosition]) -> None:
    field = field_of(7, 7)
    turns = [Turn(position) for position in positions]
    boards = [tuple(widen(turn.field, field, board) for board in (turn.own, turn.enemy, turn.free)) for turn in turns]
    together = flood(field, *(field.stack(column) for column in zip(*boards, strict=True)))
    alone = [flood(field, *board) for board in boards]
    assert together == tuple(field.stack(column) for column in zip(*alone, strict=True))
    assert field.counts(together[0], len(boards)) == [mine.bit_count() for mine, _ in alone]


def widen(small: Field, large: Field, board: int) -> int:
    """The same squares on a larger board."""
    return sum(1 << y * large.stride + x for x, y in places(small, board))


def test_rings_go_round_what_is_in_the_way() -> None:
    field = field_of(5, 3)
    position = FillerPosition(width=5, height=3, board=b"$.@....@....@..", piece=Piece(1, 1, b"O"), player=1)
    turn = Turn(position)
    assert [sorted(places(field, ring)) for ring in rings(field, turn.enemy, turn.free)] == [
        [(0, 1), (1, 0), (1, 1)],
        [(0, 2), (1, 2)],
    ]


@given(reached(), st.integers(1, 30))
def test_nearest_placements_are_nearer_than_the_rest(position: FillerPosition, wanted: int) -> None:
    turn = Turn(position)
    field, shape = turn.field, turn.shape
    near = nearest_placements(field, turn.legal, shape, own=turn.own, enemy=turn.enemy, free=turn.free, minimum=wanted)
    assert not near & ~turn.legal
    assert near.bit_count() >= min(wanted, turn.legal.bit_count())
    distances: dict[int, int] = {}
    for distance, ring in enumerate(rings(field, turn.enemy, turn.free | turn.own)):
        for square in squares_of(ring & turn.free):
            distances[square] = distance

    def distance_of(corner: int) -> int:
        return min((distances[corner + shift] for shift in shape.shifts if corner + shift in distances), default=1 << 20)

    rest = squares_of(turn.legal & ~near)
    if rest:
        assert max(map(distance_of, squares_of(near))) < min(map(distance_of, rest))


def test_a_shape_has_no_empty_rows_and_columns() -> None:
    shape = Shape(field_of(6, 6), Piece(4, 3, b"......O..OO."))
    assert (shape.left, shape.top, shape.width, shape.height) == (1, 1, 2, 2)
