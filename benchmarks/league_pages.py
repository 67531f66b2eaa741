"""How soon the pages of a league answer with many games in its store, and how soon what staff do is seen.

Two of the checks of league_checks.py. ``pages`` plays some games of a league, copies them under made-up versions of 60 teams, and
asks for its pages at an even rate: as everybody, as a team and as staff. Meanwhile games end as in a league that two cores play in,
and the standing is written as after each fit, so that pages for everybody have to be made again and again. The table says how many
of a page's answers weren't the one before.
"""

from __future__ import annotations

import json
import random
import sqlite3
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from league_course import Course, at, finding, growth, league_command, mutated, rows_of, running_course, share, until

from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.staff import set_closed
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.rating.fit import fit_versions
from tiltyard_league.rating.standing import read_standing, write_standing
from tiltyard_league.service.game_writing import FILL_SEATS
from tiltyard_league.service.main import FIT_SECONDS
from tiltyard_simulator.output.tables import render
from tiltyard_site.pages.match_scripts import CHUNK

Actions: TypeAlias = Mapping[str, Callable[[], object]]
Visit: TypeAlias = tuple[str, str]
"""A page, and who asks for it."""
TEAMS: Final = 60
VERSIONS: Final = 560
RATE: Final = 20.0
"""Requests a second."""
WRITES: Final = 2.0
"""Games that end in a second meanwhile."""
SESSION: Final = "tiltyard_session"


class MadeUpGames:
    """Games between made-up versions that are copies of those that were played.

    Args:
        store: of the league.
        versions: that play.
        seed: for who meets whom, and who wins.
    """

    def __init__(self, store: sqlite3.Connection, versions: Sequence[int], seed: int) -> None:
        self._versions = versions
        self._draw = random.Random(seed)
        columns = [row[1] for row in store.execute("PRAGMA table_info(matches)") if row[1] not in ("key", "place")]
        self._played = store.execute(f"SELECT key, {', '.join(columns)} FROM matches").fetchall()  # noqa: S608 -- its own columns
        marks = ", ".join("?" * (len(columns) + 2))
        self._insert = f"INSERT INTO matches (key, {', '.join(columns)}, place) VALUES ({marks})"  # noqa: S608 -- its own columns
        self._maps = [row[0] for row in store.execute("SELECT DISTINCT map FROM league_games")]
        self._seen: set[tuple[tuple[int, ...], str]] = set()

    def add(self, store: sqlite3.Connection, number: int) -> None:
        """Add so many. As in a league, versions meet on some of the maps, in both orders of seats."""
        most = len(self._seen) + number
        while len(self._seen) < most:
            seats = tuple(self._draw.sample(self._versions, 2))
            for game_map in self._draw.sample(self._maps, self._draw.randint(1, len(self._maps))):
                for place in ((seats, game_map), (seats[::-1], game_map)):
                    if place not in self._seen and len(self._seen) < most:
                        self._seen.add(place)
                        self._add(store, place, len(self._seen))

    def _add(self, store: sqlite3.Connection, place: tuple[tuple[int, ...], str], number: int) -> None:
        versions, game_map = place
        old, *values = self._draw.choice(self._played)
        # A match and its result hold the key as well, and one in its place has to be as long.
        key = f"{number:0{len(old)}}"
        copied = (value.replace(old.encode(), key.encode()) if isinstance(value, bytes) else value for value in values)
        store.execute(self._insert, (key, *copied, 1_000 + number))
        winner = self._draw.choices((0, 1, 2), [1, *(4 + version % 7 for version in versions)])[0]
        fault = "crash" if winner and number % 50 == 0 else ""
        game = {
            "key": key,
            "versions": json.dumps(versions, separators=(",", ":")),
            "map": game_map,
            "winner": winner,
            "ranks": json.dumps([1 if winner in (0, seat) else 2 for seat in (1, 2)]),
            "fault": winner if fault else 0,
            "faults": json.dumps([fault if seat == winner else "" for seat in (1, 2)]),
            "verdict": fault,
            "ended_at": time.strftime("%Y-%m-%dT%H:%M:%S.000+00:00", time.gmtime(1_770_000_000 + 60 * number)),
        }
        store.execute(
            "INSERT INTO league_games"
            " (key, versions, map, kind, counts, voided, winner, ranks, rounds, fault, faults, verdict, ended_at, message) VALUES"
            " (:key, :versions, :map, 'rated', 1, 0, :winner, :ranks, 100, :fault, :faults, :verdict, :ended_at, '')",
            game,
        )
        store.execute(f"{FILL_SEATS} AND league_games.key = ?", (key,))


