"""One test of a level as a match with one seat: the player is shown the position, and wins if it answers with the right board.

``qualify: {level: 4}`` in a tournament asks teams for all such tests of the levels up to that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of
from tiltyard_advance.level_tests import LevelTest, LevelTestError, read_tests, write_test
from tiltyard_advance.manager import NO_MOVE, NOT_MOVED, VERDICTS
from tiltyard_advance.moves import boards_after, describe_move
from tiltyard_advance.packs import read_pack, shipped_pack
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_advance.rules import Board
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import option
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Qualifier, QualifyingTest
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
        return GameResult(0, NO_BOARD, 1, (), message=f"the answer is not a valid board: {error}")
    state = rows_of(board)
    before = Board(test.board)
    legal = boards_after(before, before.legal_moves(test.side))
    if board == test.board:
        return GameResult(0, NO_MOVE, 1, state, message=NOT_MOVED)
    if board not in legal:
        return GameResult(0, ILLEGAL, 1, state, message="no legal move leads to this board")
    words = describe_move(before, legal[board])
    if board == test.expected:
        return GameResult(1, RIGHT, 1, state, message=words)
    return GameResult(0, WRONG, 1, state, message=f"{words}; expected {describe_move(before, legal[test.expected])}")


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
        raise LevelTestError(f"{name}: contains {len(tests)} tests; a map of {TEST_GAME} contains exactly one")
    return tests[0]


@dataclass(frozen=True, slots=True)
class Admission:
    """What a team must pass before it plays."""

    level: int = option(4, "The team must pass all tests up to this level, from 4 to 7.", ge=4, le=7)
    tests: str = option("", "A folder or file of tests. Default: the shipped tests.")


def qualifying_tests(admission: Admission, folder: Path) -> Sequence[QualifyingTest]:
    """The tests, level by level.

    Raises:
        UserError: the pack cannot be read, or lacks tests of the level.
    """
    pack = read_pack(folder / admission.tests) if admission.tests else shipped_pack()
    if not any(test.level == admission.level for test in pack):
        raise UserError(f"{admission.tests}: contains no tests of level {admission.level}")
    return [QualifyingTest(test.name, f"level {test.level}", map_of(test)) for test in pack if test.level <= admission.level]


QUALIFIER: Final = Qualifier(TEST_GAME, TEST_GAME, Admission, qualifying_tests)
