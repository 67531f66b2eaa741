"""Watches who reads shared files, to learn what the opponent imports."""

import ctypes
import fcntl
import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

FOLDER = os.path.dirname(os.__file__)
IN_OPEN = 0x20


def by_inotify():
    libc = ctypes.CDLL(None, use_errno=True)
    watching = libc.inotify_init1(0)
    if watching < 0 or libc.inotify_add_watch(watching, FOLDER.encode(), IN_OPEN) < 0:
        raise OSError(ctypes.get_errno(), "inotify")


def by_fcntl():
    folder = os.open(FOLDER, os.O_RDONLY)
    try:
        fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    finally:
        os.close(folder)


def attack():
    words = []
    for way in (by_inotify, by_fcntl):
        try:
            way()
        except OSError as error:
            words.append(str(error))
        else:
            return f"OPEN: {way.__name__}"
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
    yield TankTeam("watches_files", Commander, Tank)
