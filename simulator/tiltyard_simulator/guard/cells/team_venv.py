"""A zygote on a team's own environment: how it is started, and how its modules are found.

Its interpreter is the one that the environment was made from, started without ``site``: nothing of the environment itself is run
before a cell is confined, neither its ``pyvenv.cfg`` nor a ``.pth`` file. What the guard and the games need comes from the runner,
by the names of their packages; all else comes from the standard library and the environment alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

import msgspec

from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.environments import check_environment, packages_folder
from tiltyard_simulator.guard.policy import GUARD_PACKAGES

COMPILED: Final = "__mypyc"
"""How the names of modules end that belong to compiled packages."""
FLAGS: Final = ("-S", "-P", "-s")


class TeamEnvironment(msgspec.Struct, frozen=True, array_like=True):
    """What a zygote must know to find modules."""

    folder: str
    modules: tuple[str, ...]
    """Top-level packages of installed games and teams. Which of them a cell may read is its policy's business."""


def interpreter() -> str:
    """The Python that the runner's own environment was made from, and so are those of teams."""
    return str(Path(getattr(sys, "_base_executable", "") or sys.executable))


def team_environment(folder: str, modules: Sequence[str]) -> TeamEnvironment:
    """An environment as it is now.

    Args:
        folder: the environment's.
        modules: what the zygote imports beside installed plugins.

    Raises:
        UserError: it isn't there, or not for this Python.
    """
    check_environment(Path(folder))
    names = {name.partition(":")[0].partition(".")[0] for name in (*modules, *_plugin_modules())}
    return TeamEnvironment(folder, tuple(sorted(names.difference(GUARD_PACKAGES, sys.stdlib_module_names))))


def _plugin_modules() -> tuple[str, ...]:
    from tiltyard_simulator.match.plugin_files import installed_plugins  # for the host alone: no zygote asks

    entries = [entry for each in installed_plugins().values() for entry in each.entry_points]
    return tuple([entry.value for entry in entries if entry.group == PROJECT])


def enter_environment(environment: TeamEnvironment, own_path: Sequence[str]) -> None:
    """Find modules as this environment does, from now on. The guard's own are imported already.

    Args:
        environment: which one.
        own_path: the interpreter's own folders, with the standard library.
    """
    runner_path = [*sys.path]
    protected = {*sys.stdlib_module_names, *GUARD_PACKAGES}
    for name in [name for name in sys.modules if name.partition(".")[0] not in protected and name != "__main__"]:
        # What the guard's packages have imported for themselves; the team may have another version.
        del sys.modules[name]
    sys.path[:] = [*own_path, str(packages_folder(Path(environment.folder)))]
    guard, plugins = RunnersPackages(GUARD_PACKAGES, runner_path), RunnersPackages(environment.modules, runner_path)
    sys.meta_path[:] = [guard, *sys.meta_path, plugins]
    sys.prefix = sys.exec_prefix = environment.folder
    sys.executable = str(Path(environment.folder, "bin", "python"))


class RunnersPackages:
    """Finds packages of these names where the runner has them, and what they were compiled to."""

    def __init__(self, names: Sequence[str], path: Sequence[str]) -> None:
        self._names = frozenset(names)
        self._path = [*path]

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """As ``importlib.abc.MetaPathFinder``. Modules below a package are found by the package itself."""
        if path is None and (name in self._names or name.endswith(COMPILED)):
            return PathFinder.find_spec(name, self._path, target)
        return None
