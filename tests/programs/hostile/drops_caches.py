"""Throws shared files out of the machine's memory, so that the opponent waits for the disk."""

import ctypes
import mmap
import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

MADV_PAGEOUT = 21


def by_descriptor(file):
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def by_memory(file):
    with mmap.mmap(file, 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as pages:
        pages.madvise(MADV_PAGEOUT)


def by_all_disks(file):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(file) < 0:
        raise OSError(ctypes.get_errno(), "syncfs")


def attack():
    words = []
    file = os.open(__file__, os.O_RDONLY)
    for way in (by_descriptor, by_memory, by_all_disks):
        try:
            way(file)
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
    yield TankTeam("drops_caches", Commander, Tank)
