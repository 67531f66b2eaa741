"""Playing one match: read the map, fill the seats, let the manager run, judge."""

from __future__ import annotations

import contextlib
import io
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from tiltyard_engine.errors import ContractError, UserError, describe
from tiltyard_engine.inline import InlineTankSeat, InlineTurnSeat
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Game, Manager, TankTeam, TurnTeam
from tiltyard_engine.replay import NullRecorder, Recorder, ReplayRecorder
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination
from tiltyard_engine.seats import Seat, TankSeat, TurnSeat
from tiltyard_simulator.guard.brokered_manager import BrokeredManager, ManagersMatch
from tiltyard_simulator.guard.cell_seats import CellTankSeat, CellTurnSeat
from tiltyard_simulator.guard.held_cell import CellError, HeldCell
from tiltyard_simulator.guard.holding import Cells
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.programs.program_seat import ProgramSeat, no_adapter
from tiltyard_simulator.guard.whole import WholeHosts
from tiltyard_simulator.guard.zygote import ZygoteLostError as MachineFaultError
from tiltyard_simulator.judging import claim_problem, judge, plain
from tiltyard_simulator.loading import load, load_team, with_needs
from tiltyard_simulator.noting import Notes, NotingSeat
from tiltyard_simulator.specs import Exchange, MatchOutcome, MatchSpec, SeatAccount
from tiltyard_simulator.tracing import TracingSeat, TracingTurnSeat

NO_CLAIM = GameResult(0, "", 0, ())


MOST_ATTEMPTS = 3
"""Times that a match is begun before the machine's failures make it void."""


def play_match(spec: MatchSpec, recorder: Recorder | None = None) -> MatchOutcome:
    """Play one match in an arena of its own; see ``Arena.play``."""
    with Arena() as arena:
        return arena.play(spec, recorder)


class Arena:
    """Where a process plays its matches; keeps what the teams' cells need between them.

    Args:
        core: the core for this process and its cells, which take turns: a message between cores costs three times as much.
            None leaves them to the machine.
    """

    def __init__(self, core: int | None = None) -> None:
        self._core = core
        self._cells: Cells | None = None
        self._whole_hosts = WholeHosts()

    def __enter__(self) -> Arena:
        """Nothing is started before it is needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all that is left of the teams' processes."""
        self.close()

    def close(self) -> None:
        """End all that is left of the teams' processes."""
        self._whole_hosts.close()
        if self._cells is not None:
            self._cells.close()
            self._cells = None

    def play(self, spec: MatchSpec, recorder: Recorder | None = None) -> MatchOutcome:
        """Play a match. What its plugins do wrong is in the outcome's faults, never raised.

        Args:
            spec: the match.
            recorder: one that wants to see it as it is played, in place of the one that ``spec.record`` asks for.

        Raises:
            UserError: the match cannot be set up: a plugin or the map that it names is not usable.
        """
        started = time.perf_counter()
        spec = replace(spec, manager=with_needs(spec.manager), algorithms=tuple(map(with_needs, spec.algorithms)))
        if spec.is_compiled:
            return replace(_play_whole(spec, self._whole_hosts), seconds=time.perf_counter() - started)
        incidents: list[str] = []
        seats: list[Seat] = []
        managers: list[BrokeredManager] = []
        # What a watcher has seen cannot be taken back: such a match has one attempt.
        most = MOST_ATTEMPTS if recorder is None else 1
        for attempt in range(1, most + 1):
            try:
                with contextlib.redirect_stdout(_Discard()):
                    managers.clear()
                    outcome = _play(spec, recorder, self._holder(spec), seats, managers)
            except MachineFaultError as error:
                incidents.append(str(error))
                self.close()
                outcome = void(len(spec.algorithms), attempt, incidents[-1])
            else:
                cells = [
                    *(seat.cell for seat in seats if isinstance(seat, CellTankSeat | CellTurnSeat | ProgramSeat)),
                    *(each.cell for each in managers),
                ]
                still = _standstill(cells)
                if still:
                    incidents.append(f"the runner stood still for {still:.1f} s, which counted for nobody")
                lost = [fault for fault in outcome.faults if _is_machines(fault, cells)]
                if not lost:
                    break
                if attempt < most:
                    incidents += [f"{_who(fault)}: {fault.message}" for fault in lost]
                outcome = _charge_void(outcome, attempt)
            finally:
                if self._cells is not None:
                    self._cells.end_match()
        accounts = self._accounts(spec, seats)
        manager_account = _used(SeatAccount(self._held(spec.manager_isolation)), managers[0].cell) if managers else None
        return replace(
            outcome,
            accounts=accounts,
            manager_account=manager_account,
            incidents=tuple(incidents),
            seconds=time.perf_counter() - started,
        )

    def _holder(self, spec: MatchSpec) -> Cells | None:
        seats = range(1, len(spec.algorithms) + 1)
        if self._cells is None and {*map(spec.isolation_of, seats), spec.manager_isolation} != {Isolation.INLINE}:
            self._cells = Cells(core=self._core)
        if self._cells is not None:
            self._cells.measure, self._cells.watch_infos = spec.measure, spec.watch_infos
            self._cells.foresee([spec.manager, spec.game, *spec.algorithms])
        return self._cells

    def _accounts(self, spec: MatchSpec, seats: Sequence[Seat]) -> tuple[SeatAccount, ...]:
        """Of seats whose cells are gone: only then all that they printed has been read."""
        accounts: list[SeatAccount] = []
        for seat in seats:
            isolation = spec.isolation_of(seat.index)
            account = SeatAccount(self._held(isolation))
            if isinstance(seat, CellTankSeat | CellTurnSeat | ProgramSeat):
                account = _used(account, seat.cell, with_conversation=seat.fault is not None)
            accounts.append(account)
        return tuple(accounts)

    def _held(self, isolation: Isolation) -> str:
        """How code was held, in words."""
        if isolation is not Isolation.SANDBOX or self._cells is None:
            return isolation.value
        return f"sandbox, level {self._cells.confinement.level}"


