"""A GameManager whose code is in a cell: what it wants of its seats is done here, with the real ones.

The manager's cell answers the question to run the match with a want. It is carried out, and the next question says what
came of it, and so on until the cell claims a result. Whatever else it says, and asking without end, is its own fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError
from tiltyard_engine.inline import OnFault
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Game, PlayerArguments
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import GameResult, SeatFault, Termination
from tiltyard_engine.tanks import SatelliteView, ViewExpiredError
from tiltyard_simulator.guard.held_cell import CellError, HeldCell
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.manager_desks import TankDesk, TurnDesk, WantError
from tiltyard_simulator.guard.manager_messages import (
    OPENINGS,
    STEPS,
    ActionsWanted,
    ActionWanted,
    BriefingWanted,
    ChargeWanted,
    ChoiceWanted,
    Claimed,
    InformingWanted,
    Look,
    Opened,
    Raised,
    Recorded,
    Refused,
    Shown,
    StartWanted,
    TankWanted,
    Tells,
    Told,
    Unshown,
    ViewFailed,
    Want,
)
from tiltyard_simulator.guard.manager_recording import Forwarder, RecordingError
from tiltyard_simulator.guard.messages import Failed, OpenManager, RunMatch

LOADING: Final = "loading"
STEP: Final = "a step of run()"
MOST_BARE_RECORDS: Final = 10_000
"""Steps that want nothing but to hand over what was recorded."""


@dataclass(frozen=True, slots=True)
class ManagersMatch:
    """What a manager's cell needs to know of a match beside its seats."""

    game: Reference
    record: Game[Any]
    """The same game, as it is loaded here."""
    map_name: str
    map_data: bytes
    """The map file; the cell reads it again."""
    players: int
    rounds: int | None = None
    """End after so many; None: play it out."""
    arguments: PlayerArguments | None = None
    """What the Players are told of the map; None for games without tanks."""


class BrokeredManager(GameManager[Any, Any]):
    """Runs one match with a manager that is in ``cell``, in which nothing may be loaded yet.

    ``run`` raises CellError where the manager fails; a fault of the machine's has the termination VOID.
    """

    def __init__(self, cell: HeldCell, manager: Reference, match: ManagersMatch, limits: Limits) -> None:
        self.cell = cell
        self.on_fault: OnFault = "idle"
        """What the manager says of itself, once it is loaded."""
        self._about = match
        self._limits = limits
        self._failure: CellError | None = None
        cell.who = "the GameManager"
        cell.keeps_conversation = False
        try:
            name = match.map_name.encode("utf-8", "surrogatepass")
            self._open(OpenManager(manager, match.game, name, match.map_data, match.players, match.rounds))
        except CellError as error:
            self._failure = error

    def _open(self, request: OpenManager) -> None:
        self.cell.wait_until_ready()
        reply = self.cell.decode_as(OPENINGS, self.cell.exchange(request, self._limits.startup_seconds, LOADING), LOADING)
        if type(reply) is Failed:
            self.cell.fail(reply.failure)
        if type(reply) is not Opened:
            self.cell.refuse(LOADING, reply)
        self.on_fault = reply.on_fault

    def run(self, match: Match[Any, Any]) -> GameResult:
        """Let the manager run the match, and carry out what it wants."""
        if self._failure is not None:
            raise self._failure
        return _Errands(self.cell, self._limits, self._about, match).run()


