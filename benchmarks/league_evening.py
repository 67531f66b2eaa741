"""The shorter checks of a league, each on a course of its own, for league_checks.py. No benchmark itself."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from league_crowd import ROOT, Server, ask, course, descendants, finding, kept_again, left_running, mutated, words_of

if TYPE_CHECKING:
    from tests.cluster.dask_cluster import DaskCluster

TILTYARD: Final = str(Path(sys.executable).with_name("tiltyard"))
PATIENCE: Final = 300.0


@dataclass(frozen=True)
class Evening:
    """A league that is served."""

    folder: Path
    port: int
    tokens: dict[str, str]
    server: Server

    def command(self, *words: str, check: bool = True) -> str:
        """What ``tiltyard league`` prints."""
        done = subprocess.run([TILTYARD, "league", *words], capture_output=True, text=True, check=False)
        if check and done.returncode:
            sys.exit(f"tiltyard league {' '.join(words)}: {done.stderr}")
        return done.stdout

    def hand_in(self, team: str, data: bytes) -> None:
        """Hand in a team that plays, and wait until it was checked."""
        status, found = ask(self.port, "PUT", "/api/versions", self.tokens[team], data)
        assert status == 201, found
        until(lambda: self.version(team, found["number"])["state"] not in ("received", "checking"))

    def version(self, team: str, number: int) -> Any:
        """A version as its team sees it."""
        return ask(self.port, "GET", f"/api/versions/{number}", self.tokens[team])[1]

    def games(self) -> int:
        """How many there are."""
        return int(ask(self.port, "GET", "/status.json")[1]["games"])

    def rows(self, query: str, *values: object) -> list[Any]:
        """Of the store."""
        with closing(sqlite3.connect(self.folder / "results" / "tournament.sqlite", timeout=30)) as store:
            return store.execute(query, values).fetchall()


def until(true: Callable[[], Any], seconds: float = PATIENCE) -> float:
    """Wait for a condition; the seconds that it took."""
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > seconds:
            sys.exit("what was waited for never came")
        time.sleep(0.05)
    return time.monotonic() - begun


@contextmanager
def evening(parent: Path, teams: int, maps: int = 24, words: tuple[str, ...] = ()) -> Iterator[Evening]:
    """A league with so many teams, each of which has a version."""
    folder = parent / "course"
    port, tokens = course(folder, teams, maps)
    server = Server(folder, port, parent / "log", words)
    server.start()
    try:
        made = Evening(folder, port, tokens, server)
        for number, team in enumerate(sorted(tokens)):
            made.hand_in(team, mutated(number, random.Random(number)))
        yield made
    finally:
        server.stop()


def start(parent: Path, small: bool) -> list[bool]:
    """One command: the first page, and from an invite link to a checked version."""
    begun = time.monotonic()
    folder = parent / "course"
    subprocess.run([TILTYARD, "new", "league", str(folder)], check=True, capture_output=True)
    students = parent / "students.csv"
    students.write_text("name,id\nAnn,1\n")
    done = subprocess.run([TILTYARD, "league", "roster", str(folder), str(students)], check=True, capture_output=True, text=True)
    server = Server(folder, 8000, parent / "log")
    server.start()
    try:
        page = time.monotonic() - begun
        (parent / "team.py").write_bytes(mutated(1, random.Random(1)))
        link = done.stdout.splitlines()[-1].partition(",")[2]
        handed_in = subprocess.run(
            [TILTYARD, "hand-in", str(parent / "team.py"), "--to", link],
            env={"PATH": "/usr/bin:/bin", "HOME": str(parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.monotonic() - begun - page
        return [
            finding(f"the first page is there {page:.1f} s after 'tiltyard new league' (at most 60 s)", page <= 60),
            finding(
                f"a team that was handed in is accepted {took:.1f} s later (at most 300 s)",
                took <= 300 and handed_in.returncode == 0 and "accepted" in handed_in.stdout,
            ),
        ]
    finally:
        server.stop()


def same_again(parent: Path, small: bool) -> list[bool]:
    """Random rated games played again; and what a replay shows is what is counted."""
    from tiltyard_checks.runs.verification import verified_against
    from tiltyard_league.database.games import Games
    from tiltyard_simulator.play.executors import play_matches
    from tiltyard_tournaments.store import Store

    number = 20 if small else 200
    with evening(parent, 4 if small else 12) as league:
        until(lambda: league.games() >= number)
    games = Games(league.folder / "results").last(1_000_000)
    # Of older games the replays are gone.
    shown = {key for (key,) in Games(league.folder / "results").rows("SELECT key FROM matches WHERE replay IS NOT NULL")}
    chosen = random.Random(1).sample([game for game in games if game.kind == "rated" and game.key in shown], number)
    different = wrong = 0
    with Store(league.folder / "results", writable=False) as store:
        stored = {game.key: store.match(game.key) for game in chosen}
        for game in chosen:
            replay = store.replay(game.key)
            match = stored[game.key]
            assert match is not None
            record = store.record(game.key, with_replay=True)
            assert record is not None
            stored[game.key] = replace(match, record=record)
            ending = f"Player {game.winner} won" if game.winner else "Tie"
            wrong += replay is None or not replay.message.startswith(ending) or len(replay.frames) != game.rounds
    specs = [replace(stored[game.key].spec, record=True) for game in chosen]  # type: ignore[union-attr]
    for game, spec, record in zip(chosen, specs, play_matches(specs, 2), strict=True):
        match = stored[game.key]
        assert match is not None
        different += not verified_against(spec, match.record, record).is_same
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
    ((team, token),) = tokens.items()
    try:
        web = next(one for one in descendants(_pid(server)) if "tiltyard_league.web.main" in words_of(one))
        numbers: dict[str, int] = {}
        told = 0
        for each in hostile:
            status, found = ask(port, "PUT", "/api/versions", token, each.make(), name=each.name)
            if status == 201:
                # Some are the same bytes under another name, and so the same version.
                numbers[each.what] = found["number"]
            else:
                told += status in (400, 413)
        until(lambda: not ask(port, "GET", "/status.json")[1]["waiting_for_a_check"])
        reports = {what: ask(port, "GET", f"/api/versions/{number}", token)[1] for what, number in numbers.items()}
        status_lines = Path("/proc", str(web), "status").read_text().splitlines()
        peak = next(int(line.split()[1]) / 1024 for line in status_lines if line.startswith("VmHWM"))
    finally:
        server.stop()
    told += sum(report["state"] == "refused" and bool(report["reason"]) for report in reports.values())
    accepted = [what for what, report in reports.items() if report["state"] != "refused"]
    return [
        finding(f"of {len(hostile)} archives {told} are refused with a reason; others: {accepted}", told == len(hostile)),
        finding(f"the web process of {team}'s league needs {peak:.0f} MiB at most (at most 64 MiB)", peak <= 64),
        finding(f"left running: {left_running(str(folder))}", not left_running(str(folder))),
    ]


def _pid(server: Server) -> int:
    assert server.process is not None
    return server.process.pid


def access(parent: Path, small: bool) -> list[bool]:
    """Access, forms from elsewhere, other teams' things, tokens: the tests that walk through all routes."""
    return [tests_pass("who may see and do what, on all routes", "tests/league/web/test_access.py")]


