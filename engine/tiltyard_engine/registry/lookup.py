"""From a word that people write on a command line to the one plugin that they mean, by its name or its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tiltyard_engine.errors import UserError, reasons_once, some_of
from tiltyard_engine.errors.named_paths import or_near_path, refuse_address
from tiltyard_engine.registry.checks import HANDED_IN, is_team_name
from tiltyard_engine.registry.manifests import bare_program
from tiltyard_engine.registry.registry import ALGORITHM, Reference, Registry
from tiltyard_engine.registry.sources import PLUGIN_SUFFIXES
from tiltyard_engine.texts.names import as_it_lies, is_same


def choose(text: str, kind: str, registry: Registry, game: str | None = None) -> Reference:
    """The plugin that ``text`` names: a file, a package or project folder, ``FILE:NAME``, an installed name, or a program.

    A bare word is an installed name if there is one, else a path. A program is an executable file, or words that begin with one.
    An algorithm or a GameManager may be given a name of its own before any of these, as ``NAME=PATH``: it is shown under that.

    Raises:
        UserError: there is no such plugin, or it cannot be used; says why.
    """
    refuse_address(text)
    own_name, rest = split_given_name(text) if kind in HANDED_IN else ("", text)
    if own_name:
        return replace(choose(rest, kind, registry, game), shown=own_name)
    bare = bare_program(text, game) if kind == ALGORITHM and game is not None else None
    if bare is not None and (_looks_like_path(text) or text not in (entry.name for entry in registry.all(kind, game))):
        source, program = bare
        return Reference(kind=kind, name=program.name, game=program.game, source=source, program=program)
    if not _looks_like_path(text):
        installed = [entry for entry in registry.all(kind, game) if is_same(entry.name, text)]
        if installed:
            return installed[0].reference
        if not _split(text)[0].exists():
            with or_near_path(_split(text)[0]):
                return registry.find(kind, text, game).reference
    path, name = _split(text)
    here = registry.of_paths([path])
    entries = [entry for entry in here.entries if entry.is_a(kind, game)]
    if name and (entries or not here.failures()):
        same = [entry for entry in entries if is_same(entry.name, name)]
        if len(same) > 1:
            files = ", ".join(str(entry.reference.source) for entry in same[:3])
            raise UserError(
                f"{text}: {len(same)} {kind}s in it are called '{name}'; name the file instead: {files}", see="several-in-a-file"
            )
        return here.find(kind, name, game).reference
    if len(entries) == 1:
        return entries[0].reference
    if entries:
        names = some_of([f"{text}:{entry.name}" for entry in entries])
        raise UserError(f"{text}: contains several {kind}s; choose one of {names}", see="several-in-a-file")
    failures = here.failures()
    namesakes = [row for row in failures if row.kind in (kind, "plugin") and (not name or is_same(name, row.name))]
    reasons = reasons_once((row.name, row.reason) for row in namesakes or failures) or contributes_none(here, kind, game)
    raise UserError(f"{text}: {reasons}", see="cannot-be-loaded")


def contributes_none(here: Registry, kind: str, game: str | None) -> str:
    """What to say of a file or folder without a plugin of a kind for a game, though it may have one for another game."""
    others = some_of([f"'{entry.name}' is for {entry.reference.game}" for entry in here.all(kind)])
    return f"contributes no {kind}{f' for {game}' if game else ''}{f'; {others}' if others else ''}"


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