class Writer(threading.Thread):
    """Lets games end at an even rate until it is told to stop, and writes the standing as often as a fit is due."""

    def __init__(self, folder: Path, games: MadeUpGames, rate: float) -> None:
        super().__init__(daemon=True)
        self.ends = threading.Event()
        self.number = 0
        """Of games that have ended."""
        self._folder, self._games, self._rate = folder, games, rate

    def run(self) -> None:
        """Write."""
        fitted_at = time.monotonic()
        while not self.ends.wait(1 / self._rate):
            with closing(sqlite3.connect(self._folder / "results" / "tournament.sqlite", timeout=30)) as store, store:
                self._games.add(store, 1)
            self.number += 1
            if time.monotonic() - fitted_at >= FIT_SECONDS:
                fitted_at = time.monotonic()
                write_standing(self._folder, msgspec.structs.replace(read_standing(self._folder), made_at=now()))


def fill(folder: Path, games: int, versions: int, seed: int) -> MadeUpGames:
    """Add versions of all teams, and games between them; what adds more of these."""
    with closing(sqlite3.connect(folder / "league.sqlite")) as database, database:
        (entry,) = database.execute("SELECT entry FROM versions WHERE entry IS NOT NULL LIMIT 1").fetchone()
        teams = [row[0] for row in database.execute("SELECT id FROM teams WHERE kind = 'student'")]
        (last,) = database.execute("SELECT ifnull(max(number), 0) FROM versions").fetchone()
        made: list[int] = []
        for number in range(versions):
            cursor = database.execute(
                "INSERT INTO versions (team, number, upload, name, size, note, late, uploaded_at, state, reason, attempts,"
                " checked_at, code, entry) VALUES (?, ?, ?, 'team.py', 1, '', 0, ?, 'accepted', '', 1, ?, ?, ?)",
                (
                    teams[number % len(teams)],
                    last + number // len(teams) + 1,
                    f"{number}",
                    *["2026-01-01T00:00:00.000+00:00"] * 2,
                    f"{number}",
                    entry,
                ),
            )
            assert cursor.lastrowid is not None
            made.append(cursor.lastrowid)
    with closing(sqlite3.connect(folder / "results" / "tournament.sqlite")) as store, store:
        made_up = MadeUpGames(store, made, seed)
        made_up.add(store, games)
    return made_up


def ask_for(port: int, path: str, session: str) -> tuple[float, bytes]:
    """Seconds until a page was there, and the page."""
    # As a web server before the league says it: one address may not ask so often.
    headers = {"X-Forwarded-For": f"10.0.0.{random.randrange(250)}"} | ({"Cookie": f"{SESSION}={session}"} if session else {})
    request = urllib.request.Request(f"http://localhost:{port}{path}", headers=headers)
    begun = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 -- our own server
        page = answer.read()
    return time.perf_counter() - begun, page


