"""Seats whose code runs in the manager's own process: for trusted teams, and the fastest.

Module state is shared between seats and matches here; the same results as in separate processes are
promised only for teams that keep none.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Any, Literal, NoReturn, TypeVar

from tiltyard_engine.errors import ContractError, ForeignError, describe
from tiltyard_engine.records import PlayerArguments, TankTeam, TurnTeam
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TankSeat, TurnSeat
from tiltyard_engine.tanks import OUTSIDE, ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, ViewExpiredError
from tiltyard_engine.turns import A, P, TurnAlgorithm

OnFault = Literal["idle", "raise"]
NOBODY_YET = sys.maxsize
"""In place of the tank that was asked last, before the first was asked."""
T = TypeVar("T")


def _team_traceback(error: BaseException) -> str:
    """The traceback without this module's own frames: what the team wants to read; empty where it would tell nothing."""
    if isinstance(error, ForeignError):
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(own)]
    return "".join([*lines, *traceback.format_exception_only(error)])


class FailingSeat:
    """What seats share however they hold a team's code: the first fault, and what happens after it."""

    def __init__(self, index: int, name: str, on_fault: OnFault) -> None:
        self.index = index
        self.name = name
        self.fault: Fault | None = None
        self.round = 0
        self._raises = on_fault == "raise"

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record the seat's first fault; later ones leave it as it is."""
        return self._charge(termination, message)

    def _charge(self, termination: Termination, message: str, text: str = "") -> SeatFault:
        if self.fault is None:
            self.fault = Fault(self.index, termination, message, self.round, text)
        return SeatFault(self.fault)

    def _fail(self, error: BaseException, where: str) -> None:
        """Charge what the team's code raised; raise SeatFault if the manager wants to hear of it."""
        self._crash(error, where)
        self._stop()

    def _crash(self, error: BaseException, where: str) -> None:
        termination = Termination.OUT_OF_MEMORY if isinstance(error, MemoryError) else Termination.CRASH
        self._charge(termination, f"{where} raised {describe(error)}", _team_traceback(error))

    def _reject(self, message: str) -> None:
        self._charge(Termination.PROTOCOL, message)
        self._stop()

    def _stop(self) -> None:
        if self._raises:
            self._raise()

    def _raise(self) -> NoReturn:
        assert self.fault is not None
        raise SeatFault(self.fault)