class _Errands:
    """What is done for a manager during one match."""

    def __init__(self, cell: HeldCell, limits: Limits, about: ManagersMatch, match: Match[Any, Any]) -> None:
        self._cell = cell
        self._limits = limits
        self._about = about
        self._match = match
        self._forwarder = Forwarder(match.recorder)
        self._bare_records = 0
        self._desks: list[Any] = []
        self._carry_out: dict[type[Any], Callable[[Any], Tells]] = {ChargeWanted: lambda want: self._desk(want).charge(want)}
        if about.arguments is not None:
            self._desks += [TankDesk(seat, about.arguments) for seat in match.seats]
            self._carry_out |= {
                TankWanted: lambda want: self._desk(want).create_tank(want),
                ActionsWanted: lambda want: self._desk(want).get_actions(want),
                ActionWanted: lambda want: self._desk(want).get_action(want),
                InformingWanted: lambda want: self._desk(want).inform(want),
                BriefingWanted: self._brief,
            }
        else:
            self._desks += [TurnDesk(seat, about.record) for seat in match.seats]
            self._carry_out |= {
                StartWanted: lambda want: self._desk(want).start(want),
                ChoiceWanted: lambda want: self._desk(want).choose(want),
            }
        self._carry_out[Recorded] = self._bare_record

    def run(self) -> GameResult:
        """Until the claim."""
        match, seconds = self._match, self._limits.move_seconds
        question = RunMatch(
            [seat.name for seat in match.seats],
            [desk.known() for desk in self._desks],
            match.seed,
            match.verbose,
            match.recorder.active,
        )
        want = self._step(question, seconds)
        while type(want) is not Claimed:
            want = self._step(self._done(want), seconds)
        return want.claim

    def show(self, width: int, height: int) -> Sequence[str]:
        """The rows of the view that the current briefing is about.

        Raises:
            ViewFailedError: the manager's own view failed.
            CellError: the manager did.
        """
        want = self._step(Look(width, height), self._limits.move_seconds)
        if type(want) is Unshown:
            raise ViewFailedError
        if type(want) is not Shown:
            self._cell.condemn(Termination.PROTOCOL, f"{STEP}: {type(want).__name__} while its view was looked at")
        if len(want.rows) != height or any(len(row) != width for row in want.rows):
            self._cell.condemn(Termination.PROTOCOL, f"{STEP}: a view that has not {height} rows of {width} characters")
        return want.rows

    def _step(self, question: msgspec.Struct, seconds: float) -> Want:
        cell = self._cell
        reply = cell.decode_as(STEPS, cell.exchange(question, seconds, STEP), STEP)
        if type(reply) is Failed:
            cell.fail(reply.failure)
        if reply.recorded:
            try:
                self._forwarder.take(reply.recorded)
            except RecordingError as error:
                cell.condemn(Termination.PROTOCOL, f"run(): {error}")
        want: Want = reply.want
        return want

    def _done(self, want: Want) -> Tells:
        """Carry out a want; what came of it."""
        carry_out = self._carry_out.get(type(want))
        if carry_out is None:
            self._cell.condemn(Termination.PROTOCOL, f"{STEP}: {type(want).__name__} has no place here")
        try:
            return carry_out(want)
        except SeatFault as error:
            answers: Any = error.answers
            return Raised(self._desk(want).known(), bytes(answers))
        except ContractError as error:
            return Refused(str(error), self._desk(want).known())
        except WantError as error:
            self._cell.condemn(error.termination, error.message)

    def _desk(self, want: Any) -> Any:
        seat: int = want.seat
        if not 0 < seat <= len(self._desks):
            raise WantError(Termination.PROTOCOL, f"{STEP}: there is no player {seat}")
        return self._desks[seat - 1]

    def _brief(self, want: BriefingWanted) -> Tells:
        desk = self._desk(want)
        assert self._about.arguments is not None
        width, height, *_ = self._about.arguments
        view = _ManagersView(self, width, height)
        try:
            told: Tells = desk.brief(want.tank, view)
        except ViewFailedError:
            return ViewFailed(desk.known())
        finally:
            view.expired = True
        return told

    def _bare_record(self, _: Recorded) -> Tells:
        self._bare_records += 1
        if self._bare_records > MOST_BARE_RECORDS:
            raise WantError(Termination.STALL, f"run() handed over records {self._bare_records} times without asking anybody")
        return Told()


class ViewFailedError(Exception):
    """Stands for what the manager's view raised, which stays in its own process."""


class _ManagersView(SatelliteView):
    """A view of a manager in a cell; its rows are fetched when somebody looks, once."""

    def __init__(self, errands: _Errands, width: int, height: int) -> None:
        self.expired = False
        self._errands = errands
        self._width, self._height = width, height
        self._rows: Sequence[str] | None = None
        self._failed = False

    def _fetched(self) -> Sequence[str]:
        if self.expired:
            raise ViewExpiredError
        if self._failed:
            raise ViewFailedError
        if self._rows is None:
            self._failed = True
            self._rows = self._errands.show(self._width, self._height)
            self._failed = False
        return self._rows

    def get_object_at(self, x: int, y: int) -> str:
        return self._fetched()[y][x]

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        return [row[:width] for row in self._fetched()[:height]]
