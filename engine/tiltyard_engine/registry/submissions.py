"""A folder of what people handed in: plugins, programs with a manifest, and plain executable files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.choosing import choose, is_a
from tiltyard_engine.registry.registry import ALGORITHM, Reference, Registry
from tiltyard_engine.registry.sources import MANIFEST, PYPROJECT, Origin, Source


@dataclass(slots=True)
class Submissions:
    """Who was found, by label in the order of the names, and what was left out and why."""

    players: list[tuple[str, Reference]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def submissions(folder: Path, game: str, registry: Registry) -> Submissions:
    """The players of a game that a folder holds.

    Executable files are programs, and so are folders that hold exactly one of them; these may read all that is in the folder.
    ``program.toml``, packages, projects and ``.py`` files are what they are everywhere. What is none of it is left out.
    A folder whose only player is one executable file in it is that program's own.

    Raises:
        UserError: the folder cannot be listed.
    """
    found = _all_in(folder, game, registry)
    if len(found.players) == 1 and found.players[0][1].source.origin is Origin.PROGRAM and not found.players[0][1].source.folder:
        ((label, _),) = found.players
        return Submissions([(f"{folder.resolve().name}/{label}", _program_folder(folder, game))])
    return found


def _all_in(folder: Path, game: str, registry: Registry) -> Submissions:
    found = Submissions()
    for path in _listed(folder):
        if path.name.startswith((".", "__")):
            continue
        try:
            if path.is_dir() and not _is_plugin(path):
                found.players.append((path.name, _program_folder(path, game)))
            elif path.is_dir() or path.suffix == ".py":
                found.players += _plugins(path, game, registry)
            elif os.access(path, os.X_OK):
                found.players.append((path.name, choose(str(path), ALGORITHM, registry, game)))
            else:
                found.left_out.append(f"{path}: not executable; 'chmod +x {path}' makes it a program")
        except UserError as error:
            message = str(error)
            found.left_out.append(message if message.startswith(str(path)) else f"{path}: {message}")
    return found


def _is_plugin(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _plugins(path: Path, game: str, registry: Registry) -> list[tuple[str, Reference]]:
    found = registry.of_paths([path])
    references = [entry.reference for entry in found.entries if is_a(entry, ALGORITHM, game)]
    if not references:
        reasons = "; ".join(row.reason for row in found.failures()) or f"contributes no {ALGORITHM} for {game}"
        raise UserError(f"{path}: {reasons}")
    several = len(references) > 1
    return [(f"{path.name}:{each.name}" if several else path.name, each) for each in references]


def _program_folder(folder: Path, game: str) -> Reference:
    """The program that a folder without a manifest holds."""
    programs = [path.name for path in _listed(folder) if path.is_file() and path.suffix != ".py" and os.access(path, os.X_OK)]
    if len(programs) != 1:
        many = f"{len(programs)} executable files ({', '.join(programs[:3])}{', ...' if len(programs) > 3 else ''})"
        raise UserError(
            f"{folder}: holds {many if programs else 'no executable file'}, expected one, or a {MANIFEST} that says what to run"
        )
    whole = str(folder.resolve())
    program = ProgramTeam(folder.name, game, (f"./{programs[0]}",), whole)
    return Reference(ALGORITHM, program.name, game, Source(program.name, Origin.PROGRAM, whole, folder=whole), program=program)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise UserError(f"{folder}: cannot be listed: {error.strerror}") from error
