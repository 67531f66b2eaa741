"""Lists the other installed teams, without reading their files."""

import os
import sys
import sysconfig

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    try:
        names = os.listdir(sysconfig.get_path("purelib"))
    except OSError as error:
        return f"BLOCKED: {error}"
    return f"OPEN: {sorted(names)}"


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
    yield TankTeam("lists_installed_teams", Commander, Tank)
