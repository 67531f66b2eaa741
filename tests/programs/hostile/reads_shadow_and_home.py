"""Reads /etc/shadow, /etc/passwd and the home folder."""

import os
import sys
from pathlib import Path

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

HOME = "/root"
"""The test writes its own user's in here."""


def attack():
    found = []
    for read in (
        lambda: Path("/etc/shadow").read_text(),
        lambda: Path("/etc/passwd").read_text(),
        lambda: os.listdir(HOME),
    ):
        try:
            found.append(len(read()))
        except OSError as error:
            words = f"BLOCKED: {error}"
    return f"OPEN: {found}" if found else words


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
    yield TankTeam("reads_shadow_and_home", Commander, Tank)
