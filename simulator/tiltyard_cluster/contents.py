"""What must be the same on every machine that plays: tiltyard's own code, the plugins', and what these need."""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Final

import tiltyard_cluster
import tiltyard_engine
import tiltyard_simulator
from tiltyard_cluster.messages import NeededPlugin
from tiltyard_cluster.shipping import shipped_roots
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, Origin, normal_name
from tiltyard_simulator.match.code_digest import code_digest, code_files, files_below, hash_of_file
from tiltyard_simulator.match.file_owners import existing
from tiltyard_simulator.match.imported_packages import packages_from_elsewhere
from tiltyard_simulator.match.plugin_files import claims_of, editable_folder, imported_from_elsewhere

OWN: Final = (HOST_DISTRIBUTION, "tiltyard-engine")
"""Known by their files; whatever they need in turn plays no part in a match's result."""


def python_version() -> str:
    """Such as ``CPython 3.13``: teams' code may behave otherwise, or not run at all, on another one."""
    return f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"


def host_files() -> dict[str, str]:
    """The files of the engine, the simulator and this package with their digests, whatever way they were installed."""
    roots = [Path(str(package.__file__)).parent for package in (tiltyard_engine, tiltyard_simulator, tiltyard_cluster)]
    return {file.relative_to(root.parent).as_posix(): hash_of_file(file).hex() for root in roots for file in files_below(root)}


def host_digest(files: dict[str, str]) -> str:
    """All of them as one number."""
    return hashlib.blake2b(repr(sorted(files.items())).encode(), digest_size=16).hexdigest()


def plugins_of(references: Iterable[Reference]) -> tuple[NeededPlugin, ...]:
    """The plugins behind references, each once.

    Raises:
        UserError: a plugin's files cannot be read.
    """
    programs: dict[Source, list[Reference]] = {}
    for reference in references:
        programs.setdefault(reference.source, []).append(reference)
    return tuple(
        NeededPlugin(
            source,
            code_digest(source),
            tuple(str(root) for root in shipped_roots(source)),
            installed_contents(source) if source.origin is Origin.INSTALLED else {},
            tuple(reference.program for reference in of_source if reference.program is not None),
            copies_of(source),
        )
        for source, of_source in programs.items()
    )


def installed_contents(source: Source) -> dict[str, str]:
    """The files of an installed plugin that are imported, with their digests; empty if it is not installed."""
    return {name: hash_of_file(file).hex() for _, name, file in code_files(source)}


def copies_of(source: Source) -> tuple[str, ...]:
    """What of an installed plugin is imported from elsewhere, in words."""
    return tuple(map(str, imported_from_elsewhere(source.distribution))) if source.origin is Origin.INSTALLED else ()


def requirements_of(plugins: Iterable[NeededPlugin]) -> dict[str, str]:
    """The versions of all that the installed ones need, directly or not. Those that are plugins themselves are no part of it.

    Raises:
        UserError: as ``version_and_files``.
    """
    versions: dict[str, str] = {}
    own = {plugin.source.distribution for plugin in plugins if plugin.source.origin is Origin.INSTALLED}
    waiting = sorted(own.difference(OWN))
    while waiting:
        for name in _needs(waiting.pop()):
            version = version_and_files(name)
            if version and name not in versions and name not in own and name not in OWN:
                versions[name] = version
                waiting.append(name)
    return versions


def version_of(distribution: str) -> str:
    """Empty where it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def version_and_files(distribution: str) -> str:
    """The version, with a digest where files are imported that it does not stand for; empty where it is not installed.

    Raises:
        UserError: such files cannot be read.
    """
    try:
        places = _places_without_version(metadata.distribution(distribution))
    except metadata.PackageNotFoundError:
        return ""
    files = {
        f"{number}/{file.relative_to(place).as_posix()}": hash_of_file(file).hex()
        for number, place in enumerate(places)
        for file in files_below(place)
    }
    return f"{version_of(distribution)}{f' with other files ({host_digest(files)[:12]})' if files else ''}"


def _places_without_version(distribution: metadata.Distribution) -> list[Path]:
    """What is imported of any distribution but may change without its version: an editable project, or another copy.

    Raises:
        UserError: as ``packages_from_elsewhere``.
    """
    name = normal_name(distribution.metadata["Name"])
    folder = editable_folder(name, distribution)
    tops = {Path(claim.base, claim.parts[0]).resolve() for claim in existing(claims_of(name, distribution))}
    roots = sorted({*tops, Path(folder)} if folder else tops)
    others = [place for package in packages_from_elsewhere(name, distribution, roots) for place in package.places]
    return [Path(folder), *others] if folder else others


def _needs(distribution: str) -> list[str]:
    try:
        texts = metadata.requires(distribution) or []
    except metadata.PackageNotFoundError:
        return []
    names = [re.match(r"[\w.-]+", text) for text in texts if not re.search(r"\bextra\s*==", text)]
    return [normal_name(name[0]) for name in names if name is not None]
