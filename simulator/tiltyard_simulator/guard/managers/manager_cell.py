"""A cell that can also hold a GameManager: it reads the map again and lets the GameManager run the match."""

from __future__ import annotations

import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError, ForeignError, describe
from tiltyard_engine.match import Match
from tiltyard_engine.records import Game, Manager
from tiltyard_engine.results import GameResult, claim_problem, plain
from tiltyard_engine.seat_kinds.value_types import place_of
from tiltyard_simulator.guard.broker.messages import Claimed, Opened
from tiltyard_simulator.guard.broker.remote_seats import HostClient, RemoteSeat
from tiltyard_simulator.guard.cells.cell import Cell, failed_by, load_plugin
from tiltyard_simulator.guard.cells.messages import ENCODER, Failed, FailureKind, OpenManager, RunMatch, sendable
from tiltyard_simulator.guard.seats.kinds import kind_of, teams_in_cells
from tiltyard_simulator.match.verdict import run_manager

OWN_FOLDER: Final = str(Path(__file__).parents[1])


class ManagerCell(Cell):
    """The cell that every zygote forks: for a team or a GameManager."""

    def __init__(self, questions: int, answers: int) -> None:
        super().__init__(questions, answers, teams_in_cells())
        self._handlers[OpenManager] = "loading", self._open_manager

    def _open_manager(self, request: OpenManager) -> Opened | Failed:
        game = load_plugin(request.game)
        manager = load_plugin(request.manager)
        if not isinstance(manager, Manager) or not isinstance(game, Game):
            return failed_by(FailureKind.PROTOCOL, f"'{request.manager.name}' isn't a GameManager")
        name = request.map_name.decode("utf-8", "surrogatepass")
        board = game.maps.read(name, request.map_data, request.players)
        if request.rounds is not None and game.maps.truncate is not None:
            board = game.maps.truncate(board, request.rounds)
        self._handlers[RunMatch] = "run()", partial(self._run_match, manager, game, board, name)
        return Opened(manager.on_fault)

    def _run_match(self, manager: Manager, game: Game[Any], board: Any, map_name: str, request: RunMatch) -> msgspec.Struct:
        client = HostClient(self, request.records)
        match = Match(
            map=board,
            map_name=map_name,
            seats=_seats(game, request, client),
            seed=request.seed,
            recorder=client,
            verbose=request.verbose,
        )
        try:
            claim = run_manager(manager, match)
        except ContractError as error:
            failed = failed_by(FailureKind.PROTOCOL, f"{error}{place_of(manager.create)}")
        except MemoryError:
            raise
        except BaseException as error:
            failed = failed_by(FailureKind.CRASH, f"run() raised {describe(error)}", _traceback(error))
        else:
            problem = claim_problem(claim, len(match.seats))
            if not problem:
                return _claimed(client, claim)
            failed = failed_by(FailureKind.PROTOCOL, f"{problem}{place_of(manager.create)}")
        client.flush()
        return failed


def _seats(game: Game[Any], request: RunMatch, client: HostClient) -> list[RemoteSeat]:
    kind = kind_of(game)
    return [
        kind.remote_seat(client, index, name, fault, game)
        for index, (name, fault) in enumerate(zip(request.seats, request.faults, strict=True), start=1)
    ]


def _claimed(client: HostClient, claim: GameResult) -> msgspec.Struct:
    try:
        sound = _sendable(plain(claim))
        ENCODER.encode(sound)
    except (TypeError, ValueError, OverflowError) as error:
        client.flush()
        return failed_by(FailureKind.PROTOCOL, f"run() returned a result that cannot be sent: {error}")
    return client.step(Claimed(sound))


def _sendable(claim: GameResult) -> GameResult:
    """A result without characters that cannot be sent."""
    rows = tuple(map(sendable, claim.final_state))
    faults = tuple(replace(each, message=sendable(each.message), traceback=sendable(each.traceback)) for each in claim.faults)
    reason, message, log = map(sendable, (claim.reason, claim.message, claim.log))
    notes, original = tuple(map(sendable, claim.notes)), None if claim.as_made is None else _sendable(claim.as_made)
    return replace(claim, reason=reason, final_state=rows, message=message, faults=faults, log=log, notes=notes, as_made=original)


def _traceback(error: BaseException) -> str:
    """The traceback without the frames of this project between the GameManager and the host."""
    if isinstance(error, ForeignError):
        return ""
    lines = traceback.TracebackException.from_exception(error)
    visited: set[int] = set()
    waiting: list[traceback.TracebackException | None] = [lines]
    while waiting:
        part = waiting.pop()
        if part is None or id(part) in visited:
            continue
        visited.add(id(part))
        frames = [frame for frame in part.stack if not frame.filename.startswith(OWN_FOLDER)]
        part.stack = traceback.StackSummary.from_list(frames)
        waiting += [part.__cause__, part.__context__]
    return "".join(lines.format())
