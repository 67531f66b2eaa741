"""A small map, and two classes that play on it: of these, the one that shoots wins."""

from __future__ import annotations

from tests.conftest import DUEL, map_text

from tiltyard_engine import ActionRequest, BattleInfo, MapFile, TankAlgorithm

DUEL_MAP = MapFile("duel", "tanks", map_text(DUEL, 20, 5).encode())


class Shooter(TankAlgorithm):
    def get_action(self) -> ActionRequest:
        return ActionRequest.SHOOT

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


class Still(Shooter):
    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING
