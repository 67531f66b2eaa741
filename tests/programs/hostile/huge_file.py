"""Writes to one file without end."""

import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    written = 0
    try:
        with open("huge", "wb", buffering=0) as file:
            while written < 1 << 26:
                written += file.write(bytes(1 << 16))
    except OSError as error:
        return f"BLOCKED: after {written} bytes: {error}"
    return f"OPEN: {written} bytes"


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
    yield TankTeam("huge_file", Commander, Tank)
