"""Connects to a server on this machine over TCP."""

import socket
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

PORT = 9
"""The test writes that of its own server in here."""


def attack():
    try:
        with socket.create_connection(("localhost", PORT), 0.1) as connection:
            connection.sendall(b"tcp")
        return "OPEN: sent"
    except OSError as error:
        words = f"BLOCKED: {error}"
    try:
        with socket.socket(socket.AF_INET) as connection:
            connection.connect(("127.0.0.1", PORT))
            connection.sendall(b"tcp")
        return "OPEN: sent"
    except OSError as error:
        return f"{words}; {error}"


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
    yield TankTeam("tcp", Commander, Tank)
