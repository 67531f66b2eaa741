"""Takes a lease on a file, so that everybody who opens it waits."""

import fcntl
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl


def attack():
    words = []
    with open(__file__, "rb") as file:
        for lease in (fcntl.F_WRLCK, fcntl.F_RDLCK):
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, lease)
            except OSError as error:
                words.append(str(error))
            else:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                return "OPEN: leased"
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
    yield TankTeam("leases_files", Commander, Tank)
