"""A team of tanks in a cell: the messages between host and cell, and both ends."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError
from tiltyard_engine.records import PlayerArguments, TankTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import SeatFault, Termination
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort, PortTankSeat, TankPort
from tiltyard_engine.tanks import ACTION_TITLES, ActionRequest, BattleInfo, SatelliteView, TankAlgorithm
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.guard.cells.cell import DONE, Cell, TeamInCell, failed_by, failure_of, load_plugin
from tiltyard_simulator.guard.cells.cell_port import CellPort, port_failure
from tiltyard_simulator.guard.cells.messages import ENCODER, Done, Failed, Failure, FailureKind
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.guard.seats.tanks.battle_info_watch import InfoWatch
from tiltyard_simulator.match.limits import Limits

ACTIONS: Final = tuple(ActionRequest)
BRIEFING: Final = "update_tank_with_battle_info"


class OpenTanks(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Load the team and create its Player."""

    algorithm: Reference
    seat: int
    arguments: PlayerArguments


class CreateTank(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Create the tank of that index."""

    tank: int


class Act(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Ask these tanks in this order."""

    tanks: list[int]


class Brief(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Let the Player update a tank."""

    tank: int
    rows: list[str] | None = None
    """Of the view, for a Player that looked the last time. Another one gets them when it looks."""


class Board(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """The rows of the view; None if the GameManager's own view failed."""

    rows: list[str] | None


class Inform(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Hand a tank an empty BattleInfo that a GameManager made itself."""

    tank: int


class Acted(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """One byte for each action, in the order of the question. If some are missing, there is a failure."""

    actions: bytes
    failure: Failure | None = None


class Looked(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """It was done, and the Player looked at the rows that were sent along."""


class BoardRequest(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """The Player looks at its view, and needs the board."""


LOOKED: Final = Looked()


# The host's end


class CellTankPort(CellPort, TankPort):
    """A Player and tanks in a cell."""

    asks_at_once = True
    _looks = False
    """Whether the Player looked at its last view."""

    def open(self) -> None:
        """Load the team, and create its Player."""
        spec = self.spec
        self.begin(OpenTanks(spec.team, spec.index, spec.setting))

    def create(self, tank_index: int) -> _CellTank:
        self._tell(CreateTank(tank_index), f"creating tank {tank_index}")
        return _CellTank(self, tank_index)

    def ask(self, tanks: list[int]) -> list[ActionRequest]:
        """Ask all tanks of a team in one message."""
        doing = "get_action"
        count = len(tanks)
        answers: list[ActionRequest] = []
        try:
            reply: Acted = self.cell.ask(Act(tanks), self.limits.move_seconds * count, doing, Acted)
            actions = reply.actions
            enough = len(actions) == count if reply.failure is None else len(actions) < count
            if not enough:
                self.cell.give_up(Termination.PROTOCOL, f"{doing}: {counted(len(actions), 'answer')} for {counted(count, 'tank')}")
            if max(actions, default=0) >= len(ACTIONS):
                self.cell.give_up(Termination.PROTOCOL, f"{doing}: no action has the number {max(actions)}")
            answers = [ACTIONS[number] for number in actions]
            if reply.failure is not None:
                self.cell.fail(reply.failure)
        except CellError as error:
            raise port_failure(error, answers) from error
        return answers

    def inform(self, tank: _CellTank, info: BattleInfo) -> None:
        """No object can be sent to the team's process, but an empty one can be created there."""
        check_info(info)
        self._tell(Inform(tank.tank_index), "update_battle_info")

    def brief(self, tank: _CellTank, view: SatelliteView) -> None:
        """Let the Player update a tank. The board is sent if the Player looks at it."""
        failure: Exception | None = None
        seconds = self.limits.move_seconds
        cell, before = self.cell, self.cell.cpu_seconds
        # Nobody may look, so what the view raises is not told yet.
        rows = self._rows(view)[0] if self._looks else None
        try:
            reply = cell.ask(Brief(tank.tank_index, rows), seconds, BRIEFING, Done, BoardRequest, Looked)
            self._looks = type(reply) is not Done
            if type(reply) is BoardRequest:
                rows, failure = self._rows(view)
                cell.ask(Board(rows), seconds - (cell.cpu_seconds - before), BRIEFING, Done)
        except CellError as error:
            if failure is None:
                raise port_failure(error) from error
        if failure is not None:
            raise failure

    def _rows(self, view: SatelliteView) -> tuple[list[str] | None, Exception | None]:
        """All rows of a GameManager's view, or the error that it raised."""
        width, height, *_ = self.spec.setting
        try:
            rows = rows_of(view, width, height)
            ENCODER.encode(Board(rows))
        except Exception as error:
            return None, error
        return rows, None

    def _tell(self, request: msgspec.Struct, doing: str) -> None:
        self.ask_cell(request, self.limits.move_seconds, doing, Done)


def check_info(info: BattleInfo) -> None:
    """Check that a BattleInfo is empty: its contents could not be sent to the team's process.

    Raises:
        ContractError: it has contents.
    """
    if type(info) is not BattleInfo or vars(info):
        raise ContractError("a GameManager can hand a tank only an empty BattleInfo: what it holds comes from the Player")


def rows_of(view: SatelliteView, width: int, height: int) -> list[str]:
    """All rows of a manager's view.

    Raises:
        ContractError: their number or length is wrong. And whatever the view raises.
    """
    rows = list(view.get_rows(width, height))
    if [*map(len, rows)] != [width] * height:
        raise ContractError(f"the GameManager's view does not have {height} rows of {width} characters")
    return rows


class FetchedView(SatelliteView):
    """A view whose rows are in another process, and are fetched when somebody first looks at it."""

    def __init__(self) -> None:
        self._rows: Sequence[str] | None = None

    @abstractmethod
    def _fetch(self) -> Sequence[str]: ...

    def _fetched(self) -> Sequence[str]:
        if self._rows is None:
            self._rows = self._fetch()
        return self._rows

    def get_object_at(self, x: int, y: int) -> str:
        return self._fetched()[y][x]

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        return [row[:width] for row in self._fetched()[:height]]


class _CellTank:
    """One tank in a cell."""

    __slots__ = ("_port", "tank_index")

    def __init__(self, port: CellTankPort, tank_index: int) -> None:
        self._port = port
        self.tank_index = tank_index

    def get_action(self) -> ActionRequest:
        """In a message of its own."""
        return self._port.ask([self.tank_index])[0]


# The cell's end


class TankTeamInCell(TeamInCell):
    """A Player and tanks in this process."""

    _seat: PortTankSeat

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self._tanks: dict[int, TankAlgorithm] = {}
        self._watch: InfoWatch | None = None

    def open(self, request: OpenTanks) -> msgspec.Struct:
        team = load_plugin(request.algorithm)
        if not isinstance(team, TankTeam):
            return failed_by(FailureKind.PROTOCOL, f"'{request.algorithm.name}' has no Player and tanks")
        self.cell.doing = "creating the Player"
        port = InlineTankPort(request.seat, team, request.arguments, self.cell.on_crash)
        self._seat = PortTankSeat(request.seat, team.name, port, "raise")
        if self.cell.watches_infos:
            self._watch = InfoWatch(port.player)
        return DONE if self._seat.fault is None else Failed(failure_of(self._seat.fault))

    def _create(self, request: CreateTank) -> msgspec.Struct:
        tank: Any = self._seat.create_tank(request.tank)
        self._tanks[request.tank] = tank
        if self._watch is not None:
            self._watch.add(tank.port_tank, request.tank)
        return DONE

    def _act(self, request: Act) -> msgspec.Struct:
        tanks = self._tanks
        try:
            return Acted(bytes(self._seat.get_actions([tanks[index] for index in request.tanks])))
        except SeatFault as error:
            answers: Any = error.answers
            return Acted(bytes(answers), failure_of(error.fault))

    def _brief(self, request: Brief) -> msgspec.Struct:
        view = _SentView(self.cell, request.rows)
        try:
            self._seat.player.update_tank_with_battle_info(self._tanks[request.tank], view)
        except _NoBoardError:
            # The GameManager's own view failed, which the host knows already.
            return DONE
        answer = self._done_unless_kept()
        return LOOKED if answer is DONE and view.has_looked else answer

    def _inform(self, request: Inform) -> msgspec.Struct:
        self._tanks[request.tank].update_battle_info(BattleInfo())
        return self._done_unless_kept()

    def _done_unless_kept(self) -> msgspec.Struct:
        if self._watch is not None and self._watch.problem:
            return failed_by(FailureKind.PROTOCOL, self._watch.problem)
        return DONE

    opening = OpenTanks
    beginning = CreateTank
    handlers = {  # noqa: RUF012
        CreateTank: ("creating a tank", _create),
        Act: ("get_action", _act),
        Brief: (BRIEFING, _brief),
        Inform: ("update_battle_info", _inform),
    }
    replies = (Acted, BoardRequest, Looked)
    back_question = BoardRequest
    no_back_answer = Board(None)

    @classmethod
    def doing(cls, request: Any) -> str:
        match request:
            case Act(tanks):
                return f"get_action of tank {', '.join(map(str, tanks))}"
            case CreateTank(tank):
                return f"creating tank {tank}"
            case Brief(tank):
                return f"update_tank_with_battle_info for tank {tank}"
            case Inform(tank):
                return f"update_battle_info of tank {tank}"
            case Board():
                return "looking at the view"
            case _:
                return "loading and starting up"

    @classmethod
    def in_words(cls, reply: Any) -> str:
        if not isinstance(reply, Acted):
            return "a look at the view"
        names = ", ".join(ACTION_TITLES[number] if number < len(ACTION_TITLES) else str(number) for number in reply.actions)
        return " then ".join(filter(None, [names, reply.failure.message if reply.failure is not None else ""]))

    @classmethod
    def seconds(cls, request: Any, limits: Limits) -> float:
        return limits.move_seconds * len(request.tanks) if isinstance(request, Act) else super().seconds(request, limits)


class _NoBoardError(Exception):
    """The GameManager's own view failed."""

    def __init__(self) -> None:
        super().__init__("the GameManager's view cannot be read")


class _SentView(FetchedView):
    """The rows of the host's view. The seat's own view clips and expires it."""

    def __init__(self, cell: Cell, rows: Sequence[str] | None) -> None:
        super().__init__()
        self._cell = cell
        self._sent_rows = rows
        self.has_looked = False
        """Whether the rows that were sent along were looked at."""

    def _fetch(self) -> Sequence[str]:
        if self._sent_rows is not None:
            self.has_looked = True
            return self._sent_rows
        board = self._cell.ask_back(BoardRequest())
        if not isinstance(board, Board) or board.rows is None:
            raise _NoBoardError
        return board.rows
