"""One match in this process, with all that its seats were shown and answered.

It is what the simulator's arena does for a match whose code all runs inline, without the simulator.
"""

from __future__ import annotations

import contextlib
import io
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tiltyard_engine.errors import ContractError, UserError, describe
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.match_record import NO_CLAIM, Evidence, MatchRecord, PlayedMatch, outcome_of, played_match
from tiltyard_engine.records import Game, Manager, MapFile, TankInterface, TankTeam, TurnInterface
from tiltyard_engine.replay import ReplayRecorder
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination, claim_problem, judge, plain
from tiltyard_engine.seat_kinds.seat_ports import ObservedSeat, SeatObserver
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort, ObservedTankSeat
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, ObservedTurnSeat
from tiltyard_engine.tanks import SatelliteView
from tiltyard_kit.game_check.bench.parts import Team

MOST_QUESTIONS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a seat was shown or asked; of tanks the view that their Player was shown, a text."""

    seat: int
    part: int
    """The tank's index; 0 where a seat has no parts."""
    view: Any
    answer: Any = None
    """None where the seat failed, or where a Player was shown a view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineRun:
    """A match that was played in this process."""

    record: PlayedMatch
    board: Any
    """The map, as the game read it."""
    result: object
    """What the GameManager's ``run`` returned, whatever that is; None if it raised."""
    questions: tuple[Question, ...]
    """In the order in which they were asked."""
    error: BaseException | None = None
    """What the GameManager raised."""


class EndlessMatchError(BaseException):
    """A match goes on and on. Not an Exception, because a GameManager that goes on after every error may be the reason."""

    def __init__(self, questions: int) -> None:
        super().__init__(f"more than {questions:,} questions were asked: the match does not end")


