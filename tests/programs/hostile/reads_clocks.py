"""Reads the CPU clocks of other processes, such as the opponent's."""

import os
import sys
import time

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    words = set()
    for process in (os.getppid(), *range(max(1, os.getpid() - 30), os.getpid()), *range(os.getpid() + 1, os.getpid() + 30)):
        try:
            # The number of a clock has the number of its process in it: see clock_getcpuclockid(3).
            return f"OPEN: {process} has computed for {time.clock_gettime((~process << 3) | 2)} s"
        except OSError as error:
            words.add(str(error))
    return f"BLOCKED: {words}"


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
    yield TankTeam("reads_clocks", Commander, Tank)
