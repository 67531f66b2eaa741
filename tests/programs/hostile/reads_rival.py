"""Reads the opponent's file, directly and through a link."""

import contextlib
import os
import sys
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

RIVAL = Path(__file__).resolve().parents[2] / "rival" / "rival.py"


def attack():
    with contextlib.suppress(OSError):
        os.symlink(RIVAL, "link")
    for path in (RIVAL, "link", f"/proc/self/root{RIVAL}"):
        try:
            return f"OPEN: {Path(path).read_text()}"
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
    yield TankTeam("reads_rival", Commander, Tank)