class _Watcher(SeatObserver):
    def __init__(self, size: tuple[int, int], most: int) -> None:
        self.questions: list[Question] = []
        self._size, self._most = size, most
        self._views: dict[tuple[int, int], Any] = {}

    def _add(self, question: Question) -> None:
        if len(self.questions) >= self._most:
            raise EndlessMatchError(self._most)
        self.questions.append(question)

    def saw(self, seat: int, part: int, view: Any) -> None:
        if isinstance(view, SatelliteView):
            with contextlib.suppress(Exception):  # what a view raises is the seat's to find
                self._add(Question(seat, part, "\n".join(view.get_rows(*self._size))))
        else:
            self._views[seat, part] = view
            self._add(Question(seat, part, view))

    def answered(self, seat: int, part: int, answer: Any) -> None:
        view = self._views.pop((seat, part), None)
        if view is not None:
            for place in range(len(self.questions) - 1, -1, -1):
                question = self.questions[place]
                if (question.seat, question.part) == (seat, part):
                    self.questions[place] = Question(seat, part, view, answer)
                    return
        self._add(Question(seat, part, None, answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineMatch:
    """A match to play in this process."""

    game: Game[Any]
    manager: Manager
    map: MapFile
    teams: Sequence[Team]
    """Seat 1 first."""
    names: Sequence[str] = field(default_factory=tuple)
    """What the teams are called; empty: as they are registered."""
    seed: int = 0
    rounds: int | None = None
    """End after so many rounds, if the game can be shortened; None: play to the end."""
    records: bool = True
    most_questions: int = MOST_QUESTIONS
    """After so many, a match that goes on is broken off, as if its GameManager had raised EndlessMatchError."""


def play_inline(match: InlineMatch) -> InlineRun:
    """Play a match. What its code does wrong is in the record's faults, as after any match.

    Raises:
        MapError: the map cannot be read.
        UserError: a team is not for the game, or the seats of the game are of a kind that only the simulator knows.
    """
    game, count = match.game, len(match.teams)
    board = game.maps.read(match.map.name, match.map.data, count)
    shortened = board if match.rounds is None or game.maps.truncate is None else game.maps.truncate(board, match.rounds)
    interface = game.interface
    size = interface.player_arguments(board)[:2] if isinstance(interface, TankInterface) else (0, 0)
    watcher = _Watcher(size, match.most_questions)
    names = tuple(match.names) or tuple(team.name for team in match.teams)
    recorder = ReplayRecorder(game.name, names, match.map.name) if match.records else None
    recording = {} if recorder is None else {"recorder": recorder}
    with contextlib.redirect_stdout(io.StringIO()):
        seats = [_seat(match, board, index, watcher) for index in range(1, count + 1)]
        result, error = _run(
            match.manager,
            Match(map=shortened, map_name=match.map.name, seats=seats, seed=match.seed, verbose=match.records, **recording),
        )
    claim, manager_fault = _judged_claim(result, error, count)
    seat_faults = [seat.fault for seat in seats if seat.fault is not None]
    charged = {fault.seat for fault in seat_faults}
    seat_faults += [fault for fault in claim.faults if fault.seat not in charged and 0 < fault.seat <= count]
    if manager_fault is not None:
        winner, ranks = 0, (1,) * count
        faults = (manager_fault, *seat_faults)
    else:
        winner, ranks = judge(claim, seat_faults, count) if seat_faults else (claim.winner, claim.ranks_for(count))
        faults = tuple(seat_faults)
    replay = recorder.replay if recorder is not None and recorder.replay.shows_anything else None
    if replay is not None:
        replay.message = claim.message
    names_and_seed: dict[str, Any] = {"teams": names, "map": match.map.name, "manager": match.manager.name, "seed": match.seed}
    outcome = outcome_of(claim, winner, ranks, faults, **names_and_seed)
    record = played_match(MatchRecord(outcome=outcome, evidence=Evidence(claim=claim)), replay)
    return InlineRun(record=record, board=board, result=result, questions=tuple(watcher.questions), error=error)


def _seat(match: InlineMatch, board: Any, index: int, watcher: SeatObserver) -> ObservedSeat:
    team, interface = match.teams[index - 1], match.game.interface
    if isinstance(interface, TankInterface):
        if not isinstance(team, TankTeam):
            raise UserError(f"'{team.name}' has no Player and tanks, as {match.game.name} needs")
        port = InlineTankPort(index, team, interface.player_arguments(board))
        seat: ObservedSeat = ObservedTankSeat(index, team.name, port, match.manager.on_fault)
    elif isinstance(interface, TurnInterface):
        if isinstance(team, TankTeam):
            raise UserError(f"'{team.name}' has a Player and tanks, but the game {match.game.name} has none")
        turns = InlineTurnPort[Any, Any](index, team, interface.answer_type or object, rules=match.game.rules)
        seat = ObservedTurnSeat(index, team.name, turns)
    else:
        raise no_such_seats(match.game)
    seat.observe([watcher])
    return seat


def no_such_seats(game: Game[Any]) -> UserError:
    """That a game's seats are neither those of tanks nor those of turns."""
    kind = type(game.interface).__name__
    return UserError(
        f"{game.name} has seats of a kind of its own ({kind}): the test kit has none for these, only for tanks and turns"
    )


def _run(manager: Manager, match: Match[Any, Any]) -> tuple[object, BaseException | None]:
    try:
        referee = manager.create()
        if isinstance(referee, GameManager):
            return referee.run(match), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error
    return None, ContractError(f"create() returned {type(referee).__name__}, not a GameManager")


def _judged_claim(result: object, error: BaseException | None, seats: int) -> tuple[GameResult, Fault | None]:
    if error is not None:
        kind = Termination.PROTOCOL if isinstance(error, UserError) else Termination.CRASH
        text = "".join(traceback.format_exception(error))
        message = str(error) if isinstance(error, ContractError) else f"run() raised {describe(error)}"
        return NO_CLAIM, Fault(MANAGER_SEAT, kind, message, traceback=text)
    problem = claim_problem(result, seats)
    if problem:
        return NO_CLAIM, Fault(MANAGER_SEAT, Termination.PROTOCOL, problem)
    assert isinstance(result, GameResult)
    return plain(result), None
