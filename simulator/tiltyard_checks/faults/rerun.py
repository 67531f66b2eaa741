"""Playing the match of a fault folder again.

A fault folder may come from anybody. So what it says about where code lies and how it was isolated grants no trust: only the
user's own options do.
"""

from __future__ import annotations

from tiltyard_checks.faults.fault_folders import FaultRecord
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.trust import how_to_trust
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE, IsolationPolicy


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
        UserError: code that is not trusted would run in this process or without a sandbox, or this machine cannot confine what
            must be confined.
    """
    check_game(spec.input.game, isolation_policy)
    players = [(team, spec.isolation_of(seat)) for seat, team in enumerate(spec.input.teams, 1)]
    isolations = [(spec.input.manager, spec.isolation_of(MANAGER_SEAT)), *players]
    for code, isolation in isolations:
        if isolation is not Isolation.SANDBOX and not _is_allowed(code, isolation, isolation_policy):
            raise UserError(_how_to_allow(code, isolation))
    refusal = isolation_policy.refusal() if any(isolation is Isolation.SANDBOX for _, isolation in isolations) else ""
    if refusal:
        raise UserError(refusal, see="no-sandbox")


def check_game(game: Reference, isolation_policy: IsolationPolicy) -> None:
    """Raise UserError if a game isn't trusted, whose code runs in this process as soon as a match is looked at."""
    if not _is_allowed(game, Isolation.INLINE, isolation_policy):
        raise UserError(_how_to_allow(game, Isolation.INLINE))


def _is_allowed(code: Reference, isolation: Isolation, policy: IsolationPolicy) -> bool:
    """Whether the user lets code run with less than a sandbox."""
    if policy.isolation in (Isolation.INLINE, isolation):
        return True
    # A program's command stands in the folder, so that its place says nothing about what would run.
    return code.program is None and policy.trusts(code.source)


def _how_to_allow(code: Reference, isolation: Isolation) -> str:
    who = f"the {code.kind} '{code.name}' ran"
    if isolation is Isolation.INLINE:
        return f"{who} in-process in this match; to run its code in this process again, use --trust {how_to_trust(code.source)}"
    trust = "" if code.program is not None else f", or use --trust {how_to_trust(code.source)}"
    again = f"to run its code without one again, set {ISOLATION_VARIABLE}={Isolation.PROCESS}"
    return f"{who} without a sandbox in this match; {again}{trust}"


def same_faults(record: FaultRecord, outcome: Outcome) -> bool:
    """Whether the same seats failed in the same way in the same round. Messages may contain times and addresses."""
    then, now = ([(fault.seat, fault.termination, fault.round) for fault in faults] for faults in (record.faults, outcome.faults))
    return sorted(then, key=str) == sorted(now, key=str)
