"""What a team's tank code consists of: actions, the view, the tank, the Player.

Names and meaning follow the course's assignment 2 (its C++ headers), in Python spelling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

OUTSIDE = "&"
"""What a view shows at a place that is not on the board."""


class ActionRequest(IntEnum):
    """What a tank asks for in a round. The numbers are those of the course's C++ enum."""

    MOVE_FORWARD = 0
    MOVE_BACKWARD = 1
    ROTATE_LEFT_90 = 2
    ROTATE_RIGHT_90 = 3
    ROTATE_LEFT_45 = 4
    ROTATE_RIGHT_45 = 5
    SHOOT = 6
    GET_BATTLE_INFO = 7
    DO_NOTHING = 8

    @property
    def title(self) -> str:
        """The name that output files use, such as ``RotateLeft90``."""
        return ACTION_TITLES[self]


ACTION_TITLES: tuple[str, ...] = tuple(action.name.title().replace("_", "") for action in ActionRequest)
"""Output-file names of the actions, indexed by their number."""


class BattleInfo:
    """What a Player tells one of its tanks.

    Each team derives its own class and may put anything in it: an object of it never leaves the
    team's process. The tank must not keep a reference to it after ``update_battle_info`` returned
    (assignment 2, API note 5).
    """


class SatelliteView(ABC):
    """The board as it stood at the end of the previous round; valid only during the call that hands it out.

    Characters: ``#`` wall, ``1``..``9`` a tank of that player, ``%`` the tank that asked, ``@`` mine,
    ``*`` shell (it hides a mine below), space, ``&`` outside the board.
    """

    @abstractmethod
    def get_object_at(self, x: int, y: int) -> str:
        """The character at column ``x`` and row ``y``, both from 0 at the top left; ``&`` outside."""

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        """The first ``height`` rows of ``width`` characters each: all at once, faster than square by square."""
        return ["".join(self.get_object_at(x, y) for x in range(width)) for y in range(height)]


class TankAlgorithm(ABC):
    """One tank's brain. Its factory is called with ``(player_index, tank_index)``.

    ``player_index`` counts from 1; ``tank_index`` from 0 within the player, in the order in which
    the tanks stand on the map, row by row from the top.
    """

    @abstractmethod
    def get_action(self) -> ActionRequest:
        """The request for this round; called once a round while the tank lives."""

    @abstractmethod
    def update_battle_info(self, info: BattleInfo) -> None:
        """Take what the tank's own Player tells it, after the tank asked for GET_BATTLE_INFO."""


class Player(ABC):
    """One side's coordinator: sees the board for its tanks and tells them what it wants them to know."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:  # noqa: B027
        """Learn the seat (from 1), the board's width ``x`` and height ``y``, and the map's two limits."""

    @abstractmethod
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Answer ``tank``, which asked: read the view, then call ``tank.update_battle_info`` once.

        The view expires when this returns; using it later raises :class:`ViewExpiredError`.
        """


class ViewExpiredError(RuntimeError):
    """A SatelliteView was used after the call that handed it out had returned."""

    def __init__(self) -> None:
        super().__init__("this SatelliteView has expired: copy what you need while update_tank_with_battle_info runs")


class PlayerFactory(Protocol):
    """Makes a Player. A Player class is its own factory."""

    def __call__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int, /) -> Player:
        """A new Player for one match."""
        ...


class TankAlgorithmFactory(Protocol):
    """Makes a TankAlgorithm. A TankAlgorithm class is its own factory."""

    def __call__(self, player_index: int, tank_index: int, /) -> TankAlgorithm:
        """A new tank for one match."""
        ...
