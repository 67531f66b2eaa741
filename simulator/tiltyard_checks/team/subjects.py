"""From what people write to a team that can be checked: finding it is the first step of its check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from tiltyard_checks.team.advice import limit_advice
from tiltyard_checks.team.opening import against_itself, smallest_first
from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_checks.team.team_check import Subject
from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, usual_players
from tiltyard_engine.registry import Reference, Registry, Row
from tiltyard_engine.registry.environments import packages_of
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER, MAP
from tiltyard_engine.registry.sources import PYPROJECT, host_value
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.game_search import path_in
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.map_files import no_usable_map

IMPORTERS = tuple(f'tiltyard_engine/registry/{name}.py"' for name in ("loading", "source_imports"))
FINDERS_GROUP: Final = "tiltyard.finders"
"""The entry-point group of what finds a team that is to be checked, such as the intake, which builds it first where need be."""
AMONG_THE_SMALLEST = 3
"""The map is the largest of so many: a match on it is short, and not as simple as on the smallest."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of a check, as the user wrote them."""

    text: str
    manager: str = ""
    game_map: str = ""
    against: Sequence[str] = ()
    isolation_policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    game: str | None = None


TeamAndSteps: TypeAlias = tuple[Reference | None, list[Step]]
"""The team, None if it cannot be used; and the steps until there."""


def find_or_build(options: CheckOptions, finder: Finder) -> TeamAndSteps:
    """The team, and the steps until it is found. An archive or sources are built first, where the intake is installed.

    Raises:
        UserError: nothing of that name is there, or which game it plays cannot be told.
    """
    build: Callable[[CheckOptions, Finder], TeamAndSteps] | None = host_value(FINDERS_GROUP)
    if build is not None:
        return build(options, finder)
    reference, step = find_team(options, finder)
    return reference, [step]


def find_team(options: CheckOptions, finder: Finder) -> tuple[Reference | None, Step]:
    """The team, and the step of finding it. A plugin that is there and cannot be used is a failed step.

    Raises:
        UserError: nothing of that name is there.
    """
    try:
        game = game_of(options, finder)
        # Not the finder, which would say how to build what the check itself builds.
        team = choose(options.text, ALGORITHM, finder.registry, game)
    except UserError as error:
        rows = _failures(options.text, finder.registry)
        if not rows:
            raise
        trace = "\n".join(own_frames(row.detail).rstrip() for row in rows if row.detail)
        return None, Step(
            name="found",
            mark=StepMark.FAILED,
            detail=" ".join(str(error).split()),
            traceback=trace,
            advice=limit_advice(str(error)) or _whole_package(options.text) or "fix the plugin, then check again",
        )
    own = team.source.environment
    environment = f", on its own environment: {', '.join(packages_of(Path(own)))}" if own else ""
    return team, Step(name="found", mark=StepMark.OK, detail=f"'{team.name}' for {team.game}, from {team.source}{environment}")


def package_around(path: Path) -> Path | None:
    """The package or project that people name to have a file that is a part of it; None for others, and for its ``__init__.py``."""
    if path.name == "__init__.py":
        return None
    package = None
    for folder in path.parents:
        if not (folder / "__init__.py").is_file():
            return folder if package is not None and (folder / PYPROJECT).is_file() and folder != Path() else package
        package = folder
    return package


def _whole_package(text: str) -> str:
    path = path_in(text)
    package = None if path is None else package_around(path)
    return "" if package is None else f"this file is a part of a package: check its folder, {package}"


def game_of(options: CheckOptions, finder: Finder) -> str | None:
    """The game that the options name, if need be by its GameManager, or by a map or teams of one game only; None if they don't."""
    if options.game is not None:
        return finder.game(options.game).name
    if options.manager:
        return finder.plugin(options.manager, MANAGER).game
    clues = [(MAP, options.game_map), *((ALGORITHM, text) for text in options.against)]
    games = {entry.reference.game for kind, text in clues for entry in finder.registry.all(kind) if entry.name == text}
    return games.pop() if len(games) == 1 else None


def own_frames(trace: str) -> str:
    """The traceback of a failed import without the frames of the import machinery."""
    lines: list[str] = []
    skipping = False
    for line in trace.splitlines():
        if line.startswith('  File "'):
            skipping = '"<frozen importlib' in line or any(importer in line for importer in IMPORTERS)
        elif not line.startswith(" "):
            skipping = False
        if not skipping:
            lines.append(line)
    return "\n".join(lines)


def _failures(text: str, registry: Registry) -> list[Row]:
    path = path_in(text)
    if path is not None:
        try:
            return registry.of_paths([path]).failures()
        except UserError:
            return []
    return [row for row in registry.failures() if text in (row.name, row.distribution)]


def subject(team: Reference, options: CheckOptions, finder: Finder) -> Subject:
    """The matches that a team is checked in: on a small shipped map, against the project's own teams for its game.

    Raises:
        UserError: something named is missing or unusable, there is no map, or this machine cannot confine the team.
    """
    game = finder.game(team.game)
    record = game.load_as(Game)
    manager = finder.manager(game.name, options.manager or None)
    game_map = _map(options.game_map, finder, record)
    own = IsolationPolicy(trust=options.isolation_policy.trust)
    if options.against:
        samples = tuple(finder.plugin(text, ALGORITHM, game.name) for text in options.against)
    else:
        entries = [entry.reference for entry in finder.registry.authored(ALGORITHM, game.name)]
        samples = tuple(other for other in entries if other != team and own.of(other) is Isolation.INLINE)
    isolation = options.isolation_policy.isolation or Isolation.SANDBOX
    alike = against_itself(team, game, manager, game_map)
    mirror = replace(options.isolation_policy, isolation=isolation).apply_all([alike])[0]
    trusted = all(own.of(sample) is Isolation.INLINE for sample in samples)
    return Subject(
        mirror=replace(mirror, holding=replace(mirror.holding, manager_isolation=options.isolation_policy.of(manager))),
        samples=samples,
        sample_isolation=Isolation.INLINE if trusted else isolation,
    )


def _map(text: str, finder: Finder, game: Game[object]) -> MapSource:
    seats = usual_players(game)
    if text:
        source = finder.map(text, game.name)
        read_map(game, text, source.data, seats)
        return source
    shipped = finder.maps(["installed"], game, seats).maps
    if not shipped:
        raise UserError(f"{no_usable_map(finder.registry, game, seats)}; choose one with --map")
    return smallest_first(shipped)[:AMONG_THE_SMALLEST][-1]
