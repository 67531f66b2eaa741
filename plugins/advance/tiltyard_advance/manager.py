"""The referee of a match: it alone keeps the board, asks for one move at a time, and takes it if it is one of the legal ones."""

from __future__ import annotations

from typing import Final, TypeAlias

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of
from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.moves import boards_after, changed_places, describe_move, place_name
from tiltyard_advance.positions import SIDES, AdvancePosition, Turn
from tiltyard_advance.recording import Recording
from tiltyard_advance.rules import BLACK, GENERAL, SQUARES, VALUES, WALL, WHITE, Board
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.results import GameResult, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat

AdvanceSeat: TypeAlias = TurnSeat[AdvancePosition, Turn]

NOT_MOVED: Final = "made no move: the board is unchanged"
TRAP: Final = "TRAP"
"""The loser has no legal move."""
MATERIAL: Final = "MATERIAL"
TIE: Final = "TIE"
NO_MOVE: Final = "NO_MOVE"
"""The board came back as it was."""
TIMEOUT: Final = "TIMEOUT"
VERDICTS: Final = {
    Termination.ILLEGAL_MOVE: "ILLEGAL",
    Termination.CRASH: "CRASH",
    Termination.TIMEOUT: TIMEOUT,
    Termination.STALL: TIMEOUT,
    Termination.PROTOCOL: "UNREADABLE",
}
"""What a loss by a fault is called; others go by the fault's own word."""


class AdvanceGameManager(GameManager[AdvanceMap, AdvanceSeat]):
    """Seat 1 plays white. Whoever has no legal move loses, and so does whoever answers with anything but a legal move."""

    def run(self, match: Match[AdvanceMap, AdvanceSeat]) -> GameResult:
        """Play the match to its end, or until a seat fails and loses by that."""
        game = _Game(match)
        try:
            return game.play()
        except SeatFault as fault:
            return game.lost_by(fault)


class _Game:
    def __init__(self, match: Match[AdvanceMap, AdvanceSeat]) -> None:
        self._seats = match.seats
        self._seed = match.seed
        self._plies = match.map.plies
        self._board = Board(match.map.board)
        self._ply = 0
        self._log: list[str] = []
        self._verbose = match.verbose
        self._recording = Recording(match.recorder, self._board) if match.recorder.active else None

    def play(self) -> GameResult:
        """To the end, unless a seat fails.

        Raises:
            SeatFault: it has failed.
        """
        for seat in self._seats:
            seat.start(self._position(seat.index - 1))
        while True:
            side = self._ply % 2
            moves = self._board.legal_moves(side)
            if not moves:
                return self._result(2 - side, TRAP, f"{SIDES[side]} has no legal move")
            if self._ply >= self._plies:
                return self._count()
            self._take_turn(side, moves)

    def _take_turn(self, side: int, moves: list[int]) -> None:
        board, seat = self._board, self._seats[side]
        turn = seat.choose(self._position(side))
        move = judge(seat, turn, board, moves)
        words = describe_move(board, move)
        board.make(move)
        self._ply += 1
        if self._verbose:
            self._log.append(f"{self._ply}. {SIDES[side]}: {words}\n")
        if self._recording is not None:
            self._recording.move(board, side, words, self._scores())

    def _position(self, side: int) -> AdvancePosition:
        return AdvancePosition(self._board.text(), side, self._ply, 2 * self._seed + side)

    # The end

    def _count(self) -> GameResult:
        white, black = self._scores()
        moves = f"{self._plies} plies"
        if white == black:
            return self._result(0, TIE, f"equal material after {moves}")
        return self._result(1 if white > black else 2, MATERIAL, f"more material after {moves}")

    def lost_by(self, fault: SeatFault) -> GameResult:
        """The claim after a seat has failed. The host puts what it did behind the message; the log says it by itself."""
        termination, message = fault.fault.termination, fault.fault.message
        is_no_move = termination is Termination.ILLEGAL_MOVE and message == NOT_MOVED
        reason = NO_MOVE if is_no_move else VERDICTS.get(termination, termination.name)
        seat = fault.fault.seat
        self._log.append(f"{SIDES[seat - 1]}: {termination.value}: {message}\n")
        return self._result(3 - seat, reason)

    def _result(self, winner: int, reason: str, why: str = "") -> GameResult:
        scores = self._scores()
        # No names: results are kept, and an organiser may give a team another name later.
        who = f"{SIDES[winner - 1].capitalize()} won" if winner else "Tie"
        message = f"{who}{': ' if why else ''}{why}; material {scores[0]:g} : {scores[1]:g}"
        log = "".join([*self._log, f"{message}\n"]) if self._verbose else ""
        state = rows_of(self._board.text())
        return GameResult(winner, reason, self._ply, state, scores=scores, message=message, log=log)

    def _scores(self) -> tuple[float, float]:
        return float(material(self._board, WHITE)), float(material(self._board, BLACK))


def material(board: Board, side: int) -> int:
    """What all pieces of a side are worth."""
    first, last = (1, GENERAL) if side == WHITE else (GENERAL + 1, WALL - 1)
    return sum(VALUES[board.squares[square]] for square in SQUARES if first <= board.squares[square] <= last)


def judge(seat: AdvanceSeat, turn: Turn, board: Board, moves: list[int]) -> int:
    """Which of the legal moves the seat has made.

    Raises:
        SeatFault: none of them; the seat is charged.
    """
    legal = boards_after(board, moves)
    try:
        text = read_board_file(turn.board.encode("utf-8", "replace"))
    except BoardFileError as error:
        raise seat.charge(Termination.PROTOCOL, f"the answer is not a valid board: {error}") from None
    if text in legal:
        return legal[text]
    before = board.text()
    if text == before:
        raise seat.charge(Termination.ILLEGAL_MOVE, NOT_MOVED)
    raise seat.charge(Termination.ILLEGAL_MOVE, f"no legal move leads to this board ({describe_difference(before, text)})")


def describe_difference(before: str, after: str) -> str:
    """The first few squares that differ, such as ``c8 Z is now .``."""
    places = changed_places(before, after)
    changes = [f"{place_name(place)} {before[place]} is now {after[place]}" for place in places[:4]]
    return ", ".join(changes) + (f" and {len(places) - 4} more" if len(places) > 4 else "")
