"""Attaches to nearby processes like a debugger, and opens their memory."""

import ctypes
import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

SEIZE = 0x4206


def siblings():
    """The cells beside this one, by the process table."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == os.getppid() and int(name) != os.getpid():
            found.append(int(name))
    return found


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        processes = [os.getppid(), *siblings()]
    except OSError:
        processes = [os.getppid(), *range(max(2, os.getpid() - 50), os.getpid()), *range(os.getpid() + 1, os.getpid() + 50)]
    words = set()
    for process in processes:
        if libc.ptrace(SEIZE, process, None, None) == 0:
            return "OPEN: attached"
        words.add(os.strerror(ctypes.get_errno()))
        try:
            with open(f"/proc/{process}/mem", "rb"):
                return "OPEN: its memory"
        except OSError as error:
            words.add(str(error.strerror))
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
    yield TankTeam("traces_parent_and_sibling", Commander, Tank)
