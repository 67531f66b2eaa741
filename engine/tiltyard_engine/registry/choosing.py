"""From what people write on a command line to the plugin that they mean."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.manifests import bare_program
from tiltyard_engine.registry.registry import ALGORITHM, Entry, Reference, Registry
from tiltyard_engine.registry.sources import PLUGIN_SUFFIXES


def choose(text: str, kind: str, registry: Registry, game: str | None = None) -> Reference:
    """The plugin that ``text`` names: a file, a package or project folder, ``FILE:NAME``, an installed name, or a program.

    A bare word is an installed name if there is one, else a path. A program is an executable file, or words that begin with one.

    Raises:
        UserError: there is no such plugin, or it cannot be used; says why.
    """
    bare = bare_program(text, game) if kind == ALGORITHM and game is not None else None
    if bare is not None and (_looks_like_path(text) or text not in (entry.name for entry in registry.all(kind, game))):
        source, program = bare
        return Reference(kind, program.name, program.game, source, program=program)
    if not _looks_like_path(text):
        installed = [entry for entry in registry.all(kind, game) if entry.name == text]
        if installed:
            return installed[0].reference
        if not _split(text)[0].exists():
            return registry.find(kind, text, game).reference
    path, name = _split(text)
    found = registry.of_paths([path])
    entries = [entry for entry in found.entries if is_a(entry, kind, game)]
    if name and (entries or not found.failures()):
        return found.find(kind, name, game).reference
    if len(entries) == 1:
        return entries[0].reference
    if entries:
        names = ", ".join(f"{text}:{entry.name}" for entry in entries)
        raise UserError(f"{text}: registers several of kind {kind}; choose one of {names}")
    failures = found.failures()
    meant = [row for row in failures if row.kind in (kind, "plugin") and name in ("", row.name)]
    reasons = "; ".join(row.reason for row in meant or failures) or f"contributes no {kind}{f' for {game}' if game else ''}"
    raise UserError(f"{text}: {reasons}")


def is_a(entry: Entry, kind: str, game: str | None) -> bool:
    """Whether an entry is of that kind, and of that game if one is named."""
    return entry.reference.kind == kind and game in (None, entry.reference.game)


def _looks_like_path(text: str) -> bool:
    path, _ = _split(text)
    return "/" in text or "\\" in text or path.suffix in PLUGIN_SUFFIXES


def _split(text: str) -> tuple[Path, str]:
    """``FILE:NAME``; a colon that belongs to an existing path is left alone."""
    head, colon, name = text.rpartition(":")
    if colon and head and name and "/" not in name and not Path(text).exists():
        return Path(head), name
    return Path(text), ""
