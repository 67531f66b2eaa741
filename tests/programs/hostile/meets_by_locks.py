"""Locks a shared file, and asks whether the opponent has a lock."""

import fcntl
import os
import struct
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

RECORD = "hhqqi4x"
WAYS = {
    "set": (fcntl.F_SETLK, fcntl.F_RDLCK),
    "ask": (fcntl.F_GETLK, fcntl.F_WRLCK),
    "set for an open file": (fcntl.F_OFD_SETLK, fcntl.F_RDLCK),
    "ask for an open file": (fcntl.F_OFD_GETLK, fcntl.F_WRLCK),
}


def attack():
    words = []
    with open(os.__file__, "rb") as file:
        for name, (command, kind) in WAYS.items():
            try:
                fcntl.fcntl(file, command, struct.pack(RECORD, kind, 0, 0, 0, 0))
            except OSError as error:
                words.append(str(error))
            else:
                return f"OPEN: {name}"
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            words.append(str(error))
        else:
            return "OPEN: flock"
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
    yield TankTeam("meets_by_locks", Commander, Tank)
