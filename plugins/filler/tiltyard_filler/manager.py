"""The referee of a match: two seats fill a board by the rules of one engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import GameResult, SeatFault
from tiltyard_engine.seats import TurnSeat
from tiltyard_filler.dialects import SUBJECT, Dialect
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.rules import LEGAL, WHY, Board

BOTH_OUT: Final = "BOTH_OUT"
"""Neither player can, or wants to, place another piece."""
FAULT: Final = "FAULT"
TO_PLACE: Final = "has"
"""What a replay says before the piece that a player has to place."""
NO_ANSWER: Final = -1
"""In place of a verdict where a player failed and the game goes on."""

FillerSeat = TurnSeat[FillerPosition, Placement]


class FillerGameManager(GameManager[FillerMap, FillerSeat]):
    """Whoever answers with an illegal placement is out, the other goes on alone; the highest score wins.

    The pieces come from the match's seed and the board's size alone, so that all who meet on the same seed get the same ones.
    """

    def __init__(self, dialect: Dialect = SUBJECT) -> None:
        self.dialect = dialect

    def run(self, match: Match[FillerMap, FillerSeat]) -> GameResult:
        """Play the match. A seat that fails loses it."""
        game = _Game(match, self.dialect)
        try:
            game.play()
        except SeatFault as fault:
            game.failed.append(fault.fault.seat)
        return game.result()


class _Game:
    def __init__(self, match: Match[FillerMap, FillerSeat], dialect: Dialect) -> None:
        start = match.map
        self.failed: list[int] = []
        """Seats that failed, in that order."""
        self._dialect = dialect
        self._seats = match.seats
        self._board = Board(start.width, start.height, start.cells)
        self._pieces = dialect.pieces(match.seed, start.width, start.height)
        self._placements = [0, 0, 0]
        """By player: the pieces placed."""
        self._is_out = [True, False, False]
        self._turns = 0
        self._log: list[str] = []
        self._verbose = match.verbose
        self._recording = Recording(match.recorder, self._board) if match.recorder.active else None

    def play(self) -> None:
        """Play until both players are out."""
        piece = self._pieces.draw()
        for seat in self._seats:
            with self._playing_on(seat.index):
                seat.start(self._position(piece, seat.index))
        player = self._next(2)
        while player:
            self._turns += 1
            action, verdict = self._turn(player, piece)
            self._is_out[player] = verdict != LEGAL
            self._placements[player] += verdict == LEGAL
            if self._verbose:
                self._log.append(f"player {player}: {action}\n")
            next_player = self._next(player)
            next_piece = self._pieces.draw() if next_player else None
            if self._recording is not None:
                self._recording.turn(player, action, verdict, scores=self._scores(), next_player=next_player, next_piece=next_piece)
            if next_piece is None:
                return
            player, piece = next_player, next_piece

    def _turn(self, player: int, piece: Piece) -> tuple[str, int]:
        """What the player did, in words, and what the rules say to it."""
        answer: Placement | None = None
        with self._playing_on(player):
            answer = self._seats[player - 1].choose(self._position(piece, player))
        if answer is None:
            return f"{describe_piece(piece)}: failed", NO_ANSWER
        verdict = self._board.play(player, piece.offsets, answer.x, answer.y)
        return describe_answer(piece, answer, verdict), verdict

    @contextlib.contextmanager
    def _playing_on(self, player: int) -> Iterator[None]:
        """By some rules the game goes on without a player who failed; by the others its fault ends it."""
        try:
            yield
        except SeatFault:
            if not self._dialect.plays_on:
                raise
            self.failed.append(player)
            self._is_out[player] = True

    def _next(self, player: int) -> int:
        """Whose turn comes after that of ``player``: the other's, or again the same one's; 0: the game is over."""
        other = 3 - player
        if not self._is_out[other]:
            return other
        return 0 if self._is_out[player] else player

    def _position(self, piece: Piece, player: int) -> FillerPosition:
        board = self._board
        return FillerPosition(
            width=board.width, height=board.height, board=bytes(board.cells), piece=piece, player=player, dialect=self._dialect.name
        )

    def _scores(self) -> tuple[float, float]:
        counted = self._board.counts if self._dialect.score == "cells" else self._placements
        return float(counted[1]), float(counted[2])

    def result(self) -> GameResult:
        """The claim. Whoever failed, first of both, has lost."""
        first, second = self._scores()
        winner = 3 - self.failed[0] if self.failed else 0 if first == second else 1 if first > second else 2
        score = f"{first:g} : {second:g} {self._dialect.score}"
        message = f"Player {winner} won, {score}" if winner else f"Draw, {score}"
        board = FillerMap(self._board.width, self._board.height, bytes(self._board.cells))
        log = "".join([*self._log, f"{message}\n"]) if self._verbose else ""
        reason = FAULT if self.failed else BOTH_OUT
        return GameResult(winner, reason, self._turns, tuple(board.rows), scores=(first, second), message=message, log=log)


def describe_answer(piece: Piece, answer: Placement, verdict: int) -> str:
    """An answer in words, such as ``.OO/OO. at 3 4``; with the reason if the player is out by it."""
    placement = f"{describe_piece(piece)} at {answer.x} {answer.y}"
    return f"{placement}: out, {WHY[verdict]}" if verdict != LEGAL else placement


def describe_piece(piece: Piece) -> str:
    """A piece as its rows with slashes between them."""
    return "/".join(piece.rows)


def describe_next(action: str, piece: Piece) -> str:
    """What a player has to place, such as ``has .OO/OO. to place``, after what the same player did before."""
    to_place = f"{TO_PLACE} {describe_piece(piece)} to place"
    return f"{action}; {to_place}" if action else to_place


class Recording:
    """Feeds a recorder: a frame a turn, what each player did or has to place, the cells of both as scores."""

    def __init__(self, recorder: Recorder, board: Board) -> None:
        self._recorder = recorder
        self._board = board
        self._tokens = [chr(cell) for cell in board.cells]
        recorder.start(board.width, board.height, self._tokens)
        self._is_out = [True, False, False]

    def turn(
        self, player: int, action: str, verdict: int, *, scores: Sequence[float], next_player: int, next_piece: Piece | None
    ) -> None:
        """A turn has been played."""
        notes: list[str] = []
        if verdict != LEGAL:
            self._is_out[player] = True
            notes.append(f"player {player} is out")
        actions = ["out" if self._is_out[seat] else "" for seat in range(3)]
        actions[player] = action
        if next_piece is not None:
            actions[next_player] = describe_next(action if next_player == player else "", next_piece)
        changed = self._board.changed if verdict != NO_ANSWER else ()
        self._recorder.frame(self._changes(changed), actions[1:], scores, notes)

    def _changes(self, touched: Sequence[int]) -> list[tuple[int, str]]:
        changes: list[tuple[int, str]] = []
        for square in sorted(set(touched)):
            token = chr(self._board.cells[square])
            if token != self._tokens[square]:
                self._tokens[square] = token
                changes.append((square, token))
        return changes
