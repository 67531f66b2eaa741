"""A GameManager whose code is in a cell. Its requests to its seats are served here, with the real seats.

The cell answers the question to run the match with a request. It is served, and the next question is the response, and so on until
the cell sends a result. Any other message is a fault of the GameManager, and so are too many requests.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.registry import FileLoader
from tiltyard_engine.replay import Recorder, board_problem, changes_problem
from tiltyard_engine.results import GameResult, SeatFault, Termination
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_simulator.guard.broker.messages import (
    OPENINGS,
    RECORDS,
    STEPS,
    Claimed,
    DoneResponse,
    Opened,
    RaisedResponse,
    Recorded,
    RecordedStart,
    RefusedResponse,
    Step,
)
from tiltyard_simulator.guard.broker.seat_servers import RequestError, SeatServer
from tiltyard_simulator.guard.cells.messages import OpenManager, RunMatch
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.guard.seats.kinds import SeatKind
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.panel_values import panels_of

STEP: Final = "a step of run()"
MOST_BARE_RECORDS: Final = 10_000
"""How many steps may send records without a request."""
MOST_RECORDED_BYTES: Final = 64 << 20
"""The most bytes of records of a match: about 400,000 rounds of four tanks. In memory they are many times as large."""


class BrokeredManager(GameManager[Any, Any]):
    """Runs one match with a GameManager in ``cell``, in which nothing is loaded yet.

    ``run`` raises CellError if the GameManager fails. If the machine fails, the termination is VOID.

    Args:
        cell: the GameManager's cell.
        opening: names it and the match. The cell reads the map file again.
        limits: what the GameManager may use.
        kind: the game's kind of seat.
        setting: what the kind of seat needs to know about the game and the map.
        loader: of a compiled GameManager whose cell is not Python.
    """

    def __init__(
        self, cell: TeamClient, opening: OpenManager, limits: Limits, kind: SeatKind, setting: Any, *, loader: FileLoader | None
    ) -> None:
        self.cell = cell
        self._loader = loader
        self.on_fault: OnFault = "idle"
        """What the GameManager's plugin says, once it is loaded."""
        self._kind = kind
        self._setting = setting
        self._limits = limits
        self._failure: CellError | None = None
        cell.who = "the GameManager"
        cell.hints = replace(cell.hints, whose="manager:")
        cell.keeps_conversation = False
        try:
            answer: Opened = cell.ask(opening, self._limits.startup_seconds, "loading", Opened, decoder=OPENINGS)
            self.on_fault = answer.on_fault
        except CellError as error:
            self._failure = error

    def run(self, match: Match[Any, Any]) -> GameResult:
        """Let the GameManager run the match, and serve its requests."""
        if self._failure is not None:
            raise self._failure
        claim = _ServedMatch(self.cell, self._limits, match, self._kind, self._setting).run()
        if not isinstance(claim, bytes):
            return claim
        if self._loader is None:
            raise ContractError("run() returned bytes, not a result")
        return self._loader.read_claim(claim, match.map)


class _ServedMatch:
    """Serves the requests of a GameManager during one match."""

    def __init__(self, cell: TeamClient, limits: Limits, match: Match[Any, Any], kind: SeatKind, setting: Any) -> None:
        self._cell = cell
        self._limits = limits
        self._match = match
        self._records = _RecordChecker(match.recorder)
        self._bare_records = 0
        self._handlers = kind.seat_server.handlers
        self._servers = [kind.seat_server(seat, setting, self.ask_back) for seat in match.seats]

    def run(self) -> GameResult | bytes:
        """Serve requests until the GameManager sends its result."""
        match = self._match
        question: msgspec.Struct = RunMatch(
            [seat.name for seat in match.seats],
            [server.new_fault() for server in self._servers],
            match.seed,
            match.verbose,
            match.recorder.active,
        )
        request = self._step(question)
        while type(request) is not Claimed:
            request = self._step(self._serve(request))
        claim: GameResult | bytes = request.claim
        return claim

    def ask_back(self, question: msgspec.Struct, *expected: type[Any]) -> Any:
        """Ask a question about the current request."""
        answer = self._step(question)
        if type(answer) not in expected:
            self._cell.give_up(Termination.PROTOCOL, f"{STEP}: expected the rows of its view, found {type(answer).__name__}")
        return answer

    def _step(self, question: msgspec.Struct) -> Any:
        reply = self._cell.ask(question, self._limits.move_seconds, STEP, Step, decoder=STEPS)
        if reply.recorded:
            try:
                self._records.take(reply.recorded)
            except _RecordingError as error:
                self._cell.give_up(Termination.PROTOCOL, f"run(): {error}")
        return reply.request

    def _serve(self, request: Any) -> msgspec.Struct:
        try:
            if type(request) is Recorded:
                return self._bare_record()
            handle = self._handlers.get(type(request))
            if handle is None:
                self._cell.give_up(Termination.PROTOCOL, f"{STEP}: unexpected message {type(request).__name__}")
            response: msgspec.Struct = handle(self._server(request), request)
            return response  # noqa: TRY300
        except SeatFault as error:
            answers: Any = error.answers
            return RaisedResponse(self._server(request).new_fault(), bytes(answers))
        except ContractError as error:
            return RefusedResponse(str(error), self._server(request).new_fault())
        except RequestError as error:
            self._cell.give_up(error.termination, error.message)

    def _server(self, request: Any) -> SeatServer:
        seat: int = request.seat
        if not 0 < seat <= len(self._servers):
            raise RequestError(Termination.PROTOCOL, f"{STEP}: there is no player {seat}")
        server: SeatServer = self._servers[seat - 1]
        return server

    def _bare_record(self) -> DoneResponse:
        self._bare_records += 1
        if self._bare_records > MOST_BARE_RECORDS:
            raise RequestError(Termination.STALL, f"run() sent records {self._bare_records} times without asking a seat")
        return DoneResponse()


class _RecordingError(Exception):
    """The records are not a valid replay. The message is for the GameManager's author."""


class _RecordChecker:
    """Checks what a GameManager in a cell has recorded, and hands it on to the match's own recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._room = MOST_RECORDED_BYTES
        self._width = self._height = 0

    def take(self, records: list[msgspec.Raw]) -> None:
        """Raises _RecordingError for records that are of the wrong types, do not fit the board, or are too many."""
        for data in records:
            self._room -= len(data)
            if self._room < 0:
                raise _RecordingError(f"more than {MOST_RECORDED_BYTES >> 20} MiB was recorded")
            self._take_one(data)

    def _take_one(self, data: msgspec.Raw) -> None:
        try:
            record = RECORDS.decode(data)
            panels = panels_of(record.panels)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise _RecordingError(f"a record has the wrong types: {error}") from error
        if isinstance(record, RecordedStart):
            self._require(board_problem(record.width, record.height, record.squares))
            self._width, self._height = record.width, record.height
            self._recorder.start(record.width, record.height, record.squares, panels)
            return
        self._require(changes_problem(record.changes, self._width, self._height))
        self._recorder.frame(record.changes, record.actions, record.scores, record.notes, panels)

    def _require(self, problem: str) -> None:
        if problem:
            raise _RecordingError(problem)
