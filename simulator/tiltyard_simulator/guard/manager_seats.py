"""The seats that a GameManager holds in a cell of its own: what it asks of them, the host asks of the real ones.

In this file runs what is in the manager's process; nothing here is trusted by the host. The manager cannot tell these
seats from others: they raise and answer what the real ones do, in the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import Seat, TankSeat, TurnSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.turns import A, P
from tiltyard_simulator.guard.breaches import check_info, rows_of
from tiltyard_simulator.guard.cell import Cell
from tiltyard_simulator.guard.manager_messages import (
    FOREIGN,
    TELLS,
    ActionsWanted,
    ActionWanted,
    Answer,
    Answered,
    BriefingWanted,
    ChargeWanted,
    ChoiceWanted,
    Created,
    InformingWanted,
    Look,
    Raised,
    Recorded,
    RecordedFrame,
    RecordedStart,
    Refused,
    Says,
    Shown,
    StartWanted,
    TankWanted,
    Tells,
    Unshown,
    ViewFailed,
    Want,
)
from tiltyard_simulator.guard.messages import ENCODER

MOST_BUFFERED_BYTES: Final = 1 << 20
"""Of what is recorded; more than that does not wait for the next want."""
_ACTIONS: Final = tuple(ActionRequest)


class Line(Recorder):
    """The line to the host, and the recorder, whose frames ride on whatever is said next."""

    def __init__(self, cell: Cell, active: bool) -> None:
        self.active = active
        self._cell = cell
        self._recorded: list[msgspec.Raw] = []
        self._recorded_bytes = 0
        self._showing = False

    def says(self, want: Want) -> Says:
        """The want and all that was recorded before it."""
        says = Says(want, self._recorded)
        if self._recorded:
            self._recorded = []
            self._recorded_bytes = 0
        return says

    def want(self, want: Want) -> Tells:
        """Say what is wanted and wait for what came of it."""
        if self._showing:
            raise ContractError("a seat was asked for something while the GameManager's own view was looked at")
        told: Tells = TELLS.decode(self._cell.converse(self.says(want)))
        return told

    def brief(self, want: BriefingWanted, view: SatelliteView) -> Tells:
        """The same, showing the view as often as the host asks for it; raises what the view raised."""
        failure: BaseException | None = None
        if self._showing:
            return self.want(want)
        told: Tells | Look = TELLS.decode(self._cell.converse(self.says(want)))
        while type(told) is Look:
            self._showing = True
            try:
                answer: Want = Shown(rows_of(view, told.width, told.height))
                ENCODER.encode(answer)
            except BaseException as error:
                failure, answer = error, Unshown()
            finally:
                self._showing = False
            told = TELLS.decode(self._cell.converse(self.says(answer)))
        if type(told) is ViewFailed and failure is not None:
            raise failure
        return told  # type: ignore[return-value]

    def flush(self) -> None:
        """Say what was recorded and not yet said."""
        if self._recorded and not self._showing:
            self.want(Recorded())

    # The recorder

    def start(self, width: int, height: int, squares: Sequence[str]) -> None:
        """The start board."""
        if self.active:
            self._keep(RecordedStart(int(width), int(height), [str(token) for token in squares]))

    def frame(
        self,
        changes: Iterable[tuple[int, str]],
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """One round."""
        if self.active:
            squares = [(int(square), str(token)) for square, token in changes]
            self._keep(
                RecordedFrame(squares, [str(text) for text in actions], [*map(float, scores)], [str(text) for text in notes])
            )

    def _keep(self, record: RecordedStart | RecordedFrame) -> None:
        data = ENCODER.encode(record)
        self._recorded.append(msgspec.Raw(data))
        self._recorded_bytes += len(data)
        if self._recorded_bytes > MOST_BUFFERED_BYTES:
            self.flush()


class _LineSeat(Seat):
    """What both kinds share."""

    def __init__(self, line: Line, index: int, name: str, fault: Fault | None) -> None:
        self.index = index
        self.name = name
        self.fault = fault
        self._line = line

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record a fault that the rules found."""
        told = self._line.want(ChargeWanted(self.index, termination, str(message)))
        if type(told) is Raised:
            return self._seat_fault(told)
        self._take(told)
        raise AssertionError("unreachable")

    def _take(self, told: Tells) -> None:
        """Learn of a fault, and raise what the real seat raised."""
        if type(told) is Raised:
            raise self._seat_fault(told)
        fault: Fault | None = told.fault
        if fault is not None:
            self.fault = fault
        if type(told) is Refused:
            raise ContractError(told.message)

    def _seat_fault(self, told: Raised) -> SeatFault:
        if told.fault is not None:
            self.fault = told.fault
        assert self.fault is not None
        return SeatFault(self.fault, tuple(_ACTIONS[number] for number in told.answers))


