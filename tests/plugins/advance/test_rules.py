"""Moves, protection and danger against a slow model, and every decision on what the rules leave open."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.plugins.advance import slow_model
from tests.plugins.advance.boards import played, scattered, sparse, turned

from tiltyard_advance.manager import material
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import START
from tiltyard_advance.rules import BLACK, WHITE, Board, perft

FIXED = {
    "mj.sg.cjm bz.z.zzz. ..z...... .#.....s. ....Z.... .d....#.. ..Z..S... B.ZZ.ZZZB MJC.GSDJM": (46, 2680, 126850),
    "....g.... ...s.#... ..b..M... .J..d..z. ...#..... .Z...c... ..S...j.. ...G.#... ....m..C.": (5, 318, 10200),
    "g........ .D....... ......... ....b.... ......... ..j...... ......... .......#. ......B.G": (33, 705, 22230),
    "......z.g Z..d....# ....M..#. ..s...... .b.J..... ....C.... .#..z...S ..m...... G......B.": (40, 2335, 84230),
}
"""Moves in turn of one, two and three plies, white first; the slow model counts the same."""


def results(board: Board, side: int) -> list[str]:
    """One board for each legal move."""
    found: list[str] = []
    for move in board.legal_moves(side):
        content = board.make(move)
        found.append(board.text())
        board.unmake(move, content)
    return sorted(found)


@pytest.mark.parametrize(("depth", "number"), [(0, 1), (1, 43), (2, 1849), (3, 80482)])
def test_from_the_start(depth: int, number: int) -> None:
    assert perft(Board(START), WHITE, depth) == number


@pytest.mark.parametrize("lines", FIXED)
def test_from_fixed_positions(lines: str) -> None:
    board = Board("".join(lines.split()))
    assert tuple(perft(board, WHITE, depth) for depth in (1, 2, 3)) == FIXED[lines]
    assert board.text() == "".join(lines.split())


def test_the_start_is_its_own_image() -> None:
    assert turned(START) == START


@given(played())
@settings(max_examples=60)
def test_games_by_chance_agree_with_the_slow_model(position: tuple[Board, int]) -> None:
    board, side = position
    assert results(board, side) == sorted(slow_model.legal_boards(board.text(), side == WHITE))
    assert board.in_danger(side) == slow_model.in_danger(slow_model.rows_of(board.text()), side == WHITE)


@given(scattered())
@settings(max_examples=100)
def test_any_boards_agree_with_the_slow_model(position: tuple[Board, int]) -> None:
    board, side = position
    expected = sorted(slow_model.legal_boards(board.text(), side == WHITE))
    assert results(board, side) == expected
    assert board.has_legal_move(side) == bool(expected)


@given(scattered())
@settings(max_examples=100)
def test_moves_are_taken_back_and_never_endanger_the_own_general(position: tuple[Board, int]) -> None:
    board, side = position
    text, generals, difference = board.text(), list(board.generals), material(board, side) - material(board, 1 - side)
    for move in board.legal_moves(side):
        gain = board.gain(move)
        content = board.make(move)
        assert not board.in_danger(side)
        assert board.text() != text
        assert Board(board.text()).generals == board.generals
        assert material(board, side) - material(board, 1 - side) - difference == gain
        board.unmake(move, content)
        assert (board.text(), board.generals) == (text, generals)


@given(scattered())
@settings(max_examples=50)
def test_both_colours_have_the_same_rules(position: tuple[Board, int]) -> None:
    board, side = position
    mirrored = results(Board(turned(board.text())), 1 - side)
    assert mirrored == sorted(turned(text) for text in results(board, side))


KINGS = ("Ga9", "gi1")
"""The two Generals, out of everybody's way."""

