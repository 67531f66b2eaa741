"""From the schedule's matches and their outcomes to what those who watch are told."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.lifecycle import MatchFault, MatchFinished, MatchStarted, TournamentStarted
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_tournaments.played import course_digest
from tiltyard_tournaments.running.schedule import Planned
from tiltyard_tournaments.running.tournament import Tournament


def tournament_started(tournament: Tournament, stored: int) -> TournamentStarted:
    """With so many matches in the store."""
    return TournamentStarted(
        tournament.title,
        tournament.names,
        stored,
        tournament.format.expected_games(),
        tournament.game.name,
        tournament.manager.name,
        tournament.format_name,
        tuple(source.name for source in tournament.maps),
        str(tournament.folder),
    )


def match_started(planned: Planned) -> MatchStarted:
    """The match is handed to a worker."""
    spec, fixture = planned.spec, planned.fixture
    return MatchStarted(planned.place, planned.key, spec.names, spec.map.name, spec.seed, fixture.game, fixture.stage)


def match_faults(planned: Planned, outcome: MatchOutcome) -> Iterator[MatchFault]:
    """An event for each fault."""
    spec = planned.spec
    for fault in outcome.faults:
        yield MatchFault(planned.place, planned.key, spec.names, spec.map.name, _who(spec, fault), fault)


def _who(spec: MatchSpec, fault: Fault) -> str:
    return "the machine" if fault.termination is Termination.VOID else spec.blamed(fault.seat)


def match_finished(planned: Planned, outcome: MatchOutcome, played: bool = True) -> MatchFinished:
    """The match has this outcome."""
    spec, fixture, claim = planned.spec, planned.fixture, outcome.claim
    return MatchFinished(
        planned.place,
        planned.key,
        spec.names,
        spec.map.name,
        outcome.winner,
        outcome.ranks,
        spec.seed,
        fixture.game,
        fixture.stage,
        claim.scores,
        outcome.counts,
        claim.reason,
        outcome.message,
        claim.rounds,
        outcome.faults,
        outcome.held,
        outcome.incidents,
        outcome.seconds,
        played,
        course_digest(outcome),
    )
