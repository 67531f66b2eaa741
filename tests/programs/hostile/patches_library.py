"""Changes the standard library and the contract's classes in its process."""

import builtins
import json
import random
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    json.dumps = random.random = time.monotonic = lambda *arguments: 0
    builtins.len = lambda thing: 0
    for action in ActionRequest:
        action._value_ = 6


class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        pass

    def get_action(self):
        print(attack(), file=sys.stderr)
        return ActionRequest.SHOOT

    def update_battle_info(self, info):
        pass


class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass


@hookimpl
def algorithms():
    yield TankTeam("patches_library", Commander, Tank)
