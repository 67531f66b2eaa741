"""The fourteen checks that a league has to pass, each by one command that says what it measured and whether it holds.

    nice .venv/bin/python benchmarks/league_checks.py                   # all of them, full size: some two hours
    nice .venv/bin/python benchmarks/league_checks.py load kills        # some of them
    nice .venv/bin/python benchmarks/league_checks.py --small           # all of them, to see that they work: a quarter of an hour
    .venv/bin/python benchmarks/league_checks.py --list

What is meant for an hour or a day runs for minutes at the same rate, and the list says so. The exit status is 1 if something
doesn't hold. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import league_short_checks as short
from league_course import finding
from league_kills import kills
from league_load import load
from league_pages import pages
from league_season import season
from league_staff import staff
from measuring import command_line

from tiltyard_simulator.output.tables import render


class Check(NamedTuple):
    """One or more of the fourteen."""

    numbers: str
    what: str
    minutes: float
    """How long it takes in full size."""
    work: Callable[[Path, bool], list[bool]]
    """Takes a new folder, and whether to do only so much that one sees that it works."""


CHECKS: Final = {
    "start": Check("1", "from one command to a checked version (installation is not part of it)", 1, short.start),
    "load": Check("2 4", "60 teams hand in 500 versions an hour, for 12 minutes: nothing is lost, reports, first games", 14, load),
    "kills": Check("3", "200 kills at random in 20 minutes, with uploads at 500 an hour", 23, kills),
    "season": Check("5", "how near the shown order comes to the true one, in made-up seasons", 8, season),
    "pages": Check("6", "all pages with 140,000 games at 20 requests a second, for 5 minutes", 7, pages),
    "endurance": Check("6", "games without a pause for 20 minutes in place of 24 hours", 23, short.endurance),
    "verify": Check("7", "200 rated games again, and what their replays show", 5, short.same_again),
    "archives": Check("8", "42 hostile archives over HTTP, and what the web process needs", 2, short.archives),
    "access": Check("9", "who may see and do what, on all routes", 1, short.access),
    "backup": Check("10", "a backup under load, and the league that is made of it", 4, short.backup),
    "roster": Check("11", "rosters, and grades as CSV and in LibreOffice, where it is installed", 1, short.roster),
    "finals": Check("12", "finals that are killed in the middle", 3, short.finals),
    "cluster": Check(
        "13", "three Dask workers, of which one is killed each minute, or their scheduler, for 10 minutes", 14, short.cluster
    ),
    "staff": Check("14", "what staff do by commands and on pages, and how soon ratings follow", 4, staff),
}


def passes(name: str, small: bool) -> bool:
    """Do a check; whether all that it measured holds."""
    check, begun = CHECKS[name], time.monotonic()
    print(f"== {check.numbers}: {check.what}", flush=True)
    with tempfile.TemporaryDirectory() as parent:
        try:
            holds = check.work(Path(parent), small)
        except SystemExit as error:
            # The others are still to be done.
            holds = [finding(str(error), False)]
    is_good = bool(holds) and all(holds)
    print(f"{name}: {'holds' if is_good else 'DOES NOT HOLD'} ({time.monotonic() - begun:.0f} s)\n", flush=True)
    return is_good


def main() -> None:
    """Do those that are named, or all."""
    parser = command_line(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which checks, of {', '.join(CHECKS)}; default: all")
    parser.add_argument("--small", action="store_true", help="only so much that one sees that they work; figures say little then")
    parser.add_argument("--list", action="store_true", help="say what there is, and how long it takes")
    options = parser.parse_args()
    if options.list:
        rows = [(check.numbers, name, check.what, f"{check.minutes:g} min") for name, check in CHECKS.items()]
        print(render(("number", "name", "what", "takes"), rows))
        return
    if unknown := [name for name in options.names if name not in CHECKS]:
        sys.exit(f"no check is called {', '.join(unknown)}: expected {', '.join(CHECKS)}")
    results = {name: passes(name, options.small) for name in CHECKS if not options.names or name in options.names}
    print(render(("check", "result"), [(name, "holds" if holds else "DOES NOT HOLD") for name, holds in results.items()]))
    sys.exit(0 if all(results.values()) else 1)


if __name__ == "__main__":
    main()
