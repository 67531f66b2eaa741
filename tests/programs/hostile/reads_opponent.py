"""Searches all objects and frames of its process for the opponent."""

import gc
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    for thing in gc.get_objects():
        if type(thing).__name__ == "Rival":
            return f"OPEN: {vars(thing)}"
    frame = sys._getframe()
    while frame is not None:
        if any("rival" in name for name in frame.f_locals):
            return f"OPEN: {frame.f_locals}"
        frame = frame.f_back
    return f"BLOCKED: {len(gc.get_objects())} objects, none of them the opponent's"


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
    yield TankTeam("reads_opponent", Commander, Tank)
