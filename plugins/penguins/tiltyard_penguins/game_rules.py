"""Penguins by the engine's contract for rules, for whatever looks ahead. The referee is ``referee``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tiltyard_engine.rules import Ending, Picture, Rules
from tiltyard_penguins.board_files import PlayerRow
from tiltyard_penguins.map_files import PenguinsMap
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition, can_play, file_after, place_name
from tiltyard_penguins.recording import plain_rows
from tiltyard_penguins.referee import NO_MOVES


@dataclass(frozen=True, slots=True)
class PenguinsState:
    """A match after some moves. A player's number is the seat."""

    seats: int
    position: PenguinsPosition
    """As the mover sees it; who has nothing to do is passed over."""


class PenguinsRules(Rules[PenguinsState, Move]):
    """Both phases, in the order of the seats."""

    def start(self, board: PenguinsMap, seats: int, chance: Random) -> PenguinsState:
        order = tuple(range(1, seats + 1))
        position = PenguinsPosition(
            rows=board.rows,
            columns=board.columns,
            cells=board.cells,
            phase=PLACEMENT,
            penguins=board.penguins,
            player=1,
            order=order,
            players=(),
        )
        return PenguinsState(seats, _with_mover(position, order))

    def to_move(self, position: PenguinsState) -> Sequence[int]:
        return [position.position.player]

    def legal(self, position: PenguinsState, seat: int) -> Sequence[Move]:
        at = position.position
        board = at.board()
        if not can_play(board, at.player, at.phase, at.penguins):
            return [PASS]
        if at.phase == PLACEMENT:
            return [Move(square) for square in board.placements()]
        return [Move(target, origin) for origin, target in board.moves(at.player)]

    def is_legal(self, position: PenguinsState, seat: int, answer: Move) -> bool:
        # A program's first placement says more than where: that is for the referee.
        return Move(answer.target, answer.origin) in self.legal(position, seat)

    def play(self, position: PenguinsState, answers: Mapping[int, Move], chance: Random) -> PenguinsState:
        at = position.position
        (move,) = answers.values()
        following = (*at.order[1:], at.player)
        if move.target == PASS.target:
            return replace(position, position=_with_mover(at, following))
        own = next((row for row in at.players if row.number == at.player), PlayerRow(f"player{at.player}", at.player, 0))
        file = file_after(at.file(), move, own)
        names = ("",) * len(file.players)
        after = replace(at, cells=file.cells, players=file.players, said_names=names)
        return replace(position, position=_with_mover(after, following))

    def outcome(self, position: PenguinsState) -> Ending | None:
        at = position.position
        board = at.board()
        if any(can_play(board, player, phase, at.penguins) for player in at.order for phase in {at.phase, MOVEMENT}):
            return None
        return Ending(reason=NO_MOVES)

    def view(self, position: PenguinsState, seat: int) -> PenguinsPosition:
        return position.position

    def guess(self, view: PenguinsPosition, seat: int, chance: Random) -> PenguinsState:
        return PenguinsState(max((*view.order, *(row.number for row in view.players))), view)

    def scores(self, position: PenguinsState) -> Sequence[int]:
        scores = {row.number: row.score for row in position.position.players}
        return [scores.get(seat, 0) for seat in range(1, position.seats + 1)]

    def without(self, position: PenguinsState, seat: int) -> PenguinsState:
        order = tuple(player for player in position.position.order if player != seat)
        return replace(position, position=_with_mover(position.position, order))

    def draw(self, position: PenguinsState, names: Sequence[str]) -> Picture:
        return Picture(plain_rows(position.position.board()))

    def draw_view(self, view: PenguinsPosition, seat: int, names: Sequence[str]) -> Picture:
        return Picture(plain_rows(view.board()))

    def to_text(self, answer: Move, position: PenguinsState, seat: int) -> str:
        columns = position.position.columns
        if answer.target == PASS.target:
            return "pass"
        way = f"{place_name(answer.origin, columns)} to " if answer.origin >= 0 else ""
        return f"{way}{place_name(answer.target, columns)}"


def _with_mover(position: PenguinsPosition, order: tuple[int, ...]) -> PenguinsPosition:
    """The position of the first in this order who has something to do, in the next phase if nobody has anything in this one."""
    board = position.board()
    for phase in (position.phase, MOVEMENT):
        # The second phase begins with the first seat again.
        players = order if phase == position.phase else tuple(sorted(order))
        for place, player in enumerate(players):
            if can_play(board, player, phase, position.penguins):
                return replace(position, phase=phase, player=player, order=players[place:] + players[:place])
    return replace(position, player=order[0] if order else position.player, order=order)
