"""Kills its own process as the machine might, to have the match played again."""

import os
import resource
import signal
import sys
import threading

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def burn():
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        pass


def attack():
    words = []
    for end in (
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: signal.pthread_kill(threading.get_ident(), signal.SIGKILL),
        burn,
    ):
        try:
            end()
        except (OSError, ValueError) as error:
            words.append(str(error))
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
    yield TankTeam("kills_itself", Commander, Tank)
