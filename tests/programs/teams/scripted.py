"""Two teams whose tanks play scripts that a test puts into SCRIPTS: action letters by (player, tank index)."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine import BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, hookimpl
from tiltyard_tanks.conformance import ScriptedTank

SCRIPTS: dict[tuple[int, int], str] = {}


class QuietPlayer(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        tank.update_battle_info(BattleInfo())


def create_tank(player_index: int, tank_index: int) -> TankAlgorithm:
    return ScriptedTank(SCRIPTS.get((player_index, tank_index), ""))


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    yield TankTeam("script1", player=QuietPlayer, tank=create_tank)
    yield TankTeam("script2", player=QuietPlayer, tank=create_tank)
