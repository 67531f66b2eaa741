"""Teams that keep the contract: one that shoots on and on, one that turns, one that never moves."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, hookimpl


class QuietPlayer(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        tank.update_battle_info(BattleInfo())


class Tank(TankAlgorithm):
    action = ActionRequest.DO_NOTHING

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.rounds = 0

    def get_action(self) -> ActionRequest:
        self.rounds += 1
        return self.action

    def update_battle_info(self, info: BattleInfo) -> None:
        return


class Shooter(Tank):
    action = ActionRequest.SHOOT


class Spinner(Tank):
    action = ActionRequest.ROTATE_LEFT_90


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    yield TankTeam("shooter", player=QuietPlayer, tank=Shooter)
    yield TankTeam("spinner", player=QuietPlayer, tank=Spinner)
    yield TankTeam("idler", player=QuietPlayer, tank=Tank)
