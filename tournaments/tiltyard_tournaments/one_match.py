"""One match from Python, without a tournament around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Trust
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import Fault
from tiltyard_simulator.choosing import choose, choose_map, game_reference
from tiltyard_simulator.guard.describing import open_registry
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.loading import load
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.specs import MatchSpec


@dataclass(frozen=True)
class PlayedNow:
    """A match and what came of it."""

    teams: tuple[str, ...]
    """Seat 1 first."""
    map: str
    winner: str | None
    """None: a tie, or no result."""
    ranks: tuple[int, ...]
    rounds: int
    reason: str
    """The game's own word."""
    message: str
    """One line for people."""
    faults: tuple[Fault, ...]
    seconds: float
    replay: Replay | None


def play_one(
    algorithms: Sequence[str], game_map: str, manager: str, game: str | None, seed: int, trust: Sequence[str], isolation: str | None
) -> PlayedNow:
    """Play it; see ``tiltyard_tournaments.play``."""
    held = Holding(None if isolation is None else _isolation(isolation), trust=Trust.from_environment(trust))
    registry = open_registry(held)
    referee = choose(manager, MANAGER, registry, game)
    reference = game_reference(registry, referee.game)
    source = choose_map(game_map, registry, reference.name)
    record: Game[Any] = load(reference, Game)
    if len(algorithms) not in record.seats:
        raise UserError(f"{len(algorithms)} algorithms: {reference.name} is for {record.seats[0]} to {record.seats[-1]} players")
    record.read_map(game_map, source.data, len(algorithms))
    teams = tuple(choose(text, ALGORITHM, registry, reference.name) for text in algorithms)
    outcome = play_match(held.apply(MatchSpec(reference, referee, source, teams, seed, record=True)))
    claim = outcome.claim
    return PlayedNow(
        tuple(team.name for team in teams),
        source.name,
        teams[outcome.winner - 1].name if outcome.winner else None,
        outcome.ranks,
        claim.rounds,
        claim.reason,
        outcome.message,
        outcome.faults,
        outcome.seconds,
        outcome.replay,
    )


def _isolation(text: str) -> Isolation:
    if text not in list(Isolation):
        raise UserError(f"isolation is '{text}', expected one of {', '.join(Isolation)}")
    return Isolation(text)
