"""Writes small files that together exceed the limit of the scratch folder."""

import sys
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    for number in range(600):
        try:
            Path(f"small-{number}").write_bytes(bytes(1 << 14))
        except OSError as error:
            return f"BLOCKED: after {number} files: {error}"
    return f"OPEN: {600 << 14} bytes in 600 files"


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
    yield TankTeam("many_files", Commander, Tank)
