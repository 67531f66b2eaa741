"""Sends a datagram to a socket file from one of a pair of sockets."""

import socket
import sys
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    try:
        for one in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM):
            one.sendto(b"pair", str(Path(__file__).resolve().parents[2] / "datagrams"))
        return "OPEN: sent"
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
    yield TankTeam("pair_socket", Commander, Tank)
