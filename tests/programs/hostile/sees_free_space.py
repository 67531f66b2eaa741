"""Reads the free space of the disk, by which two teams could signal."""

import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

MOST = 1 << 30


def attack():
    # Its own folder is the only place where it could change that.
    space = os.statvfs(".")
    size = space.f_blocks * space.f_frsize
    return f"OPEN: of {size} bytes" if size > MOST else f"BLOCKED: {size} bytes of its own"


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
    yield TankTeam("sees_free_space", Commander, Tank)
