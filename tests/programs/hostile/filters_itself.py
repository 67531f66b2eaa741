"""Filters its own system calls, so that its answer kills it."""

import ctypes
import os
import struct
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

SET_SECCOMP, FILTER = 22, 2
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
KILL, ALLOW = 0x80000000, 0x7FFF0000


def attack():
    write = 1 if os.uname().machine == "x86_64" else 64
    steps = ((LOAD, 0, 0, 0), (IF_EQUAL, 0, 1, write), (RETURN, 0, 0, KILL), (RETURN, 0, 0, ALLOW))
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    header = ctypes.create_string_buffer(struct.pack("=H6xQ", len(steps), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    return libc.prctl(SET_SECCOMP, FILTER, ctypes.c_void_p(ctypes.addressof(header)), 0, 0)


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
    yield TankTeam("filters_itself", Commander, Tank)
