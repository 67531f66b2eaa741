"""Typed words to moves and back: ``c8 c7``, and a letter where a square is not enough, as ``b8 b7 b`` for a wall."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Final

from tiltyard_advance.moves import piece_name, place_name
from tiltyard_advance.rules import BUILD, CHARACTERS, CONVERT, EMPTY, GENERAL, MOVE, PLACES, SHOOT, SIZE, SQUARES, SWAP, WALL, Board
from tiltyard_kit.terminal.squares import read_square

ACTIONS: Final = {MOVE: "m", BUILD: "b", SHOOT: "s", SWAP: "x", CONVERT: "c"}
"""By what a move does: the letter that may follow its squares."""
ACTION_WORDS: Final = {MOVE: "move", BUILD: "build a wall", SHOOT: "shoot", SWAP: "change places", CONVERT: "convert"}
WIDEST: Final = 78
"""Columns of a line of moves."""
_SQUARE: Final = "([a-i][1-9])"
_TYPED: Final = re.compile(rf"{_SQUARE}(?:[\s\-x>]*{_SQUARE})?(?:\s*([a-z]))?\Z")


def parse_squares(text: str) -> tuple[int, int, str] | None:
    """Origin, target and letter of what was typed; the target is -1 and the letter empty where there is none. None: no squares."""
    found = _TYPED.match(text.strip().lower())
    if found is None:
        return None
    origin, target, letter = found.groups(default="")
    return read_square(origin, SIZE, SIZE), read_square(target, SIZE, SIZE), letter


def moves_between(moves: Sequence[int], origin: int, target: int, letter: str = "") -> list[int]:
    """Those of the moves that lead from one place to the other, in the way that the letter says if there is one."""
    found = [move for move in moves if PLACES[move >> 8 & 255] == origin and PLACES[move & 255] == target]
    return [move for move in found if ACTIONS[move >> 16] == letter] if letter else found


def explain_refusal(board: Board, side: int, moves: Sequence[int], origin: int, target: int, *, letter: str = "") -> str:
    """Why there is no such move among the legal ones."""
    content = board.squares[SQUARES[origin]]
    where, there = place_name(origin), place_name(target) if target >= 0 else ""
    if content in (EMPTY, WALL):
        return f"{where} is {'empty' if content == EMPTY else 'a wall'}; choose one of your own pieces"
    if int(content > GENERAL) != side:
        return f"the {piece_name(content)} on {where} is your opponent's"
    name = piece_name(content)
    if target < 0:
        return f"the {name} on {where} has no legal move"
    if letter and moves_between(moves, origin, target):
        could = " or ".join(ACTIONS[move >> 16] for move in moves_between(moves, origin, target))
        return f"the {name} cannot do '{letter}' there; it can: {could}"
    reach: list[int] = []
    board.add_moves(SQUARES[origin], reach)
    if any(PLACES[move & 255] == target for move in reach):
        return f"{where} {there} would leave your General in danger"
    if board.is_protected(SQUARES[target], 1 - side) and board.squares[SQUARES[target]] not in (EMPTY, WALL):
        return f"the {name} on {where} cannot act on {there}; a Sentinel protects what is there"
    return f"the {name} on {where} cannot act on {there}; type {where} to see what it can do"


def words_of(move: int) -> str:
    """What would have to be typed for a move, such as ``b8 b7 b``."""
    what = ACTIONS[move >> 16]
    words = f"{place_name(PLACES[move >> 8 & 255])} {place_name(PLACES[move & 255])}"
    return words if what == ACTIONS[MOVE] else f"{words} {what}"


def list_moves(board: Board, moves: Sequence[int]) -> list[str]:
    """A line for each piece that can move: where to, what it takes, and the letters where there is a choice."""
    lines: list[str] = []
    for origin in sorted({move >> 8 & 255 for move in moves}):
        piece = board.squares[origin]
        where = place_name(PLACES[origin])
        said: dict[str, list[str]] = {}
        for move in moves:
            if move >> 8 & 255 == origin:
                said.setdefault(_kind(board, move), []).append(place_name(PLACES[move & 255]))
        parts = "; ".join(f"{kind}{' '.join(places)}" for kind, places in said.items())
        lines += textwrap.wrap(f"{CHARACTERS[piece]} {where}: {parts}", WIDEST, subsequent_indent="      ")
    return lines


def _kind(board: Board, move: int) -> str:
    what, content = move >> 16, board.squares[move & 255]
    if what == MOVE:
        return "" if content == EMPTY else "takes a wall " if content == WALL else "takes "
    return {BUILD: "walls ", SHOOT: "shoots ", SWAP: "changes with ", CONVERT: "converts "}[what]
