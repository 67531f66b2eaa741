"""Nests so many folders that a recursive removal runs out of stack."""

import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    try:
        for _ in range(1_200):
            os.mkdir("folder")
            os.chdir("folder")
    except OSError as error:
        return f"nested: {error}"
    return "nested"


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
    yield TankTeam("nests_folders", Commander, Tank)
