"""Reads all memory of its process for the opponent's path."""

import ctypes
import gc
import os
import re
import sys

from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

PAGE = 4096
STEP = 16 * PAGE
WANTED = re.compile(rb"/riva[l]/riva[l]\.py")


class Memory:
    """The kernel reads it for us: where nothing is, ``write`` fails, and nobody is hurt."""

    def __init__(self):
        self.library = ctypes.CDLL(None)
        self.library.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
        self.library.write.restype = ctypes.c_ssize_t
        self.out, self.into = os.pipe()
        self.seen = set()
        self.size = 0

    def read(self, address):
        count = self.library.write(self.into, address, STEP)
        return os.read(self.out, count) if count > 0 else b""

    def around(self, address):
        """All that is mapped without a gap on both sides of an address."""
        begin = address // STEP * STEP
        for step in (STEP, -STEP):
            place = begin
            while place not in self.seen and place > 0:
                self.seen.add(place)
                data = self.read(place) or self.read(place + STEP - PAGE)
                if not data:
                    break
                self.size += len(data)
                yield data
                place += step


def attack():
    memory = Memory()
    environment = ctypes.c_void_p.in_dll(memory.library, "environ").value
    function = ctypes.cast(memory.library.write, ctypes.c_void_p).value
    allocated = ctypes.addressof(ctypes.create_string_buffer(100))
    places = {id(thing) // STEP * STEP for thing in gc.get_objects()}
    for address in (environment, function, allocated, *places):
        for data in memory.around(address):
            found = WANTED.search(data)
            if found:
                return f"OPEN: {data[max(0, found.start() - 100) : found.end()]!r}"
    return f"BLOCKED: {memory.size >> 20} MiB, and nothing of the opponent"


class Tank(TankAlgorithm):
    done = False

    def __init__(self, player_index, tank_index):
        pass

    def get_action(self):
        if not Tank.done:
            Tank.done = True
            print(attack(), file=sys.stderr)
        return ActionRequest.SHOOT

    def update_battle_info(self, info):
        pass


class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass


@hookimpl
def algorithms():
    yield TankTeam("scans_memory", Commander, Tank)