def tests_pass(what: str, *files: str) -> bool:
    """Whether the tests of some files pass, which is said as a finding."""
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return finding(f"{what}: {done.stdout.strip().splitlines()[-1]}", done.returncode == 0)


def backup(parent: Path, small: bool) -> list[bool]:
    """A backup while games are played, and the league that is made of it elsewhere."""
    with evening(parent, 4 if small else 12) as league:
        until(lambda: league.games() >= (30 if small else 500))
        before = league.games()
        league.command("backup", str(league.folder), str(parent / "league.tar.gz"))
        after = league.games()
    size = sum(path.stat().st_size for path in league.folder.rglob("*") if path.is_file())
    elsewhere = parent / "elsewhere"
    league.command("unpack-backup", str(parent / "league.tar.gz"), str(elsewhere))
    share = (parent / "league.tar.gz").stat().st_size / size
    with closing(sqlite3.connect(elsewhere / "results" / "tournament.sqlite")) as store:
        games = store.execute("SELECT count(*) FROM league_games").fetchone()[0]
        at_most = store.execute("SELECT max(place) FROM league_games").fetchone()[0]
    own = league.rows("SELECT place, key, winner FROM league_games WHERE place <= ? ORDER BY place", at_most)
    with closing(sqlite3.connect(elsewhere / "results" / "tournament.sqlite")) as store:
        same = store.execute("SELECT place, key, winner FROM league_games ORDER BY place").fetchall() == own
    return [
        finding(f"the backup has {games} games, of {before} before it and {after} after it", before <= games <= after),
        finding("they are those of the league", same),
        finding(f"its size is {share:.2f} of the folder's (at most 1.2)", share <= 1.2),
    ]