def _standstill(cells: Sequence[HeldCell]) -> float:
    """Seconds in which this process stood still while it waited for teams, or for the GameManager."""
    return sum(cell.standstill_seconds for cell in cells)


def _is_machines(fault: Fault, cells: Sequence[HeldCell]) -> bool:
    """Whether a fault was the machine's, or may have been: a stall seen by a process that was not running all the time."""
    return fault.termination is Termination.VOID or (fault.termination is Termination.STALL and _standstill(cells) > 0)


def void(seats: int, attempts: int, reason: str) -> MatchOutcome:
    """The outcome of a match that the machine did not let come to an end."""
    message = f"given up after {attempts} attempts: {reason}"
    return MatchOutcome(NO_CLAIM, 0, (1,) * seats, (_manager_fault(Termination.VOID, message),))


def _charge_void(outcome: MatchOutcome, attempts: int) -> MatchOutcome:
    """Whose cell was lost in every attempt, and nothing else with it, is charged after all: code can kill itself."""
    charged = tuple(
        replace(fault, termination=Termination.CRASH, message=f"{fault.message}, in {attempts} attempts")
        if fault.termination is Termination.VOID
        else fault
        for fault in outcome.faults
    )
    return replace(outcome, faults=charged)


def _who(fault: Fault) -> str:
    return "GameManager" if fault.seat == MANAGER_SEAT else f"player {fault.seat}"


class _Discard(io.TextIOBase):
    """Takes what plugins print: standard output belongs to the results."""

    def write(self, text: str) -> int:
        return len(text)


def _used(account: SeatAccount, cell: HeldCell, with_conversation: bool = False) -> SeatAccount:
    return replace(
        account,
        output=cell.output,
        cpu_seconds=cell.cpu_seconds,
        wall_seconds=cell.wall_seconds,
        peak_bytes=cell.peak_bytes,
        calls=tuple(cell.calls),
        conversation=tuple(Exchange(*pair) for pair in cell.conversation) if with_conversation else (),
    )


def _play(
    spec: MatchSpec, given: Recorder | None, cells: Cells | None, seats: list[Seat], managers: list[BrokeredManager]
) -> MatchOutcome:
    """Play it once; ``seats`` becomes the list of its seats, and a manager that is not inline is added to ``managers``."""
    game = load(spec.game, Game)
    board = game.read_map(spec.map.name, spec.map.data, len(spec.algorithms))
    played = board if spec.rounds is None or game.truncate is None else game.truncate(board, spec.rounds)
    manager_record = _manager(spec, game, board, cells, managers)
    on_fault: Literal["idle", "raise"] = "idle" if spec.idle_on_fault else manager_record.on_fault
    seats[:] = [_seat(spec, game, board, index, on_fault, cells) for index in range(1, len(spec.algorithms) + 1)]
    tracing = _traced(game, board, seats) if spec.trace else []
    recorder = ReplayRecorder(game.name, spec.names, spec.map.name) if spec.record and given is None else None
    shown = tracing or seats
    if recorder is not None:
        notes = Notes(recorder.replay)
        shown = [NotingSeat(seat, notes) if isinstance(seat, TankSeat) else seat for seat in shown]
    match: Match[Any, Any] = Match(
        played, spec.map.name, shown, spec.seed, given or recorder or NullRecorder(), verbose=spec.verbose
    )
    claim, manager_fault = _claim(manager_record, match)
    outcome = _judged(claim, manager_fault, [seat.fault for seat in seats if seat.fault is not None], len(seats))
    replay = recorder.replay if recorder is not None and recorder.replay.squares else None
    if replay is not None:
        replay.message = claim.message
    requests = tuple(asked for seat in tracing for asked in seat.asked())
    views = tuple(view for seat in tracing for view in seat.views)
    return replace(outcome, replay=replay, requests=requests, views=views)