def pages(parent: Path, small: bool) -> list[bool]:
    """All pages with 140,000 games, at 20 requests a second."""
    games, seconds = (14_000, 20.0) if small else (140_000, 300.0)
    course = Course.make(parent, TEAMS)
    folder = course.folder
    with course.served():
        until(lambda: Games(folder / "results").newest() >= 48)
    made_up = fill(folder, games, VERSIONS, seed=1)
    holds = _fit(folder)
    with Database(folder) as database:
        set_closed(database, True, "benchmark")
        with database.writing():
            team = find_team(database, "Team 7")
            sessions = {"team": make_token(database, "session", team["id"]), "staff": make_token(database, "session", None)}
    newest = Games(folder / "results").newest()
    public = [
        *("/", f"/teams/{team['slug']}", "/games/", "/games/12", f"/games/?before={newest // 2}", "/live", "/live.json"),
        *("/status.json", "/feed.atom", "/data/games.js", f"/data/matches-{newest // CHUNK}.js", "/replays/12.js"),
    ]
    own = ["/me", f"/me/versions/{(VERSIONS - 7) // TEAMS + 1}", "/me/games", "/me/games?fault=1", "/me/requests"]
    staff = ["/staff", "/staff/reveal", "/staff/grades.csv", "/staff/log"]
    visits = [(path, who) for who, paths in (("everybody", public), ("team", own), ("staff", staff)) for path in paths]
    with course.served():
        time.sleep(5)
        writer = Writer(folder, made_up, WRITES)
        writer.start()
        try:
            holds += _measure(course, visits, sessions, seconds)
        finally:
            writer.ends.set()
            writer.join()
        holds.append(finding(f"{writer.number} games ended meanwhile", writer.number >= seconds * WRITES / 2))
    return holds


def _fit(folder: Path) -> list[bool]:
    begun = time.process_time()
    counts = Games(folder / "results").counts()
    read = time.process_time()
    with Database(folder) as database:
        rows = database.rows("SELECT id, team FROM versions WHERE entry IS NOT NULL ORDER BY id")
    fit_versions(before((row["id"], row["team"]) for row in rows), counts)
    spent = time.process_time() - read
    print(f"the standing: {read - begun:.2f} s of CPU to read the games, {spent:.2f} s to fit {len(rows)} versions")
    return [finding(f"a standing takes {read - begun + spent:.2f} s of CPU (at most 1 s)", read - begun + spent <= 1)]


def _measure(course: Course, visits: list[Visit], sessions: Mapping[str, str], seconds: float) -> list[bool]:
    seconds_of: defaultdict[Visit, list[float]] = defaultdict(list)
    new: Counter[Visit] = Counter()
    answers: dict[Visit, bytes] = {}
    problems: list[str] = []
    lock = threading.Lock()

    def one(visit: Visit) -> None:
        path, who = visit
        try:
            took, page = ask_for(course.port, path, sessions.get(who, ""))
        except OSError as error:
            problems.append(f"{path}: {error}")
            return
        with lock:
            seconds_of[visit].append(took)
            new[visit] += answers.get(visit) != page
            answers[visit] = page

    for visit in visits:
        one(visit)
    seconds_of.clear()
    new.clear()
    first = course.memory()
    begun = time.monotonic()
    with ThreadPoolExecutor(32) as threads:
        for number in range(int(RATE * seconds)):
            time.sleep(max(0.0, begun + number / RATE - time.monotonic()))
            threads.submit(one, visits[number % len(visits)])
    last = course.memory()
    rows: list[tuple[str | int, ...]] = []
    for visit, took in sorted(seconds_of.items(), key=lambda item: -share(item[1], 0.95)):
        figures = (f"{1000 * share(took, part):.0f}" for part in (0.5, 0.95, 1))
        rows.append((*visit, len(took), new[visit], *figures, len(answers[visit])))
    headers = ("page", "for", "number", "new", "half ms", "p95 ms", "worst ms", "bytes")
    print(render(headers, rows, align=("left", "left", *["right"] * 6)))
    every = [value for took in seconds_of.values() for value in took]
    late, latest = share(every, 0.95), share(every, 0.99)
    slow = sorted(path for (path, _), took in seconds_of.items() if share(took, 0.95) > 0.15)
    newest, number = new["/games/", "everybody"], len(seconds_of["/games/", "everybody"])
    return [
        finding(f"pages answer after {1000 * late:.0f} ms (p95; at most 150 ms)", late <= 0.15),
        finding(f"pages answer after {1000 * latest:.0f} ms (p99; at most 400 ms)", latest <= 0.4),
        finding(f"pages with a p95 above 150 ms: {slow}", not slow),
        finding(f"requests that failed: {len(problems)} {problems[:3]}", not problems),
        finding(f"of {number} answers with the newest games {newest} were made again (at least half)", 0 < number <= 2 * newest),
        *growth(first, last, f"from {first}"),
    ]


