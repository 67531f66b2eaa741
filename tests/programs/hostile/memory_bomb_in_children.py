"""Uses its whole memory limit in each of several processes."""

import os
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

CHILDREN = 4
EACH = 40 << 20


def attack():
    told, tell = os.pipe()
    for _ in range(CHILDREN):
        try:
            if os.fork() == 0:
                kept = bytearray(b"x") * EACH
                os.write(tell, b"1")
                time.sleep(60)
                os._exit(len(kept))
        except OSError as error:
            return f"BLOCKED: {error}"
    return f"OPEN: {EACH * sum(len(os.read(told, 1)) for _ in range(CHILDREN)) >> 20} MiB"


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
    yield TankTeam("memory_bomb_in_children", Commander, Tank)
