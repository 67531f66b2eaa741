"""The fourteen checks that a league has to pass, each by one command that says what it found and whether it holds.

    nice .venv/bin/python benchmarks/league_checks.py                   # all of them, full size: some two hours
    nice .venv/bin/python benchmarks/league_checks.py load kills        # some of them
    nice .venv/bin/python benchmarks/league_checks.py --small           # all of them, to see that they work: a quarter of an hour
    .venv/bin/python benchmarks/league_checks.py --list

What is meant for an hour or a day runs for minutes at the same rate, and the list says so. The exit status is 1 if something
doesn't hold. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import league_crowd
import league_evening
import league_office
from measuring import command_line
from tabulate import tabulate

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Check:
    """One or more of the fourteen."""

    numbers: str
    name: str
    what: str
    minutes: float
    """How long it takes in full size."""
    work: Callable[[Path, bool], list[bool]] | None = None
    script: str = ""
    """Or a script beside this one,"""
    full: str = ""
    """its words for the full size,"""
    small: str = ""
    """and those to see that it works."""


CHECKS = (
    Check("1", "start", "from one command to a checked version (installation is not part of it)", 1, league_evening.start),
    Check(
        "2 4",
        "load",
        "60 teams hand in 500 versions an hour, for 12 minutes: nothing is lost, reports, first games",
        14,
        script="league_load.py",
        full="--teams 60 --uploads 100 --minutes 12",
        small="--teams 10 --uploads 20 --minutes 1",
    ),
    Check(
        "3",
        "kills",
        "200 kills at random in 20 minutes, with uploads at 500 an hour",
        23,
        script="league_kills.py",
        full="--teams 60 --uploads 170 --kills 200 --minutes 20",
        small="--teams 4 --uploads 8 --kills 8 --minutes 1",
    ),
    Check(
        "5",
        "season",
        "how near the shown order comes to the true one, in made-up seasons",
        8,
        script="league_season.py",
        full="--check --seeds 10",
        small="--check --seeds 1",
    ),
    Check(
        "6",
        "pages",
        "all pages with 140,000 games at 20 requests a second, for 5 minutes",
        7,
        script="league_pages.py",
        full="--seconds 300",
        small="--games 14000 --seconds 20",
    ),
    Check("6", "endurance", "games without a pause for 20 minutes in place of 24 hours", 23, league_evening.endurance),
    Check("7", "verify", "200 rated games again, and what their replays show", 5, league_evening.same_again),
    Check("8", "archives", "42 hostile archives over HTTP, and what the web process needs", 2, league_evening.archives),
    Check("9", "access", "who may see and do what, on all routes", 1, league_evening.access),
    Check("10", "backup", "a backup under load, and the league that is made of it", 4, league_evening.backup),
    Check("11", "roster", "rosters, and grades as CSV and in LibreOffice, where it is installed", 1, league_office.roster),
    Check("12", "finals", "finals that are killed in the middle", 3, league_evening.finals),
    Check(
        "13",
        "cluster",
        "three Dask workers, of which one is killed each minute, or their scheduler, for 10 minutes",
        14,
        league_evening.cluster,
    ),
    Check("14", "staff", "what staff do by commands and on pages, and how soon ratings follow", 4, league_office.staff),
)


def passes(check: Check, small: bool) -> bool:
    """Do a check; whether all that it found holds."""
    print(f"== {check.numbers}: {check.what}", flush=True)
    begun = time.monotonic()
    if check.work is not None:
        with tempfile.TemporaryDirectory() as parent:
            try:
                holds = check.work(Path(parent), small)
            except SystemExit as error:
                # The others are still to be done.
                holds = [league_crowd.finding(str(error), False)]
            found = bool(holds) and all(holds)
    else:
        words = [sys.executable, str(FOLDER / check.script), *(check.small if small else check.full).split()]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(line)
        found = not process.returncode and any(line.startswith("holds: ") for line in lines)
        found = found and not any(line.startswith("DOES NOT HOLD") for line in lines)
    print(f"{check.name}: {'holds' if found else 'DOES NOT HOLD'} ({time.monotonic() - begun:.0f} s)\n", flush=True)
    return found


def main() -> None:
    """Do those that are named, or all."""
    parser = command_line(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which checks; default: all")
    parser.add_argument("--small", action="store_true", help="only so much that one sees that they work; figures say little then")
    parser.add_argument("--list", action="store_true", help="say what there is, and how long it takes")
    given = parser.parse_args()
    if given.list:
        rows = [(check.numbers, check.name, check.what, f"{check.minutes:g} min") for check in CHECKS]
        print(tabulate(rows, ("number", "name", "what", "takes")))
        return
    known = {check.name for check in CHECKS}
    if unknown := [name for name in given.names if name not in known]:
        sys.exit(f"no check is called {', '.join(unknown)}: expected {', '.join(check.name for check in CHECKS)}")
    results = {check.name: passes(check, given.small) for check in CHECKS if not given.names or check.name in given.names}
    print(tabulate([(name, "holds" if holds else "DOES NOT HOLD") for name, holds in results.items()], ("check", "result")))
    sys.exit(0 if all(results.values()) else 1)


if __name__ == "__main__":
    main()
