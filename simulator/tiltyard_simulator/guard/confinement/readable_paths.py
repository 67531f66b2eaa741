"""Which files a team's code may read: Python, what is installed for everybody, and its own, but not what other teams handed in."""

from __future__ import annotations

import importlib.util
import re
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.registry.sources import Origin, Source, normal_name
from tiltyard_simulator.guard.policy import GUARD_PACKAGES
from tiltyard_simulator.match import plugin_files
from tiltyard_simulator.match.plugin_files import installed_files, installed_plugins, links_of, own_path, owners

_REQUIREMENT: Final = re.compile(r"([\w.-]+)\s*(?:\[([^\]]*)\])?")
"""A name and its extras, as in ``name[extra, extra]>=1.0``."""
_EXTRA: Final = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']|["']([^"']+)["']\s*==\s*extra\b""")
"""The extra in a requirement's marker. Source: the packaging user guide, "Dependency specifiers"."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Absolute paths. What is below ``hidden`` is not readable although it is below ``readable``."""

    readable: tuple[str, ...]
    hidden: tuple[str, ...]


def paths_for(own: Iterable[Source], games: Iterable[Source] = ()) -> Paths:
    """What code may read.

    Args:
        own: its own sources. Whatever their metadata say, they open nothing else.
        games: those of the games that it may import, which the user trusts. The plugins that a game requires are readable too.
    """
    return _paths_for(tuple(own), tuple(games))


@cache
def _paths_for(own: tuple[Source, ...], games: tuple[Source, ...]) -> Paths:
    theirs = _with_requirements(_distributions_of(games))
    installed = _installed_paths(_distributions_of(own) | theirs)
    extra = [path for source in (*own, *games) for path in (own_path(source), *source.needs, source.environment) if path]
    parts = [str(Path(part)) for part in extra]
    hidden = tuple(path for path in installed.hidden if not any(_is_within(path, part) for part in parts))
    if own and all(source.environment for source in own):
        # Of the runner's packages they read what runs in each cell, and the games.
        extra += [*_guard_packages(), *(path for name in sorted(theirs) for path in installed_files(name))]
        hidden += _packages_folders()
    return Paths((*installed.readable, *(path for path in extra if path not in installed.readable)), hidden)


def _guard_packages() -> list[str]:
    """The packages that a cell needs whatever environment it runs on."""
    specs = [importlib.util.find_spec(name) for name in GUARD_PACKAGES]
    return [str(Path(place).resolve()) for spec in specs if spec is not None for place in spec.submodule_search_locations or ()]


def _packages_folders() -> tuple[str, ...]:
    """Where the runner's packages are, and those of the Python that its environment was made from."""
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    folders = [sysconfig.get_path(name, vars=variables) for name in ("purelib", "platlib") for variables in (None, base)]
    paths = dict.fromkeys(str(Path(path).resolve()) for path in (*folders, *site.getsitepackages()))
    return tuple(path for path in paths if Path(path).is_dir())


def _distributions_of(sources: Iterable[Source]) -> frozenset[str]:
    return frozenset(source.distribution for source in sources if source.origin is Origin.INSTALLED)


def forget() -> None:
    """Look again at what is installed."""
    plugin_files.forget()
    _installed_paths.cache_clear()
    _with_requirements.cache_clear()
    _paths_for.cache_clear()


@cache
def _installed_paths(names: frozenset[str]) -> Paths:
    """What everybody may read, and what must be hidden from all distributions but these."""
    hidden = {str(Path(path).resolve()) for path, whose in owners().items() if not whose & names}
    linked = {target for name in names for target in links_of(name)}
    roots = [path for path in _import_roots() if not any(_is_within(path, other) for other in hidden)]
    return Paths((*roots, *sorted(linked.difference(roots))), tuple(sorted(hidden)))


@cache
def _with_requirements(games: frozenset[str]) -> frozenset[str]:
    """The games' distributions and the plugins that they require.

    What belongs to an extra is required only where another requirement asks for that extra: sample teams may be in one.
    """
    requirements: set[tuple[str, str]] = set()
    """Distributions, with an extra or an empty string."""
    waiting = [(name, "") for name in games]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in requirements:
            continue
        requirements.add((name, extra))
        distribution = installed_plugins().get(name)
        for text in (distribution.requires or []) if distribution is not None else []:
            requirement, _, marker = text.partition(";")
            belongs_to = {normal_name(match[0] or match[1]) for match in _EXTRA.findall(marker)} or {""}
            required = _REQUIREMENT.match(requirement)
            if required is not None and extra in belongs_to:
                extras = [normal_name(each.strip()) for each in (required[2] or "").split(",")]
                waiting += [(normal_name(required[1]), each) for each in {"", *extras}]
    return frozenset(name for name, _ in requirements)


def _import_roots() -> Iterator[str]:
    """The interpreter, its libraries, and every folder that modules are imported from."""
    visited: set[str] = set()
    candidates = [
        *(sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix),
        *(sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")),
        *site.getsitepackages(),
        *sys.path,
    ]
    for candidate in candidates:
        path = str(Path(candidate).resolve())
        if candidate and Path(candidate).is_absolute() and path not in visited and Path(path).exists():
            visited.add(path)
            yield path


def _is_within(path: str, folder: str) -> bool:
    """Both as ``str(Path(...))`` has them. Paths as objects would take a third of a short match's time here."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
