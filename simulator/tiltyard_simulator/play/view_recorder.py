"""Adds to a replay when players saw the board, and whose view it was. The rows are in the replay already.

A view of the tank game is an earlier board, with ``%`` in place of the tank. Only the GameManager knows which board it is, so
each view is compared with the last recorded board. If they are equal but for one ``%``, three numbers describe the view. If not,
the replay only says that the view was another one.
"""

from __future__ import annotations

from typing import Any, Final

from tiltyard_engine.replay import Replay
from tiltyard_engine.seat_kinds.seat_ports import SeatObserver
from tiltyard_engine.tanks import SatelliteView

OWN: Final = "%"
"""A tank's own place in its view."""
OTHERWISE: Final = -1
"""Instead of a square: the view was not the recorded board."""


class ViewRecorder(SeatObserver):
    """Adds the boards that seats are shown to a replay that is being recorded. Other views are ignored."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._plain: list[str] = []
        self._whole = ""
        self._frames = 0

    def saw(self, seat: int, part: int, view: Any) -> None:
        """Record whose view it is, and the tank's square if it is the last board."""
        if not isinstance(view, SatelliteView):
            return
        replay = self._replay
        size = len(replay.squares)
        square = OTHERWISE
        if size:
            rows = "".join(view.get_rows(replay.width, replay.height))
            plain = self._board()
            own = rows.find(OWN)
            if len(rows) == size and own >= 0 and rows[:own] == plain[:own] and rows[own + 1 :] == plain[own + 1 :]:
                square = own
        replay.views.append((len(replay.frames) + 1, seat, square))

    def _board(self) -> str:
        replay = self._replay
        if not self._plain:
            self._plain = [token[0] for token in replay.squares]
        elif self._frames == len(replay.frames):
            # Several tanks see the same board.
            return self._whole
        for frame in replay.frames[self._frames :]:
            for square, token in frame.changes:
                self._plain[square] = token[0]
        self._frames = len(replay.frames)
        self._whole = "".join(self._plain)
        return self._whole
