"""Kills the process that it was forked from."""

import os
import signal
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

PARENT = os.getppid()
"""Once it is dead, another process takes its place, which must not die."""


def attack():
    try:
        os.kill(PARENT, signal.SIGKILL)
    except OSError as error:
        return f"BLOCKED: {error}"
    print("OPEN: killed", file=sys.stderr)
    time.sleep(10)
    return "it was not missed"


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
    yield TankTeam("kills_parent", Commander, Tank)
