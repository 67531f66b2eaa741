"""Loops forever while it is imported."""

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

while True:
    pass


class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        pass

    def get_action(self):
        return ActionRequest.SHOOT

    def update_battle_info(self, info):
        pass


class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass


@hookimpl
def algorithms():
    yield TankTeam("loops_in_import", Commander, Tank)
