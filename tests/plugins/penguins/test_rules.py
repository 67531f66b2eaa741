"""The rules on small boards that can be counted by hand, and make against unmake."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_penguins import rules
from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.rules import Board

OPEN = "3 3\n10 10 10\n10 20 10\n10 10 10\n"
"""Eight floes with one fish around one with two."""
ISLAND = "4 5\n00 10 10 30 00\n10 20 10 10 20\n10 10 00 20 10\n00 30 10 10 00\n"


def board_of(text: str) -> Board:
    file = read_board_file(text.encode())
    return Board(file.rows, file.columns, file.cells)


def count_placements(board: Board, players: int, penguins: int, placed: int = 0) -> int:
    """Ways to place all penguins in turn, or as many as there is room for."""
    squares = board.placements() if placed < players * penguins else []
    if not squares:
        return 1
    total = 0
    for square in squares:
        board.place(placed % players + 1, square)
        total += count_placements(board, players, penguins, placed + 1)
        board.undo()
    return total


def count_moves(board: Board, players: int, depth: int, player: int = 1, stuck: int = 0) -> int:
    """Ways to go on for ``depth`` moves; who cannot move is passed over, and where nobody can, the game has ended."""
    if not depth or stuck == players:
        return 1
    moves = board.moves(player)
    after = player % players + 1
    if not moves:
        return count_moves(board, players, depth, after, stuck + 1)
    total = 0
    for origin, target in moves:
        board.move(player, origin, target)
        total += count_moves(board, players, depth - 1, after)
        board.undo()
    return total


@pytest.mark.parametrize(
    ("text", "players", "penguins", "expected"),
    [(OPEN, 1, 1, 8), (OPEN, 2, 1, 8 * 7), (OPEN, 2, 2, 8 * 7 * 6 * 5), (ISLAND, 3, 1, 10 * 9 * 8), ("1 3\n10 10 30\n", 2, 2, 2)],
)
def test_placements_are_counted(text: str, players: int, penguins: int, expected: int) -> None:
    assert count_placements(board_of(text), players, penguins) == expected


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        # One penguin in a corner: two lines of two floes.
        ("3 3\n01 10 10\n10 20 10\n10 10 10\n", [4]),
        # A line, in one to three slides: whoever steps over floes can come back for them, once.
        ("1 4\n01 10 10 10\n", [3, 6, 6]),
    ],
)
def test_moves_of_one_are_counted_by_hand(text: str, counts: list[int]) -> None:
    assert [count_moves(board_of(text), 1, depth) for depth in range(1, len(counts) + 1)] == counts


class Slow:
    """The rules again, as slowly and plainly as they can be said: a dictionary of floes and one of penguins."""

    def __init__(self, text: str) -> None:
        file = read_board_file(text.encode())
        places = [(row, column) for row in range(file.rows) for column in range(file.columns)]
        self.floes = {place: cell // 10 for place, cell in zip(places, file.cells) if cell > 0 and cell % 10 == 0}
        self.penguins = {place: cell % 10 for place, cell in zip(places, file.cells) if cell % 10}

    def count(self, players: int, depth: int, player: int = 1, stuck: int = 0) -> int:
        if not depth or stuck == players:
            return 1
        total = 0
        moved = False
        for (row, column), owner in list(self.penguins.items()):
            if owner != player:
                continue
            for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                steps = 1
                while (target := (row + steps * down, column + steps * right)) in self.floes:
                    moved = True
                    fish = self.floes.pop(target)
                    del self.penguins[row, column]
                    self.penguins[target] = player
                    total += self.count(players, depth - 1, player % players + 1)
                    del self.penguins[target]
                    self.penguins[row, column] = player
                    self.floes[target] = fish
                    steps += 1
        return total if moved else self.count(players, depth, player % players + 1, stuck + 1)


TWO = "4 5\n00 01 10 30 00\n10 20 10 10 20\n10 10 00 20 02\n00 30 10 01 00\n"


@pytest.mark.parametrize(("players", "depth", "expected"), [(2, 1, 10), (2, 2, 19), (2, 3, 130), (2, 4, 483), (3, 4, 483)])
def test_moves_are_counted_as_plain_rules_count_them(players: int, depth: int, expected: int) -> None:
    found = count_moves(board_of(TWO), players, depth)
    assert (found, found) == (Slow(TWO).count(players, depth), expected)


@given(st.integers(0, 10_000))
def test_undo_takes_everything_back(seed: int) -> None:
    chance = random.Random(seed)
    board = board_of(TWO)
    states = []
    for turn in range(12):
        player = turn % 2 + 1
        states.append((board.cells(), [list(own) for own in board.penguins], list(board.scores), board.one_fish))
        moves = board.moves(player)
        assert bool(moves) == board.can_move(player)
        assert all(board.move_verdict(player, origin, target) == rules.LEGAL for origin, target in moves)
        if moves:
            board.move(player, *chance.choice(moves))
        elif squares := board.placements():
            board.place(player, chance.choice(squares))
        else:
            states.pop()
            break
    for cells, penguins, scores, one_fish in reversed(states):
        board.undo()
        assert board.cells() == cells
        assert [set(own) for own in board.penguins] == [set(own) for own in penguins]
        assert (board.scores, board.one_fish) == (scores, one_fish)


@given(st.integers(0, 19), st.integers(0, 19))
def test_a_verdict_is_legal_where_the_move_is_listed(origin: int, target: int) -> None:
    board = board_of(TWO)
    assert (board.move_verdict(1, origin, target) == rules.LEGAL) == ((origin, target) in board.moves(1))
    assert (board.placement_verdict(target) == rules.LEGAL) == (target in board.placements())


ROW = "2 6\n01 10 00 10 02 20\n10 10 10 10 10 10\n"


@pytest.mark.parametrize(
    ("origin", "target", "verdict"),
    [
        (0, 1, rules.LEGAL),
        (0, 3, rules.OVER_WATER),
        (0, 5, rules.OVER_WATER),
        (0, 2, rules.ON_WATER),
        (0, 4, rules.ON_PENGUIN),
        (0, 0, rules.NOT_MOVED),
        (0, 7, rules.NOT_STRAIGHT),
        (1, 7, rules.NO_PENGUIN),
        (4, 10, rules.NOT_OWN),
        (0, 12, rules.OFF_BOARD),
        (-1, 1, rules.OFF_BOARD),
    ],
)
def test_why_a_move_is_not_one(origin: int, target: int, verdict: int) -> None:
    assert board_of(ROW).move_verdict(1, origin, target) == verdict


def test_why_a_move_over_a_penguin_is_not_one() -> None:
    assert board_of("1 4\n01 10 02 10\n").move_verdict(1, 0, 3) == rules.OVER_PENGUIN


@pytest.mark.parametrize(
    ("square", "verdict"),
    [(1, rules.LEGAL), (0, rules.ON_PENGUIN), (2, rules.ON_WATER), (5, rules.NOT_ONE_FISH), (12, rules.OFF_BOARD)],
)
def test_why_a_placement_is_not_one(square: int, verdict: int) -> None:
    assert board_of(ROW).placement_verdict(square) == verdict
