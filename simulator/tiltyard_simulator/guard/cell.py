"""What runs in a cell: load the team, answer the host's questions, one by one.

The team's code is held here by the engine's inline seats, so that what it may do and what its faults are called is
the same as without a cell. Nothing here is trusted by the host: the team's code could change all of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import msgspec

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.inline import InlineTankSeat, InlineTurnSeat
from tiltyard_engine.records import Game, TankTeam, TurnTeam
from tiltyard_engine.registry import Reference, load_source
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.tanks import BattleInfo, SatelliteView, TankAlgorithm
from tiltyard_simulator.guard.kept_infos import InfoWatch
from tiltyard_simulator.guard.messages import (
    ENCODER,
    EXIT_DISCONNECTED,
    EXIT_OUT_OF_MEMORY,
    REQUESTS,
    Act,
    Acted,
    Board,
    BoardWanted,
    Brief,
    Choose,
    Chosen,
    CreateTank,
    Describe,
    Described,
    Done,
    Failed,
    Failure,
    FailureKind,
    Inform,
    OpenTanks,
    OpenTurns,
    Reply,
    Request,
    Start,
    sendable,
)
from tiltyard_simulator.guard.wire import read_frame, write_frame

LONGEST_MESSAGE: Final = 8_000
LONGEST_TRACEBACK: Final = 64_000
"""Characters of a fault's words that are sent: an exception may say as much as it likes."""
SPARE_BYTES: Final = 1 << 20
"""Held back, so that there is something to report with when memory has run out."""
_DONE: Final = Done()


def serve(questions: int, answers: int, kind: type[Cell] | None = None) -> NoReturn:
    """Answer until the host is gone; never returns into the zygote's code."""
    spare: bytes | None = bytes(SPARE_BYTES)
    code = 0
    try:
        cell = (kind or Cell)(questions, answers)
        cell.reply(_DONE)
        while True:
            try:
                cell.answer_one()
            except MemoryError as error:
                spare = None
                cell.reply(Failed(Failure(FailureKind.OUT_OF_MEMORY, f"{cell.doing} raised {describe(error)}")))
    except MemoryError:
        code = EXIT_OUT_OF_MEMORY
    except (EOFError, OSError):
        code = EXIT_DISCONNECTED
    finally:
        del spare
        os._exit(code)


