"""Opens seats, GameManagers and programs for a match worker, and keeps some cells ready for the next match."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.seat_kinds.seat_ports import PortSeat
from tiltyard_simulator.guard.cells.cell_client import CellClient
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.cells.messages import Code, OpenManager
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.cells.zygote import PRELOADED, Zygote
from tiltyard_simulator.guard.code_version import code_version
from tiltyard_simulator.guard.confinement.folder_removal import remove
from tiltyard_simulator.guard.confinement.kernel.libc import give_memory_back, run_on
from tiltyard_simulator.guard.confinement.kernel.process_status import own_prefix
from tiltyard_simulator.guard.confinement.probes import confinement_at, probe_confinement
from tiltyard_simulator.guard.confinement.readable_paths import Paths, paths_for
from tiltyard_simulator.guard.managers.brokered_manager import BrokeredManager
from tiltyard_simulator.guard.open_files import allow_open_files
from tiltyard_simulator.guard.policy import CellPolicy, Confinement, Level
from tiltyard_simulator.guard.programs.build_client import BuildClient
from tiltyard_simulator.guard.programs.program_cell import ProgramCell, begin_program_cell
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.guard.programs.program_paths import (
    on_dotnet,
    on_environment,
    paths_for_build,
    paths_for_host,
    paths_for_program,
)
from tiltyard_simulator.guard.scratch_folders import sweep_scratch
from tiltyard_simulator.guard.seats.kinds import SeatKind
from tiltyard_simulator.guard.slow_imports import SlowImports, Tell, print_note
from tiltyard_simulator.guard.zygotes import Base, Zygotes, slow_modules
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, Limits
from tiltyard_simulator.match.spec import MatchInput

Held = TypeVar("Held", bound=CellClient)

RESERVED_KINDS: Final = 8
"""How many kinds of cells have spare ones. The kind that was used least recently loses them first."""
MOST_SPARE: Final = 10
"""The most spare cells of one kind: as many as a match may have seats."""
START_ATTEMPTS: Final = 2
MATCHES_A_TRIM: Final = 250
"""After so many, freed memory is given back. Otherwise a worker grows by some 150 bytes a match, without holding more."""
TEMPLATES_VARIABLE: Final = "TILTYARD_TEMPLATES"
"""With ``off``, each cell imports its team's code itself."""
UNCONFINED: Final = Confinement(Level.C, (), ())


@dataclass(frozen=True, slots=True)
class _Kind:
    """What must be the same for a spare cell to fit a team."""

    isolation: Isolation
    paths: Paths
    limits: Limits
    code: tuple[Code, ...] = ()
    """What its cells have loaded already, in a template."""
    version: str = ""
    """Of that code."""
    program: bool = False
    """Whether its cells start an external program."""
    environment: str = ""
    """The folder of the team's own environment, if the cell's Python runs on one."""

    @property
    def base(self) -> Base:
        """What its cells are forked from."""
        return self.isolation, self.environment


