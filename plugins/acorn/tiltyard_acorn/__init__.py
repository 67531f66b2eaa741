"""Acorn, the team to read first: look around, turn, shoot, otherwise wander."""

from collections.abc import Iterator

from tiltyard_acorn.player import AcornPlayer
from tiltyard_acorn.tank import AcornTank
from tiltyard_engine import TankTeam, hookimpl

TILTYARD_API = 1


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    """The one team of this package."""
    yield TankTeam("acorn", player=AcornPlayer, tank=AcornTank, description="looks around, turns to the nearest enemy, shoots")
