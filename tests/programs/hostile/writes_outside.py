"""Writes to its own file and folder, the opponent's folder and the folder above."""

import sys
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

OWN = Path(__file__).resolve()


def attack():
    words = ""
    for path in (OWN.with_name("written"), OWN.parents[2] / "rival" / "written", OWN, OWN.parents[3] / "written"):
        try:
            with path.open("a") as file:
                file.write("# written\n")
            return f"OPEN: wrote {path}"
        except OSError as error:
            words = f"BLOCKED: {error}"
    return words


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
    yield TankTeam("writes_outside", Commander, Tank)
