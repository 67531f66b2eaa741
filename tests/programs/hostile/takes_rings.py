"""Takes all of the kernel's memory for asynchronous reading."""

import ctypes
import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def call(number, *words):
    """A system call, for what Python doesn't offer."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(*(ctypes.c_long(word) for word in (number, *words)))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def attack():
    ring = ctypes.c_ulong(0)
    io_setup = 206 if os.uname().machine == "x86_64" else 0
    try:
        call(io_setup, 1000, ctypes.addressof(ring))
    except OSError as error:
        return f"BLOCKED: {error}"
    return "OPEN: for 1,000 reads"


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
    yield TankTeam("takes_rings", Commander, Tank)
