"""Bramble, a turret: scans its lines of fire, turns, shoots, and stays where it is."""

from collections.abc import Iterator

from tiltyard_bramble.player import BramblePlayer
from tiltyard_bramble.tank import BrambleTank
from tiltyard_engine import TankTeam, hookimpl

TILTYARD_API = 1


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    """The one team of this package."""
    yield TankTeam(
        "bramble", player=BramblePlayer, tank=BrambleTank, description="a turret: scans its lines of fire, turns, shoots"
    )
