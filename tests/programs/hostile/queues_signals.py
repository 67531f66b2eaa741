"""Queues all signals that its user may queue."""

import ctypes
import os
import signal
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
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    information = (ctypes.c_int * 32)(signal.SIGRTMIN, 0, -1)
    queue = 129 if os.uname().machine == "x86_64" else 138
    for number in range(5_000):
        try:
            call(queue, os.getpid(), signal.SIGRTMIN, ctypes.addressof(information))
        except OSError as error:
            return f"BLOCKED: after {number}, {error}"
    return "OPEN: thousands"


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
    yield TankTeam("queues_signals", Commander, Tank)