class Cell:
    """The team's side of the conversation. One that is fed otherwise than through pipes overrides ``receive`` and ``reply``."""

    tank_seat: type[InlineTankSeat] = InlineTankSeat
    turn_seat: type[InlineTurnSeat[Any, Any]] = InlineTurnSeat
    interruptible = False
    """Whether somebody may be at a keyboard; if not, a KeyboardInterrupt is the team's own."""

    def __init__(self, questions: int, answers: int) -> None:
        self._questions = questions
        self._answers = answers
        self._number = 0
        self.doing = "loading"
        """What a fault outside an inline seat's care is said to have happened in."""
        self._tank_seat: InlineTankSeat | None = None
        self._turn_seat: InlineTurnSeat[Any, Any] | None = None
        self._position_type: Any = Any
        self._tanks: dict[int, TankAlgorithm] = {}
        self._watch: InfoWatch | None = None
        self._handlers: dict[type[Request], tuple[str, Callable[[Any], msgspec.Struct]]] = {
            Act: ("get_action", self._act),
            Brief: ("update_tank_with_battle_info", self._brief),
            Choose: ("choose", self._choose),
            Describe: ("the import", _describe),
            CreateTank: ("creating a tank", self._create_tank),
            Start: ("starting", self._start),
            Inform: ("update_battle_info", self._inform),
            OpenTanks: ("loading", self._open_tanks),
            OpenTurns: ("loading", self._open_turns),
        }

    def receive(self) -> Request:
        """The next question."""
        self._number, body = read_frame(self._questions)
        request: Request = REQUESTS.decode(body)
        return request

    def reply(self, message: msgspec.Struct) -> None:
        """Answer the last question."""
        write_frame(self._answers, self._number, ENCODER.encode(message))

    def converse(self, message: msgspec.Struct) -> bytes:
        """Answer the last question with one of the cell's own; the host's next question, not yet decoded, is what came of it."""
        try:
            self.reply(message)
            self._number, body = read_frame(self._questions)
        except (EOFError, OSError):
            # Not raised: code of others would catch it and go on.
            os._exit(EXIT_DISCONNECTED)
        return body

    def ask_back(self, message: Reply) -> Request:
        """Answer the last question with one of the cell's own, of the kind that the host asks too."""
        request: Request = REQUESTS.decode(self.converse(message))
        return request

    def answer_one(self) -> None:
        """Wait for a question and answer it."""
        request = self.receive()
        self.doing, handle = self._handlers[type(request)]
        try:
            reply: msgspec.Struct = handle(request)
        except SeatFault as fault:
            reply = Failed(_failure(fault.fault))
        except MemoryError:
            raise
        except BaseException as error:
            # Such as KeyboardInterrupt, which an inline seat leaves alone.
            if self.interruptible and isinstance(error, KeyboardInterrupt):
                raise
            reply = Failed(Failure(FailureKind.CRASH, cut(f"{self.doing} raised {describe(error)}", LONGEST_MESSAGE)))
        self.reply(reply)

    # Opening

    def _open_tanks(self, request: OpenTanks) -> Reply:
        team = load_plugin(request.algorithm)
        if not isinstance(team, TankTeam):
            return Failed(Failure(FailureKind.PROTOCOL, f"'{request.algorithm.name}' has no Player and tanks"))
        self.doing = "creating the Player"
        self._tank_seat = self.tank_seat(request.seat, team, request.arguments, "raise")
        fault = self._tank_seat.fault
        if request.watch_infos:
            self._watch = InfoWatch(self._tank_seat.players_own)
        return _DONE if fault is None else Failed(_failure(fault))

    def _open_turns(self, request: OpenTurns) -> Reply:
        game = load_plugin(request.game)
        team = load_plugin(request.algorithm)
        if not isinstance(team, TurnTeam) or not isinstance(game, Game):
            return Failed(Failure(FailureKind.PROTOCOL, f"'{request.algorithm.name}' does not play by turns"))
        self._position_type = Any if game.position_type is None else game.position_type
        self._turn_seat = self.turn_seat(request.seat, team, object if game.answer_type is None else game.answer_type)
        return _DONE

    # Tanks

    def _create_tank(self, request: CreateTank) -> Reply:
        assert self._tank_seat is not None
        tank: Any = self._tank_seat.create_tank(request.tank)
        self._tanks[request.tank] = tank
        if self._watch is not None:
            self._watch.add(tank.algorithm, request.tank)
        return _DONE

    def _act(self, request: Act) -> Reply:
        assert self._tank_seat is not None
        tanks = self._tanks
        try:
            return Acted(bytes(self._tank_seat.get_actions([tanks[index] for index in request.tanks])))
        except SeatFault as fault:
            answers: Any = fault.answers
            return Acted(bytes(answers), _failure(fault.fault))

    def _brief(self, request: Brief) -> Reply:
        assert self._tank_seat is not None
        try:
            self._tank_seat.player.update_tank_with_battle_info(self._tanks[request.tank], _SentView(self))
        except _NoBoardError:
            # The manager's own failure, which the host knows already.
            return _DONE
        return self._done_unless_kept()

    def fetch_board(self) -> Sequence[str]:
        """Ask the host for the rows of the view that the current question is about."""
        board = self.ask_back(BoardWanted())
        if not isinstance(board, Board) or board.rows is None:
            raise _NoBoardError
        return board.rows

    def _inform(self, request: Inform) -> Reply:
        self._tanks[request.tank].update_battle_info(BattleInfo())
        return self._done_unless_kept()

    def _done_unless_kept(self) -> Reply:
        if self._watch is not None and self._watch.kept:
            return Failed(Failure(FailureKind.PROTOCOL, self._watch.kept))
        return _DONE

    # Turns

    def _start(self, request: Start) -> Reply:
        assert self._turn_seat is not None
        self._turn_seat.start(self._position(request.position))
        return _DONE

    def _choose(self, request: Choose) -> Reply:
        assert self._turn_seat is not None
        answer = self._turn_seat.choose(self._position(request.position))
        try:
            return Chosen(msgspec.Raw(ENCODER.encode(answer)))
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            return Failed(Failure(FailureKind.PROTOCOL, cut(f"choose returned what cannot be sent: {error}", LONGEST_MESSAGE)))

    def _position(self, position: msgspec.Raw) -> Any:
        return msgspec.msgpack.decode(position, type=self._position_type)


class _NoBoardError(Exception):
    """The GameManager's own view failed."""

    def __init__(self) -> None:
        super().__init__("the GameManager's view cannot be read")


class _SentView(SatelliteView):
    """The rows of a view; they are fetched when first looked at. The inline seat's own view clips and expires it."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._rows: Sequence[str] | None = None

    def _fetched(self) -> Sequence[str]:
        if self._rows is None:
            self._rows = self._cell.fetch_board()
        return self._rows

    def get_object_at(self, x: int, y: int) -> str:
        return self._fetched()[y][x]

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        return [row[:width] for row in self._fetched()[:height]]


def load_plugin(reference: Reference) -> object:
    """What a reference means.

    Raises:
        SeatFault: it cannot be loaded; with the traceback of the import.
    """
    try:
        return reference.load()
    except UserError as error:
        details = [problem.detail for problem in load_source(reference.source).problems if problem.detail]
        raise SeatFault(Fault(0, Termination.CRASH, f"loading: {error}", 0, "\n".join(details))) from error


def _describe(request: Describe) -> Reply:
    return Described(describe_source(request.source))


def _failure(fault: Fault) -> Failure:
    kind = FailureKind(fault.termination.value)
    return Failure(kind, cut(fault.message, LONGEST_MESSAGE), cut(fault.traceback, LONGEST_TRACEBACK))


def cut(text: str, longest: int) -> str:
    """The text in characters that can be sent; of what is too long, the beginning and the end."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
    return sendable(text)
