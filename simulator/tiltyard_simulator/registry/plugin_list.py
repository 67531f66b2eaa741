"""All that a folder has, and why some of it cannot be used: plugins of a kind, or the players of a game, which may be programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError, each_once, reasons_once
from tiltyard_engine.errors.named_paths import near_path, refuse_address
from tiltyard_engine.host.interface import Submissions
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Registry, Row, Source
from tiltyard_engine.registry.lookup import choose, contributes_none
from tiltyard_engine.registry.manifests import team_name_of
from tiltyard_engine.registry.python_folders import only_plugin
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import MANIFEST, PYPROJECT, Origin, almost_plugin, is_plugin_file
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import printable

INSTALLED: Final = "installed"
"""Stands for all installed plugins of a kind, instead of a folder."""
EVERY: Final = ":*"
"""After a file: all teams in it."""


@dataclass(slots=True)
class PluginList:
    """The plugins of a folder (or ``installed``) in order, and which were left out and why."""

    references: list[Reference] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """What was left out, for readers of a published table: its name in the folder and the reason, without paths of this machine."""
    labels: dict[Reference, str] = field(default_factory=dict)
    """Whose teams these are, where an intake knows: what to show in place of a name that the team itself declares."""

    def if_empty(self, folder: str, kind: str) -> list[str]:
        """A line like those of ``left_out`` about the folder itself, if it has nothing of the kind."""
        return [] if self.references else [f"{folder}: contains no {kind}"]


def plugins_of(text: str, kind: str, registry: Registry, game: str | None = None) -> PluginList:
    """What ``Finder.plugins`` finds; see there."""
    if text == INSTALLED:
        # A plugin for another game is nothing that is missing here, whatever is wrong with it.
        failed = [row for row in registry.failures() if row.kind in (kind, "plugin") and (not row.game or game in (None, row.game))]
        refused = [(row.name, public_text(row.reason)) for row in failed]
        return PluginList([entry.reference for entry in registry.authored(kind, game)], _lines_of(failed), refused)
    refuse_address(text)
    folder = Path(text)
    if not folder.exists():
        raise UserError(f"{text}: no such file or folder{near_path(folder)}")
    here = registry.of_paths([folder])
    if (folder / "__init__.py").is_file() and not any(entry.is_a(kind, game) for entry in here.entries):
        # With a stray __init__.py, a folder of plugins looks like a package, which contributes nothing itself.
        here = registry.of_paths(files_in(folder, _may_be_plugin))
    plugins = PluginList([entry.reference for entry in here.entries if entry.is_a(kind, game)])
    plugins.left_out = _lines_of(here.failures())
    reasons = [
        (_in_folder(row.file, folder), public_text(row.reason.replace(f"{folder.resolve()}/", ""))) for row in here.failures()
    ]
    plugins.refused = list(dict.fromkeys(reasons))
    useful = {reference.source for reference in plugins.references}
    reported = {row.file for row in here.failures()}
    others = {entry.reference.source: entry.file for entry in here.entries if entry.reference.source not in useful}
    missing = f"contains no {kind} for {game}" if game else f"contains no {kind}"
    for file in (file for file in others.values() if file not in reported):
        plugins.left_out.append(f"{path_from_here(file)}: {missing}")
        plugins.refused.append((_in_folder(file, folder), missing))
    return plugins


def _lines_of(rows: Iterable[Row]) -> list[str]:
    """A line for each file and reason: a file may contain a hundred plugins with one mistake."""
    files: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        files.setdefault(row.distribution or path_from_here(row.file), []).append((row.name, row.reason))
    return [f"{file}: {name}: {reason}" for file, problems in files.items() for name, reason in each_once(problems)]


def _in_folder(file: str, folder: Path) -> str:
    """What the file or folder that was handed in is called there."""
    whole = folder.resolve()
    path = Path(file)
    return printable(path.relative_to(whole).parts[0] if path.is_relative_to(whole) and path != whole else path.name)


def path_from_here(file: str) -> str:
    """A path as people would write it: relative if it is below the current folder."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def is_plain_folder(path: Path) -> bool:
    """Whether it is a folder that may contain plugins, and not a plugin itself."""
    return path.is_dir() and not any((path / name).exists() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _may_be_plugin(path: Path) -> bool:
    if path.name.startswith((".", "__")):
        return False
    return is_plugin_file(path) or bool(almost_plugin(path.name)) or _is_plugin_folder(path)


def files_in(folder: Path, is_one: Callable[[Path], bool] = lambda path: True) -> list[Path]:
    """What lies in a folder and is one of those that are looked for, by name.

    Raises:
        UserError: the folder cannot be listed.
    """
    try:
        return sorted((path for path in folder.iterdir() if is_one(path)), key=lambda path: path.name)
    except OSError as error:
        raise UserError(f"{folder}: cannot be listed: {error.strerror}") from error


def submissions_in(folder: Path, game: str, registry: Registry) -> Submissions:
    """The players of a game that a folder holds.

    Executable files are programs, and so are folders that hold exactly one of them; these may read all that is in the folder.
    ``program.toml``, packages, projects and ``.py`` files are what they are everywhere. What is none of it is left out.
    A folder whose only player is one executable file in it is that program's own.

    Raises:
        UserError: the folder cannot be listed.
    """
    submissions = _all_in(folder, game, registry)
    if len(submissions.players) == 1:
        ((label, player),) = submissions.players
        if player.source.origin is Origin.PROGRAM and not player.source.folder:
            return Submissions([(f"{folder.resolve().name}/{label}", _program_folder(folder, game))])
    return submissions


def _all_in(folder: Path, game: str, registry: Registry) -> Submissions:
    submissions = Submissions()
    for path in files_in(folder):
        if path.name.startswith((".", "__")):
            continue
        try:
            if path.is_dir() and not _is_plugin_folder(path) and (_programs(path) or only_plugin(path.resolve()) is None):
                submissions.players.append((path.name, _program_folder(path, game)))
            elif path.is_dir() or path.suffix.lower() == ".py":
                submissions.players += _plugins(path, game, registry)
            elif os.access(path, os.X_OK):
                submissions.players.append((path.name, choose(str(path), ALGORITHM, registry, game)))
            elif almost := almost_plugin(path.name):
                submissions.left_out.append(f"{path}: {almost}")
            else:
                submissions.left_out.append(f"{path}: not executable; if it is a program, run 'chmod +x {path}'")
        except UserError as error:
            message = str(error)
            submissions.left_out.append(message if message.startswith(str(path)) else f"{path}: {message}")
    return submissions


def _is_plugin_folder(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _plugins(path: Path, game: str, registry: Registry) -> list[tuple[str, Reference]]:
    here = registry.of_paths([path])
    references = [entry.reference for entry in here.entries if entry.is_a(ALGORITHM, game)]
    if not references:
        reasons = reasons_once((row.name, row.reason) for row in here.failures()) or contributes_none(here, ALGORITHM, game)
        raise UserError(f"{path}: {reasons}")
    several = len(references) > 1
    return [(f"{path.name}:{each.name}" if several else path.name, each) for each in references]


def _program_folder(folder: Path, game: str) -> Reference:
    """The program that a folder without a manifest holds."""
    programs = _programs(folder)
    if len(programs) != 1:
        many = f"{len(programs)} executable files ({', '.join(programs[:3])}{', ...' if len(programs) > 3 else ''})"
        raise UserError(
            f"{folder}: contains {many if programs else 'no executable file'}, expected one, or a {MANIFEST} that says what to run"
        )
    whole = str(folder.resolve())
    program = ProgramTeam(name=team_name_of(folder.name), game=game, command=(f"./{programs[0]}",), folder=whole)
    return Reference(
        kind=ALGORITHM,
        name=program.name,
        game=game,
        source=Source(name=program.name, origin=Origin.PROGRAM, value=whole, folder=whole),
        program=program,
    )


def _programs(folder: Path) -> list[str]:
    return [path.name for path in files_in(folder) if path.is_file() and path.suffix.lower() != ".py" and os.access(path, os.X_OK)]