class InlineTankSeat(FailingSeat, TankSeat):
    """A tank seat in the same process."""

    def __init__(self, index: int, team: TankTeam, arguments: PlayerArguments, on_fault: OnFault = "idle") -> None:
        super().__init__(index, team.name, on_fault)
        self._team = team
        self._last_asked = NOBODY_YET
        """Tanks are asked in the order of their indexes, so a smaller or equal one begins a new round."""
        self.player: _InlinePlayer = _InlinePlayer(self, arguments)

    @property
    def players_own(self) -> Player | None:
        """The team's Player behind ``player``; None if it could not be created."""
        return self.player._player

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """Call the team's tank factory; a tank whose factory failed never moves."""
        tank = _InlineTank(self, _IdleTank(), tank_index)
        if self.fault is None:
            try:
                algorithm = self._team.tank(self.index, tank_index)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(error, f"creating tank {tank_index}")
            else:
                if not isinstance(algorithm, TankAlgorithm):
                    self._reject(f"the tank factory returned {type(algorithm).__name__}, not a TankAlgorithm")
                else:
                    tank.algorithm = algorithm
        elif self._raises:
            self._raise()
        return tank

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask ``tanks`` in order; from a fault on, in ``idle`` mode, they do nothing."""
        answers: list[ActionRequest] = []
        if self.fault is not None:
            if self._raises:
                self._raise()
            return [ActionRequest.DO_NOTHING] * len(tanks)
        if not tanks:
            return answers
        handles: Sequence[Any] = tanks
        try:
            if handles[0].tank_index <= self._last_asked:
                self.round += 1
            self._last_asked = handles[-1].tank_index
            for tank in handles:
                if tank._seat is not self:
                    raise ContractError  # noqa: TRY301 -- told from the team's errors below
                answer = tank.algorithm.get_action()
                if answer.__class__ is not ActionRequest:
                    break
                answers.append(answer)
            else:
                return answers
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Looked for only now: to check every tank beforehand would cost every round.
            if not all(isinstance(tank, _InlineTank) and tank._seat is self for tank in tanks):
                raise ContractError("get_actions was given a tank that this seat did not create") from error
            self._crash(error, "get_action")
        else:
            self._charge(Termination.PROTOCOL, _wrong_answer(answer))
        if self.fault is not None and self._raises:
            raise SeatFault(self.fault, tuple(answers))
        return [*answers, *[ActionRequest.DO_NOTHING] * (len(tanks) - len(answers))]

    def _ask(self, tank: _InlineTank) -> ActionRequest:
        if self.fault is None:
            if tank.tank_index <= self._last_asked:
                self.round += 1
            self._last_asked = tank.tank_index
            try:
                answer = tank.algorithm.get_action()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(error, "get_action")
            else:
                if answer.__class__ is ActionRequest:
                    return answer
                self._reject(_wrong_answer(answer))
        elif self._raises:
            self._raise()
        return ActionRequest.DO_NOTHING

    def _tell(self, tank: _InlineTank, info: BattleInfo) -> None:
        """What a manager that talks to a tank itself gets: the same guard."""
        if self.fault is None:
            try:
                tank.algorithm.update_battle_info(info)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(error, "update_battle_info")
        elif self._raises:
            self._raise()


def _wrong_answer(answer: object) -> str:
    return f"get_action returned {_show(answer)}, not an ActionRequest"


def _show(answer: object) -> str:
    try:
        return f"{answer!r:.80} of type {type(answer).__name__}"
    except Exception:
        return type(answer).__name__


class _IdleTank(TankAlgorithm):
    """Stands in for a tank that could not be created."""

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        return


class _InlineTank(TankAlgorithm):
    """The manager's handle of a team's tank."""

    __slots__ = ("_seat", "algorithm", "tank_index")

    def __init__(self, seat: InlineTankSeat, algorithm: TankAlgorithm, tank_index: int) -> None:
        self._seat = seat
        self.algorithm = algorithm
        self.tank_index = tank_index

    def get_action(self) -> ActionRequest:
        return self._seat._ask(self)

    def update_battle_info(self, info: BattleInfo) -> None:
        self._seat._tell(self, info)


class _InlinePlayer(Player):
    """The manager's handle of a team's Player."""

    def __init__(self, seat: InlineTankSeat, arguments: PlayerArguments) -> None:
        self._seat = seat
        self._width, self._height = arguments[0], arguments[1]
        self._player: Player | None = None
        team = seat._team
        try:
            player = team.player(seat.index, *arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            seat._crash(error, "creating the Player")
        else:
            if isinstance(player, Player):
                self._player = player
            else:
                seat._charge(Termination.PROTOCOL, f"the player factory returned {type(player).__name__}, not a Player")

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        if not isinstance(tank, _InlineTank) or tank._seat is not self._seat:
            raise ContractError(f"the Player of seat {self._seat.index} was given a tank that its seat did not create")
        seat = self._seat
        if seat.fault is not None:
            if seat._raises:
                seat._raise()
            return
        assert self._player is not None
        view = _InlineView(satellite_view, self._width, self._height)
        try:
            self._player.update_tank_with_battle_info(tank.algorithm, view)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if view.failure is None:
                seat._fail(error, "update_tank_with_battle_info")
        finally:
            view.expired = True
        if view.failure is not None:
            raise view.failure


class _InlineView(SatelliteView):
    """A manager's view for the time of one call; outside the board it always shows ``&``."""

    __slots__ = ("_height", "_view", "_width", "expired", "failure")

    def __init__(self, view: SatelliteView, width: int, height: int) -> None:
        self._view = view
        self._width, self._height = width, height
        self.expired = False
        self.failure: Exception | None = None
        """What the manager's own view raised, although it was asked properly: no fault of the team."""

    def get_object_at(self, x: int, y: int) -> str:
        if self.expired:
            raise ViewExpiredError
        if not (0 <= x < self._width and 0 <= y < self._height):
            return OUTSIDE
        try:
            return self._view.get_object_at(x, y)
        except Exception as error:
            self._blame_manager(error, x, y)
            raise

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        if self.expired:
            raise ViewExpiredError
        shown = min(max(width, 0), self._width), min(max(height, 0), self._height)
        try:
            rows = self._view.get_rows(*shown)
        except Exception as error:
            self._blame_manager(error, *shown)
            raise
        if width > self._width:
            rows = [row + OUTSIDE * (width - self._width) for row in rows]
        return [*rows, *[OUTSIDE * width] * (height - len(rows))]

    def _blame_manager(self, error: Exception, *asked: object) -> None:
        if all(isinstance(number, int) for number in asked):
            self.failure = error


class InlineTurnSeat(FailingSeat, TurnSeat[P, A]):
    """A turn seat in the same process. It always raises SeatFault: a turn-based game has no idle answer."""

    def __init__(self, index: int, team: TurnTeam, answer_type: type[Any]) -> None:
        super().__init__(index, team.name, "raise")
        self._answer_type = answer_type
        self._team = team
        self._algorithm: Any = None

    def start(self, position: P) -> None:
        """Create the team's algorithm and show it the first position."""
        if self.fault is not None:
            self._raise()
        try:
            algorithm = self._team.create(self.index)
            if isinstance(algorithm, TurnAlgorithm):
                self._algorithm = algorithm
                algorithm.start(position)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._fail(error, "starting")
        if self._algorithm is None:
            self._reject(f"create returned {type(algorithm).__name__}, not a TurnAlgorithm")

    def choose(self, position: P) -> A:
        """Ask the team; an answer of another type than the game's is a fault."""
        if self.fault is not None:
            self._raise()
        if self._algorithm is None:
            raise ContractError(f"seat {self.index} was asked to choose before start")
        self.round += 1
        try:
            answer = self._algorithm.choose(position)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._fail(error, "choose")
            raise AssertionError("unreachable") from error
        if not isinstance(answer, self._answer_type):
            self._reject(f"choose returned {_show(answer)}, not {self._answer_type.__name__}")
        return answer  # type: ignore[no-any-return]
