"""Kills the opponent's process."""

import os
import signal
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def siblings():
    """The cells beside this one, by the process table."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == os.getppid() and int(name) != os.getpid():
            found.append(int(name))
    return found


def attack():
    words, sent = "BLOCKED: found nobody", 0
    try:
        found, number = siblings(), signal.SIGKILL
    except OSError:
        # Without it they have to be guessed; a signal that does nothing shows as well whether another could be sent.
        found, number = {*range(max(2, os.getpid() - 50), os.getpid() + 50)} - {os.getpid()}, 0
    for sibling in found:
        try:
            os.kill(sibling, number)
        except OSError as error:
            words = f"BLOCKED: {error}"
        else:
            sent += 1
    return f"OPEN: sent {sent} signals" if sent else words


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
    yield TankTeam("kills_sibling", Commander, Tank)
