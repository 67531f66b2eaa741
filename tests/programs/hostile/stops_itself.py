"""Stops its own process by a signal that it can't ignore."""

import os
import signal
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    os.kill(os.getpid(), signal.SIGSTOP)
    return "went on"


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
    yield TankTeam("stops_itself", Commander, Tank)
