"""Playing the match of a fault again: exactly, but never with more trust in its code than is given now.

A fault's folder may come from anybody. What it says of where code lies and how it is held is therefore no permission.
"""

from __future__ import annotations

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.trusting import how_to_trust
from tiltyard_simulator.fault_folders import FaultRecord
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.specs import MatchOutcome, MatchSpec


def play_again(spec: MatchSpec, holding: Holding) -> MatchOutcome:
    """Play the match of a folder.

    Raises:
        UserError: as ``check_trust``; or the match cannot be set up.
    """
    check_trust(spec, holding)
    return play_match(spec)


def check_trust(spec: MatchSpec, holding: Holding) -> None:
    """Whether the match of a folder may be played by what ``holding`` says of trust and of this machine.

    Raises:
        UserError: code that is not trusted would run in this process, or this machine cannot confine what must be confined.
    """
    players = [(team, spec.isolation_of(seat)) for seat, team in enumerate(spec.algorithms, 1)]
    held = [(spec.game, Isolation.INLINE), (spec.manager, spec.manager_isolation), *players]
    for reference in [reference for reference, isolation in held if isolation is Isolation.INLINE]:
        _need_trust(reference, holding)
    refusal = holding.refusal() if any(isolation is Isolation.SANDBOX for _, isolation in held) else ""
    if refusal:
        raise UserError(refusal)


def _need_trust(reference: Reference, holding: Holding) -> None:
    if not holding.imports_here(reference.source):
        raise UserError(
            f"the {reference.kind} '{reference.name}' was held inline in this match; to run its code in this process again say"
            f" --trust {how_to_trust(reference.source)}"
        )


def same_faults(record: FaultRecord, outcome: MatchOutcome) -> bool:
    """Whether the same seats failed in the same way in the same round; words may hold times and addresses."""
    then, now = ([(fault.seat, fault.termination, fault.round) for fault in faults] for faults in (record.faults, outcome.faults))
    return sorted(then, key=str) == sorted(now, key=str)
