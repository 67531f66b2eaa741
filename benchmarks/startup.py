"""How long commands take that have little to do, as ratios of a bare typer program with the same libraries.

    .venv/bin/python benchmarks/startup.py
    .venv/bin/python benchmarks/startup.py --bin OTHER/.venv/bin     # those of another checkout

Each command and the bare program are run in turn, so that a machine that gets slower or faster meanwhile does not tilt the ratio.
CPU time is that of all processes of a command. The first run of each isn't counted: it compiles what was changed, and finds out
what later ones read. What is called fresh reads and keeps nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from measuring import medians_and_ratio, run, wall_seconds, with_cpu_seconds

from tiltyard_simulator.output.tables import render

BARE = """\
import importlib.metadata

import msgspec, pluggy, pydantic, tabulate, typer

app = typer.Typer()


@app.command()
def one(number: int = 1) -> None:
    "The first."


@app.command()
def two(number: int = 2) -> None:
    "The second."


if __name__ == "__main__":
    app()
"""
CUP = """\
title: Small cup
game: tanks
maps: [back-yard]
teams: [acorn, bramble]
workers: 1
output: {}
"""
PROBE = "from tiltyard_simulator.guard.confinement.probes import probe_confinement; probe_confinement()"
HEADERS: Final = ("command", "CPU, ms", "bare, ms", "ratio", "wall, ms", "bare, ms", "ratio")

Times = tuple[float, float]
"""Seconds of CPU and on the clock."""


def times(command: Sequence[str], environment: Mapping[str, str]) -> Times:
    """Those of one run."""
    wall, cpu = with_cpu_seconds(
        lambda: wall_seconds(lambda: subprocess.run(command, check=True, env=environment, capture_output=True))
    )
    return cpu, wall


def commands(scripts: Path, folder: Path) -> dict[str, list[str]]:
    """What is run, by the name in the table; ``folder`` is for what it writes."""
    cup = folder / "cup.yaml"
    cup.write_text(CUP.format(folder / "cup"))
    tiltyard = str(scripts / "tiltyard")
    return {
        "tiltyard --help": [tiltyard, "--help"],
        "tiltyard plugins": [tiltyard, "plugins"],
        "tiltyard": [tiltyard],
        "tiltyard run, nothing left to play": [tiltyard, "run", str(cup)],
        "tiltyard run, nothing left to play, fresh": [tiltyard, "run", str(cup)],
        "tiltyard standings": [tiltyard, "standings", str(cup)],
        "tiltyard round-robin, two games": [tiltyard, "round-robin", "acorn", "bramble", "--maps", "back-yard", "--workers", "1"],
        "probes, kept": [str(scripts / "python"), "-c", PROBE],
        "probes, fresh": [str(scripts / "python"), "-c", PROBE],
    }


def main(*, bin: Path = Path(sys.executable).parent, runs: int = 15) -> None:  # noqa: A002 -- the option
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = folder / "bare.py"
        bare.write_text(BARE)
        # Modules are compiled once, as they are for people.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"XDG_CACHE_HOME": str(folder / "cache"), "TILTYARD_PROBES": ""}
        rows = []
        for title, command in commands(bin, folder).items():
            changed = environment | ({"TILTYARD_PROBES": "fresh"} if "fresh" in title else {})
            baseline = [str(bin / "python"), str(bare), "--help" if "--help" in command else "one"]
            pairs = [(times(command, changed), times(baseline, environment)) for _ in range(runs + 1)][1:]
            cells = [title]
            for which in range(2):
                own, other, ratio = medians_and_ratio([(first[which], second[which]) for first, second in pairs])
                cells += [f"{1000 * own:.0f}", f"{1000 * other:.0f}", f"{ratio:.2f}"]
            rows.append(cells)
    print(render(HEADERS, rows, align=("left", *["right"] * 6)))


if __name__ == "__main__":
    run(__doc__, main=main)
