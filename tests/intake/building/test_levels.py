"""Builds work at each level of confinement, and beside each other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, need, plant

from tiltyard_engine.errors import UserError
from tiltyard_intake.building.build import BuildRules, build
from tiltyard_intake.recipes.program_recipes import recipes
from tiltyard_intake.recipes.recognition import recognise
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

RECIPES: Final = list(recipes())
CMAKE: Final = "cmake_minimum_required(VERSION 3.10)\nproject(bot C)\nconfigure_file(a.in a.h)\nadd_executable(bot bot.c)\n"
C: Final = {"CMakeLists.txt": CMAKE, "bot.c": "int main(void) { return 0; }\n", "a.in": ""}
RUST: Final = {"Cargo.toml": '[package]\nname = "bot"\nversion = "0.1.0"\n', "src/main.rs": "fn main() {}\n"}
GO: Final = {"go.mod": "module bot\n", "main.go": "package main\n\nfunc main() {}\n"}


@pytest.mark.parametrize("level", [Level.A, Level.B])
@pytest.mark.parametrize(("tool", "files"), [("cmake", C), ("cargo", RUST), ("go", GO)], ids=["cmake", "cargo", "go"])
def test_compilers_work_at_each_level(level: Level, tool: str, files: dict[str, str], tmp_path: Path) -> None:
    need(tool, "gcc")
    best = probe_confinement().level
    if best is Level.C or (best is Level.B and level is Level.A):
        pytest.skip("this machine cannot confine builds so")
    with CellPool(reserve=0, level=level) as pool:
        made = built(plant(tmp_path / "tree", files), RECIPES, game="filler", pool=pool)
    assert made.error == "", made.log


def test_several_threads_build_at_once(tmp_path: Path) -> None:
    need("gcc", "cmake")

    def one(number: int) -> str:
        found = recognise(plant(tmp_path / str(number) / "tree", C), RECIPES)
        made = build(found, tmp_path / str(number) / "teams", team=f"team {number}", game="filler")
        return made.error + "".join(path.name for path in made.products)

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(one, range(3))) == [f"team_{number}" for number in range(3)]


def test_a_machine_without_a_sandbox_builds_nothing_of_strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("gcc", "cmake")
    monkeypatch.setenv("TILTYARD_CONFINEMENT", "C")
    found = recognise(plant(tmp_path / "tree", C), RECIPES)
    with pytest.raises(UserError, match="builds run the teams' code: this machine can't confine code from outside"):
        build(found, tmp_path / "teams", team="anna", game="filler")
    trusted = IsolationPolicy(isolation=Isolation.PROCESS)
    made = build(found, tmp_path / "teams", BuildRules(policy=trusted), team="anna", game="filler")
    assert made.error == "", made.log
