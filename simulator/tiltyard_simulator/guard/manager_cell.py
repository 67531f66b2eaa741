"""A cell that can hold a GameManager too: reads the map again by the game's own rules and lets the manager run."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import ContractError, ForeignError, describe
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Game, Manager
from tiltyard_engine.results import GameResult
from tiltyard_engine.seats import Seat
from tiltyard_simulator.guard.cell import LONGEST_MESSAGE, LONGEST_TRACEBACK, Cell, cut, load_plugin
from tiltyard_simulator.guard.manager_messages import Claimed, Opened, Says
from tiltyard_simulator.guard.manager_seats import Line, LineTankSeat, LineTurnSeat
from tiltyard_simulator.guard.messages import ENCODER, Failed, Failure, FailureKind, OpenManager, RunMatch, sendable
from tiltyard_simulator.judging import claim_problem, plain

OWN_FOLDER: Final = str(Path(__file__).parent)


class ManagerCell(Cell):
    """What every cell is before it knows what it will hold."""

    def __init__(self, questions: int, answers: int) -> None:
        super().__init__(questions, answers)
        self._manager: Manager | None = None
        self._game: Game[Any] | None = None
        self._map: tuple[Any, str] = (None, "")
        self._handlers |= {OpenManager: ("loading", self._open_manager), RunMatch: ("run()", self._run_match)}

    def _open_manager(self, request: OpenManager) -> Opened | Failed:
        game = load_plugin(request.game)
        manager = load_plugin(request.manager)
        if not isinstance(manager, Manager) or not isinstance(game, Game):
            return _failed(FailureKind.PROTOCOL, f"'{request.manager.name}' is no GameManager")
        name = request.map_name.decode("utf-8", "surrogatepass")
        board = game.read_map(name, request.map_data, request.players)
        if request.rounds is not None and game.truncate is not None:
            board = game.truncate(board, request.rounds)
        self._manager, self._game, self._map = manager, game, (board, name)
        return Opened(manager.on_fault)

    def _run_match(self, request: RunMatch) -> Says | Failed:
        assert self._manager is not None
        assert self._game is not None
        line = Line(self, request.records)
        match = Match(*self._map, _seats(self._game, request, line), request.seed, line, verbose=request.verbose)
        try:
            claim = _run(self._manager, match)
        except ContractError as error:
            failed = _failed(FailureKind.PROTOCOL, str(error))
        except MemoryError:
            raise
        except BaseException as error:
            failed = _failed(FailureKind.CRASH, f"run() raised {describe(error)}", _traceback(error))
        else:
            problem = claim_problem(claim, len(match.seats))
            if not problem:
                return _claimed(line, claim)
            failed = _failed(FailureKind.PROTOCOL, problem)
        line.flush()
        return failed


def _seats(game: Game[Any], request: RunMatch, line: Line) -> list[Seat]:
    seats: list[Seat] = []
    for index, (name, fault) in enumerate(zip(request.seats, request.faults, strict=True), start=1):
        if game.player_arguments is not None:
            seats.append(LineTankSeat(line, index, name, fault))
        else:
            seats.append(LineTurnSeat(line, index, name, fault, game))
    return seats


def _run(record: Manager, match: Match[Any, Any]) -> object:
    manager = record.create()
    if not isinstance(manager, GameManager):
        raise ContractError(f"create() returned {type(manager).__name__}, not a GameManager")
    return manager.run(match)


def _claimed(line: Line, claim: object) -> Says | Failed:
    assert isinstance(claim, GameResult)
    try:
        sound = _sendable(plain(claim))
        ENCODER.encode(sound)
    except (TypeError, ValueError, OverflowError) as error:
        line.flush()
        return _failed(FailureKind.PROTOCOL, f"run() returned what cannot be sent: {error}")
    return line.says(Claimed(sound))


def _sendable(claim: GameResult) -> GameResult:
    """Without characters that cannot travel."""
    rows = tuple(map(sendable, claim.final_state))
    faults = tuple(replace(each, message=sendable(each.message), traceback=sendable(each.traceback)) for each in claim.faults)
    reason, message, log = map(sendable, (claim.reason, claim.message, claim.log))
    return replace(claim, reason=reason, final_state=rows, message=message, faults=faults, log=log)


def _failed(kind: FailureKind, message: str, text: str = "") -> Failed:
    return Failed(Failure(kind, cut(message, LONGEST_MESSAGE), cut(text, LONGEST_TRACEBACK)))


def _traceback(error: BaseException) -> str:
    """The traceback without the frames of what stands between the manager and the host."""
    if isinstance(error, ForeignError):
        return ""
    lines = traceback.TracebackException.from_exception(error)
    seen: set[int] = set()
    waiting: list[traceback.TracebackException | None] = [lines]
    while waiting:
        part = waiting.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        kept = [frame for frame in part.stack if not frame.filename.startswith(OWN_FOLDER)]
        part.stack = traceback.StackSummary.from_list(kept)
        waiting += [part.__cause__, part.__context__]
    return "".join(lines.format())
