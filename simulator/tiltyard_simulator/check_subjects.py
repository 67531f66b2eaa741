"""From what people write to a team that can be checked: finding it is the first step of its check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry, Row
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.check_steps import Mark, Step
from tiltyard_simulator.checking import Subject
from tiltyard_simulator.choosing import choose, choose_map, choose_maps, game_reference, usual_players
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.loading import load
from tiltyard_simulator.specs import MapSource, MatchSpec

REFERENCE = "reference"
"""The GameManager that is taken where a game has one of that name."""

IMPORTER = 'tiltyard_engine/registry/loading.py"'
AMONG_THE_SMALLEST = 3
"""The map is the largest of so many: a match on it is short, and not as simple as on the smallest."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a check was asked for, as it was written."""

    text: str
    manager: str = ""
    game_map: str = ""
    against: Sequence[str] = ()
    holding: Holding = field(default_factory=Holding)


def find(wanted: Wanted, registry: Registry) -> tuple[Reference | None, Step]:
    """The team, and the step of finding it. A plugin that is there and cannot be used is a failed step.

    Raises:
        UserError: nothing of that name is there.
    """
    try:
        game = choose(wanted.manager, MANAGER, registry).game if wanted.manager else None
        team = choose(wanted.text, ALGORITHM, registry, game)
    except UserError as error:
        rows = _failures(wanted.text, registry)
        if not rows:
            raise
        trace = "\n".join(own_frames(row.detail).rstrip() for row in rows if row.detail)
        return None, Step("found", Mark.FAILED, " ".join(str(error).split()), trace, advice="mend the plugin, then check again")
    return team, Step("found", Mark.OK, f"'{team.name}' for {team.game}, from {team.source}")


def own_frames(trace: str) -> str:
    """A traceback of an import without the frames of what imported: what the team wants to read."""
    kept: list[str] = []
    skipping = False
    for line in trace.splitlines():
        if line.startswith('  File "'):
            skipping = '"<frozen importlib' in line or IMPORTER in line
        elif not line.startswith(" "):
            skipping = False
        if not skipping:
            kept.append(line)
    return "\n".join(kept)


def _failures(text: str, registry: Registry) -> list[Row]:
    path = next((path for path in (Path(text), Path(text.rpartition(":")[0] or "/nowhere")) if path.exists()), None)
    if path is not None:
        try:
            return registry.of_paths([path]).failures()
        except UserError:
            return []
    return [row for row in registry.failures() if text in (row.name, row.distribution)]


def subject(team: Reference, wanted: Wanted, registry: Registry) -> Subject:
    """The matches that a team is checked in: on a small shipped map, against the project's own teams for its game.

    Raises:
        UserError: something named is missing or unusable, there is no map, or this machine cannot confine the team.
    """
    game = game_reference(registry, team.game)
    record = load(game, Game)
    manager = _manager(wanted.manager, registry, game.name)
    game_map = _map(wanted.game_map, registry, record)
    own = Holding(trust=wanted.holding.trust)
    if wanted.against:
        samples = tuple(choose(text, ALGORITHM, registry, game.name) for text in wanted.against)
    else:
        entries = [entry.reference for entry in registry.all(ALGORITHM, game.name)]
        samples = tuple(other for other in entries if other != team and own.of(other) is Isolation.INLINE)
    isolation = wanted.holding.isolation or Isolation.SANDBOX
    held = replace(wanted.holding, isolation=isolation)
    spec = held.apply_all([MatchSpec(game, manager, game_map, (team,))])[0]
    trusted = all(own.of(sample) is Isolation.INLINE for sample in samples)
    others = Isolation.INLINE if trusted else isolation
    return Subject(
        team,
        game,
        manager,
        game_map,
        samples,
        isolation,
        others,
        spec.limits_of(1),
        wanted.holding.of(manager),
        spec.manager_limits,
    )


def _manager(name: str, registry: Registry, game: str) -> Reference:
    if name:
        return choose(name, MANAGER, registry, game)
    known = [entry.reference for entry in registry.all(MANAGER, game)]
    if not known:
        raise UserError(f"no GameManager for {game} is installed: name one with --manager")
    return next((manager for manager in known if manager.name == REFERENCE), known[0])


def _map(text: str, registry: Registry, game: Game[object]) -> MapSource:
    seats = usual_players(game)
    if text:
        source = choose_map(text, registry, game.name)
        game.read_map(text, source.data, seats)
        return source
    shipped = choose_maps(["installed"], registry, game, seats).maps
    if not shipped:
        raise UserError(f"no map for {game.name} and {seats} players is installed: name one with --map")
    smallest = sorted(shipped, key=lambda source: (len(source.data), source.name))
    return smallest[:AMONG_THE_SMALLEST][-1]
