"""What a tank knows as numbers, for agents in training: the board when it last looked, and what it did since.

A tank sees the board only when it asks for it. Between two looks it reckons its own heading, place, shells and reload time by the
reference rules; of all others it knows what it saw last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.learning import Observation, Spaces, TankEncoding, TankMemory
from tiltyard_engine.records import PlayerArguments
from tiltyard_engine.tanks import ActionRequest
from tiltyard_tanks.battle import START_HEADINGS, STEP_X, STEP_Y, TURNS
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import REFERENCE

PLANES: Final = 9
"""Walls, mines, shells, other own tanks, enemies; the square ahead of the tank; and three planes of one number each: the rounds
until it may shoot, the shells that it has left, the rounds since it last looked (all at most 255)."""
MOST: Final = 255
AT_REST: Final = 0
BACKED: Final = 3
"""How far a tank is with backing up, as in ``Battle.phase``: it waits in 1 and 2, and can step back again at once in 3."""


def _marks(characters: str) -> bytes:
    """A table for ``bytes.translate``: 1 for these characters, 0 for all others."""
    return bytes(int(chr(character) in characters) for character in range(256))


_GROUND_TABLES: Final = (_marks("#"), _marks("@"), _marks("*"))
_TANK_TABLES: Final = tuple((_marks(str(own)), _marks("123456789".replace(str(own), ""))) for own in range(10))
"""By player: its other tanks, its enemies."""
_WALL: Final = ord("#")


class Memory(TankMemory):
    """One tank's. The board is kept with the tank in the middle; edges join, so that nothing of it is lost.

    A wall that has fallen since the last look still stands here: a tank that went through it reckons that it has stayed where it
    was, until it looks again.
    """

    def __init__(self, player_index: int, tank_index: int, arguments: PlayerArguments) -> None:
        self._width, self._height, _, self._shells = arguments
        self.heading: int = START_HEADINGS[player_index]
        """Eighths of a turn clockwise from up."""
        self.phase = AT_REST
        self._tables = (*_GROUND_TABLES, *_TANK_TABLES[player_index])
        self._cells = b""
        """The board when it last looked, row by row; empty before."""
        self._x = self._y = 0
        """Where the tank is on it."""
        self._round_of_view = 0
        """The round of the last look; 0: never."""
        self._round = 0
        self._ready = 0
        """The first round in which it may shoot again."""
        self._planes: bytes | None = None
        """Those of the board; None: the tank has moved or looked since."""

    @property
    def place(self) -> tuple[int, int]:
        """Column and row, as it reckons them; of no use before the first look."""
        return self._x, self._y

    @property
    def shells(self) -> int:
        """How many it has left."""
        return self._shells

    def observe(self) -> Observation:
        shape = (PLANES, self._height, self._width)
        if self._planes is None:
            self._planes = self._board_planes()
        squares = self._width * self._height
        ahead = bytearray(squares)
        row = (self._height // 2 + STEP_Y[self.heading]) % self._height
        ahead[row * self._width + (self._width // 2 + STEP_X[self.heading]) % self._width] = 1
        wait = max(0, self._ready - self._round - 1)
        since = self._round + 1 - self._round_of_view if self._round_of_view else MOST
        numbers = b"".join([bytes([min(number, MOST)]) * squares for number in (wait, self._shells, since)])
        return Observation(shape, b"".join([self._planes, ahead, numbers]), len(ActionRequest))

    def _board_planes(self) -> bytes:
        width, height = self._width, self._height
        if not self._cells:
            return bytes(5 * width * height)
        left, top = (self._x - width // 2) % width, (self._y - height // 2) % height
        rows = [self._cells[start : start + width] for start in range(0, width * height, width)]
        view = b"".join([row[left:] + row[:left] for row in rows[top:] + rows[:top]])
        return b"".join([view.translate(table) for table in self._tables])

    def acted(self, action: ActionRequest) -> None:
        self._round += 1
        if self.phase in (1, 2):
            if action is ActionRequest.MOVE_FORWARD:
                self.phase = AT_REST
            else:
                self._wait_to_back()
        elif action is ActionRequest.MOVE_BACKWARD:
            if self.phase == BACKED:
                self._back()
            else:
                self.phase = 1
        else:
            self.phase = AT_REST
            self.heading = (self.heading + TURNS[action]) & 7
            if action is ActionRequest.MOVE_FORWARD:
                self._step(self.heading)
            elif action is ActionRequest.SHOOT and self._shells and self._round >= self._ready:
                self._shells -= 1
                self._ready = self._round + REFERENCE.reload_rounds

    def _wait_to_back(self) -> None:
        if self.phase == 1:
            self.phase = 2
        else:
            self._back()

    def _back(self) -> None:
        self.phase = BACKED if self._step(self.heading ^ 4) else AT_REST

    def _step(self, heading: int) -> bool:
        """Whether no wall that it has seen is in the way."""
        x, y = (self._x + STEP_X[heading]) % self._width, (self._y + STEP_Y[heading]) % self._height
        if self._cells and self._cells[y * self._width + x] == _WALL:
            return False
        self._x, self._y, self._planes = x, y, None
        return True

    def saw(self, rows: Sequence[str]) -> None:
        self._cells = "".join(rows).encode("latin-1", "replace")
        self._round_of_view = self._round
        self._planes = None
        place = self._cells.find(b"%")
        if place >= 0:
            self._y, self._x = divmod(place, self._width)


def spaces(tank_map: TankMap) -> Spaces:
    """Observations are nine planes of the map's size with the tank in the middle. Actions are those of ActionRequest."""
    return Spaces(shape=(PLANES, tank_map.height, tank_map.width), actions=len(ActionRequest))


def owners(tank_map: TankMap) -> list[int]:
    """The player of each tank: row by row from the top."""
    return [int(character) for row in tank_map.grid for character in row if character in "123456789"]


def is_lost(action: str) -> bool:
    """Whether the output file says that the tank is dead: ``killed``, or an action with ``(killed)`` behind it."""
    return action.endswith(("killed", "(killed)"))


ENCODING: Final = TankEncoding(spaces=spaces, owners=owners, is_lost=is_lost, memory=Memory)
