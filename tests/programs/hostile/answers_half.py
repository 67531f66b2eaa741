"""Stops in the middle of an answer."""

import gc
import os
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl
from tiltyard_simulator.guard.cells.cell import Cell
from tiltyard_simulator.guard.cells.wire import frame


def cell():
    """What answers the host in this process."""
    return next(thing for thing in gc.get_objects() if isinstance(thing, Cell))


def attack():
    os.write(cell()._answers, frame(cell()._number, bytes(50))[:-10])
    time.sleep(60)


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
    yield TankTeam("answers_half", Commander, Tank)
