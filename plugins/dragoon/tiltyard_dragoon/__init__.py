"""Dragoon: keeps track of shells and enemies over all views and plans each tank's next rounds against both."""

from collections.abc import Iterator

from tiltyard_dragoon.player import DragoonPlayer
from tiltyard_dragoon.tank import DragoonTank
from tiltyard_engine import TankTeam, hookimpl

TILTYARD_API = 1


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    """The one team of this package."""
    yield TankTeam("dragoon", player=DragoonPlayer, tank=DragoonTank, description="tracks shells and enemies, plans against both")
