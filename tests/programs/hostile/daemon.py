"""Starts processes in a separate session that try to outlive the match."""

import os
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    try:
        if os.fork():
            time.sleep(0.05)
            return "left two processes behind"
        os.setsid()
        while os.fork():
            time.sleep(60)
        time.sleep(60)
    except OSError as error:
        return f"BLOCKED: {error}"
    os._exit(0)


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
    yield TankTeam("daemon", Commander, Tank)
