"""Turn-based seats with teams and GameManagers in cells."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tiltyard_engine.errors import ContractError, UserError, show
from tiltyard_engine.records import Game, TankTeam, TurnInterface, TurnTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.author_mistakes import unnamed_position
from tiltyard_engine.seat_kinds.seat_ports import PortFailure, PortSeat
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, ObservedTurnSeat, PortTurnSeat, TurnPort
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import A, P
from tiltyard_simulator.guard.broker.messages import DoneResponse
from tiltyard_simulator.guard.broker.remote_seats import HostClient, RemoteSeat
from tiltyard_simulator.guard.broker.seat_servers import AskBack, RequestError, SeatServer
from tiltyard_simulator.guard.cells.cell import DONE, TeamInCell, failed_by, load_plugin
from tiltyard_simulator.guard.cells.cell_port import CellPort, SeatSpec, port_failure
from tiltyard_simulator.guard.cells.messages import Done, FailureKind
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.guard.seats.kinds import SeatKind
from tiltyard_simulator.guard.seats.values import ANY_VALUE, VALUES, value_decoder, value_text

if TYPE_CHECKING:
    from tiltyard_simulator.guard.cells.team_client import TeamClient
    from tiltyard_simulator.guard.programs.program_client import ProgramClient

MOST_TURNS: Final = 1_000_000
"""How often a seat of a turn-based game may be asked in a match."""
UNSENDABLE: Final = (TypeError, ValueError, OverflowError, RecursionError)


# Host and team


class OpenTurns(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Load the team; ``game`` is the record that names the types of positions and answers."""

    algorithm: Reference
    seat: int
    game: Reference


