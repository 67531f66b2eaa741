"""One test as a match with one seat: every answer gets its word."""

from __future__ import annotations

import pytest
from tests.plugins.advance.boards import sparse
from tests.plugins.advance.matches import Scripted

from tiltyard_advance.level_test_game import AdvanceTestManager, judged, map_of, read_test_map
from tiltyard_advance.level_tests import LevelTest, LevelTestError, write_test
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.turns import TurnAlgorithm

BOARD = sparse("Ge9", "ge1", "Za5", "zb4")
TAKEN = sparse("Ge9", "ge1", "Zb4")
TEST = LevelTest(6, 0, BOARD, TAKEN)


@pytest.mark.parametrize(
    ("answer", "winner", "reason", "message"),
    [
        (TAKEN, 1, "RIGHT", "Zombie a5 takes Zombie b4"),
        (sparse("Ge9", "ge1", "Za4", "zb4"), 0, "WRONG", "Zombie a5 to a4; expected Zombie a5 takes Zombie b4"),
        (sparse("Ge9", "ge1", "Za3", "zb4"), 0, "ILLEGAL", "no legal move leads to this board"),
        (BOARD, 0, "NO_MOVE", "made no move: the board is unchanged"),
        ("what?", 0, "UNREADABLE", "the answer is not a valid board: line 1, column 1: bad character 'w'"),
    ],
)
def test_answers(answer: str, winner: int, reason: str, message: str) -> None:
    result = judged(TEST, answer)
    assert (result.winner, result.reason) == (winner, reason)
    assert result.message.startswith(message)
    assert "".join(result.final_state) == ("" if reason == "UNREADABLE" else answer)


class Crashes(TurnAlgorithm[AdvancePosition, Turn]):
    def choose(self, position: AdvancePosition) -> Turn:
        raise ValueError("lost my head")


def ask(player: TurnAlgorithm[AdvancePosition, Turn]) -> GameResult:
    seat: InlineTurnSeat[AdvancePosition, Turn] = InlineTurnSeat(1, TurnTeam("team", "advance", lambda index: player), Turn)
    return AdvanceTestManager().run(Match(map=TEST, map_name="test", seats=[seat]))


def test_a_player_is_shown_the_position_once() -> None:
    player = Scripted([TAKEN])
    assert ask(player).winner == 1
    assert [(seen.board, seen.side) for seen in player.seen] == [(BOARD, 0)]


def test_a_player_that_fails_has_not_passed() -> None:
    result = ask(Crashes())
    assert (result.winner, result.reason, result.final_state) == (0, "CRASH", ())


def test_a_map_is_one_test_whatever_it_is_called() -> None:
    assert map_of(TEST) == map_of(LevelTest(6, 0, BOARD, TAKEN, "another name"))
    assert read_test_map("x", map_of(TEST)) == TEST
    with pytest.raises(LevelTestError, match="contains 2 tests"):
        read_test_map("x", (2 * write_test(TEST)).encode())
