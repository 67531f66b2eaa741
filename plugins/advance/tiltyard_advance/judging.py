"""Whether an answer is a legal move: what is compared is the board that came back."""

from __future__ import annotations

from typing import Final, TypeAlias

from tiltyard_advance.board_files import BoardFileError, read_board_file
from tiltyard_advance.moves import boards_after, place_name
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_advance.rules import Board
from tiltyard_engine.results import Termination
from tiltyard_engine.seats import TurnSeat

AdvanceSeat: TypeAlias = TurnSeat[AdvancePosition, Turn]
NOT_MOVED: Final = "made no move: the board is as it was"


def judge(seat: AdvanceSeat, turn: Turn, board: Board, moves: list[int]) -> int:
    """Which of the legal moves the seat has made.

    Raises:
        SeatFault: none of them; the seat is charged.
    """
    legal = boards_after(board, moves)
    try:
        text = read_board_file(turn.board.encode("utf-8", "replace"))
    except BoardFileError as error:
        raise seat.charge(Termination.PROTOCOL, f"answered with no board: {error}") from None
    if text in legal:
        return legal[text]
    before = board.text()
    if text == before:
        raise seat.charge(Termination.ILLEGAL_MOVE, NOT_MOVED)
    raise seat.charge(Termination.ILLEGAL_MOVE, f"no legal move leads to its board ({describe_difference(before, text)})")


def describe_difference(before: str, after: str) -> str:
    """The first few squares that differ, such as ``c8 Z is now .``."""
    places = [place for place in range(len(before)) if before[place] != after[place]]
    said = [f"{place_name(place)} {before[place]} is now {after[place]}" for place in places[:4]]
    return ", ".join(said) + (f" and {len(places) - 4} more" if len(places) > 4 else "")