class LineTankSeat(_LineSeat, TankSeat):
    """A tank seat whose real one is the host's."""

    def __init__(self, line: Line, index: int, name: str, fault: Fault | None) -> None:
        super().__init__(line, index, name, fault)
        self.player: Player = _LinePlayer(self)

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """Let the team create a tank."""
        told = self._line.want(TankWanted(self.index, int(tank_index)))
        self._take(told)
        assert type(told) is Created
        return _LineTank(self, told.tank, tank_index)

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask ``tanks`` in order, in one message."""
        return self._answers(self._line.want(ActionsWanted(self.index, [self.number_of(tank) for tank in tanks])))

    def number_of(self, tank: object) -> int:
        """The host's number for one of the own tanks; of any other the host makes what the real seat makes of it."""
        return tank.number if isinstance(tank, _LineTank) and tank.seat is self else FOREIGN

    def ask_one(self, number: int) -> ActionRequest:
        """Ask one tank, in a message of its own."""
        return self._answers(self._line.want(ActionWanted(self.index, number)))[0]

    def _answers(self, told: Tells) -> list[ActionRequest]:
        if type(told) is not Answered:
            self._take(told)
            raise AssertionError("unreachable")
        if told.fault is not None:
            self.fault = told.fault
        return [_ACTIONS[number] for number in told.actions]

    def inform(self, number: int, info: BattleInfo) -> None:
        """As a seat in a cell does it: no object of the manager's can go to the team's process."""
        if self.fault is None:
            check_info(info)
        self._take(self._line.want(InformingWanted(self.index, number)))

    def brief(self, number: int, view: SatelliteView) -> None:
        """Let the Player update a tank."""
        self._take(self._line.brief(BriefingWanted(self.index, number), view))


class _LineTank(TankAlgorithm):
    """The manager's handle of a tank."""

    __slots__ = ("number", "seat", "tank_index")

    def __init__(self, seat: LineTankSeat, number: int, tank_index: int) -> None:
        self.seat = seat
        self.number = number
        self.tank_index = tank_index

    def get_action(self) -> ActionRequest:
        return self.seat.ask_one(self.number)

    def update_battle_info(self, info: BattleInfo) -> None:
        self.seat.inform(self.number, info)


class _LinePlayer(Player):
    """The manager's handle of a Player."""

    def __init__(self, seat: LineTankSeat) -> None:
        self._seat = seat

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        self._seat.brief(self._seat.number_of(tank), satellite_view)


class LineTurnSeat(_LineSeat, TurnSeat[P, A]):
    """A turn seat whose real one is the host's."""

    def __init__(self, line: Line, index: int, name: str, fault: Fault | None, game: Game[Any]) -> None:
        super().__init__(line, index, name, fault)
        self._answer_type: Any = Any if game.answer_type is None else game.answer_type

    def start(self, position: P) -> None:
        """Tell the seat that play begins."""
        self._take(self._line.want(StartWanted(self.index, msgspec.Raw(ENCODER.encode(position)))))

    def choose(self, position: P) -> A:
        """The seat's answer."""
        told = self._line.want(ChoiceWanted(self.index, msgspec.Raw(ENCODER.encode(position))))
        self._take(told)
        assert type(told) is Answer
        answer: A = msgspec.msgpack.decode(told.answer, type=self._answer_type)
        return answer
