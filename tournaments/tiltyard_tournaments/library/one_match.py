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
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import check_trusted, open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.object_teams import ObjectRecords
from tiltyard_tournaments.library.shown_match import PlayedMatch, played_match


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
    objects = ObjectRecords()
    game_name = None if game is None else objects.record(game)
    map_name = objects.record(game_map)
    manager_name = None if manager is None else objects.manager(manager, game_name)
    check_trusted(trust)
    finder = Finder(objects.add_to(open_registry(policy)), objects.teams)
    teams = [objects.team(each) for each in algorithms]
    spec = finder.match(teams, map_name, manager_name, game_name)
    record = arena.play_match(
        policy.apply(replace(spec, input=replace(spec.input, seed=seed), recording=replace(spec.recording, replay=True)))
    )
    return played_match(record, spec.input.game.load_as(Game).display.theme)
