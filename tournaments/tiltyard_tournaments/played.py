"""A match that was played, as standings need it: plain, small, and the same wherever it was played."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tiltyard_engine.lifecycle import MatchFinished
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec


@dataclass(frozen=True, slots=True)
class SeatFault:
    """A fault that was charged to a seat."""

    seat: int
    """From 1; 0 is the GameManager."""
    termination: Termination
    message: str
    round: int = -1


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match and what came of it. Standings are pure functions over a sequence of these, whatever its order."""

    teams: tuple[str, ...]
    """Names, seat 1 first. One alone has a bye."""
    map: str
    winner: int
    """A seat from 1; 0 is a tie, or no result."""
    ranks: tuple[int, ...]
    """A place a seat, 1 is best, equal places shared."""
    scores: tuple[float, ...] = ()
    """The game's own score a seat; empty where it has none."""
    faults: tuple[SeatFault, ...] = ()
    counts: bool = True
    """False: the GameManager failed or everybody forfeited, and nobody gets anything for it."""
    number: int = 0
    """Place in the schedule."""
    game: int = 0
    """Which of the games between the same teams on the same map."""
    stage: str = ""
    """What the format calls this part of the tournament, such as ``round 3``."""
    reason: str = ""
    """The game's own word for how it ended."""
    rounds: int = 0
    message: str = ""
    key: str = ""
    """The match's key in the store; empty where it was not stored."""
    digest: str = ""
    """A fingerprint of how it went, see ``course_digest``; empty: not known."""


def course_digest(outcome: MatchOutcome) -> str:
    """A fingerprint of how a match went, as far as its GameManager's claim tells; empty where there was no result."""
    if not outcome.counts:
        return ""
    claim = outcome.claim
    seen = (claim.reason, claim.rounds, claim.final_state, claim.remaining_tanks, claim.scores, claim.message)
    return hashlib.blake2b(repr(seen).encode(), digest_size=8).hexdigest()


def played_match(
    spec: MatchSpec, outcome: MatchOutcome, number: int = 0, game: int = 0, stage: str = "", key: str = ""
) -> PlayedMatch:
    """What standings need of a match."""
    claim = outcome.claim
    return PlayedMatch(
        spec.names,
        spec.map.name,
        outcome.winner,
        outcome.ranks,
        claim.scores,
        _plain(outcome.faults),
        outcome.counts,
        number,
        game,
        stage,
        claim.reason,
        claim.rounds,
        outcome.message,
        key,
        course_digest(outcome),
    )


def finished_match(event: MatchFinished) -> PlayedMatch:
    """The same from what those who watch are told."""
    return PlayedMatch(
        event.teams,
        event.map,
        event.winner,
        event.ranks,
        event.scores,
        _plain(event.faults),
        event.counts,
        event.place,
        event.game,
        event.stage,
        event.reason,
        event.rounds,
        event.message,
        event.key,
        event.digest,
    )


def _plain(faults: Iterable[Fault]) -> tuple[SeatFault, ...]:
    return tuple(SeatFault(fault.seat, fault.termination, fault.message, fault.round) for fault in faults)


def played_matches(games: Iterable[tuple[MatchSpec, MatchOutcome]]) -> list[PlayedMatch]:
    """Matches in the order of the schedule. Maps that differ but share a name are told apart: the second is ``name (2)``."""
    names: dict[MapSource, str] = {}
    taken: set[str] = set()
    matches: list[PlayedMatch] = []
    for number, (spec, outcome) in enumerate(games):
        if spec.map not in names:
            names[spec.map] = _free_name(spec.map.name, taken)
            taken.add(names[spec.map])
        matches.append(replace(played_match(spec, outcome, number), map=names[spec.map]))
    return matches


def bye(team: str, number: int = 0, stage: str = "") -> PlayedMatch:
    """A match that a team wins because nobody is left to meet."""
    return PlayedMatch((team,), "", 1, (1,), number=number, stage=stage, message=f"{team} has a bye")


def _free_name(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
