"""Seats and GameManagers for a match worker, whatever way their code is held in."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.inline import InlineTankSeat, InlineTurnSeat, OnFault
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import Game, PlayerArguments, TankTeam, TurnTeam
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.registry.sources import is_own
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seats import TankSeat, TurnSeat
from tiltyard_simulator.guard.brokered_manager import BrokeredManager, ManagersMatch
from tiltyard_simulator.guard.cell_seats import CellTankSeat, CellTurnSeat
from tiltyard_simulator.guard.confinement import CellPolicy, Confinement, Level, probe_confinement
from tiltyard_simulator.guard.held_cell import HeldCell
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.programs.held_program import HeldProgram
from tiltyard_simulator.guard.programs.program_cell import ProgramCell, begin_program_cell
from tiltyard_simulator.guard.programs.program_paths import paths_for_program
from tiltyard_simulator.guard.programs.program_seat import ProgramSeat
from tiltyard_simulator.guard.readable_paths import Paths, paths_for
from tiltyard_simulator.guard.zygote import PRELOADED, Zygote, ZygoteLostError
from tiltyard_simulator.loading import load

SCRATCH_PREFIX: Final = "tiltyard-"
"""A worker's scratch folders lie in one of this name and its process number."""
RESERVED_KINDS: Final = 8
"""For so many teams and limits a reserve of cells is kept; the one not asked for longest goes first."""
MOST_SPARE: Final = 10
"""Spare cells of one kind: as many as a match may have seats."""
START_ATTEMPTS: Final = 2


@dataclass(frozen=True, slots=True)
class _Kind:
    """What makes a cell fit for a team before any of its code is loaded."""

    isolation: Isolation
    paths: Paths
    limits: Limits


