"""Readers of what arrives while something runs: frames and messages of cells, requests of GameManagers in cells, HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from tests.fuzz.damage import Form
from tests.fuzz.files import made
from tests.fuzz.runs import installed
from tests.fuzz.trial import Reader
from tests.own_loop import in_own_thread
from tests.plugins.filler.test_adapter import POSITION
from tests.tournaments.running.made_runs import tournament_of
from uvicorn.server import ServerState

from tiltyard_engine.match import Match
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Description, Source
from tiltyard_engine.registry.registry import ALGORITHM, GAME
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.replay import ReplayRecorder
from tiltyard_engine.replay.panels import PlotPanel, TextPanel
from tiltyard_engine.results import GameResult, Termination, claim_problem, plain
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.seat_kinds.seat_ports import PortFailure
from tiltyard_simulator.guard.broker.messages import ChargeRequest, Claimed, Recorded, RecordedFrame, RecordedStart, Step
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.cells.messages import ENCODER, REPLIES, Described, Done, Failed, Failure, FailureKind
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.wire import CellError, Inbox, WireError, frame
from tiltyard_simulator.guard.managers.brokered_manager import _ServedMatch
from tiltyard_simulator.guard.seats.kinds import kind_of
from tiltyard_simulator.guard.seats.tanks.broker import (
    ActionsRequest,
    BriefRequest,
    CreateTankRequest,
    FailedView,
    InformRequest,
    Shown,
)
from tiltyard_simulator.guard.seats.tanks.cells import Acted, CellTankPort
from tiltyard_simulator.guard.seats.turns import Answer, CellTurnPort
from tiltyard_simulator.match.limits import MANAGER_LIMITS
from tiltyard_simulator.match.panel_values import panel_values
from tiltyard_simulator.match.verdict import OnCrash, verdict
from tiltyard_simulator.registry.plugin_inspection import checked
from tiltyard_site.live.app import live_app
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.web.server import PatientProtocol, make_config
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.host_protocol import Writer, read_claim

SOURCE: Final = Source(name="bot", origin=Origin.FILE, value="/work/bot.py")
BOARD: Final = ("#  #", " 12 ")
REQUEST: Final = b'GET /index.html?x=1 HTTP/1.1\r\nHost: localhost:80\r\nIf-None-Match: "abc"\r\nConnection: close\r\n\r\n'
COMPILED_CLAIM: Final = Writer()
"""Winner, reason, rounds and two counts, of sixteen; state, lost, problem, board."""
for number in (1, 0, 3, 2, 1, 0, *[0] * 14, 0, 0):
    COMPILED_CLAIM.number(number)
COMPILED_CLAIM.text(b"").text("".join(BOARD).encode())
ENDS: Final = (CellError, PortFailure)


class _Cell(TeamClient):
    """A cell whose process has said already what it will: a message a question."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = iter(answers)
        self.cpu_seconds = 0.0
        self.who = "the team"

    def exchange(self, request: msgspec.Struct, seconds: float, doing: str) -> bytes:
        ENCODER.encode(request)
        try:
            return next(self._answers)
        except StopIteration:
            self.give_up(Termination.DISCONNECT, "nothing more")

    def fail(self, failure: Failure) -> Any:
        self.give_up(Termination(failure.kind.value), failure.message, failure.traceback)

    def retire(self) -> None:
        """There is no process."""


def _frames(data: bytes, folder: Path) -> None:
    inbox = Inbox(1 << 16)
    for start in range(0, len(data), 13):
        inbox.take(data[start : start + 13], 7)


def _team(data: bytes, folder: Path) -> None:
    """The same message as the answer to each question that a host asks a team's cell."""
    reply = REPLIES.decode(data) if _is_described(data) else None
    if isinstance(reply, Described):
        checked(SOURCE, reply.description)
    reference = installed().find(ALGORITHM, "acorn").reference
    tanks = CellTankPort(SeatSpec(index=1, team=reference, setting=(4, 2, 9, 9)), _Cell(data))
    filler: Game[Any] = installed().game("filler")
    turns: CellTurnPort[Any, Any] = CellTurnPort(SeatSpec(index=1, team=reference, setting=filler), _Cell(data))
    for ask in (lambda: tanks.ask([0, 1]), lambda: turns.choose(POSITION)):
        try:
            ask()
        except ENDS:
            continue


def _is_described(data: bytes) -> bool:
    try:
        _Cell(data).ask(Done(), 1.0, "x", Described)
    except CellError:
        return False
    return True


