"""One attempt at a match: open the seats, run the GameManager, judge its claim. Who plays the match decides whether it counts."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import ContractError, UserError, describe
from tiltyard_engine.match import Match
from tiltyard_engine.match_record import NO_CLAIM, Evidence, MatchRecord, SeatAccount
from tiltyard_engine.records import Game, Manager
from tiltyard_engine.replay import NullRecorder, Recorder, ReplayRecorder
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination, claim_problem, plain
from tiltyard_engine.seat_kinds.seat_ports import OnFault, SeatObserver, SeatPort
from tiltyard_engine.seat_kinds.value_types import place_of
from tiltyard_engine.seats import Seat
from tiltyard_simulator.guard.cells.cell_port import SeatSpec, cell_of
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.guard.cells.wire import ZygoteLostError as MachineFaultError
from tiltyard_simulator.guard.seats.kinds import SeatKind, kind_of
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.match.verdict import OnCrash, judged, run_manager
from tiltyard_simulator.play.trace import Trace
from tiltyard_simulator.play.view_recorder import ViewRecorder
from tiltyard_simulator.replays.files import pack

if TYPE_CHECKING:
    from tiltyard_simulator.guard.cell_pool import CellPool
    from tiltyard_simulator.guard.cells.cell_client import CellClient
    from tiltyard_simulator.guard.managers.brokered_manager import BrokeredManager
    from tiltyard_simulator.guard.native_hosts import NativeHosts

NO_PORTS: Final[Mapping[int, SeatPort]] = {}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a match: its record as far as that is known, and what took part."""

    record: MatchRecord
    """Of a match in seats, its accounts are read from the cells when these are gone."""
    seats: Sequence[Seat] = ()
    manager_cell: CellClient | None = None

    @property
    def cells(self) -> list[CellClient]:
        """Those of the teams and of the GameManager."""
        cells = [*map(cell_of, self.seats), self.manager_cell]
        return [cell for cell in cells if cell is not None]


def play_in_seats(
    spec: MatchSpec,
    cells: CellPool | None,
    live_recorder: Recorder | None = None,
    ports: Mapping[int, SeatPort] = NO_PORTS,
    watching: Sequence[SeatObserver] = (),
) -> Attempt:
    """Play a match once.

    Args:
        spec: the match.
        cells: where code plays that is not inline; None: all is.
        live_recorder: gets the match while it is played, instead of the replay that the spec asks for.
        ports: to the seats that the caller itself holds, by number.
        watching: hear of every seat, and may replace a team's answers.

    Raises:
        UserError: the match cannot be set up.
        ZygoteLostError: the machine has failed.
    """
    match, recording = spec.input, spec.recording
    game, count = match.game.load_as(Game), len(match.teams)
    board = read_map(game, match.map.name, match.map.data, count)
    kind = kind_of(game)
    setting = kind.setting(game, board)
    seat_specs = [_seat_spec(spec, index, setting) for index in range(1, count + 1)]
    for seat in seat_specs:
        if seat.team.program is not None and game.programs is None:
            from tiltyard_simulator.guard.programs.program_port import no_adapter

            raise no_adapter(game, seat.team.name)
    if cells is not None:
        cells.order(seat for seat in seat_specs if seat.index not in ports)
    manager, brokered = _manager(spec, kind, setting, None if match.rounds is not None or recording.log else board, cells)
    on_fault: OnFault = "idle" if match.idle_on_fault or match.on_crash is OnCrash.IDLE else manager.on_fault
    recorder = ReplayRecorder(game.name, match.names, match.map.name) if recording.replay and live_recorder is None else None
    views = [ViewRecorder(recorder.replay)] if recorder is not None else []
    traces = [Trace(kind, setting, recording.kept_view) for _ in range(count)] if recording.trace else []
    seats: list[Seat] = []
    for each in seat_specs:
        observers: list[SeatObserver] = [*views, *traces[each.index - 1 : each.index], *watching]
        seat = replace(each, on_fault=on_fault, observers=observers)
        if each.index in ports:
            seats.append(kind.seat(seat, ports[each.index]))
        else:
            seats.append(kind.seat(seat, kind.inline_port(seat)) if cells is None else cells.open_seat(kind, seat))
    if cells is not None:
        cells.prepare_next()
    claim, manager_fault = _claim(
        manager,
        Match(
            map=board if match.rounds is None or game.maps.truncate is None else game.maps.truncate(board, match.rounds),
            map_name=match.map.name,
            seats=seats,
            seed=match.seed,
            recorder=live_recorder or recorder or NullRecorder(),
            verbose=recording.log,
        ),
    )
    outcome = judged(claim, [seat.fault for seat in seats if seat.fault is not None], manager_fault, count, match.on_crash)
    evidence = replace(_recorded(recorder, traces, claim.message), claim=claim)
    return Attempt(MatchRecord(outcome=outcome, evidence=evidence), seats, None if brokered is None else brokered.cell)


