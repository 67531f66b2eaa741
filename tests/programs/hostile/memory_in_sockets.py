"""Keeps memory in sockets, outside its address space."""

import socket
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

CHUNK = bytes(1 << 14)


def attack():
    kept, held = [], 0
    try:
        while held < 1 << 24:
            pair = socket.socketpair()
            kept.append(pair)
            for end in pair:
                end.setblocking(False)
                try:
                    while True:
                        held += end.send(CHUNK)
                except BlockingIOError:
                    pass
    except OSError as error:
        return f"BLOCKED: after {held} bytes, {error}"
    return f"OPEN: {held} bytes"


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
    yield TankTeam("memory_in_sockets", Commander, Tank)
