"""A sound team for hostile ones to play against: it has a secret, and it says when somebody has changed its world."""

from __future__ import annotations

import builtins
import json
import random
import sys
import time
from collections.abc import Iterator

from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, hookimpl

SECRET = "the test writes its own in here"
WORLD = (builtins.len, json.dumps, random.random, time.monotonic, ActionRequest.SHOOT.value)


class Rival(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None:
        self.secret = SECRET

    def get_action(self) -> ActionRequest:
        if (builtins.len, json.dumps, random.random, time.monotonic, ActionRequest.SHOOT.value) != WORLD:
            print("TOUCHED", file=sys.stderr)
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        return


class Commander(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        return


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    yield TankTeam("rival", player=Commander, tank=Rival)