class CellPool:
    """The cells of one match worker: opened for a match, killed at its end, with some kept ready for the next one.

    Args:
        core: the core that the manager and its cells share. They take turns, so sharing saves two wake-ups a question.
        reserve: how many spare cells to keep of each kind that was used lately.
        level: how ``Isolation.SANDBOX`` confines cells. None: as well as this machine can.
        scratch_root: where scratch folders are made.
        readable: paths of teams that are already known, and folders in which teams will lie. One that lies elsewhere may need a new
            zygote. Each cell reads only what its own team may.
        preload: modules that the zygote imports once for all cells.
        templates: whether cells of the same code come from a process that has loaded it. Not worth it for code that plays once.
        tell: gets a sentence for the user where an import takes long.

    Raises:
        UserError: the machine allows too few open files.
    """

    def __init__(
        self,
        *,
        core: int | None = None,
        reserve: int = 1,
        level: Level | None = None,
        scratch_root: str | None = None,
        readable: Sequence[str] = (),
        preload: Sequence[str] = PRELOADED,
        templates: bool = True,
        tell: Tell = print_note,
    ) -> None:
        allow_open_files()
        self.measure = False
        """Whether cells taken from now on keep the time of each call."""
        self.watch_infos = False
        """Whether cells taken from now on check that tanks don't keep their BattleInfo."""
        self.watch_denials = False
        """Whether faults of programs opened from now on in a sandbox name what was denied to them."""
        self._core = core
        self._level = level
        self._free_cores = os.sched_getaffinity(0)
        self._reserve = reserve
        sweep_scratch(Path(scratch_root or tempfile.gettempdir()))
        self.scratch_root = tempfile.mkdtemp(prefix=own_prefix(), dir=scratch_root)
        """Contains a folder for each cell. ``close`` removes it."""
        self._zygotes = Zygotes(
            scratch_root=self.scratch_root, core=core, readable=readable, modules=preload, replaced=self._drop_of_zygote
        )
        self._templates = templates and os.environ.get(TEMPLATES_VARIABLE, "on") != "off"
        self._slow_imports = SlowImports(tell)
        self._versions: dict[Source, str] = {}
        """Of the code that plays in this match."""
        self._forked = 0
        self._matches_ended = 0
        """Matches."""
        self._playing: list[tuple[CellClient, str]] = []
        self._lasting: dict[CellClient, tuple[str, Zygote]] = {}
        """Cells that no match ends, with their scratch folders."""
        self._spare: OrderedDict[_Kind, list[tuple[CellClient, str]]] = OrderedDict()
        self._earlier_kinds: set[_Kind] = set()
        """Of these, those that have played in an earlier match."""
        self._demand: dict[_Kind, int] = {}
        self.is_abandoned = False
        """Whether ``abandon`` was called: then what ends, ends because of that."""
        if core is not None:
            run_on([core])

    def __enter__(self) -> CellPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def confinement(self) -> Confinement:
        """What ``Isolation.SANDBOX`` is here."""
        return probe_confinement() if self._level is None else confinement_at(self._level)

    def warm_up(self) -> None:
        """Start what sandboxes are forked from, if it doesn't run. It ends with the thread that calls this.

        Raises:
            ZygoteLostError: it can't be started: the machine's fault.
        """
        self._zygote(_Kind(Isolation.SANDBOX, Paths((), ()), DEFAULT_LIMITS))

    def order(self, seats: Iterable[SeatSpec]) -> None:
        """Begin the cells of a match's seats, so that they get ready side by side. ``open_seat`` takes them.

        Raises:
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        demand: Counter[_Kind] = Counter()
        for spec in seats:
            if spec.team.program is not None:
                if self.watch_denials:
                    continue
                # A bad claim is reported when the program is opened.
                with contextlib.suppress(UserError):
                    demand[self._kind_of_program(spec.team.program, spec.team.source, spec.limits, spec.isolation)] += 1
            elif spec.isolation is not Isolation.INLINE:
                demand[self._kind_of_seat(spec)] += 1
        for kind, count in demand.items():
            self._zygote(kind)
            spare = self._spare.setdefault(kind, [])
            while len(spare) < count:
                spare.append(self._begin(kind))

    def open_seat(self, kind: SeatKind, spec: SeatSpec) -> PortSeat:
        """Open a seat. If a team in a cell fails here, its seat reports the fault when it is first asked.

        Raises:
            UserError: inline, the team cannot be loaded; or it is a program, and the game has no protocol for those.
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        team = spec.team
        if team.program is not None:
            program = self.open_program(team.program, team.source, spec.limits, spec.isolation)
            return kind.seat(spec, kind.program_port(spec, program))
        if spec.isolation is Isolation.INLINE:
            return kind.seat(spec, kind.inline_port(spec))
        return kind.seat(spec, kind.cell_port(spec, self._take_cell(self._kind_of_seat(spec), team.source)))

    def open_manager(
        self, match: MatchInput, isolation: Isolation, limits: Limits, kind: SeatKind, setting: Any, *, board: Any
    ) -> BrokeredManager:
        """Open a match's GameManager in a cell. If it fails here, ``run`` reports it. Not for ``inline``.

        A compiled one gets the map as ``board``. With None, its cell is Python, which can cut a match and read a log.

        Raises:
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        source, players = match.manager.source, len(match.teams)
        loader = get_loader(source.loader) if source.loader and board is not None else None
        prepared = b"" if loader is None else loader.prepare(board, match.map.name, players)
        code = [match.game, match.manager] if prepared or not source.loader else []
        cell = self.take(source, limits, isolation, (match.game.source,), code)
        name = match.map.name.encode("utf-8", "surrogatepass")
        opening = OpenManager(match.manager, match.game, name, match.map.data, players, match.rounds, prepared)
        return BrokeredManager(cell, opening, limits, kind, setting, loader=loader)

    def open_program(self, team: ProgramTeam, source: Source, limits: Limits, isolation: Isolation) -> ProgramClient:
        """Open a program in a cell of the current match. It starts when it is first used.

        Raises:
            UserError: its record names files that it may not read.
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        kind = self._kind_of_program(team, source, limits, isolation)
        cell = self._take(kind)
        assert isinstance(cell, ProgramCell)
        is_confined = kind.isolation is Isolation.SANDBOX and self.confinement.level is not Level.C
        return ProgramClient(on_dotnet(on_environment(team, source)), cell, limits, kind.paths.readable if is_confined else None)

    def open_host(self, program: Path, sources: Sequence[Source], limits: Limits) -> ProgramClient:
        """Open the program that plays matches of compiled files, in a cell that lasts until ``close_host``.

        Args:
            program: it starts when it is first used.
            sources: the files, which it may read.
            limits: of all its processes together.

        Raises:
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        kind = _Kind(Isolation.SANDBOX, paths_for_host(program, sources), limits, program=True)
        self._zygotes.show(kind.paths.readable)
        cell, scratch = self._begin(kind)
        assert isinstance(cell, ProgramCell)
        self._lasting[cell] = scratch, self._zygote(kind)
        team = ProgramTeam(name=program.name, game="", command=(str(program),))
        return ProgramClient(team, cell, limits)

    def close_host(self, host: ProgramClient) -> None:
        """Kill all its processes."""
        if host.cell in self._lasting:
            scratch, _ = self._lasting.pop(host.cell)
            host.cell.retire()
            remove(scratch)

    def open_build(self, readable: Sequence[str], limits: Limits, isolation: Isolation) -> BuildClient:
        """Open a cell for a build of what strangers handed in. It lasts until ``end_match``.

        Args:
            readable: what it may read beside the system's files: compilers that are installed elsewhere.
            limits: ``move_seconds`` are not used: each command has its own time.
            isolation: how it is isolated.

        Raises:
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        if isolation is Isolation.INLINE:
            isolation = Isolation.PROCESS
        self.preload([])
        kind = _Kind(isolation, paths_for_build(readable), limits, program=True)
        cell, scratch = self._fork(
            kind, begin=lambda zygote, policy: begin_program_cell(zygote, replace(policy, builds=True), limits)
        )
        cell.hints = replace(cell.hints, is_of_a_build=True)
        self._use(cell, scratch)
        is_confined = isolation is Isolation.SANDBOX and self.confinement.level is not Level.C
        return BuildClient(cell, limits, scratch, kind.paths.readable if is_confined else None)

    def preload(self, references: Iterable[Reference]) -> None:
        """Make the files of these plugins visible to the next zygote, so that none of them needs another one later."""
        self._zygotes.preload(references)

    def preload_for(self, sources: Sequence[Source], games: Sequence[Source]) -> None:
        """Make the files of sources that are to be described visible to the next zygote, with what they will need to play."""
        self._zygotes.show(sorted({path for source in sources for path in paths_for([source], games).readable}))
        self._zygotes.preload_for(sources, games)

    def take_over(self, other: CellPool | None) -> None:
        """Close a pool whose matches have ended, but for zygotes that have imported all that this one's would: use these."""
        if other is None:
            return
        if other.confinement == self.confinement and self._zygotes.take_over(other._zygotes):
            self.scratch_root, other.scratch_root = other.scratch_root, self.scratch_root
            self._forked = other._forked
        other.close()

    def end_match(self) -> None:
        """Kill the cells of the match. Their seats keep what they printed."""
        for cell, _ in self._playing:
            # The kernel frees a process's memory on its own core, which the next match needs.
            cell.kill(() if self._core is None else self._free_cores)
        for cell, scratch in self._playing:
            cell.retire()
            remove(scratch)
            self._tell_of_import(cell)
        self._playing.clear()
        self._matches_ended += 1
        if self._matches_ended % MATCHES_A_TRIM == 0:
            give_memory_back()
        self._versions.clear()
        self._zygotes.close_retired(needed=[zygote for _, zygote in self._lasting.values()])
        self.prepare_next()

    def abandon(self) -> None:
        """Kill all that runs, from another thread than the one that uses the pool. ``close`` is called when that one is done."""
        self.is_abandoned = True
        self._zygotes.kill()

    def close(self) -> None:
        """Kill all cells and zygotes, and remove the scratch folders."""
        self._demand.clear()
        self.end_match()
        while self._lasting:
            cell, (scratch, _) = self._lasting.popitem()
            cell.retire()
            remove(scratch)
        for kind in list(self._spare):
            self._drop(kind)
        self._zygotes.close()
        remove(self.scratch_root)
        if self._core is not None:
            run_on(self._free_cores)

    # Cells

    def take(
        self,
        source: Source,
        limits: Limits,
        isolation: Isolation,
        games: Sequence[Source] = (),
        code: Sequence[Reference] = (),
    ) -> TeamClient:
        """A cell from the reserve, or a new one, for the current match.

        Args:
            source: its code may read its own files,
            limits: has these limits,
            isolation: and is isolated so.
            games: sources that it may read too.
            code: what it will be asked to load first. It has loaded that already if the cell comes from a template.
        """
        return self._take_cell(self._kind_of(source, limits, isolation, games, code), source)

    def _take_cell(self, kind: _Kind, source: Source) -> TeamClient:
        cell = self._take(kind)
        assert isinstance(cell, TeamClient)
        cell.plugin, cell.why_alone = Path(source.folder or source.value).name, self._why_alone(kind)
        cell.waits = partial(self._slow_imports.waits, cell.plugin)
        cell.watch_infos = self.watch_infos
        return cell

    def _take(self, kind: _Kind) -> CellClient:
        self._demand[kind] = self._demand.get(kind, 0) + 1
        self._zygote(kind)
        # Only a cell that is begun now is watched.
        spare = None if self.watch_denials and kind.program else self._spare.get(kind)
        cell, scratch = spare.pop(0) if spare else self._begin(kind)
        self._use(cell, scratch)
        return cell

    def _kind_of_program(self, team: ProgramTeam, source: Source, limits: Limits, isolation: Isolation) -> _Kind:
        """Raises UserError if its record names files that it may not read."""
        # Only Python code can run inline.
        effective = Isolation.PROCESS if isolation is Isolation.INLINE else isolation
        # The launcher needs files that the program itself may not read.
        self.preload([])
        return _Kind(effective, paths_for_program(team, source), limits, program=True)

    def _kind_of_seat(self, spec: SeatSpec) -> _Kind:
        games = () if spec.game is None else (spec.game.source,)
        return self._kind_of(spec.team.source, spec.limits, spec.isolation, games, [spec.team])

    def _kind_of(
        self, source: Source, limits: Limits, isolation: Isolation, games: Sequence[Source], code: Sequence[Reference]
    ) -> _Kind:
        kind = _Kind(isolation, paths_for([source], games), limits, environment=source.environment)
        is_confined = isolation is Isolation.SANDBOX and self.confinement.level is not Level.C
        # With threads or processes of its own, code can't be forked. A cell that watches is told so before it loads any.
        if code and not self.watch_infos and self._templates and is_confined and limits.processes == 1:
            if source not in self._versions:
                self._versions[source] = code_version(source)
            return replace(kind, code=tuple((each.kind, each.source) for each in code), version=self._versions[source])
        return kind

    def _why_alone(self, kind: _Kind) -> str:
        """Why a cell of this kind loads its code itself, if it could have been loaded for many matches."""
        if kind.code or not self._templates or self.watch_infos:
            return ""
        if kind.limits.processes > 1:
            return f"with limit processes={kind.limits.processes} it may have threads, and a process with threads can't be copied"
        return "only what is imported in a sandbox is imported once for many matches"

    def _tell_of_import(self, cell: CellClient) -> None:
        why = isinstance(cell, TeamClient) and (cell.process.unfit or cell.why_alone)
        if isinstance(cell, TeamClient) and why:
            self._slow_imports.is_repeated(cell.plugin, cell.starts_in, why)

    def _use(self, cell: CellClient, scratch: str) -> None:
        """Give a cell to the current match."""
        cell.measure = self.measure
        self._playing.append((cell, scratch))
        if self._core is not None:
            cell.pin(self._core)

    def _begin(self, kind: _Kind, *, spare: bool = False) -> tuple[CellClient, str]:
        if kind.program:
            return self._fork(kind, begin=lambda zygote, policy: begin_program_cell(zygote, policy, kind.limits))

        def begin(zygote: Zygote, policy: CellPolicy) -> TeamClient:
            modules = slow_modules(source for _, source in kind.code)
            process = zygote.begin_fork(policy, code=kind.code, version=kind.version, modules=modules, spare=spare)
            return TeamClient(zygote, process, kind.limits)

        return self._fork(kind, begin=begin)

    def _fork(self, kind: _Kind, *, begin: Callable[[Zygote, CellPolicy], Held]) -> tuple[Held, str]:
        self._forked += 1
        # The zygote makes it, unless the cell gets its template's.
        scratch = f"{self.scratch_root}/cell-{self._forked}"
        watched = (
            self.watch_denials and kind.program and kind.isolation is Isolation.SANDBOX and self.confinement.level is not Level.C
        )
        policy = CellPolicy(kind.paths.readable, kind.paths.hidden, scratch, kind.limits, python=not kind.program, watched=watched)
        for attempt in range(START_ATTEMPTS):
            try:
                return begin(self._zygote(kind), policy), scratch
            except ZygoteLostError:
                if attempt + 1 == START_ATTEMPTS:
                    remove(scratch)
                    raise
        raise AssertionError("unreachable")

    def prepare_next(self) -> None:
        """Start spare cells of the kinds that play in this match, and get ready meanwhile for the next one.

        Not of a kind that plays for the first time: it may be the only match, and a team's first spare cell takes 20 ms.
        """
        for kind, number in self._demand.items():
            if kind.program and self.watch_denials:
                # A watched one must not serve a match that counts.
                continue
            spare = self._spare.setdefault(kind, [])
            self._spare.move_to_end(kind)
            if kind not in self._earlier_kinds:
                self._earlier_kinds.add(kind)
                continue
            with contextlib.suppress(ZygoteLostError):
                while self._reserve and len(spare) < min(max(number, self._reserve), MOST_SPARE):
                    spare.append(self._begin(kind, spare=True))
        self._demand.clear()
        while len(self._spare) > RESERVED_KINDS:
            self._drop(next(iter(self._spare)))

    def _zygote(self, kind: _Kind) -> Zygote:
        """What such a cell is forked from."""
        confinement = self.confinement if kind.isolation is Isolation.SANDBOX else UNCONFINED
        return self._zygotes.get(kind.base, kind.paths.readable, confinement)

    def _drop_of_zygote(self, base: Base) -> None:
        for kind in [kind for kind in self._spare if kind.base == base]:
            self._drop(kind)

    def _drop(self, kind: _Kind) -> None:
        self._earlier_kinds.discard(kind)
        for cell, scratch in self._spare.pop(kind):
            cell.retire()
            remove(scratch)
