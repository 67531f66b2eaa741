"""Matches that cannot be played, such as those of a team whose folder is gone.

Whoever has matches played chooses what becomes of one: an error that names it, or a record for it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import NO_CLAIM, MatchRecord, outcome_of
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.match.spec import MatchSpec

UNPLAYABLE: Final = "cannot be played"
"""The message of such a record begins with it."""
OnRefusal: TypeAlias = Callable[[MatchSpec, UserError], MatchRecord]
"""Gets a match that cannot be played, and why. Returns what is put in the place of its record, or raises what ends the schedule."""


def raise_refusal(spec: MatchSpec, error: UserError) -> MatchRecord:
    """Raise an error that names the match."""
    raise UserError(f"{spec.input.title}: {error}", see=error.see) from error


def record_refusal(spec: MatchSpec, error: UserError) -> MatchRecord:
    """A void record: this match alone counts for nobody, and all others are played."""
    message = f"{UNPLAYABLE}: {error}"
    fault = Fault(MANAGER_SEAT, Termination.VOID, message, 0)
    outcome = outcome_of(NO_CLAIM, 0, (1,) * len(spec.input.teams), (fault,), incidents=(message,))
    return MatchRecord(outcome=spec.label(outcome))