def play_natively(spec: MatchSpec, hosts: NativeHosts, cells: CellPool | None) -> Attempt:
    """Play a match of compiled files once, all in one process: in a sandbox of ``cells``, or beside this one; raises likewise."""
    match, seats = spec.input, len(spec.input.teams)
    game = match.game.load_as(Game)
    native = hosts.play(spec, read_map(game, match.map.name, match.map.data, seats), cells)
    claim = NO_CLAIM if native.claim is None else native.claim
    manager_fault = next((fault for fault in native.faults if fault.seat == MANAGER_SEAT), None)
    problem = "" if native.claim is None else claim_problem(claim, seats)
    if problem:
        claim, manager_fault = NO_CLAIM, manager_failure(Termination.PROTOCOL, problem)
    account = SeatAccount(held=Isolation.INLINE.value if cells is None else f"together, level {cells.confinement.level}")
    manager_account = replace(account, output=native.output, cpu_seconds=native.cpu_seconds)
    evidence = Evidence(claim=claim, accounts=(account,) * seats, manager_account=manager_account)
    seat_faults = [fault for fault in native.faults if fault.seat != MANAGER_SEAT]
    outcome = judged(claim, seat_faults, manager_fault, seats, match.on_crash)
    return Attempt(MatchRecord(outcome=outcome, evidence=evidence))


def manager_failure(termination: Termination, message: str, text: str = "") -> Fault:
    """A fault of the GameManager, with the text of its traceback."""
    return Fault(MANAGER_SEAT, termination, message, traceback=text)


def _seat_spec(spec: MatchSpec, index: int, setting: Any) -> SeatSpec:
    return SeatSpec(
        index=index,
        team=spec.input.teams[index - 1],
        game=spec.input.game,
        setting=setting,
        limits=spec.holding.limits_of(index),
        isolation=spec.isolation_of(index),
    )


def _manager(
    spec: MatchSpec, kind: SeatKind, setting: Any, board: Any, cells: CellPool | None
) -> tuple[Manager, BrokeredManager | None]:
    """The match's GameManager, and the one in a cell that stands behind it, if it is not inline."""
    match, isolation = spec.input, spec.isolation_of(MANAGER_SEAT)
    if cells is None or isolation is Isolation.INLINE:
        return match.manager.load_as(Manager), None
    brokered = cells.open_manager(match, isolation, spec.holding.manager_limits, kind, setting, board=board)
    record = Manager(name=match.manager.name, game=match.manager.game, create=lambda: brokered, on_fault=brokered.on_fault)
    return record, brokered


def _claim(record: Manager, match: Match[Any, Any]) -> tuple[GameResult, Fault | None]:
    """Run the GameManager. A claim that breaks the contract is its fault."""
    try:
        claim = run_manager(record, match)
    except ContractError as error:
        return NO_CLAIM, manager_failure(Termination.PROTOCOL, f"{error}{place_of(record.create)}")
    except CellError as error:
        return NO_CLAIM, manager_failure(error.termination, error.message, error.traceback)
    except (KeyboardInterrupt, MachineFaultError):
        raise
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        return NO_CLAIM, manager_failure(Termination.CRASH, f"run() raised {describe(error)}", text)
    problem = claim_problem(claim, len(match.seats))
    if problem:
        # What a GameManager in a cell claims was checked there, where its place is known.
        return NO_CLAIM, manager_failure(Termination.PROTOCOL, f"{problem}{place_of(record.create)}")
    return plain(claim), None


def _recorded(recorder: ReplayRecorder | None, traces: Sequence[Trace], message: str) -> Evidence:
    """What was recorded of a match, with the message in its replay."""
    replay, problem = _packed(recorder, message)
    return Evidence(
        replay=replay,
        replay_problem=problem,
        requests=tuple(request for trace in traces for request in trace.requests()),
        views=tuple(view for trace in traces for view in trace.views),
        kept_view=next((trace.kept_view for trace in traces if trace.kept_view), ""),
    )


def _packed(recorder: ReplayRecorder | None, message: str) -> tuple[bytes, str]:
    """The replay as it is stored, or why what was recorded is none."""
    if recorder is None or not recorder.replay.shows_anything:
        return b"", ""
    recorder.replay.message = message
    try:
        return pack(recorder.replay), ""
    except UserError as error:
        return b"", str(error)
