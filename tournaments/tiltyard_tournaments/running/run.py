"""Playing a tournament: what is missing in its store is played, saved, and reported as events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeAlias

from tiltyard_engine.lifecycle import BatchStarted, Event, MatchFault, MatchStarted, TournamentFinished, TournamentStarted
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.results import Termination
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executors import Executor, Finished, play_schedule
from tiltyard_simulator.play.failure_watch import FailureWatch
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

Tell: TypeAlias = Callable[[Event], None]


def run_tournament(
    tournament: Tournament, store: Store, executor: Executor, tell: Tell, finished: Finished | None = None
) -> Schedule:
    """Play until the format wants nothing more; the complete schedule with its outcomes.

    Each match is in the store before its event is sent. A match that failed because of the machine counts for nobody,
    and the format goes on without it; the next run tries it again.

    Args:
        tournament: what to play.
        store: what was played is in it, and what is played comes into it.
        executor: where matches are played.
        tell: told of every event.
        finished: given each match that was played now with all that is known of it.

    Raises:
        UserError: a match cannot be set up, or the store cannot be written; what was stored stays.
        EarlyEndError: the GameManager fails in all matches, or the machine does; likewise.
        KeyboardInterrupt: as it comes; likewise.
    """
    started = time.monotonic()
    schedule = Schedule(tournament=tournament)
    quarantine = tournament.new_quarantine()
    watch = FailureWatch()
    earlier = store.keys()
    tell(tournament_started(tournament, len(earlier)))
    complete, voids = False, 0

    def stored(spec: MatchSpec) -> Outcome | None:
        outcome = store.ended_as(spec) if spec.place.key in earlier else None
        return None if outcome is None or outcome.is_void else outcome

    def end(spec: MatchSpec, record: MatchRecord) -> None:
        outcome = record.outcome
        if outcome.played:
            _keep(store, spec, record)
            if finished is not None:
                finished(spec, record)
            for fault in match_faults(outcome):
                tell(fault)
        tell(outcome)

    try:
        while batch := schedule.next_batch():
            # They are read once more when they are wanted: all of them at once may be more than fits into memory.
            found = sum(not outcome.is_forfeit for outcome in map(stored, batch) if outcome is not None)
            tell(BatchStarted(schedule.batches, len(batch), found))
            play_schedule(
                batch,
                executor,
                quarantine,
                end,
                stored=stored,
                started=lambda spec: tell(match_started(spec)),
                watch=watch,
            )
            schedule.end_batch(quarantine.settled[-len(batch) :])
        schedule.end(quarantine)
        voids = schedule.voids
        complete = not voids
    finally:
        tell(TournamentFinished(len(schedule.records), complete, time.monotonic() - started, voids))
    return schedule


def _keep(store: Store, spec: MatchSpec, record: MatchRecord) -> None:
    for incident in record.outcome.incidents:
        store.add_incident(spec.place.key, incident)
    if record.outcome.is_void:
        store.add_void(spec.place.key, record)
    else:
        store.add(spec.place.key, spec, record)


def tournament_started(tournament: Tournament, stored: int) -> TournamentStarted:
    """With so many matches in the store."""
    return TournamentStarted(
        title=tournament.title,
        teams=tournament.names,
        stored=stored,
        expected=tournament.format.expected_games(),
        game=tournament.game.name,
        manager=tournament.manager.label,
        format=tournament.format_name,
        maps=tuple(source.name for source in tournament.maps),
        folder=str(tournament.folder),
    )


def match_started(spec: MatchSpec) -> MatchStarted:
    """The match is handed to a worker."""
    return MatchStarted(
        place=spec.place.number,
        key=spec.place.key,
        teams=spec.input.names,
        map=spec.input.map.name,
        seed=spec.input.seed,
        game=spec.place.game_number,
        stage=spec.place.stage,
    )


def match_faults(outcome: Outcome) -> Iterator[MatchFault]:
    """An event for each fault."""
    for fault in outcome.faults:
        who = "the machine" if fault.termination is Termination.VOID else outcome.blamed(fault.seat)
        yield MatchFault(place=outcome.place, key=outcome.key, teams=outcome.teams, map=outcome.map, who=who, fault=fault)