def finals(parent: Path, small: bool) -> list[bool]:
    """From the freeze to the published site; killed in the middle, it goes on."""
    with evening(parent, 3 if small else 8) as league:
        league.command("freeze", str(league.folder))
    words = [TILTYARD, "league", "finals", str(league.folder), "--format", "round-robin"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    results = league.folder / "finals" / "tournament.sqlite"

    def played() -> int:
        try:
            with closing(sqlite3.connect(f"{results.as_uri()}?mode=ro", uri=True)) as store:
                return int(store.execute("SELECT count(*) FROM matches").fetchone()[0])
        except sqlite3.Error:
            return 0

    until(lambda: played() >= 5 or process.poll() is not None)
    for one in descendants(process.pid):
        _kill(one)
    _kill(process.pid)
    process.wait()
    first = played()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return [
        finding(f"it was killed after {first} matches, and ended with {played()}", 0 < first < played() and not done.returncode),
        finding("its site is there", any((league.folder / "finals").rglob("index.html"))),
    ]


def _kill(number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def cluster(parent: Path, small: bool) -> list[bool]:
    """Three Dask workers, of which one is killed again and again, and each third time the scheduler in its place."""
    sys.path.insert(0, str(ROOT))
    from tests.cluster.dask_cluster import dask_cluster

    minutes, pause = (1, 20.0) if small else (10, 60.0)
    draw = random.Random(1)
    with dask_cluster(parent / "dask", workers=3) as machines:
        with evening(parent, 4 if small else 12, words=("--cluster", machines.address)) as league:
            until(lambda: league.games() >= 3)
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
            before = league.games()
            until(lambda: league.games() > before or ask(league.port, "GET", "/status.json")[1]["complete"])
        with closing(sqlite3.connect(league.folder / "results" / "tournament.sqlite")) as store:
            again = kept_again(store)
        games = league.rows("SELECT count(*) FROM league_games")[0][0]
        nobody = league.rows("SELECT count(*) FROM league_games WHERE NOT counts")[0][0]
        half = league.rows(
            "SELECT count(*) FROM league_games AS one WHERE NOT EXISTS (SELECT 1 FROM league_games AS other WHERE"
            " other.version_1 = one.version_2 AND other.version_2 = one.version_1 AND other.map = one.map)"
        )[0][0]
    return [
        finding(f"{workers} machines and {schedulers} schedulers were killed", workers > 0 and schedulers > 0),
        finding(f"of {games} games {again} were kept twice", games > 10 and not again),
        finding(f"{nobody} games count for nobody", not nobody),
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
    seconds = 60 if small else 20 * 60
    with evening(parent, 6 if small else 30, 24) as league:
        until(lambda: league.games() >= 20)
        first, games, disk = league.server.rss(), league.games(), _disk(league.folder)
        time.sleep(seconds)
        last, more, used = league.server.rss(), league.games() - games, _disk(league.folder) - disk
    a_day = used / max(1, more) * 10_000 / 1e6
    grown = {name: last[name] - first[name] for name in ("web", "service")}
    return [
        *(finding(f"the {name} grew by {more:.1f} MB in {seconds} s (at most 20)", more <= 20) for name, more in grown.items()),
        finding(f"{more} games: {more * 86_400 / seconds:,.0f} a day (at least 10,000)", more * 86_400 / seconds >= 10_000),
        finding(f"10,000 games take {a_day:.0f} MB before old replays are removed (at most 60)", a_day <= 60),
    ]


def _disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "results").glob("*") if path.is_file())
