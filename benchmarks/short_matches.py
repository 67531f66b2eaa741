"""Short matches that several benchmarks play: of the sample teams, of compiled files, and of programs that they compile."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import Holding, MapSource, MatchSpec
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tanks import maps as tank_maps
from tiltyard_tanks.maps import read_map, write_map

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.plugins.tanks_native.compiled import Files

MAPS: Final = ("back-yard", "narrow-pass", "open-field")
TEAMS: Final = (("coyote", "bramble"), ("bramble", "acorn"), ("acorn", "coyote"))
SHIPPED: Final = Path(tank_maps.__file__).parent / "shipped_maps"
MOST_SQUARES: Final = 15 * 20
"""Of a map of compiled games: as large as those of the course."""


def python_matches(number: int, isolation: Isolation) -> list[MatchSpec]:
    """So many matches of the sample teams on the smaller shipped maps."""
    finder = all_plugins()
    specs = [held(finder.match(pair, name, "reference", "tanks"), isolation) for name in MAPS for pair in TEAMS]
    return [specs[place % len(specs)] for place in range(number)]


def all_plugins() -> Finder:
    """Finds all plugins that are installed."""
    return Finder(Registry.installed(own=OWN_DISTRIBUTIONS))


def held(spec: MatchSpec, isolation: Isolation) -> MatchSpec:
    """The match with its teams held so."""
    return replace(spec, holding=Holding(isolations=(isolation,) * len(spec.input.teams)))


def compiled_matches(
    number: int, files: Files, isolation: Isolation, *, together: bool = False, steps: int | None = None
) -> list[MatchSpec]:
    """So many games of three trivial compiled files, by the rule of the course's competition.

    Args:
        number: of games.
        files: makes the files.
        isolation: of all files.
        together: whether those of a game share a sandbox.
        steps: of a game, and the shells of a tank; None: as the maps say.
    """
    finder = all_plugins()
    teams = [str(files.algorithm(f"script_{number}")) for number in (1, 2, 3)]
    manager = str(files.manager("good"))
    policy = IsolationPolicy(isolation, unconfined=True, together=together)
    maps = [read_map(str(path), path.read_bytes()) for path in sorted(SHIPPED.iterdir()) if path.is_file()]
    sources = [
        MapSource("map", write_map(replace(each, max_steps=steps, num_shells=steps) if steps else each).encode())
        for each in maps
        if each.width * each.height <= MOST_SQUARES
    ]
    specs = {pair: finder.match(pair, MAPS[0], manager, "tanks") for pair in itertools.permutations(teams, 2)}
    games = (
        (specs[teams[first], teams[(first + 1 + place % 2) % 3]], source)
        for place, source in enumerate(itertools.cycle(sources))
        for first in range(3)
    )
    return [policy.apply(replace(spec, input=replace(spec.input, map=source))) for spec, source in itertools.islice(games, number)]


def build(folder: Path, name: str, text: str, definitions: Sequence[str] = ()) -> Path:
    """A compiled C program: ``bot`` in a folder of its own."""
    home = folder / name
    home.mkdir()
    (home / "bot.c").write_text(text)
    subprocess.run(
        [shutil.which("cc") or "cc", "-O2", "-w", *definitions, str(home / "bot.c"), "-o", str(home / "bot")], check=True
    )
    return home