POSSIBLE = [
    # (before, after), white to move
    ("a leap over an empty square", ("Ze5", "me3"), ("Ze3",)),
    ("a slanted leap", ("Ze5", "mg3"), ("Zg3",)),
    ("a Builder builds", ("Be5",), ("Be5", "#e4")),
    ("a wall beside an enemy Sentinel", ("Be5", "se3"), ("Be5", "se3", "#e4")),
    ("a Miner takes a wall", ("Me5", "#e2"), ("Me2",)),
    ("a Miner takes a wall beside an enemy Sentinel", ("Me5", "#e2", "se1"), ("Me2", "se1")),
    ("a Jester converts what a Sentinel protects", ("Je5", "de4", "se3"), ("Je5", "De4", "se3")),
    ("a Jester converts a Sentinel", ("Je5", "se4"), ("Je5", "Se4")),
    ("a Jester changes places with its General", ("Jb9", "Ga9"), ("Ja9", "Gb9")),
    ("a Catapult shoots over walls", ("Ce5", "#e4", "#e3", "de2"), ("Ce5", "#e4", "#e3")),
    ("a Catapult shoots aslant", ("Ce5", "dg3"), ("Ce5",)),
    ("a Sentinel jumps over everything", ("Se5", "#e4", "#f4", "zf3"), ("Sf3", "#e4", "#f4")),
    ("a Dragon goes next to an enemy", ("De5", "me3"), ("De4", "me3")),
    ("a Dragon captures at two squares", ("De5", "me3"), ("De3",)),
    ("a General goes where a Sentinel of its own protects it", ("Gb9", "Sa8", "mb1"), ("Ga9", "Sa8", "mb1")),
]
IMPOSSIBLE = [
    ("a leap onto an empty square", ("Ze5",), ("Ze3",)),
    ("a leap over a wall", ("Ze5", "#e4", "me3"), ("Ze3", "#e4")),
    ("a leap over an own piece", ("Ze5", "Be4", "me3"), ("Ze3", "Be4")),
    ("a leap backward", ("Ze5", "me7"), ("Ze7",)),
    ("a Builder takes a wall", ("Be5", "#e4"), ("Be4",)),
    ("a Catapult takes by walking", ("Ce5", "ze4"), ("Ce4",)),
    ("a Catapult shoots a wall", ("Ce5", "#e2"), ("Ce5",)),
    ("a Dragon takes its neighbour", ("De5", "me4"), ("De4",)),
    ("a Dragon takes a wall", ("De5", "#e2"), ("De2",)),
    ("a Jester captures", ("Je5", "ze4"), ("Je4",)),
    ("a Jester converts a General", ("Jh1",), ("Jh1", "Gi1")),
    ("taking what a Sentinel protects", ("Me5", "ze2", "se1"), ("Me2", "se1")),
    ("shooting what a Sentinel protects", ("Ce5", "ze2", "se1"), ("Ce5", "se1")),
    ("taking a Sentinel that a Sentinel protects", ("Me5", "se2", "se1"), ("Me2", "se1")),
    ("the General takes what a Sentinel protects", ("Ga9", "za8", "sa7"), ("Ga8", "sa7")),
    ("the General goes next to the other General", ("Ga9", "gc9"), ("Gb9", "gc9")),
    ("a pass", ("Me5",), ("Me5",)),
]


def completed(pieces: tuple[str, ...]) -> str:
    missing = [king for king in KINGS if not any(piece[0] == king[0] for piece in pieces)]
    return sparse(*pieces, *missing)


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in POSSIBLE], ids=[case[0] for case in POSSIBLE])
@pytest.mark.parametrize("side", [WHITE, BLACK])
def test_allowed(before: tuple[str, ...], after: tuple[str, ...], side: int) -> None:
    start, end = completed(before), completed(after)
    if side == BLACK:
        start, end = turned(start), turned(end)
    board = Board(start)
    assert end in boards_after(board, board.legal_moves(side))


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in IMPOSSIBLE], ids=[case[0] for case in IMPOSSIBLE])
@pytest.mark.parametrize("side", [WHITE, BLACK])
def test_not_allowed(before: tuple[str, ...], after: tuple[str, ...], side: int) -> None:
    start, end = completed(before), completed(after)
    if side == BLACK:
        start, end = turned(start), turned(end)
    board = Board(start)
    assert end not in boards_after(board, board.legal_moves(side))


DANGERS = [
    ("a leap", ("ze3",), True),
    ("a leap over a wall", ("ze3", "#e4"), False),
    ("a Zombie in front", ("zd4",), True),
    ("a Zombie that has passed", ("ze6",), False),
    ("a Dragon beside", ("de4",), False),
    ("a Dragon at two squares", ("de3",), True),
    ("a Dragon behind a wall", ("de1", "#e3"), False),
    ("a Miner beside", ("me4",), True),
    ("a Miner aslant", ("md4",), False),
    ("a Jester beside", ("je4",), False),
    ("a Builder beside", ("bd4",), True),
    ("a General beside", ("gd4",), True),
    ("a Sentinel's jump", ("sd3",), True),
    ("a Catapult at three", ("ce2", "#e3", "#e4"), True),
    ("a Catapult beside", ("ce4",), False),
    ("an attacker that a Sentinel protects", ("me1", "sf1"), True),
    ("an attacker that may not leave its General's side", ("me3", "ge2", "Me1", "#e9"), True),
    ("an own Sentinel beside", ("me1", "Sd5"), False),
    ("an own Sentinel aslant", ("me1", "Sd4"), True),
    ("an enemy Sentinel beside", ("me1", "sd5"), True),
]


@pytest.mark.parametrize(("pieces", "expected"), [case[1:] for case in DANGERS], ids=[case[0] for case in DANGERS])
@pytest.mark.parametrize("side", [WHITE, BLACK])
def test_danger(pieces: tuple[str, ...], expected: bool, side: int) -> None:
    text = sparse("Ge5", *pieces, *(() if any(piece[0] == "g" for piece in pieces) else ("gi9",)))
    assert Board(text if side == WHITE else turned(text)).in_danger(side) is expected
