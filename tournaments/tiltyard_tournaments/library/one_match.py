"""One match that a program wants, now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Trust
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.play import arena
from tiltyard_simulator.registry.guarded_registry import check_trusted, open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.library.shown_match import PlayedMatch, played_match
from tiltyard_tournaments.running.given_teams import GivenRecords, is_named
from tiltyard_tournaments.running.one_match import match_of


def play_match(
    algorithms: Sequence[Any],
    game_map: Any,
    *,
    manager: Any,
    game: Any,
    seed: int,
    trust: Sequence[str],
    isolation: str | None,
) -> PlayedMatch:
    """One match; see ``tiltyard_tournaments.play``."""
    if isolation is not None and isolation not in list(Isolation):
        raise UserError(f"isolation is '{isolation}', expected one of {', '.join(Isolation)}")
    if isinstance(algorithms, str) or not isinstance(algorithms, Sequence):
        raise UserError("expected a list of algorithms, such as ['acorn', 'bramble']")
    policy = IsolationPolicy(None if isolation is None else Isolation(isolation), trust=Trust.from_environment(trust))
    given = GivenRecords()
    named_game = name_of(game, given)
    named_map = name_of(game_map, given)
    assert named_map is not None
    named_manager = manager if manager is None or is_named(manager) else given.manager(manager, named_game)
    check_trusted(trust)
    registry = given.add_to(open_registry(policy))
    teams = [str(each) if is_named(each) else given.team(each) for each in algorithms]
    spec = match_of(teams, named_map, named_manager, named_game, registry)
    record = arena.play_match(
        policy.apply(replace(spec, input=replace(spec.input, seed=seed), recording=replace(spec.recording, replay=True)))
    )
    return played_match(record, spec.input.game.load_as(Game).display.theme)


def name_of(value: Any, given: GivenRecords) -> str | None:
    """What a game or a map is called, if it was named or given as a record."""
    return None if value is None else str(value) if is_named(value) else given.record(value)