def soon(what: str, took: float, most: float = 10.0) -> bool:
    """Whether something followed soon enough, which is said as a finding; a game that is played again may take 5 s more."""
    return finding(f"{what} after {took:.1f} s (at most {most:g} s)", took <= most)


def staff(parent: Path, small: bool) -> list[bool]:
    """What staff do with versions and games by commands: it stands in the log, and ratings follow."""
    with running_course(parent, 3 if small else 12) as course:
        until(lambda: course.games() >= 30)
        holds = [*_disabled_in_its_game(course), *_in_ratings(course)]
        with Database(course.folder) as database:
            log = Counter(row["what"] for row in database.rows("SELECT what FROM log"))
    expected = Counter(["team disabled", "game void", "game restore", "game rerun", "closed", "opened"])
    return [*holds, finding(f"missing in the log: {sorted((expected - log).elements())}", expected <= log)]


def _in_ratings(course: Course) -> list[bool]:
    """Void a game and restore it, and have another one played again."""
    folder = str(course.folder)

    def games() -> int:
        return read_standing(course.folder).games

    def counted(place: int) -> list[tuple[int]]:
        return course.store("SELECT voided FROM league_games WHERE place = ?", place)

    league_command("close", folder)
    time.sleep(12)
    before = games()
    league_command("void", folder, "5")
    holds = [soon("a game that was voided has left the ratings", until(lambda: counted(5) == [(1,)] and games() == before - 1))]
    league_command("restore", folder, "5")
    holds.append(soon("restored it is back", until(lambda: games() == before)))
    league_command("close", folder, "--open")
    league_command("rerun", folder, "7")
    return [*holds, soon("a game is played again", until(lambda: not counted(7)), 15.0)]


def spans_of(folder: Path, version: int) -> list[tuple[float, float]]:
    """When each game of a version began and ended, in seconds since 1970."""
    rows = rows_of(
        folder / "results" / "tournament.sqlite",
        "SELECT ended_at, seconds FROM league_games JOIN matches USING (key)"
        " JOIN league_seats ON league_seats.game = league_games.place WHERE version = ?",
        version,
    )
    return [(at(ended) - seconds, at(ended)) for ended, seconds in rows]


def _disabled_in_its_game(course: Course) -> list[bool]:
    """A team is disabled while a game of its version runs: that one ends, no other begins, and the standing follows."""
    program = mutated(1_000, random.Random(1_000)).decode()
    first_line = "        self.round += 1\n"
    assert first_line in program
    # Each of its games takes a second or two more, however large the map.
    pause = "        self.__dict__['turns'] = self.__dict__.get('turns', 0) + 1\n"
    pause += "        if self.turns < 5:\n            __import__('time').sleep(0.2)\n"
    status, _ = course.ask("PUT", "/api/versions", "Team 1", program.replace(first_line, pause + first_line).encode())
    assert status == 201
    course.until_checked()
    ((version,),) = course.database("SELECT max(id) FROM versions WHERE state = 'accepted' AND upload != ''")

    def plays() -> bool:
        return any(line.version == version for line in read_standing(course.folder).lines)

    until(lambda: len(spans_of(course.folder, version)) >= 2 and plays())
    # The next ones have begun.
    time.sleep(0.5)
    league_command("disable", str(course.folder), "Team 1")
    disabled_at = time.time()
    took = until(lambda: not plays())
    # Time for games of it that should not begin.
    before = course.games()
    until(lambda: course.games() >= before + 10 or course.status()["complete"])
    spans = spans_of(course.folder, version)
    running = [(disabled_at - begun, ended - disabled_at) for begun, ended in spans if begun < disabled_at < ended]
    later = [begun for begun, _ in spans if begun > disabled_at + 1]
    words = ", ".join(f"{had:.1f} s after it began, {left:.1f} s before it ended" for had, left in running)
    return [
        finding(f"a team was disabled in the middle of a game: {words}", bool(running)),
        soon("it has left the standing", took),
        finding(f"{len(later)} games of it began later", not later),
    ]
