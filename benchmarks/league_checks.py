"""The fourteen checks that a league has to pass, each by one command that says what it measured and whether it holds.

    nice .venv/bin/python benchmarks/league_checks.py                   # all of them, full size: some two hours
    nice .venv/bin/python benchmarks/league_checks.py load kills        # some of them
    nice .venv/bin/python benchmarks/league_checks.py --small           # all of them, to see that they work: a quarter of an hour
    nice .venv/bin/python benchmarks/league_checks.py --players 4 kills # in a league of Penguins with four seats
    .venv/bin/python benchmarks/league_checks.py --list

What is meant for an hour or a day runs for minutes at the same rate, and the list says so. The exit status is 1 if something
doesn't hold. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import csv
import io
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from league_course import (
    PLAYS,
    ROOT,
    TILTYARD,
    Server,
    ask,
    bare_course,
    course,
    descendants,
    finding,
    growth,
    league,
    left_running,
    mutated,
    play_games_of,
    played,
    rows_of,
    running_league,
    stored_twice,
    until,
    words_of,
)
from league_kills import kills
from league_load import load
from league_pages import pages, staff
from measuring import command_line
from ratings import season

from tiltyard_checks.runs.verification import verified_against
from tiltyard_engine.results import ranks_of
from tiltyard_league.database.games import Games
from tiltyard_simulator.match.spec import Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.local_matches import play_matches
from tiltyard_tournaments.store import Store

if TYPE_CHECKING:
    from tests.cluster.dask_cluster import DaskCluster

PEOPLE: Final = "name,id,group\n=1+1,00017,Red\n@SUM(A1),1e5,+Blue\nZoë Müller,0x1F,-Green\nAnn,2026-01-02,Red\n"
HALF_PLAYED: Final = (
    "SELECT count(*) FROM league_games AS one WHERE json_array_length(versions) = 2 AND NOT EXISTS (SELECT 1 FROM league_games"
    " AS other WHERE other.versions = json_array(json_extract(one.versions, '$[1]'), json_extract(one.versions, '$[0]'))"
    " AND other.map = one.map)"
)


def tests_pass(what: str, *files: str) -> bool:
    """Whether the tests of some files pass, which is said as a finding."""
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return finding(f"{what}: {done.stdout.strip().splitlines()[-1]}", done.returncode == 0)


def start(parent: Path, small: bool) -> list[bool]:
    """One command: the first page, and from an invite link to a checked version."""
    begun = time.monotonic()
    folder = parent / "course"
    subprocess.run([TILTYARD, "new", "league", str(folder)], check=True, capture_output=True)
    (parent / "students.csv").write_text("name,id\nAnn,1\n")
    link = league("roster", str(folder), str(parent / "students.csv")).splitlines()[-1].partition(",")[2]
    server = Server(folder, 8000, parent / "log")
    server.start()
    try:
        page = time.monotonic() - begun
        (parent / "team.py").write_bytes(mutated(1, random.Random(1)))
        words = [TILTYARD, "hand-in", str(parent / "team.py"), "--to", link]
        home = {"PATH": "/usr/bin:/bin", "HOME": str(parent)}
        done = subprocess.run(words, env=home, capture_output=True, text=True, check=False)
        took = time.monotonic() - begun - page
    finally:
        server.stop()
    accepted = done.returncode == 0 and "accepted" in done.stdout
    return [
        finding(f"the first page is there {page:.1f} s after 'tiltyard new league' (at most 60 s)", page <= 60),
        finding(f"a team that was handed in is accepted {took:.1f} s later (at most 300 s)", took <= 300 and accepted),
    ]


def same_again(parent: Path, small: bool) -> list[bool]:
    """Random rated games played again; and what a replay shows is what is counted."""
    number = 20 if small else 200
    with running_league(parent, 4 if small else 12) as running:
        until(lambda: running.games() >= number)
    games = Games(running.folder / "results")
    # Of older games the replays are gone.
    shown = {key for (key,) in games.rows("SELECT key FROM matches WHERE replay IS NOT NULL")}
    rated = [game for game in games.last(1_000_000) if game.kind == "rated" and game.key in shown]
    different = wrong = 0
    stored = []
    with Store(running.folder / "results", writable=False) as store:
        for game in random.Random(1).sample(rated, number):
            match, replay, record = store.match(game.key), store.replay(game.key), store.record(game.key, with_replay=True)
            assert match is not None
            assert record is not None
            stored.append((replace(match.spec, recording=Recording(replay=True)), record))
            ending = f"Player {game.winner} won" if game.winner else "Tie"
            if played().game == "tanks":
                wrong += replay is None or not replay.message.startswith(ending) or len(replay.frames) != game.rounds
            else:
                # The last frame has the fish of each; who failed comes after all others.
                wrong += replay is None or (not any(game.faults) and ranks_of(replay.frames[-1].scores) != game.ranks)
    for (spec, record), again in zip(stored, play_matches([spec for spec, _ in stored], 2), strict=True):
        different += not verified_against(spec, record, again).is_same
    return [
        finding(f"of {number} rated games that were played again {different} differ", not different),
        finding(f"of {number} replays {wrong} show another winner than the one that counts", not wrong),
    ]


def archives(parent: Path, small: bool) -> list[bool]:
    """Archives that are broken or made to harm, over HTTP: what the web process needs, and what their owners are told."""
    sys.path.insert(0, str(ROOT))
    from tests.intake.trees.test_hostile_archives import HOSTILE

    hostile = HOSTILE[:8] if small else HOSTILE
    folder = parent / "course"
    port, tokens = course(folder, 1, 2)
    server = Server(folder, port, parent / "log")
    server.start()
    (token,) = tokens.values()
    try:
        web = next(one for one in server.processes() if "tiltyard_league.web.main" in words_of(one))
        numbers: dict[str, int] = {}
        refused = 0
        for each in hostile:
            status, answer = ask(port, "PUT", "/api/versions", token, each.make(), name=each.name)
            if status == 201:
                # Some are the same bytes under another name, and so the same version.
                numbers[each.what] = answer["number"]
            else:
                refused += status in (400, 413)
        until(lambda: not server.status()["waiting_for_a_check"])
        reports = {what: ask(port, "GET", f"/api/versions/{number}", token)[1] for what, number in numbers.items()}
        lines = Path("/proc", str(web), "status").read_text().splitlines()
        peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    finally:
        server.stop()
    refused += sum(report["state"] == "refused" and bool(report["reason"]) for report in reports.values())
    accepted = [what for what, report in reports.items() if report["state"] != "refused"]
    return [
        finding(f"of {len(hostile)} archives {refused} are refused with a reason; others: {accepted}", refused == len(hostile)),
        finding(f"the web process needs {peak:.0f} MiB at most (at most 64 MiB)", peak <= 64),
        finding(f"left running: {left_running(str(folder))}", not left_running(str(folder))),
    ]


def access(parent: Path, small: bool) -> list[bool]:
    """Access, forms from elsewhere, other teams' things, tokens: the tests that walk through all routes."""
    return [tests_pass("who may see and do what, on all routes", "tests/league/web/test_access.py")]


