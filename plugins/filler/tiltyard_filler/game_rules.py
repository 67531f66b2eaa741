"""Filler by the engine's contract for rules, for whatever looks ahead. The referee is ``manager``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from tiltyard_engine.rules import Ending, Picture, Rules
from tiltyard_filler.dialects import FORTY_TWO, SUBJECT
from tiltyard_filler.manager import BOTH_OUT
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.rules import LEGAL, Board, legal_placements

DIALECTS: Final = {each.name: each for each in (SUBJECT, FORTY_TWO)}
NOWHERE: Final = Placement(0, 0)
"""The answer of who can place nothing: any that the rules refuse."""


@dataclass(frozen=True, slots=True)
class FillerState:
    """A match after some turns. The pieces to come are chance."""

    position: FillerPosition
    """As the mover sees it."""
    piece_counts: tuple[int, int] = (0, 0)
    """The pieces that each has placed."""
    out: tuple[int, ...] = ()
    """Players who place nothing any more."""


class FillerRules(Rules[FillerState, Placement]):
    """Who can't place the piece is out, and the other goes on alone."""

    def start(self, board: FillerMap, seats: int, chance: Random) -> FillerState:
        dialect = "01"
        piece = _piece(dialect, board.width, board.height, chance)
        return FillerState(
            FillerPosition(width=board.width, height=board.height, board=board.cells, piece=piece, player=1, dialect=dialect)
        )

    def to_move(self, position: FillerState) -> Sequence[int]:
        return [position.position.player]

    def legal(self, position: FillerState, seat: int) -> Sequence[Placement]:
        at = position.position
        squares = legal_placements(at.board, at.width, at.height, at.player, at.piece.offsets)
        return [Placement(x, y) for x, y in squares] or [NOWHERE]

    def play(self, position: FillerState, answers: Mapping[int, Placement], chance: Random) -> FillerState:
        at, player = position.position, position.position.player
        answer = answers[player]
        board = Board(at.width, at.height, at.board)
        is_placed = board.play(player, at.piece.offsets, answer.x, answer.y) == LEGAL
        out = position.out if is_placed else (*position.out, player)
        piece_counts = (
            position.piece_counts[0] + (is_placed and player == 1),
            position.piece_counts[1] + (is_placed and player == 2),
        )
        mover = 3 - player if 3 - player not in out else player
        piece = _piece(at.dialect, at.width, at.height, chance)
        return FillerState(replace(at, board=bytes(board.cells), piece=piece, player=mover), piece_counts, out)

    def outcome(self, position: FillerState) -> Ending | None:
        return Ending(reason=BOTH_OUT) if len(position.out) == 2 else None

    def view(self, position: FillerState, seat: int) -> FillerPosition:
        return position.position

    def guess(self, view: FillerPosition, seat: int, chance: Random) -> FillerState:
        return FillerState(view)

    def scores(self, position: FillerState) -> Sequence[int]:
        at = position.position
        if DIALECTS[at.dialect].score != "cells":
            return position.piece_counts
        return Board(at.width, at.height, at.board).counts[1:]

    def draw(self, position: FillerState, names: Sequence[str]) -> Picture:
        return Picture(position.position.rows)

    def draw_view(self, view: FillerPosition, seat: int, names: Sequence[str]) -> Picture:
        return Picture([*view.rows])

    def to_text(self, answer: Placement, position: FillerState, seat: int) -> str:
        return f"{answer.x} {answer.y}"


def _piece(dialect: str, width: int, height: int, chance: Random) -> Piece:
    """The next piece, as likely as the engine's."""
    return DIALECTS[dialect].pieces(chance.getrandbits(31), width, height).draw()
