"""Coyote, a hunter: searches its way to a firing position and shoots only along clear lines."""

from collections.abc import Iterator

from tiltyard_coyote.player import CoyotePlayer
from tiltyard_coyote.tank import CoyoteTank
from tiltyard_engine import TankTeam, hookimpl

TILTYARD_API = 1


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    """The one team of this package."""
    yield TankTeam("coyote", player=CoyotePlayer, tank=CoyoteTank, description="a hunter: searches its way to a firing position")