def backup(parent: Path, small: bool) -> list[bool]:
    """A backup while games are played, and the league that is made of it elsewhere."""
    with running_league(parent, 4 if small else 12) as running:
        until(lambda: running.games() >= (30 if small else 500))
        before = running.games()
        league("backup", str(running.folder), str(parent / "league.tar.gz"))
        after = running.games()
    size = sum(path.stat().st_size for path in running.folder.rglob("*") if path.is_file())
    league("unpack-backup", str(parent / "league.tar.gz"), str(parent / "elsewhere"))
    share = (parent / "league.tar.gz").stat().st_size / size
    query = "SELECT place, key, winner FROM league_games WHERE place <= ? ORDER BY place"
    copied = rows_of(parent / "elsewhere" / "results" / "tournament.sqlite", query, 10**9)
    return [
        finding(f"the backup has {len(copied)} games, of {before} before it and {after} after it", before <= len(copied) <= after),
        finding("they are those of the league", copied == running.rows(query, copied[-1][0])),
        finding(f"its size is {share:.2f} of the folder's (at most 1.2)", share <= 1.2),
    ]


def finals(parent: Path, small: bool) -> list[bool]:
    """From the freeze to the published site; killed in the middle, it goes on."""
    with running_league(parent, 3 if small else 8) as running:
        league("freeze", str(running.folder))
    words = [TILTYARD, "league", "finals", str(running.folder), "--format", "round-robin"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def matches() -> int:
        try:
            return int(rows_of(running.folder / "finals" / "tournament.sqlite", "SELECT count(*) FROM matches")[0][0])
        except sqlite3.Error:
            return 0

    until(lambda: matches() >= 5 or process.poll() is not None)
    for number in [*descendants(process.pid), process.pid]:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    process.wait()
    first = matches()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    last = matches()
    return [
        finding(f"it was killed after {first} matches, and ended with {last}", 0 < first < last and not done.returncode),
        finding("its site is there", any((running.folder / "finals").rglob("index.html"))),
    ]


def cluster(parent: Path, small: bool) -> list[bool]:
    """Three Dask workers, of which one is killed again and again, and each third time the scheduler instead."""
    sys.path.insert(0, str(ROOT))
    from tests.cluster.dask_cluster import dask_cluster

    minutes, pause = (1, 20.0) if small else (10, 60.0)
    draw = random.Random(1)
    with dask_cluster(parent / "dask", workers=3) as machines:
        with running_league(parent, 4 if small else 12, words=("--cluster", machines.address)) as running:
            until(lambda: running.games() >= 3)
            end = time.monotonic() + 60 * minutes
            workers = schedulers = 0
            while time.monotonic() < end:
                time.sleep(pause)
                if (workers + schedulers) % 3 == 1:
                    kill_scheduler(machines)
                    schedulers += 1
                else:
                    draw.choice([process for process in machines.processes[1:] if process.poll() is None]).kill()
                    machines.start_worker()
                    workers += 1
            before = running.games()
            until(lambda: running.games() > before or running.server.status()["complete"])
        with closing(sqlite3.connect(running.folder / "results" / "tournament.sqlite")) as store:
            again = stored_twice(store)
        ((games, for_nobody),) = running.rows("SELECT count(*), sum(NOT counts) FROM league_games")
        half = running.rows(HALF_PLAYED)[0][0]
    return [
        finding(f"{workers} machines and {schedulers} schedulers were killed", workers > 0 and schedulers > 0),
        finding(f"of {games} games {again} were stored twice", games > 10 and not again),
        finding(f"{for_nobody} games count for nobody", not for_nobody),
        finding(f"{half} fixtures were half played when it ended (at most 6)", half <= 6),
    ]


def kill_scheduler(machines: DaskCluster) -> None:
    """Kill the scheduler, and start all again at the same address; workers end by themselves when theirs is gone."""
    before = list(machines.processes)
    before[0].kill()
    end = time.monotonic() + 30
    while any(process.poll() is None for process in before) and time.monotonic() < end:
        time.sleep(0.1)
    for process in before:
        process.kill()
        process.wait()
    machines.processes.clear()
    machines.start_scheduler(machines.address.rpartition(":")[2])
    for _ in range(3):
        machines.start_worker()


def endurance(parent: Path, small: bool) -> list[bool]:
    """Games without a pause: what the web process and the service grow by, and how much disk a game takes."""

    def disk() -> int:
        return sum(path.stat().st_size for path in (running.folder / "results").glob("*") if path.is_file())

    seconds = 60 if small else 20 * 60
    with running_league(parent, 6 if small else 30) as running:
        until(lambda: running.games() >= 20)
        first, games, used = running.server.rss(), running.games(), disk()
        time.sleep(seconds)
        last, more, used = running.server.rss(), running.games() - games, disk() - used
    megabytes = used / max(1, more) * 10_000 / 1e6
    return [
        *growth(first, last, f"in {seconds} s"),
        finding(f"{more} games: {more * 86_400 / seconds:,.0f} a day (at least 10,000)", more * 86_400 / seconds >= 10_000),
        finding(f"10,000 games take {megabytes:.0f} MB before old replays are removed (at most 60)", megabytes <= 60),
    ]


def roster(parent: Path, small: bool) -> list[bool]:
    """Rosters and grades by the tests, and what readers of CSV and of spreadsheets make of odd names and ids."""
    holds = [tests_pass("rosters and grades", "tests/league/database/test_people.py", "tests/intake/exports/test_roster.py")]
    folder = parent / "course"
    bare_course(folder, 1)
    (parent / "students.csv").write_text(PEOPLE, encoding="utf-8")
    league("roster", str(folder), str(parent / "students.csv"))
    columns, *rows = csv.reader(io.StringIO(league("grades", str(folder)), newline=""))
    ids = [row[columns.index("id")] for row in rows]
    formulas = [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    holds.append(finding(f"ids in grades are as they were: {ids}", set(ids) == {"00017", "1e5", "0x1F", "2026-01-02"}))
    holds.append(finding(f"cells of grades that a spreadsheet takes for formulas: {formulas}", not formulas))
    if shutil.which("soffice") is None:
        print("LibreOffice isn't installed: the spreadsheet was not opened")
        return holds
    league("grades", str(folder), "--ods", str(parent / "grades.ods"))
    home, form = f"-env:UserInstallation={(parent / 'home').as_uri()}", "csv:Text - txt - csv (StarCalc):44,34,76"
    words = ["soffice", home, "--headless", "--convert-to", form, "--outdir", str(parent), str(parent / "grades.ods")]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    shown = list(csv.reader(io.StringIO((parent / "grades.csv").read_text(encoding="utf-8"), newline="")))
    # An apostrophe is before text that would be a formula in CSV, and nowhere in a spreadsheet.
    meant = [columns, *([cell.removeprefix("'") for cell in row] for row in rows)]
    return [*holds, finding("LibreOffice shows the spreadsheet as it is meant, ids with their zeros", shown == meant)]


class Check(NamedTuple):
    """One or more of the fourteen."""

    numbers: str
    what: str
    minutes: float
    """How long it takes in full size."""
    work: Callable[[Path, bool], list[bool]]
    """Takes a new folder, and whether to do only so much that one sees that it works."""


CHECKS: Final = {
    "start": Check("1", "from one command to a checked version (installation is not part of it)", 1, start),
    "load": Check("2 4", "60 teams hand in 500 versions an hour, for 12 minutes: nothing is lost, reports, first games", 14, load),
    "kills": Check("3", "200 kills at random in 20 minutes, with uploads at 500 an hour", 23, kills),
    "season": Check("5", "how near the shown order comes to the true one, in made-up seasons", 8, season),
    "pages": Check("6", "all pages with 140,000 games at 20 requests a second, for 5 minutes", 7, pages),
    "endurance": Check("6", "games without a pause for 20 minutes in place of 24 hours", 23, endurance),
    "verify": Check("7", "200 rated games again, and what their replays show", 5, same_again),
    "archives": Check("8", "42 hostile archives over HTTP, and what the web process needs", 2, archives),
    "access": Check("9", "who may see and do what, on all routes", 1, access),
    "backup": Check("10", "a backup under load, and the league that is made of it", 4, backup),
    "roster": Check("11", "rosters, and grades as CSV and in LibreOffice, where it is installed", 1, roster),
    "finals": Check("12", "finals that are killed in the middle", 3, finals),
    "cluster": Check(
        "13", "three Dask workers, of which one is killed each minute, or their scheduler, for 10 minutes", 14, cluster
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
    parser.add_argument("--players", type=int, choices=PLAYS, default=2, help="in a game: of tanks, or of Penguins for four")
    parser.add_argument("--small", action="store_true", help="only so much that one sees that they work; figures say little then")
    parser.add_argument("--list", action="store_true", help="say what there is, and how long it takes")
    options = parser.parse_args()
    if options.list:
        rows = [(check.numbers, name, check.what, f"{check.minutes:g} min") for name, check in CHECKS.items()]
        print(render(("number", "name", "what", "takes"), rows))
        return
    if unknown := [name for name in options.names if name not in CHECKS]:
        sys.exit(f"no check is called {', '.join(unknown)}: expected {', '.join(CHECKS)}")
    play_games_of(options.players)
    results = {name: passes(name, options.small) for name in CHECKS if not options.names or name in options.names}
    print(render(("check", "result"), [(name, "holds" if holds else "DOES NOT HOLD") for name, holds in results.items()]))
    sys.exit(0 if all(results.values()) else 1)


if __name__ == "__main__":
    main()
