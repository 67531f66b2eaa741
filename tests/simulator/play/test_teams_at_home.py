"""Teams in Python play from folders of their own as they ran at home: their modules and data are there, and nobody else's."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.engine.making import team_source, write
from tests.made_specs import made_spec

from tiltyard_engine.registry import Selection
from tiltyard_engine.registry.registry import MANAGER
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

TEAM: Final = """\
import importlib, os, tempfile
from pathlib import Path
from helper import NAME
assert open("weights.txt").read() == NAME
assert importlib.import_module("helper").NAME == NAME
"""
ACTION: Final = """\
import late
assert open("weights.txt").read() == late.NAME == NAME
with tempfile.TemporaryFile() as file:
    file.write(b"x")
try:
    open("log.txt", "w")
    raise AssertionError("its own folder can be written to")
except OSError:
    pass
try:
    list((Path(__file__).parents[1] / ("ben" if NAME == "anna" else "anna")).iterdir())
    raise AssertionError("another team's folder can be read")
except OSError:
    pass
return ActionRequest.SHOOT"""


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    for name in ("anna", "ben"):
        folder = tmp_path / "teams" / name
        write(folder / "tank.py", TEAM + team_source(name, action=ACTION))
        for module in ("helper", "late"):
            write(folder / f"{module}.py", f"NAME = {name!r}\n")
        write(folder / "weights.txt", name)
    return tmp_path / "teams"


@pytest.mark.skipif(probe_confinement().level is Level.C, reason="needs a sandbox")
def test_two_teams_with_modules_of_one_name_play_with_their_own_files(teams: Path) -> None:
    registry = open_registry(IsolationPolicy(), Selection.from_environment())
    found = Finder(registry).plugins(str(teams), "algorithm", "tanks")
    assert (found.left_out, [team.name for team in found.references]) == ([], ["anna", "ben"])
    manager = registry.find(MANAGER, "reference").reference
    spec = made_spec(
        game=Finder(registry).game("tanks"),
        manager=manager,
        map=Finder(registry).map("back-yard", "tanks"),
        teams=tuple(found.references),
        isolations=(Isolation.SANDBOX,) * 2,
        rounds=10,
    )
    with Arena() as arena:
        # Once in cells that load the teams, then in those of templates.
        records = [arena.play(spec) for _ in range(4)]
    assert [fault.message for record in records for fault in record.outcome.faults] == []


def test_what_lies_beside_a_file_is_part_of_its_version(teams: Path) -> None:
    registry = open_registry(IsolationPolicy(isolation=Isolation.PROCESS), Selection.from_environment())
    source = Finder(registry).plugins(str(teams), "algorithm", "tanks").references[0].source
    before = code_digest(source)
    (teams / "anna" / "weights.txt").write_text("other")
    code_digest.cache_clear()
    assert code_digest(source) != before
