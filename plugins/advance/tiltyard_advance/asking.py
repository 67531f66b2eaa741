"""One test of a level as a match with one seat: the player is shown the position, and wins if it answers with the right board."""

from __future__ import annotations

from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of
from tiltyard_advance.judging import NOT_MOVED
from tiltyard_advance.level_tests import LevelTest, LevelTestError, read_tests, write_test
from tiltyard_advance.manager import NO_MOVE, VERDICTS
from tiltyard_advance.moves import boards_after, describe_move
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_advance.rules import Board
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.results import GameResult, SeatFault
from tiltyard_engine.seats import TurnSeat

TEST_GAME: Final = "advance-test"
"""The game's name, and its GameManager's."""
RIGHT: Final = "RIGHT"
WRONG: Final = "WRONG"
"""A legal move, but not the expected one."""
ILLEGAL: Final = "ILLEGAL"
NO_BOARD: Final = "UNREADABLE"

AskedSeat = TurnSeat[AdvancePosition, Turn]


class AdvanceTestManager(GameManager[LevelTest, AskedSeat]):
    """Asks for one move. The final state is the board that was answered; empty where none was."""

    def run(self, match: Match[LevelTest, AskedSeat]) -> GameResult:
        """Ask the question, and judge the answer."""
        test, (seat,) = match.map, match.seats
        position = AdvancePosition(test.board, test.side, test.side, match.seed)
        try:
            seat.start(position)
            answer = seat.choose(position)
        except SeatFault as fault:
            termination = fault.fault.termination
            return GameResult(0, VERDICTS.get(termination, termination.name), 1, (), message=fault.fault.message)
        return judged(test, answer.board)


def judged(test: LevelTest, answered: str) -> GameResult:
    """The result for what a player answered: its winner is 1 if that is right."""
    try:
        board = read_board_file(answered.encode("utf-8", "replace"))
    except BoardFileError as error:
        return GameResult(0, NO_BOARD, 1, (), message=f"answered with no board: {error}")
    state = rows_of(board)
    before = Board(test.board)
    legal = boards_after(before, before.legal_moves(test.side))
    if board == test.board:
        return GameResult(0, NO_MOVE, 1, state, message=NOT_MOVED)
    if board not in legal:
        return GameResult(0, ILLEGAL, 1, state, message="no legal move leads to its board")
    did = describe_move(before, legal[board])
    if board == test.expected:
        return GameResult(1, RIGHT, 1, state, message=did)
    return GameResult(0, WRONG, 1, state, message=f"{did}; expected {describe_move(before, legal[test.expected])}")


def map_of(test: LevelTest) -> bytes:
    """The map file of a test: equal for equal tests, whatever they are called."""
    return write_test(LevelTest(test.level, test.side, test.board, test.expected)).encode("ascii")


def read_test_map(name: str, data: bytes, seats: int = 1) -> LevelTest:
    """The one test of a map file.

    Raises:
        LevelTestError: it holds none, or several.
    """
    tests = read_tests(name, data)
    if len(tests) != 1:
        raise LevelTestError(f"{name}: holds {len(tests)} tests; a map of {TEST_GAME} is one of them")
    return tests[0]
