"""The checks that a league has to pass, each by one command that says what it measured and whether it holds.

    nice .venv/bin/python benchmarks/league_checks.py                   # all of them, full size: two and a half hours
    nice .venv/bin/python benchmarks/league_checks.py load kills        # some of them
    nice .venv/bin/python benchmarks/league_checks.py --small           # all of them, to see that they work: a quarter of an hour
    nice .venv/bin/python benchmarks/league_checks.py --players 3 kills # in a league with games of three
    .venv/bin/python benchmarks/league_checks.py --list

What is meant for a day runs for minutes at the same rate, and the list says so. The exit status is 1 if something
doesn't hold. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from league_course import ROOT, Course, finding, growth, league_command, rows_of, running_course, stored_twice, until
from league_pages import pages, staff
from league_uploads import kills, load
from made_seasons import Rule
from measuring import left_running, run
from ratings import means, rule_seasons

from tiltyard_checks.runs.verification import verified_against
from tiltyard_league.database.games import Games
from tiltyard_simulator.match.spec import Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.local_matches import play_matches
from tiltyard_tournaments.store import Store

if TYPE_CHECKING:
    from tests.cluster.dask_cluster import DaskCluster

HALF_PLAYED: Final = (
    "SELECT count(*) FROM league_games AS one WHERE json_array_length(versions) = 2 AND NOT EXISTS (SELECT 1 FROM league_games"
    " AS other WHERE other.versions = json_array(json_extract(one.versions, '$[1]'), json_extract(one.versions, '$[0]'))"
    " AND other.map = one.map)"
)


def season(parent: Path, small: bool) -> list[bool]:
    """Whether the order that is shown comes near the true one, and nearer than a round robin's."""
    seeds = 1 if small else 10
    figures = {rule: means(rule_seasons(rule, seeds, 20_000)) for rule in get_args(Rule)}
    need, robin = figures["need"], figures["round robin"]
    off, alike = need["places off"], need["Spearman"]
    return [
        finding(f"shown places are {off:.2f} off, in the mean of {seeds} seasons (at most 2.0)", off <= 2),
        finding(f"Spearman's correlation of shown and true places is {alike:.3f} (at least 0.98)", alike >= 0.98),
        finding(f"a round robin's are {robin['places off']:.2f} off (not less)", off <= robin["places off"]),
    ]


def same_again(parent: Path, small: bool) -> list[bool]:
    """Random rated games played again; and what a replay shows is what is counted."""
    number = 20 if small else 200
    with running_course(parent, 4 if small else 12) as course:
        until(lambda: course.games() >= number)
    games = Games(course.folder / "results")
    # Of older games the replays are gone.
    shown = {key for (key,) in games.rows("SELECT key FROM matches WHERE replay IS NOT NULL")}
    rated = [game for game in games.last(1_000_000) if game.kind == "rated" and game.key in shown]
    wrong, stored = 0, []
    with Store(course.folder / "results", writable=False) as store:
        for game in random.Random(1).sample(rated, number):
            match, replay, record = store.match(game.key), store.replay(game.key), store.record(game.key, with_replay=True)
            assert match is not None
            assert record is not None
            stored.append((replace(match.spec, recording=Recording(replay=True)), record))
            ending = f"Player {game.winner} won" if game.winner else "Tie"
            wrong += replay is None or not replay.message.startswith(ending) or len(replay.frames) != game.rounds
    again = play_matches([spec for spec, _ in stored], 2)
    different = sum(not verified_against(spec, record, other).is_same for (spec, record), other in zip(stored, again, strict=True))
    return [
        finding(f"of {number} rated games that were played again {different} differ", not different),
        finding(f"of {number} replays {wrong} show another winner than the one that counts", not wrong),
    ]


def archives(parent: Path, small: bool) -> list[bool]:
    """Archives that are broken or made to harm, over HTTP: what the web process needs, and what their owners are told."""
    sys.path.insert(0, str(ROOT))
    from tests.intake.trees.test_hostile_archives import HOSTILE

    hostile = HOSTILE[:8] if small else HOSTILE
    course = Course.make(parent, 1)
    (team,) = course.tokens
    with course.served():
        numbers: dict[str, int] = {}
        refused = 0
        for each in hostile:
            status, answer = course.ask("PUT", "/api/versions", team, each.make(), name=each.name)
            if status == 201:
                # Some are the same bytes under another name, and so the same version.
                numbers[each.what] = answer["number"]
            else:
                refused += status in (400, 413)
        course.until_checked()
        reports = {what: course.ask("GET", f"/api/versions/{number}", team)[1] for what, number in numbers.items()}
        lines = Path("/proc", str(course.process_of("web")), "status").read_text().splitlines()
        peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    refused += sum(report["state"] == "refused" and bool(report["reason"]) for report in reports.values())
    accepted = [what for what, report in reports.items() if report["state"] != "refused"]
    left = left_running(str(course.folder))
    return [
        finding(f"of {len(hostile)} archives {refused} are refused with a reason; others: {accepted}", refused == len(hostile)),
        finding(f"the web process needs {peak:.0f} MiB at most (at most 64 MiB)", peak <= 64),
        finding(f"left running: {left}", not left),
    ]


