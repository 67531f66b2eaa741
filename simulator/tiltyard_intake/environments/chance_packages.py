"""Packages that a team in Python imports, and that are on this machine by chance: elsewhere they are missing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import PurePosixPath
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from tiltyard_intake.environments.allowed import GUARD, Allowed
from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.plugin_files import installed_plugins

_IMPORTS: Final = re.compile(rb"^[ \t]*\"?(?:import[ \t]+([\w., \t]+)|from[ \t]+(\w[\w.]*)[ \t]+import\b)", re.MULTILINE)
"""Not by Python's parser, which a stranger's file can bring down. In a notebook, lines are strings."""
_HAS: Final = "import importlib.util as u, sys; print(*(name for name in sys.argv[1:] if u.find_spec(name)))"
_PATIENCE: Final = 60.0
"""Seconds for a Python that only looks for modules."""


def imported(sources: Iterable[bytes]) -> set[str]:
    """The outermost modules that sources import, those of Python itself left out."""
    modules: set[str] = set()
    for source in sources:
        for plain, start in _IMPORTS.findall(source):
            names = [each.split() for each in plain.split(b",")] if plain else [[start]]
            modules |= {words[0].partition(b".")[0].decode("ascii", "ignore") for words in names if words}
    return {name for name in modules if name.isidentifier() and name not in sys.stdlib_module_names}


def notes_on_chance(sources: Iterable[bytes], names: Iterable[str], allowed: Allowed, python: str = "") -> Iterator[str]:
    """A note for each package that a team gets from this machine and would not get from another.

    Args:
        sources: its Python files.
        names: all its files.
        allowed: what the organiser allows, with what a team is told.
        python: the interpreter that runs it as a program; empty: it is a plugin, which has what tiltyard needs itself.
    """
    own = {PurePosixPath(part).stem for name in names for part in PurePosixPath(name).parts}
    modules = sorted(imported(sources) - own)
    if not modules:
        return
    for module, package in _packages_of_python(modules, python) if python else _packages_here(modules):
        allow = "" if package in allowed.specifiers else f", and {allowed.ways_out.not_allowed.format(name=package)}"
        yield f"{module} is on this machine by chance and will be missing elsewhere: name {package} in requirements.txt{allow}"


def _packages_here(modules: Iterable[str]) -> Iterator[tuple[str, str]]:
    for module in modules:
        packages = [canonicalize_name(each) for each in _distributions().get(module, ())]
        if packages and not _brought().intersection(packages):
            yield module, packages[0]


def _packages_of_python(modules: list[str], python: str) -> Iterator[tuple[str, str]]:
    command = [python, "-I", "-c", _HAS, *modules]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False, env=CLEAN, cwd="/")
    except (OSError, subprocess.TimeoutExpired):
        return
    for module in process.stdout.split():
        yield module, canonicalize_name(_distributions().get(module, [module])[0])


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


@cache
def _brought() -> frozenset[str]:
    """The distributions that come with tiltyard wherever it is installed."""
    waiting = [*OWN_DISTRIBUTIONS, *GUARD, *installed_plugins()]
    names: set[str] = set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in names:
            names.add(name)
            waiting += _requirements(name)
    return frozenset(names)


def _requirements(name: str) -> Iterator[str]:
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name
