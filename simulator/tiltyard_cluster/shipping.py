"""Sending teams' files: what was handed in as a file or a folder lies on the coordinator alone, so it is sent to the others.

A machine keeps what it was sent in a folder named by the digest, for later runs. What is installed is never sent.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tiltyard_cluster.messages import Bundle, NeededPlugin
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.programs.program_paths import OPEN_ROOTS
from tiltyard_simulator.match.code_digest import code_files, code_roots
from tiltyard_simulator.match.spec import MatchSpec

LARGEST: Final = 256 << 20
"""Bytes of one team's files that are sent."""
KEPT_SECONDS: Final = 14 * 24 * 3600.0
"""Files that no run has asked for so long are removed."""


def shipped_roots(source: Source) -> list[Path]:
    """What of a source is sent. Software that a bare command names, such as /usr/bin/python3, must be there anyway."""
    if source.origin is Origin.INSTALLED:
        return []
    return [root for root in code_roots(source) if not any(root.is_relative_to(software) for software in OPEN_ROOTS)]


def pack(plugin: NeededPlugin) -> Bundle:
    """The files of a plugin; those alone that its digest is made of.

    Raises:
        UserError: they cannot be read, or are too large.
    """
    numbers = {Path(root): number for number, root in enumerate(plugin.roots)}
    files: list[tuple[str, bool, bytes]] = []
    size = 0
    for root, name, file in code_files(plugin.source):
        if root in numbers:
            try:
                size += file.stat().st_size
                if size > LARGEST:
                    raise UserError(
                        f"{plugin.source}: too large to send to every machine (more than {LARGEST >> 20} MiB). Put it into a folder"
                        " that all machines share under the same path, or remove what it doesn't need"
                    )
                files.append((f"{numbers[root]}/{name}", os.access(file, os.X_OK), file.read_bytes()))
            except OSError as error:
                raise UserError(f"{file}: cannot be read: {error.strerror}") from error
    return Bundle(plugin.digest, tuple(files))


def cache_folder() -> Path:
    """Where a machine keeps what it was sent: a folder that nobody else may write to.

    Raises:
        UserError: somebody else has made it.
    """
    folder = Path(tempfile.gettempdir(), f"tiltyard-cluster-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o022 or not folder.is_dir() or folder.is_symlink():
        raise UserError(f"{folder}: belongs to another user or is open to others; remove it")
    return folder


def unpack(bundle: Bundle) -> None:
    """Put the files of a plugin where ``place_of`` finds them; whether they are the right ones is looked at afterwards.

    Raises:
        OSError: they cannot be written.
        UserError: as ``cache_folder``, or the bundle names what lies outside of its folder.
    """
    cache = cache_folder()
    _forget_old(cache)
    partial = Path(tempfile.mkdtemp(prefix="new-", dir=cache))
    try:
        for name, executable, data in bundle.files:
            file = partial / name
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise UserError(f"{name}: not a file name that a bundle may have")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o755 if executable else 0o644)
        final = cache / bundle.digest
        # It is there where another worker of this machine was quicker, or where it was damaged.
        shutil.rmtree(final, ignore_errors=True)
        with contextlib.suppress(OSError):
            partial.rename(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _forget_old(cache: Path) -> None:
    for entry in cache.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - entry.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(entry, ignore_errors=True)


def place_of(digest: str) -> str:
    """The folder of a plugin that was sent; empty if there is none."""
    folder = cache_folder() / digest
    if not folder.is_dir():
        return ""
    with contextlib.suppress(OSError):
        os.utime(folder)
    return str(folder)


@dataclass(frozen=True, slots=True)
class Move:
    """Where the files of a source lie on a machine."""

    paths: tuple[tuple[str, str], ...]
    """(here, there) of each of its roots."""

    @classmethod
    def of(cls, plugin: NeededPlugin, folder: str) -> Move:
        """To where ``unpack`` puts them."""
        return cls(tuple((root, f"{folder}/{number}/{Path(root).name}") for number, root in enumerate(plugin.roots)))

    def path(self, path: str) -> str:
        """Where a path of here is there; one that is not the source's stays as it is."""
        for here, there in self.paths:
            if path == here or path.startswith(f"{here}/"):
                return there + path[len(here) :]
        return path

    def source(self, source: Source) -> Source:
        """The source as that machine finds it."""
        if source.origin is Origin.PROGRAM and not source.folder:
            return replace(source, value=shlex.join(self.path(word) for word in shlex.split(source.value)))
        # Of a project the value is a module's name, which no path is. What a compiled file needs is made there.
        return replace(source, value=self.path(source.value), folder=self.path(source.folder), needs=())

    def program(self, program: ProgramTeam) -> ProgramTeam:
        """The program as that machine finds it."""
        return replace(
            program,
            folder=self.path(program.folder),
            command=tuple(self.path(word) for word in program.command),
            readable=tuple(self.path(path) for path in program.readable),
        )

    def reference(self, reference: Reference) -> Reference:
        """The reference as that machine finds it."""
        program = None if reference.program is None else self.program(reference.program)
        return replace(reference, source=self.source(reference.source), program=program)

    def back(self, text: bytes) -> bytes:
        """Output of that machine with the paths of this one."""
        for here, there in self.paths:
            text = text.replace(there.encode(), here.encode())
        return text


class Moves:
    """What lies elsewhere on one machine.

    Args:
        plugins: those that matches need.
        places: as a machine has reported.
    """

    def __init__(self, plugins: tuple[NeededPlugin, ...], places: Mapping[str, str]) -> None:
        self._moves = {plugin.source: Move.of(plugin, places[plugin.digest]) for plugin in plugins if plugin.digest in places}

    def spec(self, spec: MatchSpec) -> MatchSpec:
        """The match as that machine can play it."""
        if not self._moves:
            return spec
        game, manager, *teams = map(self._reference, spec.input.players)
        return replace(spec, input=replace(spec.input, game=game, manager=manager, teams=tuple(teams)))

    def _reference(self, reference: Reference) -> Reference:
        move = self._moves.get(reference.source)
        return reference if move is None else move.reference(reference)

    def record(self, record: MatchRecord) -> MatchRecord:
        """The results, with paths of here: what a team printed and how it failed name its files."""
        outcome, evidence = record.outcome, record.evidence
        if not self._moves or not (outcome.faults or any(account.output for account in evidence.accounts)):
            return record
        faults = tuple(
            replace(fault, message=self._text(fault.message), traceback=self._text(fault.traceback)) for fault in outcome.faults
        )
        accounts = tuple(replace(account, output=self._bytes(account.output)) for account in evidence.accounts)
        return replace(record, evidence=replace(evidence, accounts=accounts)).with_faults(faults)

    def _bytes(self, text: bytes) -> bytes:
        for move in self._moves.values():
            text = move.back(text)
        return text

    def _text(self, text: str) -> str:
        return self._bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
