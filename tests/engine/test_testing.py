"""The face of the test kit: one call that checks a game, and fixtures that play its matches."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.results import Termination
from tiltyard_engine.testing import PlayMatch, scripted

pytest_plugins = ["tiltyard_engine.testing"]
NIM = str(Path(__file__).parents[1] / "programs" / "games" / "nim.py")


def test_scripted_algorithms_play_the_same_however_they_are_isolated(play_match: PlayMatch, isolation: str) -> None:
    record = play_match(NIM, [scripted(3, 3, 3), scripted(1, 2)], isolation=isolation)
    (fault,) = record.faults
    assert (record.winner, fault.seat, fault.termination, fault.message) == (2, 1, Termination.ILLEGAL_MOVE, "3 stones of 1")
    assert [held.partition(",")[0] for held in record.held or ["inline"]] == [isolation] * (len(record.held) or 1)