def _play_whole(spec: MatchSpec, hosts: WholeHosts) -> MatchOutcome:
    """A match wholly of compiled files, in one process for all of them."""
    game = load(spec.game, Game)
    came = hosts.play(spec, game.read_map(spec.map.name, spec.map.data, len(spec.algorithms)))
    claim = NO_CLAIM if came.claim is None else came.claim
    manager_fault = next((fault for fault in came.faults if fault.seat == MANAGER_SEAT), None)
    problem = "" if came.claim is None else claim_problem(claim, len(spec.algorithms))
    if problem:
        claim, manager_fault = NO_CLAIM, _manager_fault(Termination.PROTOCOL, problem)
    seat_faults = [fault for fault in came.faults if fault.seat != MANAGER_SEAT]
    account = SeatAccount(Isolation.INLINE.value)
    return replace(
        _judged(claim, manager_fault, seat_faults, len(spec.algorithms)),
        accounts=(account,) * len(spec.algorithms),
        manager_account=replace(account, output=came.output, cpu_seconds=came.cpu_seconds),
    )


def _judged(claim: GameResult, manager_fault: Fault | None, seen: Sequence[Fault], seats: int) -> MatchOutcome:
    """The claim after the faults that the host saw, ``seen`` those of seats."""
    faults = list(seen)
    known = {fault.seat for fault in faults}
    faults += [fault for fault in claim.faults if fault.seat not in known and 0 < fault.seat <= seats]
    if manager_fault is not None:
        return MatchOutcome(claim, 0, (1,) * seats, (manager_fault, *faults))
    winner, ranks = judge(claim, faults, seats)
    return MatchOutcome(claim, winner, ranks, tuple(faults))


def _manager(spec: MatchSpec, game: Game[Any], board: Any, cells: Cells | None, managers: list[BrokeredManager]) -> Manager:
    if cells is None or spec.manager_isolation is Isolation.INLINE:
        return load(spec.manager, Manager)
    arguments = None if game.player_arguments is None else game.player_arguments(board)
    about = ManagersMatch(spec.game, game, spec.map.name, spec.map.data, len(spec.algorithms), spec.rounds, arguments)
    brokered = cells.open_manager(spec.manager, about, spec.manager_limits, spec.manager_isolation)
    managers.append(brokered)
    return Manager(spec.manager.name, spec.manager.game, lambda: brokered, brokered.on_fault)


def _seat(
    spec: MatchSpec, game: Game[Any], board: Any, index: int, on_fault: Literal["idle", "raise"], cells: Cells | None
) -> Seat:
    reference = spec.algorithms[index - 1]
    isolation, limits = spec.isolation_of(index), spec.limits_of(index)
    if reference.program is not None and game.player_arguments is not None:
        raise no_adapter(game, reference.name)
    if cells is None or isolation is Isolation.INLINE:
        return _inline_seat(game, board, index, load_team(reference), on_fault)
    if game.player_arguments is not None:
        arguments = game.player_arguments(board)
        return cells.open_tank_seat(index, reference, arguments, on_fault, limits, isolation, game=spec.game)
    return cells.open_turn_seat(index, reference, spec.game, limits, isolation)


def _inline_seat(game: Game[Any], board: Any, index: int, team: TankTeam | TurnTeam, on_fault: Literal["idle", "raise"]) -> Seat:
    if isinstance(team, TankTeam):
        if game.player_arguments is None:
            raise UserError(f"'{team.name}' has a Player and tanks, but the game {game.name} has none")
        return InlineTankSeat(index, team, game.player_arguments(board), on_fault)
    return InlineTurnSeat(index, team, game.answer_type or object)


def _traced(game: Game[Any], board: Any, seats: Sequence[Seat]) -> Sequence[TracingSeat | TracingTurnSeat]:
    if game.player_arguments is None:
        return [TracingTurnSeat(seat) for seat in seats if isinstance(seat, TurnSeat)]
    width, height, *_ = game.player_arguments(board)
    return [TracingSeat(seat, width, height) for seat in seats if isinstance(seat, TankSeat)]


def _claim(record: Manager, match: Match[Any, Any]) -> tuple[GameResult, Fault | None]:
    """Run the manager; a claim that breaks the contract is a fault of the manager's."""
    try:
        manager = record.create()
        if not isinstance(manager, GameManager):
            return NO_CLAIM, _manager_fault(Termination.PROTOCOL, f"create() returned {type(manager).__name__}, not a GameManager")
        claim = manager.run(match)
    except ContractError as error:
        return NO_CLAIM, _manager_fault(Termination.PROTOCOL, str(error))
    except CellError as error:
        return NO_CLAIM, _manager_fault(error.termination, error.message, error.traceback)
    except (KeyboardInterrupt, MachineFaultError):
        raise
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        return NO_CLAIM, _manager_fault(Termination.CRASH, f"run() raised {describe(error)}", text)
    problem = claim_problem(claim, len(match.seats))
    return (NO_CLAIM, _manager_fault(Termination.PROTOCOL, problem)) if problem else (plain(claim), None)


def _manager_fault(termination: Termination, message: str, text: str = "") -> Fault:
    return Fault(MANAGER_SEAT, termination, message, traceback=text)
