"""Matches of compiled files and of the same teams in Python, held in any way."""

from __future__ import annotations

from tests.made_specs import made_spec
from tests.plugins.tanks_native.compiled import BOARD, Files

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tanks.maps import write_map

MAP = MapSource("board", write_map(BOARD).encode())
SCRIPT = """
from tests.plugins.tanks_native.compiled import script
from tiltyard_engine.hooks import hookimpl

@hookimpl
def algorithms():
    yield script({number})
"""
"""The same team as ``Algorithm_script_<number>.so``, in Python."""


class Matches:
    """Sets up matches of named files."""

    def __init__(self, files: Files, installed: Registry, arena: Arena) -> None:
        self._files = files
        self._installed = installed
        self._arena = arena
        self.move_seconds = 0.3

    def manager(self, word: str) -> Reference:
        """A file of the tests', or with ``python`` the reference one."""
        text = "gm" if word == "python" else str(self._files.manager(word))
        if word == "python":
            return next(entry.reference for entry in self._installed.all(MANAGER, "tanks"))
        return choose(text, MANAGER, self._installed, "tanks")

    def team(self, word: str) -> Reference:
        """A file of the tests', or of ``python_1`` script 1 in Python."""
        if word.startswith("python_"):
            path = self._files.folder / f"{word}.py"
            path.write_text(SCRIPT.format(number=word.removeprefix("python_")))
            return choose(str(path), ALGORITHM, self._installed, "tanks")
        return choose(str(self._files.algorithm(word)), ALGORITHM, self._installed, "tanks")

    def play(
        self, manager: str, first: str, second: str, isolation: Isolation, *, together: bool = False, **wanted: object
    ) -> MatchRecord:
        limits = LimitChanges({"move_seconds": self.move_seconds}, for_managers={"move_seconds": self.move_seconds})
        game = self._installed.find(GAME, "tanks").reference
        teams = self.team(first), self.team(second)
        spec = made_spec(game=game, manager=self.manager(manager), map=MAP, teams=teams, **wanted)
        held = IsolationPolicy(isolation, limits, unconfined=True, together=together).apply(spec)
        return self._arena.play(held)
