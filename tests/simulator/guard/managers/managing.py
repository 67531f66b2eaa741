"""GameManagers written for tests of the guard, and matches under them in each way of holding."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.conftest import map_text
from tests.engine.making import write
from tests.made_records import changed
from tests.made_specs import spec_with

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import Arena

CELLS = (Isolation.PROCESS, Isolation.SANDBOX)
FIELD = MapSource("field", map_text((" 1 1", "    ", " 2 2"), 6, 5).encode())
"""4 x 3 squares, six rounds, two tanks a player."""
Plugins = Mapping[str, Reference]
WritePlugins = Callable[..., Plugins]

HEAD = """\
import os
from tiltyard_engine import (
    ActionRequest, BattleInfo, Fault, Game, GameManager, GameMaps, GameResult, Manager, Player, SatelliteView, SeatFault,
    TankAlgorithm, TankSeat, TankTeam, Termination, TurnAlgorithm, TurnInterface, TurnTeam, ViewExpiredError, hookimpl,
)

class Walls(SatelliteView):
    def get_object_at(self, x, y):
        return "#"

class Base(GameManager):
    '''Notes what happens to it, line by line, and claims that.'''
    rounds = 3
    def run(self, match):
        self.match, self.lines = match, []
        self.tanks = [[seat.create_tank(index) for index in range(2)] for seat in match.seats]
        self.play()
        return GameResult(0, "DONE", self.rounds, ("    ",) * 3, log="\\n".join(self.lines))
    def play(self):
        for number in range(1, self.rounds + 1):
            for seat, tanks in zip(self.match.seats, self.tanks):
                self.note(lambda: [answer.title for answer in seat.get_actions(tanks)])
            if number == 2:
                self.second_round()
    def second_round(self):
        pass
    def note(self, call):
        try:
            self.lines.append(repr(call()))
        except Exception as error:
            self.lines.append(f"{type(error).__name__}: {error} {getattr(error, 'answers', '')}")
        faults = [seat.fault for seat in self.match.seats]
        self.lines.append(str([fault and (fault.termination, fault.message, fault.round) for fault in faults]))

"""
"""What each written manager begins with."""


def write_plugins(tmp_path: Path, text: str, name: str = "strangers.py", head: str = HEAD) -> Plugins:
    """All that a plugin with this text contributes, by name."""
    path = write(tmp_path / name, text)
    path.write_text(head + path.read_text(encoding="utf-8"), encoding="utf-8")
    registry = Registry.from_paths([path])
    assert not registry.failures(), registry.failures()
    return {entry.name: entry.reference for kind in (ALGORITHM, GAME, MANAGER) for entry in registry.all(kind)}


def manager_text(body: str, base: str = "Base", on_fault: str = "idle") -> str:
    """A plugin with one manager, ``bad``, of a class with this body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return (
        f"class Bad({base}):\n{lines}\n\n@hookimpl\ndef game_managers():\n"
        f"    yield Manager(name='bad', game='tanks', create=Bad, on_fault={on_fault!r})\n"
    )


def compared(record: MatchRecord) -> dict[str, Any]:
    """All of an record that does not depend on how the code was held, nor on what else the machine does; of tracebacks, whether
    there is one."""
    faults = tuple(replace(fault, traceback=str(bool(fault.traceback))) for fault in record.outcome.faults)
    plain = changed(record, faults=faults, accounts=(), manager_account=None, seconds=0.0)
    plain = changed(plain, incidents=tuple(what for what in plain.outcome.incidents if "was suspended" not in what))
    return {name: getattr(plain, name) for name in plain.__slots__}


def drawn_map(seed: int) -> MapSource:
    """A small board with walls, mines and up to four tanks a player."""
    draw = random.Random(seed)
    width, height = draw.randint(3, 12), draw.randint(2, 9)
    grid = [[draw.choice("    #@") for _ in range(width)] for _ in range(height)]
    for _ in range(draw.randint(1, 4)):
        for player in "12":
            grid[draw.randrange(height)][draw.randrange(width)] = player
    return MapSource(f"drawn{seed}", map_text(["".join(row) for row in grid], 60, 6).encode())


def held(spec: MatchSpec, manager: Isolation, seats: Isolation = Isolation.INLINE) -> MatchSpec:
    """The match with its manager and its seats held so."""
    return spec_with(spec, manager_isolation=manager, isolations=(seats,) * len(spec.input.teams))


def under(arena: Arena, spec: MatchSpec, isolation: Isolation) -> MatchRecord:
    """The match with its manager held so; seats are inline."""
    return arena.play(held(spec, isolation))