def _manager(data: bytes, folder: Path) -> None:
    """A list of steps, one after the other, to a host with two teams."""
    try:
        steps = msgspec.msgpack.decode(data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        steps = [msgspec.Raw(data)]
    game: Game[Any] = installed().game("tanks")
    team = cast("Any", installed().find(ALGORITHM, "acorn").reference.load_team())
    setting = (4, 2, 9, 9)
    seats = [InlineTankSeat(index, team, setting) for index in (1, 2)]
    match: Match[Any, Any] = Match(map=None, map_name="m", seats=seats, seed=1, recorder=ReplayRecorder("tanks"))
    served = _ServedMatch(_Cell(*map(bytes, steps)), MANAGER_LIMITS, match, kind_of(game), setting)
    claim = served.run()
    if isinstance(claim, bytes):
        claim = read_claim(claim, TankMap(title="m", max_steps=9, num_shells=9, grid=BOARD))
    if not claim_problem(claim, 2):
        verdict(plain(claim), claim.faults, 2, OnCrash.FORFEIT)


def _steps() -> Iterator[msgspec.Struct]:
    yield Step(CreateTankRequest(1, 0), [msgspec.Raw(ENCODER.encode(RecordedStart(4, 2, list("#  # 12 "))))])
    yield Step(CreateTankRequest(2, 0), [])
    yield Step(BriefRequest(1, 0), [])
    yield Step(Shown(list(BOARD)), [])
    yield Step(BriefRequest(2, 0), [])
    yield Step(FailedView(), [])
    yield Step(InformRequest(1, 0), [])
    panels = tuple(panel_values([TextPanel("news", ["a line"], 1), PlotPanel("plot", [1.0, 2.0])]))
    yield Step(Recorded(), [msgspec.Raw(ENCODER.encode(RecordedFrame([(1, "@")], ["Shoot"], [1.0], ["x"], panels)))])
    yield Step(ActionsRequest(1, [0]), [])
    yield Step(ChargeRequest(2, Termination.CRASH, "it broke"), [])
    yield Step(Claimed(GameResult(1, "ALL", 3, BOARD, ranks=(1, 2), scores=(1.0, 0.0))), [])


@cache
def _site() -> LiveSite:
    return LiveSite(lambda: tournament_of(installed()))


class _Connection(asyncio.Transport):
    """A connection on which nobody listens."""

    is_over = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in ("peername", "sockname") else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Let it go."""

    def close(self) -> None:
        self.is_over = True

    def is_closing(self) -> bool:
        return self.is_over


def _http(data: bytes, folder: Path) -> None:
    problems = in_own_thread(lambda: asyncio.run(_answered(data)))
    if problems:
        raise problems[0]


async def _answered(data: bytes) -> list[BaseException]:
    """What went wrong in the application while it answered what a connection received."""
    app = live_app(_site(), local=True)
    handler = _Errors()
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(handler)
    state = ServerState()
    config = make_config(app, 1)
    config.load()
    protocol = PatientProtocol(config, state, {})
    try:
        protocol.connection_made(_Connection())
        protocol.data_received(data)
        while state.tasks:
            await asyncio.gather(*state.tasks)
        protocol.connection_lost(None)
    finally:
        logger.removeHandler(handler)
    return handler.problems


class _Errors(logging.Handler):
    """Keeps the exceptions that the server tells of."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.problems: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            self.problems.append(record.exc_info[1])


def _managers() -> Sequence[bytes]:
    installed()
    return [ENCODER.encode(list(_steps())), ENCODER.encode([Step(Claimed(COMPILED_CLAIM.body), [])])]


def _requests() -> Sequence[bytes]:
    _site()
    return [REQUEST, REQUEST.replace(b"/index.html", b"/data/games.js"), REQUEST.replace(b"/index", b"http://localhost/index")]


def _messages() -> Sequence[bytes]:
    installed().find(GAME, "tanks")
    failure = Failure(FailureKind.CRASH, "it broke", "Traceback")
    described = Described(Description("/work/bot.py", [], []))
    answer = Answer(msgspec.Raw(msgspec.msgpack.encode({"x": 1, "y": -2})))
    return [ENCODER.encode(each) for each in (Done(), Failed(failure), described, Acted(b"\1\2"), Acted(b"", failure), answer)]


WIRES: Final = (
    Reader(name="frames", samples=made(frame(7, b"\x91\1") * 1, frame(7, bytes(40))), read=_frames, accepts=(WireError,)),
    Reader(name="team-message", samples=_messages, read=_team, form=Form.MSGPACK),
    Reader(
        name="manager-steps",
        samples=_managers,
        read=_manager,
        form=Form.MSGPACK,
        accepts=ENDS,
    ),
    Reader(name="http", samples=_requests, read=_http),
)
