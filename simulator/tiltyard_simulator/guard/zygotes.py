"""The zygotes of a match worker: the processes that its cells are forked from, and what each of them has imported and can read."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.registry.sources import Source, is_of
from tiltyard_simulator.guard.cells.team_venv import team_environment
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.guard.confinement.kernel.libc import run_on
from tiltyard_simulator.guard.confinement.readable_paths import paths_for
from tiltyard_simulator.guard.policy import Confinement, Level
from tiltyard_simulator.guard.process_start import STARTING
from tiltyard_simulator.guard.programs.program_paths import paths_for_program
from tiltyard_simulator.guard.seats.kinds import kinds, modules_of_kinds
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.mentions import mentions
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

NUMPY: Final = ("numpy", "numpy.random")
"""It takes 41 ms to import, and 8 MiB: with it, each cell would take a quarter longer to fork and to end."""

MOST_ENVIRONMENTS: Final = 8
"""Of teams, for which a zygote is kept. In a league that plays for weeks, each team may come with another one."""

Base: TypeAlias = tuple[Isolation, str]
"""One zygote is for all cells of an isolation that run on one environment; the runner's is named by an empty string."""


class Zygotes:
    """The zygotes of one worker, each started when its first cell is asked for.

    Args:
        scratch_root: where the cells' scratch folders are made.
        core: the core that the worker stays on. Zygotes start on all of them.
        readable: paths of teams that are already known, and folders in which teams will lie. One that lies elsewhere may need a new
            zygote.
        modules: what each zygote imports once for all its cells.
        replaced: is called with a base whose zygote is about to be replaced: its cells that wait are of no use any more.
    """

    def __init__(
        self,
        *,
        scratch_root: str,
        core: int | None,
        readable: Sequence[str],
        modules: Sequence[str],
        replaced: Callable[[Base], None],
    ) -> None:
        self._scratch_root = scratch_root
        self._core = core
        self._all = os.sched_getaffinity(0)
        self._readable = dict.fromkeys(readable)
        self._folders = [path for path in readable if Path(path).is_dir()]
        """What is made in them later is seen too."""
        self._modules = [*modules]
        self._libraries: list[str] = []
        """The project's own shared libraries, for compiled teams."""
        self._replaced = replaced
        self._current: dict[Base, Zygote] = {}
        self._covered: dict[Base, frozenset[str]] = {}
        self._kinds_known: dict[Base, int] = {}
        self._imported: dict[Base, frozenset[str]] = {}
        """Modules and libraries that each began with."""
        self._retired: list[Zygote] = []
        """Old zygotes whose cells still play in the current match, or last."""

    def __getitem__(self, base: Base) -> Zygote:
        """The zygote that was started last."""
        return self._current[base]

    def get(self, base: Base, readable: Collection[str], confinement: Confinement) -> Zygote:
        """The zygote for a cell. A new one is started if there is none, if it died, or if it can't see what the cell may read.

        Raises:
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        zygote = self._current.get(base)
        if zygote is not None and self._sees(zygote, base, readable) and zygote.is_alive:
            # Last, as the one that was used last.
            self._current[base] = self._current.pop(base)
            return zygote
        if zygote is not None:
            self._retire(base)
        of_teams = [each for each in self._current if each[1]]
        if base[1] and len(of_teams) >= MOST_ENVIRONMENTS:
            self._retire(of_teams[0])
        outside = (path for path in readable if not self._lies_in_folders(path))
        self._covered[base] = self._covered.get(base, frozenset()) | {*outside, *self._readable}
        with self._all_cores(), STARTING:
            self._current[base] = self._start(base, confinement)
        return self._current[base]

    def _retire(self, base: Base) -> None:
        self._replaced(base)
        self._retired.append(self._current.pop(base))

    def show(self, paths: Iterable[str]) -> None:
        """Make files visible to zygotes that start from now on."""
        self._readable |= dict.fromkeys(paths)

    def preload(self, references: Iterable[Reference]) -> None:
        """Make the files of these plugins visible to the next zygote, so that none of them needs another one later."""
        references = list(references)
        paths = [*paths_for([reference.source for reference in references]).readable]
        for reference in references:
            self._preload_own(reference)
            if reference.program is not None:
                # A bad claim is reported when the program is opened.
                with contextlib.suppress(UserError):
                    paths += paths_for_program(reference.program, reference.source).readable
        # Whoever plays with teams that come all day would remember each of them.
        self.show(path for path in paths if not self._lies_in_folders(path))

    def preload_for(self, sources: Sequence[Source], games: Iterable[Source]) -> None:
        """Let the next zygote import what these plugins seem to need once they play: numpy, and the games that they name."""
        usual = next(field.default for field in fields(TankTeam) if field.name == "game")
        for module in slow_modules(sources):
            self._preload_module(module)
        for game in games:
            words = (game.name, TankTeam.__name__) if game.name == usual else (game.name,)
            if is_of(game, OWN_DISTRIBUTIONS) and any(mentions(source, word) for source in sources for word in words):
                self._preload_module(game.value)

    def take_over(self, other: Zygotes) -> bool:
        """Use the zygotes of a pool that has ended its last match; whether they have imported all that these would."""
        own = {*self._modules, *self._libraries}
        if self._current or self._folders or not all(own <= other._imported[base] for base in other._current):
            return False
        self._scratch_root, other._scratch_root = other._scratch_root, self._scratch_root
        self._readable |= other._readable
        self._folders = other._folders
        self._current, other._current = other._current, {}
        self._covered, self._kinds_known, self._imported = other._covered, other._kinds_known, other._imported
        return True

    def close_retired(self, needed: Collection[Zygote] = ()) -> None:
        """Close those that were replaced, but for ``needed``, whose cells go on."""
        for zygote in [each for each in self._retired if each not in needed]:
            self._retired.remove(zygote)
            zygote.close()

    def kill(self) -> None:
        """Kill them all, with their cells. May be called from another thread."""
        for zygote in (*self._current.values(), *self._retired):
            zygote.kill()

    def close(self) -> None:
        """Close all zygotes and their cells."""
        for zygote in (*self._current.values(), *self._retired):
            zygote.close()
        self._current.clear()
        self._retired.clear()

    def _preload_own(self, reference: Reference) -> None:
        """Let the zygote import what no cell should have to: numpy, the project's own game, or the loader of a compiled file."""
        source = reference.source
        for module in slow_modules([source]):
            self._preload_module(module)
        if reference.kind == GAME and is_of(source, OWN_DISTRIBUTIONS):
            self._preload_module(source.value)
        if source.loader and self._preload_module(source.loader):
            self._libraries += source.needs

    def _preload_module(self, value: str) -> bool:
        """Add the module of ``module:attribute``; whether it is new."""
        module = value.partition(":")[0]
        is_new = module not in self._modules
        if is_new:
            self._modules.append(module)
        return is_new

    def _start(self, base: Base, confinement: Confinement) -> Zygote:
        of_kinds = modules_of_kinds()
        readable = sorted({*self._covered[base], *of_kinds.values()})
        modules = [*self._modules, *of_kinds]
        self._kinds_known[base] = len(of_kinds)
        self._imported[base] = frozenset([*self._modules, *self._libraries])
        _, folder = base
        if not folder:
            return Zygote(confinement, readable, self._scratch_root, modules, self._libraries)
        # What is the environment's own is imported in cells alone, which are confined.
        modules = [name for name in modules if name not in NUMPY]
        try:
            environment = team_environment(folder, modules)
        except UserError as error:
            raise ZygoteLostError(str(error)) from error
        return Zygote(confinement, readable, self._scratch_root, modules, environment=environment)

    def _sees(self, zygote: Zygote, base: Base, readable: Collection[str]) -> bool:
        """Whether a zygote can serve: it knows only the kinds of seats, and at level A only the files, that it was started with."""
        if self._kinds_known[base] != len(kinds()):
            return False
        covered = self._covered[base]
        return zygote.confinement.level is not Level.A or all(path in covered or self._lies_in_folders(path) for path in readable)

    def _lies_in_folders(self, path: str) -> bool:
        return any(path.startswith(f"{folder}/") for folder in self._folders)

    @contextlib.contextmanager
    def _all_cores(self) -> Iterator[None]:
        """Lets a zygote start on all cores, so that it prepares cells while a match is played on this one."""
        if self._core is None:
            yield
            return
        run_on(self._all)
        try:
            yield
        finally:
            run_on([self._core])


def slow_modules(code: Iterable[Source]) -> tuple[str, ...]:
    """Modules that the code mentions, and that take long to import."""
    return NUMPY if any(mentions(source, "numpy") for source in code) else ()
