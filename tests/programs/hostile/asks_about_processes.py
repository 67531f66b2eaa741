"""Asks the kernel which processes there are, by their numbers."""

import os
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

QUESTIONS = {
    "group": os.getpgid,
    "session": os.getsid,
    "priority": lambda process: os.getpriority(os.PRIO_PROCESS, process),
    "signals": lambda process: os.kill(process, 0),
}


def attack():
    words = set()
    for name, ask in QUESTIONS.items():
        try:
            return f"OPEN: {name} {ask(os.getppid())}"
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
    yield TankTeam("asks_about_processes", Commander, Tank)
