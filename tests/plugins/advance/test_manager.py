"""Every verdict of the referee, and what it shows to whom."""

from __future__ import annotations

import pytest
from tests.plugins.advance.boards import sparse, turned
from tests.plugins.advance.matches import Scripted, play

from tiltyard_advance.algorithms import OwnPlayer
from tiltyard_advance.board_files import rows_of
from tiltyard_advance.positions import START, AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import WHITE, Board
from tiltyard_advance.theme import THEME
from tiltyard_engine.replay import ReplayRecorder
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm

TRAP = sparse("ga1", "Mh9", "Mi2", "Gi9", "Mc4", "#b1")
SPRUNG = sparse("ga1", "Mb9", "Mi2", "Gi9", "Mc4", "#b1")
"""White's Miner has come to column b: black's General can go nowhere, though it is not in danger."""


class Crashes(TurnAlgorithm[AdvancePosition, Turn]):
    def choose(self, position: AdvancePosition) -> Turn:
        raise RuntimeError("no idea")


def test_trap() -> None:
    result, _ = play(Scripted([SPRUNG]), Scripted([]), TRAP)
    assert (result.winner, result.reason, result.rounds) == (1, "TRAP", 1)
    assert result.final_state == rows_of(SPRUNG)
    assert result.message == "White won: black has no legal move; material 12 : 0"
    assert result.log == "1. white: Miner h9 to b9\n" + result.message + "\n"


def test_the_last_ply_may_trap() -> None:
    result, _ = play(Scripted([SPRUNG]), Scripted([]), TRAP, plies=1)
    assert (result.winner, result.reason) == (1, "TRAP")


@pytest.mark.parametrize(
    ("board", "winner", "reason", "why"),
    [
        (START, 0, "TIE", "Tie: equal material after 2 plies; material 48 : 48"),
        (START.replace("d", "."), 1, "MATERIAL", "White won: more material after 2 plies; material 48 : 41"),
        (START.replace("Z", ".", 1), 2, "MATERIAL", "Black won: more material after 2 plies; material 47 : 48"),
    ],
)
def test_material(board: str, winner: int, reason: str, why: str) -> None:
    result, _ = play(Scripted([]), Scripted([]), board, plies=2)
    assert (result.winner, result.reason, result.rounds, result.message) == (winner, reason, 2, why)


def test_two_hundred_plies_at_most() -> None:
    board = sparse("Ga9", "gi1", "Se5", "se4")
    result, _ = play(Scripted([]), Scripted([]), board)
    assert result.rounds <= 200
    assert result.reason in ("TRAP", "MATERIAL", "TIE")


@pytest.mark.parametrize(
    ("answer", "reason", "termination", "message"),
    [
        (START, "NO_MOVE", Termination.ILLEGAL_MOVE, "made no move: the board is unchanged"),
        (
            START.replace("J", ".", 1),
            "ILLEGAL",
            Termination.ILLEGAL_MOVE,
            "no legal move leads to this board (b9 J is now .)",
        ),
        (
            turned(START.replace("z", "Z")),
            "ILLEGAL",
            Termination.ILLEGAL_MOVE,
            "no legal move leads to this board (b8 Z is now z, c8 Z is now z, d8 Z is now z, e8 Z is now z and 3 more)",
        ),
        (
            "resign",
            "UNREADABLE",
            Termination.PROTOCOL,
            (
                "the answer is not a valid board: line 1, column 1: bad character 'r'; expected a piece "
                "(ZBMJSDCG white, zbmjsdcg black), "
                ". for an empty square or # for a wall"
            ),
        ),
        (
            "\ud800",
            "UNREADABLE",
            Termination.PROTOCOL,
            (
                "the answer is not a valid board: line 1, column 1: bad character '?'; expected a piece "
                "(ZBMJSDCG white, zbmjsdcg black), "
                ". for an empty square or # for a wall"
            ),
        ),
    ],
)
def test_faults(answer: str, reason: str, termination: Termination, message: str) -> None:
    result, seats = play(Scripted([answer]), Scripted([]))
    assert (result.winner, result.reason, result.rounds) == (2, reason, 0)
    fault = seats[0].fault
    assert fault is not None
    assert (fault.termination, fault.message) == (termination, message)
    assert result.message == "Black won; material 48 : 48"
    assert result.log == f"white: {termination.value}: {message}\n{result.message}\n"


def test_a_crash() -> None:
    result, seats = play(Scripted([]), Crashes())
    assert (result.winner, result.reason, result.rounds) == (1, "CRASH", 1)
    assert seats[1].fault is not None


def test_what_players_are_shown() -> None:
    white, black = Scripted([]), Scripted([])
    play(white, black, plies=4, seed=5)
    assert [(seen.side, seen.colour, seen.ply, seen.seed) for seen in white.seen] == [(0, "white", 0, 10), (0, "white", 2, 10)]
    assert [(seen.side, seen.colour, seen.ply, seen.seed) for seen in black.seen] == [(1, "black", 1, 11), (1, "black", 3, 11)]
    assert white.seen[0].board == START
    board = Board(START)
    assert turn_after(board, board.legal_moves(WHITE)[0]) == Turn(black.seen[0].board)
    assert board.text() == START


def test_a_result_names_nobody_because_names_can_be_changed_later() -> None:
    result, _ = play(Scripted([SPRUNG]), Scripted([]), TRAP)
    assert "team" not in result.message + result.log


def test_a_recording_follows_the_match() -> None:
    recorder = ReplayRecorder("advance")
    result, _ = play(OwnPlayer("6", 1), OwnPlayer("4", 2), plies=60, recorder=recorder, seed=3)
    replay = recorder.replay
    assert (replay.width, replay.height, len(replay.frames)) == (9, 9, result.rounds)
    boards = list(replay.all_rows())
    assert (boards[0], boards[-1]) == (rows_of(START), result.final_state)
    assert replay.frames[-1].scores == result.scores
    lines = result.log.splitlines()
    for number, frame in enumerate(replay.frames):
        assert frame.actions[1 - number % 2] == ""
        assert lines[number] == f"{number + 1}. {('white', 'black')[number % 2]}: {frame.actions[number % 2]}"
    assert {token for number in range(result.rounds) for token in replay.squares_after(number)} <= set(THEME.styles)
    assert sum(token.endswith("+") for token in replay.squares_after(result.rounds)) in (1, 2)
