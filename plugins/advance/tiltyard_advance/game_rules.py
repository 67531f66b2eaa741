"""Advance by the engine's contract for rules, for whatever looks ahead. The referee is ``manager``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tiltyard_advance.manager import MATERIAL, TIE, TRAP, material
from tiltyard_advance.map_files import PLIES, AdvanceMap
from tiltyard_advance.moves import boards_after, describe_move
from tiltyard_advance.positions import SIDES, AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import BLACK, WHITE, Board
from tiltyard_engine.rules import Ending, Picture, Rules


@dataclass(frozen=True, slots=True)
class AdvanceState:
    """A match after some plies."""

    board: str
    """81 characters, line 1 first."""
    plies: int
    """How many the match has at most."""
    ply: int = 0
    seed: int = 0
    """Of the match: algorithms are told a number that is made from it."""

    @property
    def side(self) -> int:
        """Whose turn it is: 0 is white."""
        return self.ply % 2

    @property
    def pieces(self) -> Board:
        """The position as a board of the game's own rules."""
        return Board(self.board)


class AdvanceRules(Rules[AdvanceState, Turn]):
    """Seat 1 plays white. An answer is the board after the move."""

    def start(self, board: AdvanceMap, seats: int, chance: Random) -> AdvanceState:
        return AdvanceState(board.board, board.plies, seed=chance.getrandbits(30))

    def to_move(self, position: AdvanceState) -> Sequence[int]:
        return [position.side + 1]

    def legal(self, position: AdvanceState, seat: int) -> Sequence[Turn]:
        board = position.pieces
        return [turn_after(board, move) for move in board.legal_moves(position.side)]

    def play(self, position: AdvanceState, answers: Mapping[int, Turn], chance: Random) -> AdvanceState:
        return replace(position, board="".join(answers[position.side + 1].board.split()), ply=position.ply + 1)

    def outcome(self, position: AdvanceState) -> Ending | None:
        side = position.side
        if not position.pieces.legal_moves(side):
            return Ending.won_by(2 - side, reason=TRAP, message=f"{SIDES[side]} has no legal move")
        if position.ply < position.plies:
            return None
        white, black = self.scores(position)
        return Ending(reason=TIE if white == black else MATERIAL)

    def view(self, position: AdvanceState, seat: int) -> AdvancePosition:
        return AdvancePosition(position.board, position.side, position.ply, 2 * position.seed + position.side)

    def guess(self, view: AdvancePosition, seat: int, chance: Random) -> AdvanceState:
        ply = view.ply if view.ply % 2 == view.side else view.ply + 1
        return AdvanceState(view.board, max(PLIES, ply + 1), ply, view.seed // 2)

    def scores(self, position: AdvanceState) -> Sequence[int]:
        board = position.pieces
        return material(board, WHITE), material(board, BLACK)

    def draw(self, position: AdvanceState, names: Sequence[str]) -> Picture:
        return Picture([position.board[start : start + 9] for start in range(0, len(position.board), 9)])

    def to_text(self, answer: Turn, position: AdvanceState, seat: int) -> str:
        board = position.pieces
        return describe_move(board, boards_after(board, board.legal_moves(position.side))["".join(answer.board.split())])