class Cells:
    """The cells of one match worker: opened for a match, killed at its end, with some kept ready for the next one.

    Args:
        confinement: what a sandbox is here; found out by probing if not given.
        core: the core for the manager and its cells. They take turns, and one core spares them two wake-ups a question.
        reserve: cells to keep ready of each kind that was asked for lately.
        scratch_root: where scratch folders are made.
        readable: paths of teams that are known already; others are found as they come, at the cost of a new zygote.
        preload: modules that the zygote imports once for all.
    """

    def __init__(
        self,
        confinement: Confinement | None = None,
        *,
        core: int | None = None,
        reserve: int = 1,
        scratch_root: str | None = None,
        readable: Sequence[str] = (),
        preload: Sequence[str] = PRELOADED,
    ) -> None:
        self.measure = False
        """Whether cells taken from now on keep the time of each call."""
        self.watch_infos = False
        """Whether cells taken from now on look whether tanks keep their BattleInfo."""
        self._probed = confinement
        self._core = core
        self._free_cores = os.sched_getaffinity(0)
        self._reserve = reserve
        sweep_scratch(Path(scratch_root or tempfile.gettempdir()))
        self.scratch_root = tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}{os.getpid()}-", dir=scratch_root)
        """Holds a folder a cell; gone after ``close``."""
        self._readable = list(readable)
        self._preload = [*preload]
        self._libraries: list[str] = []
        """Of the project's own, for compiled teams."""
        self._zygotes: dict[Isolation, Zygote] = {}
        self._covered: dict[Isolation, frozenset[str]] = {}
        self._retired: list[Zygote] = []
        """Zygotes that cells of the current match still live on."""
        self._playing: list[tuple[HeldCell, str]] = []
        self._seats: list[CellTankSeat | CellTurnSeat[Any, Any] | ProgramSeat[Any, Any]] = []
        self._spare: OrderedDict[_Kind, list[tuple[HeldCell, str]]] = OrderedDict()
        self._wanted: dict[_Kind, int] = {}
        if core is not None:
            os.sched_setaffinity(0, {core})

    def __enter__(self) -> Cells:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def confinement(self) -> Confinement:
        """What ``Isolation.SANDBOX`` is on this machine."""
        if self._probed is None:
            self._probed = probe_confinement()
        return self._probed

    def open_tank_seat(
        self,
        index: int,
        reference: Reference,
        player_arguments: PlayerArguments,
        on_fault: OnFault,
        limits: Limits,
        isolation: Isolation,
        *,
        game: Reference | None = None,
    ) -> TankSeat:
        """A seat with the team's Player; a team that fails already here fails when its seat is first asked.

        Raises:
            UserError: inline, the team cannot be loaded.
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        if isolation is Isolation.INLINE:
            return InlineTankSeat(index, load(reference, TankTeam), player_arguments, on_fault)
        cell = self.take(reference, limits, isolation, game)
        seat = CellTankSeat(index, reference, player_arguments, on_fault, cell, limits)
        self._seats.append(seat)
        return seat

    def open_turn_seat(
        self, index: int, reference: Reference, game: Reference, limits: Limits, isolation: Isolation
    ) -> TurnSeat[Any, Any]:
        """A seat of a turn-based game; errors as for tanks."""
        record = load(game, Game)
        if reference.program is not None:
            return self._open_program_seat(index, reference, record, limits, isolation)
        if isolation is Isolation.INLINE:
            return InlineTurnSeat(index, load(reference, TurnTeam), record.answer_type or object)
        cell = self.take(reference, limits, isolation, game)
        seat: CellTurnSeat[Any, Any] = CellTurnSeat(index, reference, game, record.answer_type, cell, limits)
        self._seats.append(seat)
        return seat

    def open_manager(self, reference: Reference, match: ManagersMatch, limits: Limits, isolation: Isolation) -> BrokeredManager:
        """A GameManager in a cell; one that fails already here fails when it is to run. Not for ``inline``.

        Raises:
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        return BrokeredManager(self.take(reference, limits, isolation, match.game), reference, match, limits)

    def _open_program_seat(
        self, index: int, reference: Reference, game: Game[Any], limits: Limits, isolation: Isolation
    ) -> TurnSeat[Any, Any]:
        assert reference.program is not None
        program = self.open_program(reference.program, reference.source, limits, isolation)
        seat: ProgramSeat[Any, Any] = ProgramSeat(index, reference.name, game, program, limits)
        self._seats.append(seat)
        return seat

    def open_program(self, team: ProgramTeam, source: Source, limits: Limits, isolation: Isolation) -> HeldProgram:
        """A program in a cell of the current match; it is started when it is first used.

        Raises:
            UserError: its record claims what it may not.
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        if isolation is Isolation.INLINE:
            # There is no inline for what is no Python.
            isolation = Isolation.PROCESS
        # What the launcher is made of, which the program itself may not read.
        self.foresee([])
        kind = _Kind(isolation, paths_for_program(team, source), limits)
        cell, scratch = self._begin_program(kind)
        cell.measure = self.measure
        self._playing.append((cell, scratch))
        if self._core is not None:
            cell.pin(self._core)
        return HeldProgram(team, cell, limits)

    @property
    def machine_faults(self) -> list[Fault]:
        """Faults of the current match that no team is to blame for: such a match does not count and is played again.

        A team can kill its own process just as well. So of one seat that is lost again and again, though the zygote
        is not, the last fault should be charged after all.
        """
        faults = [seat.fault for seat in self._seats]
        return [fault for fault in faults if fault is not None and fault.termination is Termination.VOID]

    def expect(self, reference: Reference, limits: Limits, isolation: Isolation, *, game: Reference | None = None) -> None:
        """Make a cell ready for a team that will be asked for soon, without waiting for it."""
        if isolation is not Isolation.INLINE:
            kind = _kind(reference, game, limits, isolation)
            spare = self._spare.setdefault(kind, [])
            self._spare.move_to_end(kind)
            if len(spare) < MOST_SPARE:
                spare.append(self._begin(kind))
            self._forget_old_kinds()

    def foresee(self, references: Iterable[Reference]) -> None:
        """Let the next zygote see the files of all these plugins: each that it cannot see later costs a new zygote."""
        references = list(references)
        paths = [*paths_for([reference.source for reference in references]).readable]
        for reference in references:
            self._preload_own(reference)
            if reference.program is not None:
                # What it may not claim is said when it is opened.
                with contextlib.suppress(UserError):
                    paths += paths_for_program(reference.program, reference.source).readable
        for path in paths:
            if path not in self._readable:
                self._readable.append(path)

    def _preload_own(self, reference: Reference) -> None:
        """The project's own code that each cell would import anew: its game, and what loads a compiled team's file."""
        source = reference.source
        if reference.kind == GAME and is_own(source):
            self._preload_module(source.value)
        if source.loader and self._preload_module(source.loader):
            self._libraries += source.needs

    def _preload_module(self, value: str) -> bool:
        """Whether the module of ``module:attribute`` was not among them yet."""
        module = value.partition(":")[0]
        is_new = module not in self._preload
        if is_new:
            self._preload.append(module)
        return is_new

    def end_match(self) -> None:
        """Kill the cells of the match. What they printed stays with their seats."""
        for cell, _ in self._playing:
            cell.process.kill()
        for cell, scratch in self._playing:
            cell.retire()
            _remove(scratch)
        self._playing.clear()
        self._seats.clear()
        while self._retired:
            self._retired.pop().close()
        self._refill()

    def close(self) -> None:
        """Kill all that is left."""
        self._wanted.clear()
        self.end_match()
        for kind in list(self._spare):
            self._drop(kind)
        while self._zygotes:
            self._zygotes.popitem()[1].close()
        _remove(self.scratch_root)
        if self._core is not None:
            os.sched_setaffinity(0, self._free_cores)

    def zygote_pid(self, isolation: Isolation) -> int | None:
        """The process that the cells of that kind come from, for those who watch; None before the first."""
        zygote = self._zygotes.get(isolation)
        return None if zygote is None else zygote.pid

    # Cells

    def take(self, reference: Reference, limits: Limits, isolation: Isolation, game: Reference | None = None) -> HeldCell:
        """A cell from the reserve, or a new one, for the current match; nothing of the team is loaded yet."""
        return self.take_for([reference.source] if game is None else [reference.source, game.source], limits, isolation)

    def take_for(self, sources: Sequence[Source], limits: Limits, isolation: Isolation) -> HeldCell:
        """Likewise, for code that may read the files of ``sources``."""
        kind = _Kind(isolation, paths_for(sources), limits)
        self._wanted[kind] = self._wanted.get(kind, 0) + 1
        self._zygote(kind)
        spare = self._spare.get(kind)
        cell, scratch = spare.pop(0) if spare else self._begin(kind)
        cell.measure, cell.watch_infos = self.measure, self.watch_infos
        self._playing.append((cell, scratch))
        if self._core is not None:
            cell.pin(self._core)
        return cell

    def _begin(self, kind: _Kind) -> tuple[HeldCell, str]:
        scratch = tempfile.mkdtemp(prefix="cell-", dir=self.scratch_root)
        policy = CellPolicy(kind.paths.readable, kind.paths.hidden, scratch, kind.limits, python=True, network=False)
        for attempt in range(START_ATTEMPTS):
            zygote = self._zygote(kind)
            try:
                return HeldCell(zygote, zygote.begin_fork(policy), kind.limits), scratch
            except ZygoteLostError:
                if attempt + 1 == START_ATTEMPTS:
                    _remove(scratch)
                    raise
        raise AssertionError("unreachable")

    def _begin_program(self, kind: _Kind) -> tuple[ProgramCell, str]:
        scratch = tempfile.mkdtemp(prefix="cell-", dir=self.scratch_root)
        policy = CellPolicy(kind.paths.readable, kind.paths.hidden, scratch, kind.limits, python=False, network=False)
        for attempt in range(START_ATTEMPTS):
            try:
                return begin_program_cell(self._zygote(kind), policy, kind.limits), scratch
            except ZygoteLostError:
                if attempt + 1 == START_ATTEMPTS:
                    _remove(scratch)
                    raise
        raise AssertionError("unreachable")

    def _refill(self) -> None:
        """Order new cells of the kinds that were just used; they get ready while the worker does other things."""
        for kind, used in self._wanted.items():
            spare = self._spare.setdefault(kind, [])
            self._spare.move_to_end(kind)
            with contextlib.suppress(ZygoteLostError):
                while self._reserve and len(spare) < min(max(used, self._reserve), MOST_SPARE):
                    spare.append(self._begin(kind))
        self._wanted.clear()
        self._forget_old_kinds()

    def _forget_old_kinds(self) -> None:
        while len(self._spare) > RESERVED_KINDS:
            self._drop(next(iter(self._spare)))

    def _drop(self, kind: _Kind) -> None:
        for cell, scratch in self._spare.pop(kind):
            cell.retire()
            _remove(scratch)

    # Zygotes

    def _zygote(self, kind: _Kind) -> Zygote:
        """The zygote for such a cell: a new one if there is none, if it died, or if it cannot see the team's files."""
        isolation = kind.isolation
        zygote = self._zygotes.get(isolation)
        if zygote is not None and self._sees(zygote, kind) and zygote.is_alive:
            return zygote
        if zygote is not None:
            self._forget_spares(isolation)
            self._retired.append(self._zygotes.pop(isolation))
        self._covered[isolation] = self._covered.get(isolation, frozenset()) | {*kind.paths.readable, *self._readable}
        confinement = self.confinement if isolation is Isolation.SANDBOX else Confinement(Level.C, (), ())
        with self._all_cores():
            started = Zygote(confinement, sorted(self._covered[isolation]), self.scratch_root, self._preload, self._libraries)
        self._zygotes[isolation] = started
        return started

    def _sees(self, zygote: Zygote, kind: _Kind) -> bool:
        """At level A a zygote sees only the files that it was started with."""
        return zygote.confinement.level is not Level.A or self._covered[kind.isolation].issuperset(kind.paths.readable)

    def _forget_spares(self, isolation: Isolation) -> None:
        for kind in [kind for kind in self._spare if kind.isolation is isolation]:
            self._drop(kind)

    @contextlib.contextmanager
    def _all_cores(self) -> Iterator[None]:
        """The zygote makes cells ready on any core, while a match is played on this one."""
        if self._core is None:
            yield
            return
        os.sched_setaffinity(0, self._free_cores)
        try:
            yield
        finally:
            os.sched_setaffinity(0, {self._core})


def _kind(reference: Reference, game: Reference | None, limits: Limits, isolation: Isolation) -> _Kind:
    sources = [reference.source] if game is None else [reference.source, game.source]
    return _Kind(isolation, paths_for(sources), limits)


def sweep_scratch(root: Path) -> None:
    """Remove what workers that were killed could not remove themselves: folders of processes that are gone."""
    for folder in root.glob(f"{SCRATCH_PREFIX}*-*"):
        owner = folder.name.removeprefix(SCRATCH_PREFIX).partition("-")[0]
        # Another worker may be sweeping too.
        with contextlib.suppress(OSError):
            if owner.isdigit() and _has_ended(owner) and folder.stat().st_uid == os.getuid():
                _remove(str(folder))


def _has_ended(pid: str) -> bool:
    """Whether a process is gone, or is but waiting for its parent to take notice, which some parents never do."""
    try:
        return Path("/proc", pid, "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return True


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
