"""Check recorded positions: ``python -m tiltyard_advance.conformance FILE ...``.

A FILE is JSON (or its gzip) of one of two forms; a board is a list of its nine lines:

    [{"level", "side", "board", "answer"}, ...]
        The answer must be the one board that the algorithm of that level (4 to 7) may choose.
    {"perft_from_start": {depth: number}, "positions": [{"side", "board", "moves", "results", "results_sha256", "winning",
                                                         "level6", "level6_sha256"}, ...]}
        The number of legal moves, of boards that they lead to and of winning moves, the number of boards that level 6 may choose,
        and the SHA-256 of the sorted boards (81 characters each) joined by newlines. What a position does not say is not checked.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.levels import LEVELS, best_moves, winning_moves
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import SIDES, START
from tiltyard_advance.rules import CHARACTERS, Board, perft
from tiltyard_kit.conformance import MalformedFileError, check_files

DEPTHS: Final = ("1", "2", "3", "4")
"""Deeper, from the start alone, takes hours: each depth takes 43 times as long."""


def answer_problem(test: Mapping[str, Any]) -> str:
    """Why a test of a level fails; empty where it passes."""
    level, side, board = int(test["level"]), SIDES.index(test["side"]), Board(_text(test["board"]))
    if level not in LEVELS:
        raise ValueError(f"level {level}; expected one of {', '.join(map(str, LEVELS))}")
    answer = _text(test["answer"])
    boards = sorted(boards_after(board, best_moves(board, side, level)))
    if boards == [answer]:
        return ""
    if answer in boards:
        return f"level {level}: {len(boards)} boards are equally good"
    expected, *results = (" ".join(rows_of(board)) for board in (answer, *boards[:3]))
    return f"level {level}: expected {expected}, got {' or '.join(results) or 'no legal move'}"


def movegen_problem(position: Mapping[str, Any]) -> str:
    """The counts that differ from what a position says; empty where none does."""
    side, board = SIDES.index(position["side"]), Board(_text(position["board"]))
    moves = board.legal_moves(side)
    results = sorted(boards_after(board, moves))
    best = sorted(boards_after(board, best_moves(board, side, 6)))
    counts = {
        "moves": len(moves),
        "results": len(results),
        "results_sha256": _hash(results),
        "winning": len(winning_moves(board, side, moves)),
        "level6": len(best),
        "level6_sha256": _hash(best),
    }
    if board.text() != _text(position["board"]):
        return "the board has changed after all moves were made and taken back"
    differing = [name for name in counts if name in position and position[name] != counts[name]]
    return "; ".join(f"{name}: expected {position[name]}, got {counts[name]}" for name in differing)


def _checks(tables: object) -> Iterator[tuple[str, str]]:
    """Each thing that a file asks for, with its problem."""
    if isinstance(tables, list):
        for number, test in enumerate(tables, start=1):
            yield f"test {number}", answer_problem(test)
    elif isinstance(tables, dict) and isinstance(tables.get("positions"), list):
        for number, position in enumerate(tables["positions"], start=1):
            yield f"position {number}", movegen_problem(position)
        for depth, expected in tables.get("perft_from_start", {}).items():
            yield f"perft {depth}", _perft_problem(depth, expected)
    else:
        raise MalformedFileError('expected a list of tests, or an object {"perft_from_start", "positions"}')


def _perft_problem(depth: str, expected: object) -> str:
    if depth not in DEPTHS:
        raise ValueError(f"perft: expected a depth of {DEPTHS[0]} to {DEPTHS[-1]}, got {depth:.20}")
    number = perft(Board(START), 0, int(depth))
    return "" if number == expected else f"expected {expected}, got {number}"


def _text(board: Sequence[str]) -> str:
    text = "".join(board)
    if len(text) != len(START) or not set(text) <= set(CHARACTERS) or text.count("G") != 1 or text.count("g") != 1:
        raise ValueError(f"not a board: {board!r:.200}")
    return text


def _hash(results: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(results).encode()).hexdigest()


def problems(tables: object, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each thing that a file asks for, with what is wrong with it.

    Raises:
        MalformedFileError: the file, or one of its tests, is of another form.
    """
    try:
        for name, problem in _checks(tables):
            yield name, [problem] if problem else []
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise MalformedFileError(f"no {error}" if isinstance(error, KeyError) else str(error)) from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 when all passes, 1 when anything fails, 2 on a wrong call."""
    return check_files(sys.argv[1:] if arguments is None else arguments, __doc__, problems)


if __name__ == "__main__":
    sys.exit(main())
