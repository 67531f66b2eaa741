"""Forks until the system refuses."""

import os
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

MOST = 100
"""Not every machine that tests it refuses."""


def attack():
    for number in range(MOST):
        try:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
        except OSError as error:
            return f"BLOCKED: after {number} processes: {error}"
    return f"OPEN: {MOST} processes"


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
    yield TankTeam("fork_bomb", Commander, Tank)
