"""Builds that are kept, so that only what has changed is built again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident
from typing import Final

import msgspec

from tiltyard_engine.recipes import Recipe
from tiltyard_intake.building.products import NEW, Result
from tiltyard_intake.building.toolchains import Tool
from tiltyard_simulator.guard.programs.build_client import BuildFile
from tiltyard_simulator.output.result_files import sync_file

VERSION: Final = 3
"""Rises when builds are done differently, so that what was kept before no longer counts."""
FILE: Final = "build.msgpack"


class CachedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file for the folder of teams."""

    name: str
    data: bytes
    executable: bool


class CachedBuild(msgspec.Struct, frozen=True):
    """A build to its end, with a team or with an error."""

    files: list[CachedFile]
    ways: list[str]
    notes: list[str]
    log: str
    error: str = ""
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class BuildCache:
    """A folder of builds; several processes may use it at once."""

    folder: Path
    retries: bool = False
    """Whether builds that failed do not count."""

    def find(self, digest: str) -> CachedBuild | None:
        """A kept build; None if there is none that can be read."""
        try:
            cached = _DECODER.decode((self.folder / digest / FILE).read_bytes())
        except (OSError, ValueError, msgspec.DecodeError):
            return None
        return None if self.retries and cached.error else cached

    def keep(self, digest: str, build: CachedBuild) -> None:
        """Keep a build. If that can't be done, it is built again next time."""
        try:
            (self.folder / digest).mkdir(parents=True, exist_ok=True)
            new = self.folder / digest / f"{NEW}{os.getpid()}-{get_ident()}"
            try:
                new.write_bytes(msgspec.msgpack.encode(build))
                # Whoever finds it takes it as it is.
                sync_file(new)
                new.replace(self.folder / digest / FILE)
            except OSError:
                new.unlink(missing_ok=True)
        except OSError:
            return


_DECODER: Final = msgspec.msgpack.Decoder(CachedBuild)


def files_of(results: Iterable[Result]) -> list[CachedFile]:
    """The files of a build as they are kept."""
    return [CachedFile(result.name, result.file.data, result.file.executable) for result in results]


def results_of(build: CachedBuild) -> list[Result]:
    """The files of a kept build."""
    return [Result(file.name, BuildFile(file.data, file.executable)) for file in build.files]


def build_digest(
    *,
    recipe: Recipe,
    team: str,
    game: str,
    root: str,
    files: Iterable[Mapping[str, BuildFile]],
    tools: Iterable[Tool],
    warnings_fail: bool = False,
    packages: str = "",
) -> str:
    """A digest of all that a build depends on; ``files`` are its sources, then the headers, by name."""
    digest = hashlib.sha256()
    for text in (str(VERSION), repr(recipe), team, game, root, *(f"{tool.name} {tool.path} {tool.version}" for tool in tools)):
        _add(digest, text.encode())
    for group in files:
        _add(digest, str(len(group)).encode())
        for name, file in sorted(group.items()):
            _add(digest, name.encode())
            _add(digest, b"x" if file.executable else b"-")
            _add(digest, file.data)
    if warnings_fail:
        _add(digest, b"warnings fail")
    if packages:
        _add(digest, packages.encode())
    return digest.hexdigest()[:40]


def _add(digest: hashlib._Hash, data: bytes) -> None:
    digest.update(len(data).to_bytes(8, "little"))
    digest.update(data)
