"""What players are shown, noted in a replay: not the rows, which the replay has already, but whose view it was and when.

A view of the tank game is the board as it was some time before, with ``%`` where the asking tank stands. Which board, only the
GameManager knows; so each view that is handed out is held beside the board that was recorded last. If that is it but for one
``%``, three numbers tell it exactly; if not, that it was something else is all that is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.replay import Replay
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, Player, SatelliteView, TankAlgorithm

OWN: Final = "%"
"""How a tank sees itself."""
OTHERWISE: Final = -1
"""In place of the square: the view was not the recorded board."""


class Notes:
    """Adds views to a replay that is being recorded."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._plain: list[str] = []
        self._whole = ""
        self._frames = 0

    def note(self, seat: int, view: SatelliteView) -> None:
        """A seat is shown something."""
        replay = self._replay
        size = len(replay.squares)
        square = OTHERWISE
        if size:
            shown = "".join(view.get_rows(replay.width, replay.height))
            plain = self._board()
            own = shown.find(OWN)
            if len(shown) == size and own >= 0 and shown[:own] == plain[:own] and shown[own + 1 :] == plain[own + 1 :]:
                square = own
        replay.views.append((len(replay.frames) + 1, seat, square))

    def _board(self) -> str:
        """The board that was recorded last."""
        replay = self._replay
        if not self._plain:
            self._plain = [token[0] for token in replay.squares]
        elif self._frames == len(replay.frames):
            # Several tanks ask in one round.
            return self._whole
        for frame in replay.frames[self._frames :]:
            for square, token in frame.changes:
                self._plain[square] = token[0]
        self._frames = len(replay.frames)
        self._whole = "".join(self._plain)
        return self._whole


class _NotingPlayer(Player):
    def __init__(self, player: Player, seat: int, notes: Notes) -> None:
        self._player = player
        self._seat = seat
        self._notes = notes

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        self._notes.note(self._seat, satellite_view)
        self._player.update_tank_with_battle_info(tank, satellite_view)


class NotingSeat(TankSeat):
    """A tank seat around another; the GameManager cannot tell."""

    def __init__(self, seat: TankSeat, notes: Notes) -> None:
        self._seat = seat
        self.index = seat.index
        self.name = seat.name
        self.player = _NotingPlayer(seat.player, seat.index, notes)

    @property
    def fault(self) -> Fault | None:  # type: ignore[override]
        """The inner seat's fault."""
        return self._seat.fault

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Pass it on."""
        return self._seat.charge(termination, message)

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """The inner seat's."""
        return self._seat.create_tank(tank_index)

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """The inner seat's."""
        return self._seat.get_actions(tanks)
