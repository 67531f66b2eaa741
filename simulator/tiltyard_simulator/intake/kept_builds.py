"""Builds that are kept, so that only what has changed is built again."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.recipes import Recipe
from tiltyard_simulator.guard.programs.held_build import BuildFile
from tiltyard_simulator.intake.products import Result
from tiltyard_simulator.intake.toolchains import Tool

VERSION: Final = 1
"""Rises when builds are done differently, so that what was kept before no longer counts."""
FILE: Final = "build.msgpack"


class KeptFile(msgspec.Struct, frozen=True, array_like=True):
    """A file for the folder of teams."""

    name: str
    data: bytes
    executable: bool


class KeptBuild(msgspec.Struct, frozen=True):
    """A build that succeeded."""

    files: list[KeptFile]
    ways: list[str]
    notes: list[str]
    log: str


@dataclass(frozen=True, slots=True)
class KeptBuilds:
    """A folder of builds; several processes may use it at once."""

    folder: Path

    def find(self, digest: str) -> KeptBuild | None:
        """A kept build; None if there is none that can be read."""
        try:
            return _DECODER.decode((self.folder / digest / FILE).read_bytes())
        except (OSError, ValueError, msgspec.DecodeError):
            return None

    def keep(self, digest: str, build: KeptBuild) -> None:
        """Keep a build. One that is there already is the same."""
        self.folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
        try:
            (new / FILE).write_bytes(msgspec.msgpack.encode(build))
            new.rename(self.folder / digest)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)


_DECODER: Final = msgspec.msgpack.Decoder(KeptBuild)


def kept_of(results: Iterable[Result], ways: list[str], notes: list[str], log: str) -> KeptBuild:
    """A build as it is kept."""
    files = [KeptFile(result.name, result.file.data, result.file.executable) for result in results]
    return KeptBuild(files, ways, notes, log)


def results_of(build: KeptBuild) -> list[Result]:
    """The files of a kept build."""
    return [Result(file.name, BuildFile(file.data, file.executable)) for file in build.files]


def build_digest(
    *,
    recipe: Recipe,
    team: str,
    game: str,
    root: str,
    sources: Mapping[str, BuildFile],
    headers: Mapping[str, BuildFile],
    tools: Iterable[Tool],
) -> str:
    """A digest of all that a build depends on."""
    digest = hashlib.sha256()
    for text in (str(VERSION), repr(recipe), team, game, root, *(f"{tool.name} {tool.path} {tool.version}" for tool in tools)):
        _add(digest, text.encode())
    for files in (sources, headers):
        _add(digest, str(len(files)).encode())
        for name, file in sorted(files.items()):
            _add(digest, name.encode())
            _add(digest, b"x" if file.executable else b"-")
            _add(digest, file.data)
    return digest.hexdigest()[:40]


def _add(digest: hashlib._Hash, data: bytes) -> None:
    digest.update(len(data).to_bytes(8, "little"))
    digest.update(data)
