"""Scenarios of compiled files: teams and GameManagers in C++."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Final

from tests.same_bytes import normal
from tests.same_bytes.scenario import EXAMPLES, INPUTS, ISOLATIONS, PROGRAMS, ROOT, WORKERS, Place, in_each, scenario
from tests.same_bytes.tanks import RESULT_TABLES

SOURCES: Final = ROOT / "tests" / "plugins" / "tanks_native" / "cpp"
COMPILER: Final = "g++"
_built: Final[dict[str, bytes]] = {}
_building: Final = threading.Lock()


def _bring(place: Place, source: str, *files: str) -> None:
    """Copies of a compiled source under names that say what each does."""
    with _building:
        if source not in _built:
            made = place.folder / f"{source}.so"
            flags = ["-std=c++20", "-O0", "-shared", "-fPIC", "-o", str(made)]
            subprocess.run([COMPILER, *flags, str(SOURCES / f"{source}.cpp")], check=True)
            _built[source] = made.read_bytes()
    for name in files:
        file: Path = place.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(_built[source])


def _bring_teams(place: Place, *words: str) -> None:
    _bring(place, "algorithm", *(f"algorithms/Algorithm_{word}.so" for word in words))


@in_each(("inline", "sandbox"), COMPILER)
def compiled_competition(place: Place, isolation: str) -> None:
    """All of a match is C++: inline one process plays it, in a sandbox each has its own."""
    place.bring(EXAMPLES / "gates.txt", "maps/gates.txt")
    place.bring(EXAMPLES / "duel.txt", "maps/duel.txt")
    _bring_teams(place, "script_1", "script_2", "script_3")
    _bring(place, "manager", "GameManager_good.so")
    words = ["game_maps_folder=maps", "game_manager=GameManager_good.so", "algorithms_folder=algorithms"]
    place.run("simulator", "-competition", *words, isolation=isolation)
    (file,) = (place.folder / "algorithms").glob("competition_*.txt")
    place.keep("points", normal.points(file.read_text(encoding="utf-8")))


@in_each(ISOLATIONS, COMPILER)
def compiled_teams(place: Place, isolation: str) -> None:
    """Compiled teams meet Python's under a GameManager in Python; one throws, one dies."""
    place.bring(EXAMPLES / "duel.txt")
    place.bring(PROGRAMS / "teams" / "faulty.py")
    _bring_teams(place, "script_1", "throws", "segv")
    options = ["--maps", "duel.txt", "--output", "out", "--verbose", "--workers", WORKERS, "--isolation", isolation]
    place.run("tiltyard", "round-robin", "algorithms", "acorn", "faulty.py:crasher", *options)
    place.keep_files([f"out/{name}" for name in RESULT_TABLES], normal.table)
    place.keep_output_files()


@in_each(("inline", "sandbox"), COMPILER)
def compiled_managers(place: Place, isolation: str) -> None:
    """They record nothing, so where they differ from each other and from those in Python has to be traced."""
    place.bring(EXAMPLES / "duel.txt")
    place.bring(INPUTS / "managers")
    _bring_teams(place, "script_1", "script_2")
    _bring(place, "manager", *(f"managers/GameManager_{word}.so" for word in ("good", "swallows", "throws", "segv")))
    teams = [f"algorithms/Algorithm_script_{number}.so" for number in (1, 2)]
    options = ["--managers", "managers", "--explain", "all", "--workers", WORKERS, "--isolation", isolation]
    printed = place.run("tiltyard", "comparative", "duel.txt", *teams, *options)
    (file,) = (place.folder / "managers").glob("comparative_results_*.txt")
    place.keep("groups", normal.groups(file.read_text(encoding="utf-8")))
    place.keep("differences", normal.differences(printed))


@scenario(COMPILER)
def compiled_tournament(place: Place) -> None:
    """A tournament file, with a compiled GameManager and teams in C++ and Python."""
    place.bring(EXAMPLES / "duel.txt")
    _bring_teams(place, "script_1", "script_2", "exit")
    _bring(place, "manager", "GameManager_good.so")
    place.play_tournament("""
game: tanks
manager: GameManager_good.so
teams: [algorithms/, acorn]
maps: [duel.txt]
""")
