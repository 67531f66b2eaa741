"""Puts a key into a shared keyring, where the opponent finds it."""

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
    add_key, keyctl = (248, 250) if os.uname().machine == "x86_64" else (217, 219)
    words = [ctypes.create_string_buffer(word) for word in (b"user", b"of-a-team", b"hello")]
    of_the_user, unlink = -4, 9
    try:
        key = call(add_key, *(ctypes.addressof(word) for word in words), 5, of_the_user)
    except OSError as error:
        return f"BLOCKED: {error}"
    call(keyctl, unlink, key, of_the_user)
    return f"OPEN: key {key}"


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
    yield TankTeam("keeps_keys", Commander, Tank)