class Start(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """Create the algorithm and show it the first position."""

    position: msgspec.Raw


class Choose(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Ask for the answer to a position."""

    position: msgspec.Raw


class Answer(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The answer. The cell has checked its type; the host decodes it as that type again."""

    answer: msgspec.Raw


class CellTurnPort(CellPort, TurnPort[P, A]):
    """The host's end of the connection to a team in a cell."""

    def __init__(self, spec: SeatSpec, cell: TeamClient) -> None:
        super().__init__(spec, cell)
        self._interface = _interface(spec.setting)
        self._answers = value_decoder(self._interface.answer_type)

    def open(self) -> None:
        """Load the team's algorithm in its cell."""
        assert self.spec.game is not None
        self.begin(OpenTurns(self.spec.team, self.spec.index, self.spec.game))

    def start(self, position: P) -> None:
        data = self._sendable("start", position)
        self._ask("start", data, Start(data), self.limits.startup_seconds, "starting", Done)

    def choose(self, position: P) -> A:
        data = self._sendable("choose", position)
        reply = self._ask("choose", data, Choose(data), self.limits.move_seconds, "choose", Answer)
        try:
            answer: A = self.cell.decode_as(self._answers, reply.answer, "choose")
        except CellError as error:
            raise port_failure(error) from error
        return answer

    def _sendable(self, call: str, position: P) -> msgspec.Raw:
        """A position as bytes.

        Raises:
            ContractError: it is none; that is the GameManager's fault.
        """
        if self._interface.position_type is None and dataclasses.is_dataclass(position):
            raise ContractError(unnamed_position(position))
        try:
            return msgspec.Raw(VALUES.encode(position))
        except UNSENDABLE as error:
            raise ContractError(f"{call} was given a position that cannot be sent: {error}") from error

    def _ask(self, call: str, data: msgspec.Raw, *arguments: Any) -> Any:
        try:
            return self.ask_cell(*arguments)
        except PortFailure:
            # A position that the team's cell could not read is the GameManager's fault. Looking for it only now costs nothing.
            _check_position(value_decoder(self._interface.position_type), data, call)
            raise


class TurnTeamInCell(TeamInCell):
    """The cell's end of the connection: the team itself."""

    _seat: PortTurnSeat[Any, Any]

    def open(self, request: OpenTurns) -> msgspec.Struct:
        game = load_plugin(request.game)
        team = load_plugin(request.algorithm)
        if not (isinstance(team, TurnTeam) and isinstance(game, Game) and isinstance(game.interface, TurnInterface)):
            return failed_by(FailureKind.PROTOCOL, f"'{request.algorithm.name}' is not a team for a turn-based game")
        interface = game.interface
        self._positions = value_decoder(interface.position_type)
        answers = interface.answer_type or object
        port: InlineTurnPort[Any, Any] = InlineTurnPort(request.seat, team, answers, self.cell.on_crash, rules=game.rules)
        self._seat = PortTurnSeat(request.seat, team.name, port)
        return DONE

    def _start(self, request: Start) -> msgspec.Struct:
        self._seat.start(self._positions.decode(request.position))
        return DONE

    def _choose(self, request: Choose) -> msgspec.Struct:
        answer = self._seat.choose(self._positions.decode(request.position))
        try:
            return Answer(msgspec.Raw(VALUES.encode(answer)))
        except UNSENDABLE as error:
            return failed_by(FailureKind.PROTOCOL, f"choose returned an answer that cannot be sent: {error}")

    opening = OpenTurns
    beginning = Start
    handlers = {Start: ("starting", _start), Choose: ("choose", _choose)}  # noqa: RUF012
    replies = (Answer,)

    @classmethod
    def doing(cls, request: Any) -> str:
        if isinstance(request, Choose):
            return "choose"
        return "loading and starting up" if isinstance(request, OpenTurns) else "starting"

    @classmethod
    def in_words(cls, reply: Answer) -> str:
        return str(ANY_VALUE.decode(reply.answer))


# Host and GameManager


class StartRequest(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Tell the seat that play begins."""

    seat: int
    position: msgspec.Raw


class ChooseRequest(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """Ask the seat for its answer to a position."""

    seat: int
    position: msgspec.Raw


class AnswerResponse(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """The answer, of the game's type."""

    answer: msgspec.Raw
    fault: Fault | None = None


class RemoteTurnSeat(RemoteSeat, TurnSeat[P, A]):
    """The seat of a turn-based game as a GameManager in a cell sees it."""

    def __init__(self, client: HostClient, index: int, name: str, fault: Fault | None, game: Game[Any]) -> None:
        super().__init__(client, index, name, fault, game)
        self._answers_decoder = value_decoder(_interface(game).answer_type)

    def start(self, position: P) -> None:
        """Tell the seat that play begins."""
        self._check(self._client.call(StartRequest(self.index, msgspec.Raw(VALUES.encode(position)))))

    def choose(self, position: P) -> A:
        """Ask the host for the seat's answer."""
        response = self._client.call(ChooseRequest(self.index, msgspec.Raw(VALUES.encode(position))))
        self._check(response)
        answer: A = self._answers_decoder.decode(response.answer)
        return answer


class TurnSeatServer(SeatServer):
    """The host's end. Positions and answers have the game's types on both sides."""

    def __init__(self, seat: TurnSeat[Any, Any], game: Game[Any], ask_back: AskBack) -> None:
        super().__init__(seat, MOST_TURNS, "in a match")
        self._seat = seat
        interface = _interface(game)
        self._positions = value_decoder(interface.position_type)
        self._answers = value_decoder(interface.answer_type)
        self._requests = 0

    def start(self, request: StartRequest) -> msgspec.Struct:
        self.count_rare()
        self._seat.start(self._position(request.position, "start"))
        return DoneResponse(self.new_fault())

    def choose(self, request: ChooseRequest) -> msgspec.Struct:
        self._requests += 1
        if self._requests > MOST_TURNS:
            raise self.stall(f"asked player {self._seat.index}", MOST_TURNS)
        answer = self._seat.choose(self._position(request.position, "choose"))
        try:
            data = VALUES.encode(answer)
            self._answers.decode(data)
        except UNSENDABLE as error:
            # From a team in this process: an answer from a cell has passed this check already.
            raise self._seat.charge(Termination.PROTOCOL, f"choose returned an answer that cannot be sent: {error}") from error
        return AnswerResponse(msgspec.Raw(data), self.new_fault())

    def _position(self, data: msgspec.Raw, call: str) -> Any:
        try:
            return _check_position(self._positions, data, call)
        except ContractError as error:
            raise RequestError(Termination.PROTOCOL, str(error)) from error

    handlers = {**SeatServer.handlers, StartRequest: start, ChooseRequest: choose}  # noqa: RUF012
    responses = (AnswerResponse,)


class Turns(SeatKind):
    """Seats that give one answer in each turn."""

    name = "turns"
    interface = TurnInterface
    cell_port = CellTurnPort
    team_in_cell = TurnTeamInCell
    seat_server = TurnSeatServer
    remote_seat = RemoteTurnSeat

    def setting(self, game: Game[Any], board: Any) -> Game[Any]:
        return game

    def inline_port(self, spec: SeatSpec) -> InlineTurnPort[Any, Any]:
        team = spec.team.load_team()
        game: Game[Any] = spec.setting
        if isinstance(team, TankTeam):
            raise UserError(f"'{team.name}' has a Player and tanks, but the game {game.name} has none")
        interface = _interface(game)
        answers, positions = interface.answer_type or object, interface.position_type
        return InlineTurnPort(spec.index, team, answers, position_type=positions, rules=game.rules)

    def program_port(self, spec: SeatSpec, program: ProgramClient) -> TurnPort[Any, Any]:
        from tiltyard_simulator.guard.programs.program_port import ProgramTurnPort

        return ProgramTurnPort(spec, program)

    def seat(self, spec: SeatSpec, port: TurnPort[Any, Any]) -> PortSeat:
        if not spec.observers:
            return PortTurnSeat(spec.index, spec.team.name, port)
        seat = ObservedTurnSeat(spec.index, spec.team.name, port)
        seat.observe(spec.observers)
        return seat

    def picture(self, setting: Game[Any], view: Any) -> str:
        return value_text(view)

    def words(self, answer: Any) -> str:
        return value_text(answer)


def _check_position(positions: msgspec.msgpack.Decoder[Any], data: msgspec.Raw, call: str) -> Any:
    """A position that a GameManager sent.

    Raises:
        ContractError: it is none.
    """
    try:
        return positions.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, *UNSENDABLE) as error:
        raise ContractError(f"{call} was given a value that is not a position: {error}") from error


def _interface(game: Game[Any]) -> TurnInterface:
    assert isinstance(game.interface, TurnInterface)
    return game.interface


def wire_form(value: object, kind: type[Any] | None) -> bytes:
    """The bytes of a position or an answer, after they were decoded as ``kind`` and compared.

    Raises:
        UserError: it cannot be encoded or decoded, or is not equal afterwards.
    """
    try:
        decoder = value_decoder(kind)
    except UNSENDABLE as error:
        raise UserError(f"no process can decode values of this type: {error}") from error
    try:
        data = VALUES.encode(value)
    except UNSENDABLE as error:
        raise UserError(f"{show(value)} cannot be sent: {error}") from error
    try:
        decoded = decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, *UNSENDABLE) as error:
        raise UserError(f"{show(value)} cannot be decoded: {error}") from error
    # Compared as bytes as well, because arrays, which compare item by item, may be in it.
    if VALUES.encode(decoded) != data or type(decoded) is not type(value):
        raise UserError(f"{show(value)} arrives as {show(decoded)}")
    return data


TURNS: Final = Turns()
