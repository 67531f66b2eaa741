"""From a GameManager's claim to what counts. Faults overrule claims: a seat that failed comes after every seat that did not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tiltyard_engine.claims import judge
from tiltyard_engine.errors import ContractError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Manager
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult
from tiltyard_simulator.match.on_crash import OnCrash, has_crashed, without_crashes


def run_manager(record: Manager, match: Match[Any, Any]) -> GameResult:
    """Run the GameManager of a match. Whether it returns a valid result is not checked yet.

    Raises:
        ContractError: its plugin's ``create`` does not return a GameManager. And whatever the GameManager raises.
    """
    manager = record.create()
    if not isinstance(manager, GameManager):
        raise ContractError(f"create() returned {type(manager).__name__}, not a GameManager")
    return manager.run(match)


def verdict(claim: GameResult, faults: Sequence[Fault], seats: int, on_crash: OnCrash) -> tuple[int, tuple[int, ...], bool]:
    """Winner and ranks, and whether the match counts for nobody because of a crash: all that follows from claim and faults."""
    if not faults:
        return claim.winner, claim.ranks_for(seats), False
    if any(fault.seat == MANAGER_SEAT for fault in faults):
        return 0, (1,) * seats, False
    if on_crash is OnCrash.VOID and any(map(has_crashed, faults)):
        return 0, (1,) * seats, True
    deciding = without_crashes(faults) if on_crash is OnCrash.IDLE else faults
    return *judge(claim, deciding, seats), False
