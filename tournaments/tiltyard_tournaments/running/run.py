"""Playing a tournament: what is missing in its store is played, saved, and reported as events. And how long that takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Fixture
from tiltyard_engine.lifecycle import BatchStarted, Event, MatchFault, MatchStarted, TournamentFinished, TournamentStarted
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.results import Termination
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.time_left import clock
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.reports import without_any_result
from tiltyard_simulator.play.executor import Executor, Finished, OpenExecutor, available_cores, play_schedule
from tiltyard_simulator.play.failure_watch import FailureWatch
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.standing_rounds import keep_round
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH
from tiltyard_tournaments.store import Store

Tell: TypeAlias = Callable[[Event], None]


def run_tournament(
    tournament: Tournament, store: Store, executor: Executor | OpenExecutor, tell: Tell, finished: Finished | None = None
) -> Schedule:
    """Play until the format wants nothing more; the complete schedule with its outcomes.

    Each match is in the store before its event is sent. A match that failed because of the machine counts for nobody,
    and the format goes on without it; the next run tries it again.

    Args:
        tournament: what to play.
        store: what was played is in it, and what is played comes into it.
        executor: where matches are played, or opens that.
        tell: gets every event.
        finished: given each match that was played now with all that is known of it.

    Raises:
        UserError: a match cannot be set up, or the store cannot be written; what was stored stays.
        EarlyEndError: the GameManager fails in all matches, or the machine does; what was stored stays.
        KeyboardInterrupt: as it comes; what was stored stays.
    """
    started = time.monotonic()
    schedule = Schedule(tournament=tournament)
    watch = FailureWatch()
    earlier, rounds = store.keys(), len(store.rounds() or ())
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
        tell(schedule.eligibility.decided(spec, outcome))

    try:
        while batch := schedule.next_batch():
            # A store of version 0.2.0 has none yet. Tie-break matches follow from the standings as they are now.
            if tournament.format.draws and schedule.batches > rounds and batch[0].place.stage != TIE_BREAK_MATCH:
                keep_round(schedule, store)
            # They are read once more when they are wanted: all of them at once may be more than fits into memory.
            tell(BatchStarted(schedule.batches, len(batch), sum(stored(spec) is not None for spec in batch)))
            play_schedule(
                batch,
                executor,
                schedule.eligibility,
                end,
                stored=stored,
                started=lambda spec: tell(match_started(spec)),
                watch=watch,
            )
            schedule.end_batch()
        schedule.end()
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


def seconds_a_game(specs: SpecMaker, fixtures: Sequence[Fixture], trials: int) -> float:
    """The mean wall time of a game, from trial games spread over the fixtures.

    Args:
        specs: makes the matches.
        fixtures: at least one.
        trials: how many games to play at most.

    Raises:
        UserError: the GameManager or the machine failed in all of them, so that nothing follows from them; or none can be set up.
    """
    from tiltyard_simulator.play.arena import Arena  # with all that guards

    step = max(1, len(fixtures) // trials)
    trial_games = [specs.spec(fixture, 0) for fixture in fixtures[::step][:trials]]
    with Arena() as arena:
        arena.preload(players_of(trial_games))
        outcomes = [arena.play(spec).outcome for spec in trial_games]
    if failed := without_any_result(outcomes):
        raise UserError(f"no estimate from {len(outcomes)} trial games: {failed}: {outcomes[0].message}")
    return sum(outcome.seconds for outcome in outcomes) / len(outcomes)


def time_in_words(tournament: Tournament, seconds: float, expected: tuple[int, int]) -> str:
    """Such as ``about 0:40 with 2 workers``: for so many games at least and at most, at so many seconds each."""
    workers = tournament.workers or available_cores()
    least, most = (clock(games * seconds / workers) for games in expected)
    span = most if least == most else f"{least} to {most}"
    return f"about {span} with {counted(workers, 'worker')}"
