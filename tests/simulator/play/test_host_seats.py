"""Algorithms in seats without a match around them, for plugins' own commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import write

from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import START, AdvancePosition
from tiltyard_advance.rules import WHITE, Board
from tiltyard_engine.errors import UserError
from tiltyard_engine.results import SeatFault
from tiltyard_simulator.play.host import GuardHost
from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE


@pytest.mark.parametrize("isolation", ["inline", "process", "sandbox"])
def test_any_algorithm_can_be_sat_down(isolation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ISOLATION_VARIABLE, isolation)
    position = AdvancePosition(START, WHITE, 0, 7)
    with (
        GuardHost() as host,
        host.open_player("advance-level-4", "advance", 1) as one,
        host.open_player("advance-level-6", "advance", 2) as two,
    ):
        for seat in (one, two):
            seat.start(position)
        turns = [seat.choose(position) for seat in (one, two)]
        assert (one.index, one.name, two.name) == (1, "advance-level-4", "advance-level-6")
    board = Board(START)
    assert {turn.board for turn in turns} <= set(boards_after(board, board.legal_moves(WHITE)))


def test_a_program_and_a_strangers_file_can_be_sat_down(tmp_path: Path) -> None:
    bot = write(tmp_path / "bot", "#!/bin/sh\nexit 0\n")
    bot.chmod(0o755)
    stranger = write(tmp_path / "team.py", STRANGER)
    with GuardHost() as host:
        with host.open_player(str(bot), "advance", 2) as seat:
            position = AdvancePosition(START, 1)
            seat.start(position)
            assert seat.choose(position).board == START, "what to think of that is the referee's business"
        with host.open_player(str(stranger), "advance", 1) as seat:
            seat.start(position)
            with pytest.raises(SeatFault, match="lost"):
                seat.choose(position)


STRANGER = """
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Lost(TurnAlgorithm):
    def choose(self, position):
        raise RuntimeError("lost")

@hookimpl
def algorithms():
    yield TurnTeam("lost", "advance", lambda seat: Lost())
"""


def test_who_cannot_be_sat_down() -> None:
    with GuardHost() as host:
        with pytest.raises(UserError, match="no algorithm is called 'nobody'"), host.open_player("nobody", "advance", 1):
            pass
        with pytest.raises(UserError, match="no game is called 'chess'"), host.open_player("nobody", "chess", 1):
            pass
