"""The referee of a match: the subject's rules over two seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import GameResult, SeatFault
from tiltyard_engine.seats import TurnSeat
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.rules import LEGAL, WHY, Board

BOTH_OUT: Final = "BOTH_OUT"
"""Neither player can, or wants to, place another piece."""
FAULT: Final = "FAULT"

FillerSeat = TurnSeat[FillerPosition, Placement]


class FillerGameManager(GameManager[FillerMap, FillerSeat]):
    """Plays by the subject's rules: whoever answers with an illegal placement is out, the other goes on alone; most cells win.

    The pieces come from the match's seed and the board's size alone, so that all who meet on the same seed get the same ones.
    """

    def run(self, match: Match[FillerMap, FillerSeat]) -> GameResult:
        """Play the match. A seat that fails loses it."""
        game = _Game(match)
        try:
            game.play()
        except SeatFault as fault:
            return game.result(FAULT, loser=fault.fault.seat)
        return game.result(BOTH_OUT)


class _Game:
    def __init__(self, match: Match[FillerMap, FillerSeat]) -> None:
        start = match.map
        self._seats = match.seats
        self._board = Board(start.width, start.height, start.cells)
        self._pieces = PieceGenerator(match.seed, start.width, start.height)
        self._is_out = [True, False, False]
        self._turns = 0
        self._log: list[str] = []
        self._verbose = match.verbose
        self._recording = Recording(match.recorder, self._board) if match.recorder.active else None

    def play(self) -> None:
        """Until both players are out."""
        piece = self._pieces.draw()
        for seat in self._seats:
            seat.start(self._position(piece, seat.index))
        player = 1
        while True:
            answer = self._seats[player - 1].choose(self._position(piece, player))
            self._turns += 1
            verdict = self._board.play(player, piece.offsets, answer.x, answer.y)
            if verdict != LEGAL:
                self._is_out[player] = True
            if self._verbose:
                self._log.append(f"player {player}: {describe_answer(piece, answer, verdict)}\n")
            next_player = self._next(player)
            next_piece = self._pieces.draw() if next_player else None
            if self._recording is not None:
                self._recording.turn(player, describe_answer(piece, answer, verdict), verdict, next_player, next_piece)
            if next_piece is None:
                return
            player, piece = next_player, next_piece

    def _next(self, player: int) -> int:
        """Whose turn comes after that of ``player``: the other's, or again the same one's; 0: the game is over."""
        other = 3 - player
        if not self._is_out[other]:
            return other
        return 0 if self._is_out[player] else player

    def _position(self, piece: Piece, player: int) -> FillerPosition:
        board = self._board
        return FillerPosition(board.width, board.height, bytes(board.cells), piece, player)

    def result(self, reason: str, loser: int = 0) -> GameResult:
        """The claim; ``loser`` is a seat that failed."""
        cells = self._board.counts[1:]
        winner = 3 - loser if loser else 0 if cells[0] == cells[1] else 1 if cells[0] > cells[1] else 2
        score = f"{cells[0]} : {cells[1]} cells"
        message = f"Player {winner} won, {score}" if winner else f"Draw, {score}"
        board = FillerMap(self._board.width, self._board.height, bytes(self._board.cells))
        log = "".join([*self._log, f"{message}\n"]) if self._verbose else ""
        return GameResult(
            winner, reason, self._turns, tuple(board.rows), scores=(float(cells[0]), float(cells[1])), message=message, log=log
        )


def describe_answer(piece: Piece, answer: Placement, verdict: int) -> str:
    """Such as ``.OO/OO. at 3 4``."""
    said = f"{describe_piece(piece)} at {answer.x} {answer.y}"
    return f"{said}: out, {WHY[verdict]}" if verdict != LEGAL else said


def describe_piece(piece: Piece) -> str:
    """Its rows, a slash between them."""
    return "/".join(piece.rows)


class Recording:
    """Feeds a recorder: a frame a turn, what each player did or has to place, the cells of both as scores."""

    def __init__(self, recorder: Recorder, board: Board) -> None:
        self._recorder = recorder
        self._board = board
        self._tokens = [chr(cell) for cell in board.cells]
        recorder.start(board.width, board.height, self._tokens)
        self._is_out = [True, False, False]

    def turn(self, player: int, said: str, verdict: int, next_player: int, next_piece: Piece | None) -> None:
        """A turn has been played."""
        notes: list[str] = []
        if verdict != LEGAL:
            self._is_out[player] = True
            notes.append(f"player {player} is out")
        actions = ["out" if self._is_out[seat] else "" for seat in range(3)]
        actions[player] = said
        if next_piece is not None:
            to_place = f"has {describe_piece(next_piece)} to place"
            actions[next_player] = f"{said}; {to_place}" if next_player == player else to_place
        scores = [float(count) for count in self._board.counts[1:]]
        self._recorder.frame(self._changes(self._board.changed), actions[1:], scores, notes)

    def _changes(self, touched: Sequence[int]) -> list[tuple[int, str]]:
        changes: list[tuple[int, str]] = []
        for square in sorted(set(touched)):
            token = chr(self._board.cells[square])
            if token != self._tokens[square]:
                self._tokens[square] = token
                changes.append((square, token))
        return changes
