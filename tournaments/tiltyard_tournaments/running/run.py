"""Playing a tournament: what is missing in its store is played, kept, and told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeAlias

from tiltyard_engine.lifecycle import BatchStarted, Event, TournamentFinished
from tiltyard_simulator.quarantine import Quarantine
from tiltyard_simulator.running import Executor
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_tournaments.running.events import match_faults, match_finished, match_started, tournament_started
from tiltyard_tournaments.running.schedule import Planned, Schedule
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

Tell: TypeAlias = Callable[[Event], None]


def run_tournament(tournament: Tournament, store: Store, executor: Executor, tell: Tell) -> Schedule:
    """Play until the format wants nothing more; the complete schedule with its outcomes.

    Each match is in the store before it is told of. A match that the machine did not let come to an end counts for nobody,
    and the format goes on without it; the next run tries it again.

    Raises:
        UserError: a match cannot be set up, or the store cannot be written; what was stored stays.
        KeyboardInterrupt: as it comes; likewise.
    """
    started = time.monotonic()
    schedule = Schedule(tournament)
    quarantine = Quarantine(tournament.quarantine)
    tell(tournament_started(tournament, len(store.keys())))
    complete, voids = False, 0
    try:
        while batch := schedule.next_batch():
            _play_batch(batch, schedule.batches, quarantine, store, executor, tell)
            schedule.end_batch(quarantine.settled[-len(batch) :])
        voids = schedule.voids
        complete = not voids
    finally:
        tell(TournamentFinished(len(schedule.outcomes), complete, time.monotonic() - started, voids))
    return schedule


def _play_batch(
    batch: Sequence[Planned], number: int, quarantine: Quarantine, store: Store, executor: Executor, tell: Tell
) -> None:
    first = batch[0].place
    stored = {planned.place: outcome for planned in batch if (outcome := store.outcome(planned.key)) is not None}
    tell(BatchStarted(number, len(batch), len(stored)))

    def end(planned: Planned, outcome: MatchOutcome, played: bool) -> None:
        if played:
            _keep(store, planned, outcome)
        quarantine.add(planned.place, planned.spec, outcome)
        for fault in match_faults(planned, outcome) if played else ():
            tell(fault)
        tell(match_finished(planned, outcome, played))

    def to_play() -> Iterator[tuple[int, MatchSpec]]:
        for planned in batch:
            known = quarantine.forfeit(planned.spec) or stored.get(planned.place)
            if known is not None:
                end(planned, known, played=False)
            else:
                tell(match_started(planned))
                yield planned.place, planned.spec

    with closing(executor.play(to_play())) as playing:
        for place, outcome in playing:
            end(batch[place - first], outcome, played=True)


def _keep(store: Store, planned: Planned, outcome: MatchOutcome) -> None:
    for incident in outcome.incidents:
        store.add_incident(planned.key, incident)
    if outcome.is_void:
        store.add_void(planned.key, outcome)
    else:
        store.add(planned.key, planned.spec, outcome)
