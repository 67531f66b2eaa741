"""Playing the match of a fault folder again.

A fault folder may come from anybody. So what it says about where code lies and how it was isolated grants no trust: only the
user's own options do.
"""

from __future__ import annotations

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry.trust import how_to_trust
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.play.fault_folders import FaultRecord
from tiltyard_simulator.play.isolation_policy import IsolationPolicy


def play_again(spec: MatchSpec, isolation_policy: IsolationPolicy) -> MatchRecord:
    """Play the match of a folder.

    Raises:
        UserError: as ``check_trust``; or the match cannot be set up.
    """
    check_trust(spec, isolation_policy)
    return play_match(spec)


def check_trust(spec: MatchSpec, isolation_policy: IsolationPolicy) -> None:
    """Check that ``isolation_policy`` allows to play the match of a fault folder on this machine.

    Raises:
        UserError: code that is not trusted would run in this process, or this machine cannot confine what must be confined.
    """
    players = [(team, spec.isolation_of(seat)) for seat, team in enumerate(spec.algorithms, 1)]
    held = [(spec.game, Isolation.INLINE), (spec.manager, spec.isolation_of(MANAGER_SEAT)), *players]
    for code, isolation in held:
        if isolation is Isolation.INLINE and not isolation_policy.imports_here(code.source):
            raise UserError(
                f"the {code.kind} '{code.name}' ran in-process in this match; to run its code in this process again, use"
                f" --trust {how_to_trust(code.source)}"
            )
    refusal = isolation_policy.refusal() if any(isolation is Isolation.SANDBOX for _, isolation in held) else ""
    if refusal:
        raise UserError(refusal)


def same_faults(record: FaultRecord, outcome: MatchRecord) -> bool:
    """Whether the same seats failed in the same way in the same round. Messages may contain times and addresses."""
    then, now = ([(fault.seat, fault.termination, fault.round) for fault in faults] for faults in (record.faults, outcome.faults))
    return sorted(then, key=str) == sorted(now, key=str)
