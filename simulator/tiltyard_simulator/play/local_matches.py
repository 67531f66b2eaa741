"""Playing a list of matches on this machine, on all cores. The order of results never depends on which match ends first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_simulator.match.eligibility import Eligibility
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executor import Finished, InlineExecutor, OnRefusal, play_schedule, raise_refusal
from tiltyard_simulator.play.failure_watch import FailureWatch

if TYPE_CHECKING:
    from tiltyard_simulator.play.workers import WorkerExecutor


def local_executor(workers: int) -> closing[InlineExecutor | WorkerExecutor]:
    """Plays on this machine, in ``workers`` processes, or in this one for 1. It can be used for many schedules."""
    if workers <= 1:
        return closing(InlineExecutor())
    from tiltyard_simulator.play.workers import WorkerExecutor  # with all that guards

    return closing(WorkerExecutor(workers=workers))


def run_matches(
    specs: Sequence[MatchSpec],
    workers: int,
    finished: Finished | None = None,
    most_faults: int = 0,
    refused: OnRefusal = raise_refusal,
    *,
    watch: FailureWatch | None = None,
) -> list[Outcome]:
    """Play matches in ``workers`` processes, or in this one for 1. Places and returned outcomes follow the order of ``specs``.

    Args:
        specs: the schedule.
        workers: processes; never more than there are matches.
        finished: called with each match as it ends. All matches of a team that is in quarantine at the end are forfeits in the
            returned list.
        most_faults: a team is quarantined after so many matches with a fault of its own; 0: never.
        refused: what becomes of a match that cannot be set up.
        watch: ends the schedule where no match can succeed; None: all are played.

    Raises:
        UserError: a match could not be set up, or a worker process died, or ``watch`` has ended the schedule.
        KeyboardInterrupt: ``finished`` has been called for all matches that have ended.
    """
    eligibility = Eligibility(most_faults)
    schedule = [spec.at(place) for place, spec in enumerate(specs)]
    with local_executor(min(workers, len(specs))) as executor:
        play_schedule(schedule, executor, eligibility, finished or (lambda spec, record: None), refused=refused, watch=watch)
    return eligibility.counted(schedule, eligibility.settled)


def play_matches(
    specs: Sequence[MatchSpec], workers: int, finished: Finished | None = None, refused: OnRefusal = raise_refusal
) -> list[MatchRecord]:
    """Play matches as ``run_matches`` does, and keep all that is known of them: for a few, which are compared."""
    records: dict[int, MatchRecord] = {}

    def end(spec: MatchSpec, record: MatchRecord) -> None:
        records[spec.place.number] = record
        if finished is not None:
            finished(spec, record)

    run_matches(specs, workers, end, refused=refused)
    return [records[place] for place in range(len(specs))]
