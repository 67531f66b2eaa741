"""Nests so many folders that a recursive removal runs out of stack."""

import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    try:
        for _ in range(240):
            os.mkdir("folder")
            os.chdir("folder")
    except OSError as error:
        return f"nested: {error}"
    return "nested"


class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.actions = 0

    def get_action(self):
        # On some disks all at once takes more than the time of an action.
        self.actions += 1
        nested = attack() if self.actions <= 5 else ""
        if self.actions == 5:
            print(nested, file=sys.stderr)
        return ActionRequest.SHOOT

    def update_battle_info(self, info):
        pass


class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass


@hookimpl
def algorithms():
    yield TankTeam("nests_folders", Commander, Tank)
