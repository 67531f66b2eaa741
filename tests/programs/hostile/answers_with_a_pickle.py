"""Answers with a pickle that writes a file when it is loaded."""

import gc
import os
import pickle
import sys
import time
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl
from tiltyard_simulator.guard.cells.cell import Cell
from tiltyard_simulator.guard.cells.wire import frame


def cell():
    """What answers the host in this process."""
    return next(thing for thing in gc.get_objects() if isinstance(thing, Cell))


class Trap:
    def __reduce__(self):
        return open, (str(Path(__file__).resolve().parents[2] / "pickled"), "w")


def attack():
    os.write(cell()._answers, frame(cell()._number, pickle.dumps(Trap())))
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
    yield TankTeam("answers_with_a_pickle", Commander, Tank)
