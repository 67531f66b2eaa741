"""From what a GameManager claims to what counts. Faults overrule claims: a seat that failed comes after every seat that did not.

What a crash of a team's code means is a choice of a run, since simulators of the course differ in it. What the claim is worth
itself, and how faults change its ranks, is in the engine (``results``), where kits for authors of games need it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

from tiltyard_engine.errors import ContractError, UserError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.match_record import Outcome, outcome_of
from tiltyard_engine.records import Game, Manager, TurnInterface
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination, judge


class OnCrash(StrEnum):
    """What a crash of a team's code means."""

    FORFEIT = "forfeit"
    """The team comes after all teams that did not fail."""
    IDLE = "idle"
    """The team does nothing from then on, and the GameManager's result counts."""
    VOID = "void"
    """The match counts for nobody."""


CRASHES: Final = (Termination.CRASH, Termination.OUT_OF_MEMORY)
"""What ends a team's code from within: an exception, a signal, an exit. What it answers and how long it takes is something else."""


def has_crashed(fault: Fault) -> bool:
    """Whether it is the crash of a team."""
    return fault.seat > 0 and fault.termination in CRASHES


def check_on_crash(on_crash: OnCrash, game: Game[Any]) -> None:
    """Check that the game can go on as wanted.

    Raises:
        UserError: teams are to idle in a game of turns.
    """
    if on_crash is OnCrash.IDLE and isinstance(game.interface, TurnInterface):
        raise UserError(f"a team can't idle in {game.name}, because every turn needs a move: use 'forfeit' or 'void' for crashes")


def run_manager(record: Manager, match: Match[Any, Any]) -> GameResult:
    """Run the GameManager of a match. Whether it returns a valid result is not checked yet.

    Raises:
        ContractError: its plugin's ``create`` does not return a GameManager. And whatever the GameManager raises.
    """
    manager = record.create()
    if not isinstance(manager, GameManager):
        raise ContractError(f"create() returned {type(manager).__name__}, not a GameManager")
    return manager.run(match)


def judged(claim: GameResult, seat_faults: Sequence[Fault], manager_fault: Fault | None, seats: int, on_crash: OnCrash) -> Outcome:
    """The outcome of a match by its claim and the faults that the host saw, which count before those that the claim has."""
    seats_at_fault = {fault.seat for fault in seat_faults}
    claimed = [fault for fault in claim.faults if fault.seat not in seats_at_fault and 0 < fault.seat <= seats]
    first = () if manager_fault is None else (manager_fault,)
    return ended_by(claim, (*first, *seat_faults, *claimed), seats, on_crash)


def ended_by(claim: GameResult, faults: tuple[Fault, ...], seats: int, on_crash: OnCrash) -> Outcome:
    """The outcome that follows from a claim and all faults."""
    winner, ranks, no_contest = verdict(claim, faults, seats, on_crash)
    return outcome_of(claim, winner, ranks, faults, no_contest)


def verdict(claim: GameResult, faults: Sequence[Fault], seats: int, on_crash: OnCrash) -> tuple[int, tuple[int, ...], bool]:
    """Winner and ranks, and whether the match counts for nobody because of a crash: all that follows from claim and faults."""
    if not faults:
        return claim.winner, claim.ranks_for(seats), False
    if any(fault.seat == MANAGER_SEAT for fault in faults):
        return 0, (1,) * seats, False
    if on_crash is OnCrash.VOID and any(map(has_crashed, faults)):
        return 0, (1,) * seats, True
    deciding = [fault for fault in faults if on_crash is not OnCrash.IDLE or not has_crashed(fault)]
    return *judge(claim, deciding, seats), False
