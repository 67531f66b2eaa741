"""From what people write on a command line to the plugins that they mean: one by its name or file, or a folder of submissions."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from tiltyard_engine.errors import UserError, reasons_once, some_of
from tiltyard_engine.named_paths import refuse_address
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.checks import HANDED_IN, is_team_name
from tiltyard_engine.registry.manifests import bare_program, team_name_of
from tiltyard_engine.registry.python_folders import only_plugin
from tiltyard_engine.registry.registry import ALGORITHM, Reference, Registry
from tiltyard_engine.registry.sources import MANIFEST, PLUGIN_SUFFIXES, PYPROJECT, Origin, Source, almost_plugin
from tiltyard_engine.texts.names import as_it_lies, is_same


def choose(text: str, kind: str, registry: Registry, game: str | None = None) -> Reference:
    """The plugin that ``text`` names: a file, a package or project folder, ``FILE:NAME``, an installed name, or a program.

    A bare word is an installed name if there is one, else a path. A program is an executable file, or words that begin with one.
    An algorithm or a GameManager may be given a name of its own before any of these, as ``NAME=PATH``: it is shown under that.

    Raises:
        UserError: there is no such plugin, or it cannot be used; says why.
    """
    refuse_address(text)
    given, rest = split_given_name(text) if kind in HANDED_IN else ("", text)
    if given:
        return replace(choose(rest, kind, registry, game), shown=given)
    bare = bare_program(text, game) if kind == ALGORITHM and game is not None else None
    if bare is not None and (_looks_like_path(text) or text not in (entry.name for entry in registry.all(kind, game))):
        source, program = bare
        return Reference(kind=kind, name=program.name, game=program.game, source=source, program=program)
    if not _looks_like_path(text):
        installed = [entry for entry in registry.all(kind, game) if is_same(entry.name, text)]
        if installed:
            return installed[0].reference
        if not _split(text)[0].exists():
            return registry.find(kind, text, game).reference
    path, name = _split(text)
    found = registry.of_paths([path])
    entries = [entry for entry in found.entries if entry.is_a(kind, game)]
    if name and (entries or not found.failures()):
        same = [entry for entry in entries if is_same(entry.name, name)]
        if len(same) > 1:
            files = ", ".join(str(entry.reference.source) for entry in same[:3])
            raise UserError(
                f"{text}: {len(same)} {kind}s in it are called '{name}'; name the file instead: {files}", see="several-in-a-file"
            )
        return found.find(kind, name, game).reference
    if len(entries) == 1:
        return entries[0].reference
    if entries:
        names = some_of([f"{text}:{entry.name}" for entry in entries])
        raise UserError(f"{text}: contains several {kind}s; choose one of {names}", see="several-in-a-file")
    failures = found.failures()
    meant = [row for row in failures if row.kind in (kind, "plugin") and (not name or is_same(name, row.name))]
    reasons = (
        reasons_once((row.name, row.reason) for row in meant or failures)
        or f"contributes no {kind}{f' for {game}' if game else ''}"
    )
    raise UserError(f"{text}: {reasons}", see="cannot-be-loaded")


def _looks_like_path(text: str) -> bool:
    path, _ = _split(text)
    return "/" in text or "\\" in text or path.suffix.lower() in (*PLUGIN_SUFFIXES, ".zip")


def _split(text: str) -> tuple[Path, str]:
    """``FILE:NAME``; a colon that belongs to an existing path is left alone."""
    head, colon, name = text.rpartition(":")
    if colon and head and name and "/" not in name and not Path(text).exists():
        return as_it_lies(Path(head)), name
    return as_it_lies(Path(text)), ""


def split_given_name(text: str) -> tuple[str, str]:
    """``NAME=PATH`` as a name and the rest; an equals sign that belongs to a path or to a program's words is left alone."""
    name, equals, rest = text.partition("=")
    if not (equals and rest and is_team_name(name)) or Path(text).exists() or bare_program(text, "") is not None:
        return "", text
    return name, rest


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
            if path.is_dir() and not _is_plugin(path) and (_programs(path) or only_plugin(path.resolve()) is None):
                found.players.append((path.name, _program_folder(path, game)))
            elif path.is_dir() or path.suffix.lower() == ".py":
                found.players += _plugins(path, game, registry)
            elif os.access(path, os.X_OK):
                found.players.append((path.name, choose(str(path), ALGORITHM, registry, game)))
            elif almost := almost_plugin(path.name):
                found.left_out.append(f"{path}: {almost}")
            else:
                found.left_out.append(f"{path}: not executable; if it is a program, run 'chmod +x {path}'")
        except UserError as error:
            message = str(error)
            found.left_out.append(message if message.startswith(str(path)) else f"{path}: {message}")
    return found


def _is_plugin(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _plugins(path: Path, game: str, registry: Registry) -> list[tuple[str, Reference]]:
    found = registry.of_paths([path])
    references = [entry.reference for entry in found.entries if entry.is_a(ALGORITHM, game)]
    if not references:
        reasons = reasons_once((row.name, row.reason) for row in found.failures()) or f"contributes no {ALGORITHM} for {game}"
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
    return [path.name for path in _listed(folder) if path.is_file() and path.suffix.lower() != ".py" and os.access(path, os.X_OK)]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise UserError(f"{folder}: cannot be listed: {error.strerror}") from error
