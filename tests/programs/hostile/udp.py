"""Sends a UDP datagram to this machine."""

import socket
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

PORT = 9
"""The test writes that of its own receiver in here."""


def attack():
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
            channel.sendto(b"udp", ("127.0.0.1", PORT))
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
    yield TankTeam("udp", Commander, Tank)
