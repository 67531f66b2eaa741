"""Pins more memory than it may, so that nobody else can use it."""

import ctypes
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

MCL_CURRENT_AND_FUTURE = 3
SIZE = 8 << 20


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    block = ctypes.create_string_buffer(SIZE)
    words = []
    for way, arguments in ((libc.mlock, (block, ctypes.c_size_t(SIZE))), (libc.mlockall, (MCL_CURRENT_AND_FUTURE,))):
        if way(*arguments) == 0:
            return "OPEN: pinned"
        words.append(str(OSError(ctypes.get_errno(), way.__name__)))
    return f"BLOCKED: {words}"


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
    yield TankTeam("pins_memory", Commander, Tank)
