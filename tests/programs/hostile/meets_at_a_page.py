"""Wakes processes that wait at a page of a shared file."""

import ctypes
import mmap
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
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p] + [ctypes.c_long] * 5
    file = os.open(os.__file__, os.O_RDONLY)
    page = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0)
    os.close(file)
    futex, wake = 202 if os.uname().machine == "x86_64" else 98, 1
    try:
        return f"OPEN: woke {call(futex, page, wake, 1, 0, 0, 0)}"
    except OSError as error:
        return f"BLOCKED: {error}"


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
    yield TankTeam("meets_at_a_page", Commander, Tank)