def backup(parent: Path, small: bool) -> list[bool]:
    """A backup while games are played, and the league that is made of it elsewhere."""
    with running_course(parent, 4 if small else 12) as course:
        until(lambda: course.games() >= (30 if small else 500))
        before = course.games()
        league_command("backup", str(course.folder), str(parent / "league.tar.gz"))
        after = course.games()
    size = sum(path.stat().st_size for path in course.folder.rglob("*") if path.is_file())
    league_command("unpack-backup", str(parent / "league.tar.gz"), str(parent / "elsewhere"))
    share = (parent / "league.tar.gz").stat().st_size / size
    query = "SELECT place, key, winner FROM league_games WHERE place <= ? ORDER BY place"
    copied = rows_of(parent / "elsewhere" / "results" / "tournament.sqlite", query, 10**9)
    return [
        finding(f"the backup has {len(copied)} games, of {before} before it and {after} after it", before <= len(copied) <= after),
        finding("they are those of the league", copied == course.store(query, copied[-1][0])),
        finding(f"its size is {share:.2f} of the folder's (at most 1.2)", share <= 1.2),
    ]


def cluster(parent: Path, small: bool) -> list[bool]:
    """Three Dask workers, of which one is killed again and again, and each third time the scheduler instead."""
    sys.path.insert(0, str(ROOT))
    from tests.cluster.dask_cluster import dask_cluster

    minutes, pause = (1, 20.0) if small else (10, 60.0)
    draw = random.Random(1)
    with dask_cluster(parent / "dask", workers=3) as machines:
        with running_course(parent, 4 if small else 12, ("--cluster", machines.address)) as course:
            until(lambda: course.games() >= 3)
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
            before = course.games()
            until(lambda: course.games() > before or course.status()["complete"])
        again = stored_twice(course.folder)
        ((games, for_nobody),) = course.store("SELECT count(*), sum(NOT counts) FROM league_games")
        half = course.store(HALF_PLAYED)[0][0]
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
        return sum(path.stat().st_size for path in (course.folder / "results").glob("*") if path.is_file())

    seconds = 60 if small else 20 * 60
    with running_course(parent, 6 if small else 30) as course:
        until(lambda: course.games() >= 20)
        first, games, used = course.memory(), course.games(), disk()
        time.sleep(seconds)
        last, more, used = course.memory(), course.games() - games, disk() - used
    megabytes = used / max(1, more) * 10_000 / 1e6
    return [
        *growth(first, last, f"in {seconds} s"),
        finding(f"{more} games: {more * 86_400 / seconds:,.0f} a day (at least 10,000)", more * 86_400 / seconds >= 10_000),
        finding(f"10,000 games take {megabytes:.0f} MB before old replays are removed (at most 60)", megabytes <= 60),
    ]


class Check(NamedTuple):
    """One of them."""

    what: str
    minutes: float
    """How long it takes in full size."""
    work: Callable[[Path, bool], list[bool]]
    """Takes a new folder, and whether to do only so much that one sees that it works."""


CHECKS: Final = {
    "load": Check("60 teams hand in 500 versions in an hour: nothing is lost, memory, reports, first games", 62, load),
    "kills": Check("200 kills at random in 20 minutes, with uploads at 500 an hour", 23, kills),
    "season": Check("how near the shown order comes to the true one, in made-up seasons", 8, season),
    "pages": Check("all pages with 140,000 games at 20 requests a second, for 5 minutes", 7, pages),
    "endurance": Check("games without a pause for 20 minutes in place of 24 hours", 23, endurance),
    "verify": Check("200 rated games again, and what their replays show", 5, same_again),
    "archives": Check("42 hostile archives over HTTP, and what the web process needs", 2, archives),
    "backup": Check("a backup under load, and the league that is made of it", 4, backup),
    "cluster": Check("three Dask workers, of which one is killed each minute, or their scheduler, for 10 minutes", 14, cluster),
    "staff": Check("what staff do by commands, and how soon ratings follow", 4, staff),
}


def passes(name: str, small: bool) -> bool:
    """Do a check; whether all that it measured holds."""
    check, begun = CHECKS[name], time.monotonic()
    print(f"== {check.what}", flush=True)
    with tempfile.TemporaryDirectory() as parent:
        try:
            holds = check.work(Path(parent), small)
        except SystemExit as error:
            # The others are still to be done.
            holds = [finding(str(error), False)]
    is_good = bool(holds) and all(holds)
    print(f"{name}: {'holds' if is_good else 'DOES NOT HOLD'} ({time.monotonic() - begun:.0f} s)\n", flush=True)
    return is_good


def main(names: tuple[str, ...] = (), *, small: bool = False, list: bool = False, players: Literal["2", "3"] = "2") -> None:  # noqa: A002 -- the option
    """Do those that are named, or all, in leagues for so many players a game."""
    Course.players = int(players)
    if list:
        print(render(("name", "what", "takes"), [(name, each.what, f"{each.minutes:g} min") for name, each in CHECKS.items()]))
        return
    if unknown := [name for name in names if name not in CHECKS]:
        sys.exit(f"no check is called {', '.join(unknown)}: expected {', '.join(CHECKS)}")
    results = {name: passes(name, small) for name in CHECKS if not names or name in names}
    print(render(("check", "result"), [(name, "holds" if holds else "DOES NOT HOLD") for name, holds in results.items()]))
    sys.exit(0 if all(results.values()) else 1)


if __name__ == "__main__":
    run(__doc__, main=main)
