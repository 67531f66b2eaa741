from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination
from tiltyard_simulator.match.verdict import OnCrash, check_on_crash, has_crashed, verdict


@pytest.mark.parametrize("termination", Termination)
def test_a_crash_is_what_ends_a_teams_code_from_within(termination: Termination) -> None:
    fault = Fault(2, termination, "x")
    assert has_crashed(fault) == (termination in (Termination.CRASH, Termination.OUT_OF_MEMORY))
    winner, _, no_contest = verdict(GameResult(2, "X", 3, ()), [fault], 2, OnCrash.IDLE)
    assert (winner, no_contest) == (2 if has_crashed(fault) else 1, False), "where it means nothing, the claim counts"
    assert not has_crashed(Fault(MANAGER_SEAT, termination, "x"))


def test_only_tanks_can_idle(tanks: Reference, programs: Path) -> None:
    nim = Registry.from_paths([programs / "turn_games"]).all(GAME)[0].reference.load_as(Game)
    for on_crash in OnCrash:
        check_on_crash(on_crash, tanks.load_as(Game))
        if on_crash is not OnCrash.IDLE:
            check_on_crash(on_crash, nim)
    with pytest.raises(
        UserError, match=f"a team can't idle in {nim.name}, because every turn needs a move: use 'forfeit' or 'void'"
    ):
        check_on_crash(OnCrash.IDLE, nim)
