"""Moves as numbers, seen by either side."""

from __future__ import annotations

import random

import pytest

from tiltyard_advance.encoding import ACTIONS, ENCODING
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import START, AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import BLACK, WHITE, Board


def turned(board: str) -> str:
    """The same game with the colours exchanged."""
    return board[::-1].swapcase()


@pytest.fixture(scope="module")
def positions() -> list[AdvancePosition]:
    """Of three games at random, which have moves of all kinds."""
    chance, found = random.Random(4), list[AdvancePosition]()
    for _ in range(3):
        board = Board(START)
        for ply in range(60):
            moves = board.legal_moves(ply % 2)
            if not moves:
                break
            found.append(AdvancePosition(board.text(), ply % 2))
            board.make(chance.choice(moves))
    return found


def test_legal_actions_lead_to_the_boards_of_the_legal_moves(positions: list[AdvancePosition]) -> None:
    for position in positions[::7]:
        board = Board(position.board)
        legal = ENCODING.observe(position).legal
        assert legal is not None
        assert len(set(legal)) == len(legal)
        boards = {ENCODING.answer(position, action).board for action in legal}
        assert boards == boards_after(board, board.legal_moves(position.side)).keys()
        assert 0 <= min(legal) <= max(legal) < ACTIONS


def test_black_sees_what_white_would_see(positions: list[AdvancePosition]) -> None:
    for position in positions[::20]:
        other = AdvancePosition(turned(position.board), BLACK if position.side == WHITE else WHITE)
        own, mirrored = ENCODING.observe(position), ENCODING.observe(other)
        assert own == mirrored
        assert own.legal is not None
        action = own.legal[len(own.legal) // 2]
        assert ENCODING.answer(position, action).board == turned(ENCODING.answer(other, action).board)


def test_other_actions_change_nothing_or_are_not_legal() -> None:
    position = AdvancePosition(START, WHITE)
    board = Board(START)
    legal = {turn_after(board, move).board for move in board.legal_moves(WHITE)}
    allowed = ENCODING.observe(position).legal
    assert allowed is not None
    illegal = set(range(ACTIONS)).difference(allowed)
    assert {ENCODING.answer(position, action) for action in illegal} == {Turn(START)}
    assert START not in legal


def test_planes_are_kinds_of_pieces() -> None:
    observation = ENCODING.observe(AdvancePosition(START, WHITE))
    assert observation.shape == (17, 9, 9)
    values = observation.values
    for plane, kind in enumerate("ZBJMSCDGzbjmscdg#"):
        assert [values[81 * plane + place] for place in range(81)] == [int(there == kind) for there in START]
