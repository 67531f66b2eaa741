"""Playing one match: read the map, open the seats, run the GameManager, judge the result."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tiltyard_engine.claims import claim_problem, plain
from tiltyard_engine.errors import ContractError, UserError, describe
from tiltyard_engine.match import Match
from tiltyard_engine.match_record import NO_CLAIM, Evidence, Exchange, MatchRecord, Outcome, SeatAccount, outcome_of
from tiltyard_engine.records import Game, Manager
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import NullRecorder, Recorder, ReplayRecorder
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination
from tiltyard_engine.seat_kinds.seat_ports import OnFault, SeatObserver, SeatPort
from tiltyard_engine.seat_kinds.value_types import place_of
from tiltyard_engine.seats import Seat
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_client import CellClient, CellError
from tiltyard_simulator.guard.cells.cell_port import SeatSpec, cell_of
from tiltyard_simulator.guard.cells.zygote import ZygoteLostError as MachineFaultError
from tiltyard_simulator.guard.confinement import Level, drop_answers
from tiltyard_simulator.guard.managers.brokered_manager import BrokeredManager
from tiltyard_simulator.guard.programs.program_port import no_adapter
from tiltyard_simulator.guard.seats.kinds import SeatKind, kind_of
from tiltyard_simulator.guard.slow_imports import Tell, print_note
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.on_crash import OnCrash
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.match.verdict import run_manager, verdict
from tiltyard_simulator.play.native_hosts import NativeHosts
from tiltyard_simulator.play.silence import silence
from tiltyard_simulator.play.trace import Trace
from tiltyard_simulator.play.view_recorder import ViewRecorder
from tiltyard_simulator.replays.files import pack

NO_PORTS: Final[Mapping[int, SeatPort]] = {}
MOST_ATTEMPTS = 3
"""How often a match is started, if the machine fails, before it is void."""


def play_match(spec: MatchSpec, recorder: Recorder | None = None) -> MatchRecord:
    """Play one match in an arena of its own; see ``Arena.play``."""
    with Arena() as arena:
        return arena.play(spec, recorder)


class Arena:
    """Plays the matches of a process, and keeps spare cells between them.

    Args:
        core: the core for this process and its cells. They take turns, and a message to another core takes three times as long.
            None: let the machine choose.
        cells: the cells that it plays with, and closes; by default its own.
        readable: folders in which teams will lie that are not known yet; see ``CellPool``.
        tell: gets a sentence for the user where an import takes long.
    """

    def __init__(
        self,
        core: int | None = None,
        cells: CellPool | None = None,
        readable: Sequence[str] = (),
        tell: Tell = print_note,
    ) -> None:
        self.level: Level | None = None
        """How matches confine their cells from now on. None: as well as this machine can."""
        self._core = core
        self._preloaded: dict[Reference, None] = {}
        self._cells = cells
        self._readable = tuple(readable)
        self._tell = tell
        self._native_hosts = NativeHosts()

    def __enter__(self) -> Arena:
        """Nothing is started until it is needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all remaining processes of teams."""
        self.close()

    def close(self) -> None:
        """End all remaining processes of teams."""
        self._native_hosts.close()
        if self._cells is not None:
            self._cells.close()
            self._cells = None

    def preload(self, references: Iterable[Reference], readable: Sequence[str] = ()) -> None:
        """Tell which plugins will play. Their files are made visible to cells at once, not by a new zygote for each of them.

        Args:
            references: the plugins.
            readable: folders in which others will lie that are not known yet; heard before the first match alone.
        """
        self._readable = tuple(readable) or self._readable
        new = [reference for reference in references if reference not in self._preloaded]
        self._preloaded |= dict.fromkeys(new)
        if self._cells is not None:
            self._cells.preload(_usable(new))

    def play(self, spec: MatchSpec, recorder: Recorder | None = None, ports: Mapping[int, SeatPort] = NO_PORTS) -> MatchRecord:
        """Play a match. Errors of its plugins become faults in the record, and are never raised.

        Args:
            spec: the match.
            recorder: gets the match while it is played, instead of the replay that ``spec.recording`` asks for.
            ports: to the seats that the caller itself holds, by number; ``spec.input.teams`` only names these. With any, what
                plugins print in this process isn't discarded: another thread of the caller may be printing.

        Raises:
            UserError: the match cannot be set up, because a plugin or the map cannot be used.
        """
        started = time.perf_counter()
        spec = replace(
            spec,
            input=replace(
                spec.input, manager=spec.input.manager.with_needs(), teams=tuple(team.with_needs() for team in spec.input.teams)
            ),
        )
        if spec.plays_natively:
            record = self._play_natively(spec)
            return labelled(record.changed(seconds=time.perf_counter() - started), spec)
        incidents: list[str] = []
        seats: list[Seat] = []
        managers: list[BrokeredManager] = []
        # What a watcher or a caller's seat has seen cannot be undone, so such a match has only one attempt.
        is_watched = recorder is not None and recorder.is_watched
        most = 1 if is_watched or ports else MOST_ATTEMPTS
        for attempt in range(1, most + 1):
            try:
                with contextlib.nullcontext() if ports else silence():
                    managers.clear()
                    record = _play(spec, recorder, self._cells_for(spec, ports), seats, managers, ports=ports)
            except MachineFaultError as error:
                incidents.append(str(error))
                self.close()
                # The sandbox may not work any more as it did when it was tried.
                drop_answers()
                record = void(spec, attempt, incidents[-1])
            else:
                cells = [*(cell for cell in map(cell_of, seats) if cell is not None), *(each.cell for each in managers)]
                still = _standstill(cells)
                if still:
                    incidents.append(f"the runner was suspended for {still:.1f} s; this time doesn't count")
                lost = [fault for fault in record.outcome.faults if _is_machines(fault, cells)]
                if not lost:
                    break
                if attempt < most:
                    incidents += [f"{_who(fault)}: {fault.message}" for fault in lost]
                record = _charge_void(record, attempt, spec)
            finally:
                if self._cells is not None:
                    self._cells.end_match()
        # Only now that the cells are gone, all that they printed has been read.
        accounts = tuple(self._account(spec, seat.index, cell_of(seat), seat.fault is not None) for seat in seats)
        manager_account = self._account(spec, MANAGER_SEAT, managers[0].cell) if managers else None
        seconds = time.perf_counter() - started
        evidence = replace(record.evidence, accounts=accounts, manager_account=manager_account)
        outcome = replace(record.outcome, **_held(evidence), incidents=tuple(incidents), seconds=seconds)
        return labelled(MatchRecord(outcome=outcome, evidence=evidence), spec)

    def _play_natively(self, spec: MatchSpec) -> MatchRecord:
        """Play a match of compiled files, all in one process."""
        if not spec.holding.together:
            return _play_natively(spec, self._native_hosts, None)
        incidents: list[str] = []
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                record = _play_natively(spec, self._native_hosts, self._cells_for(spec))
            except MachineFaultError as error:
                incidents.append(str(error))
                self.close()
                drop_answers()
                record = void(spec, attempt, incidents[-1])
            else:
                lost = [fault for fault in record.outcome.faults if fault.termination is Termination.VOID]
                if not lost:
                    break
                if attempt < MOST_ATTEMPTS:
                    incidents += [f"{_who(fault)}: {fault.message}" for fault in lost]
                record = _charge_void(record, attempt, spec)
        return record.changed(incidents=tuple(incidents))

    def _cells_for(self, spec: MatchSpec, ports: Mapping[int, SeatPort] = NO_PORTS) -> CellPool | None:
        if self._cells is None and spec.all_isolations != {Isolation.INLINE}:
            self._cells = CellPool(core=self._core, level=self.level, readable=self._readable, tell=self._tell)
            self._cells.preload(_usable(self._preloaded))
        if self._cells is not None:
            self._cells.measure, self._cells.watch_infos = spec.recording.measure, spec.holding.watch_infos
            self._cells.watch_denials = spec.recording.watch_denials
            if not spec.plays_natively:
                teams = [team for seat, team in enumerate(spec.input.teams, start=1) if seat not in ports]
                self._cells.preload([spec.input.manager, spec.input.game, *teams])
        return self._cells

    def _account(self, spec: MatchSpec, seat: int, cell: CellClient | None, with_conversation: bool = False) -> SeatAccount:
        isolation = spec.isolation_of(seat)
        held = isolation.value
        if isolation is Isolation.SANDBOX and self._cells is not None:
            held = f"sandbox, level {self._cells.confinement.level}"
        if cell is None:
            return SeatAccount(held=held)
        return SeatAccount(
            held=held,
            output=cell.output,
            cpu_seconds=cell.cpu_seconds,
            wall_seconds=cell.wall_seconds,
            peak_bytes=cell.peak_bytes,
            calls=tuple(cell.calls),
            conversation=tuple(Exchange(*pair) for pair in cell.conversation) if with_conversation else (),
            was_early=cell.was_early,
        )


def _usable(references: Iterable[Reference]) -> Iterator[Reference]:
    """With what running them takes. What is wrong with the others is told when they play."""
    for reference in references:
        with contextlib.suppress(UserError):
            yield reference.with_needs()


def _standstill(cells: Sequence[CellClient]) -> float:
    """Seconds in which this process was not running while it waited for teams or the GameManager."""
    return sum(cell.standstill_seconds for cell in cells)


def _is_machines(fault: Fault, cells: Sequence[CellClient]) -> bool:
    """Whether the machine caused a fault, or may have: a stall counts if this process itself was not running all the time."""
    return fault.termination is Termination.VOID or (fault.termination is Termination.STALL and _standstill(cells) > 0)


def void(spec: MatchSpec, attempts: int, reason: str) -> MatchRecord:
    """The record of a match that could not be finished because the machine failed."""
    fault = _manager_fault(Termination.VOID, f"given up after {attempts} attempts: {reason}")
    return labelled(MatchRecord(outcome=outcome_of(NO_CLAIM, 0, (1,) * len(spec.input.teams), (fault,))), spec)


def labelled(record: MatchRecord, spec: MatchSpec) -> MatchRecord:
    """The record with the names, key and place of its match."""
    return replace(record, outcome=spec.label(record.outcome))


def _held(evidence: Evidence) -> dict[str, Any]:
    """How the code was isolated, as an outcome says it."""
    managers = evidence.manager_account
    return {"held": tuple([account.held for account in evidence.accounts]), "manager_held": managers.held if managers else ""}


def _charge_void(record: MatchRecord, attempts: int, spec: MatchSpec) -> MatchRecord:
    """Charge a team whose cell alone was lost in every attempt: its code may have killed itself."""
    charged = tuple(
        replace(fault, termination=Termination.CRASH, message=f"{fault.message}, in {attempts} attempts")
        if fault.termination is Termination.VOID
        else fault
        for fault in record.outcome.faults
    )
    return replace(record, outcome=_outcome(record.evidence.claim, charged, spec))


def _who(fault: Fault) -> str:
    return "GameManager" if fault.seat == MANAGER_SEAT else f"player {fault.seat}"


def _play(
    spec: MatchSpec,
    given: Recorder | None,
    cells: CellPool | None,
    seats: list[Seat],
    managers: list[BrokeredManager],
    *,
    ports: Mapping[int, SeatPort],
) -> MatchRecord:
    """Play a match once. Fills ``seats``, and adds a GameManager that is not inline to ``managers``."""
    game = spec.input.game.load_as(Game)
    board = read_map(game, spec.input.map.name, spec.input.map.data, len(spec.input.teams))
    played = board if spec.input.rounds is None or game.maps.truncate is None else game.maps.truncate(board, spec.input.rounds)
    kind, count = kind_of(game), len(spec.input.teams)
    setting = kind.setting(game, board)
    asked = [_seat_spec(spec, index, setting) for index in range(1, count + 1)]
    for seat in asked:
        if seat.team.program is not None and game.programs is None:
            raise no_adapter(game, seat.team.name)
    if cells is not None:
        cells.order(seat for seat in asked if seat.index not in ports)
    manager_record = _manager(spec, kind, setting, cells, managers)
    on_fault: OnFault = "idle" if spec.input.idle_on_fault or spec.input.on_crash is OnCrash.IDLE else manager_record.on_fault
    recorder = ReplayRecorder(game.name, spec.input.names, spec.input.map.name) if spec.recording.replay and given is None else None
    views = [ViewRecorder(recorder.replay)] if recorder is not None else []
    traces = [Trace(kind, setting, spec.recording.kept_view) for _ in range(count)] if spec.recording.trace else []
    seats.clear()
    for each in asked:
        observers: list[SeatObserver] = [*views, *traces[each.index - 1 : each.index]]
        seat = replace(each, on_fault=on_fault, observers=observers)
        if each.index in ports:
            seats.append(kind.seat(seat, ports[each.index]))
        else:
            seats.append(kind.seat(seat, kind.inline_port(seat)) if cells is None else cells.open_seat(kind, seat))
    if cells is not None:
        cells.prepare_next()
    match: Match[Any, Any] = Match(
        map=played,
        map_name=spec.input.map.name,
        seats=seats,
        seed=spec.input.seed,
        recorder=given or recorder or NullRecorder(),
        verbose=spec.recording.log,
    )
    claim, manager_fault = _claim(manager_record, match)
    outcome = _judged(claim, manager_fault, [seat.fault for seat in seats if seat.fault is not None], spec)
    replay, problem = _packed(recorder, claim.message)
    requests = tuple(asked for trace in traces for asked in trace.requests())
    shown = tuple(view for trace in traces for view in trace.views)
    kept = next((trace.kept_view for trace in traces if trace.kept_view), "")
    evidence = Evidence(claim=claim, replay=replay, replay_problem=problem, requests=requests, views=shown, kept_view=kept)
    return MatchRecord(outcome=outcome, evidence=evidence)


def _packed(recorder: ReplayRecorder | None, message: str) -> tuple[bytes, str]:
    """The replay as it is stored, or why what was recorded is none."""
    if recorder is None or not recorder.replay.shows_anything:
        return b"", ""
    recorder.replay.message = message
    try:
        return pack(recorder.replay), ""
    except UserError as error:
        return b"", str(error)


def _seat_spec(spec: MatchSpec, index: int, setting: Any) -> SeatSpec:
    return SeatSpec(
        index=index,
        team=spec.input.teams[index - 1],
        game=spec.input.game,
        setting=setting,
        limits=spec.holding.limits_of(index),
        isolation=spec.isolation_of(index),
    )


def _play_natively(spec: MatchSpec, hosts: NativeHosts, cells: CellPool | None) -> MatchRecord:
    """Play a match of compiled files once, all in one process: in a sandbox of ``cells``, or beside this one."""
    game = spec.input.game.load_as(Game)
    came = hosts.play(spec, read_map(game, spec.input.map.name, spec.input.map.data, len(spec.input.teams)), cells)
    claim = NO_CLAIM if came.claim is None else came.claim
    manager_fault = next((fault for fault in came.faults if fault.seat == MANAGER_SEAT), None)
    problem = "" if came.claim is None else claim_problem(claim, len(spec.input.teams))
    if problem:
        claim, manager_fault = NO_CLAIM, _manager_fault(Termination.PROTOCOL, problem)
    seat_faults = [fault for fault in came.faults if fault.seat != MANAGER_SEAT]
    held = Isolation.INLINE.value if cells is None else f"together, level {cells.confinement.level}"
    account = SeatAccount(held=held)
    evidence = Evidence(
        claim=claim,
        accounts=(account,) * len(spec.input.teams),
        manager_account=replace(account, output=came.output, cpu_seconds=came.cpu_seconds),
    )
    outcome = replace(_judged(claim, manager_fault, seat_faults, spec), **_held(evidence))
    return MatchRecord(outcome=outcome, evidence=evidence)


def _judged(claim: GameResult, manager_fault: Fault | None, seen: Sequence[Fault], spec: MatchSpec) -> Outcome:
    """The verdict on a claim and the faults that the host saw; ``seen`` are those of seats."""
    seats = len(spec.input.teams)
    faults = list(seen)
    known = {fault.seat for fault in faults}
    faults += [fault for fault in claim.faults if fault.seat not in known and 0 < fault.seat <= seats]
    if manager_fault is not None:
        faults.insert(0, manager_fault)
    return _outcome(claim, tuple(faults), spec)


def _outcome(claim: GameResult, faults: tuple[Fault, ...], spec: MatchSpec) -> Outcome:
    """What follows from a claim and all faults."""
    winner, ranks, no_contest = verdict(claim, faults, len(spec.input.teams), spec.input.on_crash)
    return outcome_of(claim, winner, ranks, faults, no_contest)


def _manager(spec: MatchSpec, kind: SeatKind, setting: Any, cells: CellPool | None, managers: list[BrokeredManager]) -> Manager:
    if cells is None or spec.isolation_of(MANAGER_SEAT) is Isolation.INLINE:
        return spec.input.manager.load_as(Manager)
    brokered = cells.open_manager(spec.input, spec.isolation_of(MANAGER_SEAT), spec.holding.manager_limits, kind, setting)
    managers.append(brokered)
    return Manager(name=spec.input.manager.name, game=spec.input.manager.game, create=lambda: brokered, on_fault=brokered.on_fault)


def _claim(record: Manager, match: Match[Any, Any]) -> tuple[GameResult, Fault | None]:
    """Run the GameManager. A claim that breaks the contract is its fault."""
    try:
        claim = run_manager(record, match)
    except ContractError as error:
        return NO_CLAIM, _manager_fault(Termination.PROTOCOL, f"{error}{place_of(record.create)}")
    except CellError as error:
        return NO_CLAIM, _manager_fault(error.termination, error.message, error.traceback)
    except (KeyboardInterrupt, MachineFaultError):
        raise
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        return NO_CLAIM, _manager_fault(Termination.CRASH, f"run() raised {describe(error)}", text)
    problem = claim_problem(claim, len(match.seats))
    if problem:
        # What a GameManager in a cell claims was checked there, where its place is known.
        return NO_CLAIM, _manager_fault(Termination.PROTOCOL, f"{problem}{place_of(record.create)}")
    return plain(claim), None


def _manager_fault(termination: Termination, message: str, text: str = "") -> Fault:
    return Fault(MANAGER_SEAT, termination, message, traceback=text)
