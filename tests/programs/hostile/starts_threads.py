"""Starts threads that use too much CPU time."""

import sys
import threading
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def burn():
    while True:
        pass


def attack():
    try:
        for _ in range(4):
            threading.Thread(target=burn, daemon=True).start()
    except RuntimeError as error:
        return f"BLOCKED: {error}"
    time.sleep(60)


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
    yield TankTeam("starts_threads", Commander, Tank)
