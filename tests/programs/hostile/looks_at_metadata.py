"""Asks for the size of a file that it can't read."""

import os
import sys
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    try:
        return f"OPEN: {os.stat(Path(__file__).resolve().parents[2] / 'rival' / 'rival.py').st_size} bytes"
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
    yield TankTeam("looks_at_metadata", Commander, Tank)
