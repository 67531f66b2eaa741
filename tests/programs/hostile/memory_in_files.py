"""Allocates memory in unnamed files, outside its address space."""

import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    taken, block = 0, bytes(1 << 20)
    try:
        for _ in range(80):
            file = os.memfd_create("file")
            while os.fstat(file).st_size < 1 << 20:
                taken += os.write(file, block)
    except OSError as error:
        return f"{'OPEN' if taken > 1 << 26 else 'BLOCKED'}: {taken >> 20} MiB, then {error}"
    return f"OPEN: {taken >> 20} MiB"


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
    yield TankTeam("memory_in_files", Commander, Tank)
