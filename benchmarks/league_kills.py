"""Random kill -9 of every process of a league under load: nothing acknowledged may be lost, nothing counted twice.

One of the checks of league_checks.py. While teams hand in as in league_load.py, a process is killed at random moments: the web
process, the service, a worker, a check, what they have started, and one time in ten the parent of all, which is then started again.
At the end the ratings that the league shows must be those of a fresh fit of its games, to the last digit, and nothing that was
handed in once may have become two versions. There is no cluster here: the check of a cluster kills its schedulers.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from league_course import (
    Server,
    course,
    finding,
    hand_in,
    left_running,
    lost_uploads,
    played,
    rows_of,
    share,
    stored_twice,
    until,
    words_of,
)

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.staff import set_closed
from tiltyard_league.database.state import read_state
from tiltyard_league.database.versions import active_versions
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.rating.fit import fit_orders, fit_versions
from tiltyard_league.rating.standing import read_standing

PARENT_SHARE: Final = 0.1
CHECK_SECONDS: Final = 600.0
"""In which the last upload is checked."""
ATTEMPTS: Final = 60


class Killer(threading.Thread):
    """Kills one process after the other until it is told to stop."""

    def __init__(self, server: Server, kills: int, seconds: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.killed: Counter[str] = Counter()
        self.back: list[float] = []
        """Seconds from each kill until the pages answered."""
        self.at: list[float] = []
        """When something was killed."""
        self._server, self._kills, self._pause = server, kills, seconds / kills
        self._draw = random.Random(seed)

    def run(self) -> None:
        """Kill."""
        for _ in range(self._kills):
            time.sleep(self._draw.uniform(0.3, 1.7) * self._pause)
            begun = time.monotonic()
            self.at.append(begun)
            self._kill()
            while not self._server.answers() and time.monotonic() - begun < 60:
                time.sleep(0.05)
            self.back.append(time.monotonic() - begun)

    def _kill(self) -> None:
        assert self._server.process is not None
        if self._draw.random() < PARENT_SHARE:
            self.killed["parent"] += 1
            self._server.process.kill()
            self._server.process.wait()
            self._server.start()
            return
        if below := self._server.processes():
            number = self._draw.choice(below)
            self.killed[kind_of(words_of(number))] += 1
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


class Watch(threading.Thread):
    """Sees how long no service is at work, until it is told to stop."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.away: list[tuple[float, float]] = []
        """From when to when nobody was."""
        self.ends = threading.Event()
        self._folder = folder

    def run(self) -> None:
        """Look."""
        gone_at: float | None = None
        while not self.ends.wait(0.05):
            here = time.monotonic()
            # It writes its number once it has taken over what is there. Of a process that has ended there are no words.
            if "league.service" in words_of(read_state(self._folder).pid):
                if gone_at is not None:
                    self.away.append((gone_at, here))
                gone_at = None
            elif gone_at is None:
                gone_at = here
        if gone_at is not None:
            self.away.append((gone_at, time.monotonic()))

    def seconds(self, kills: list[float]) -> list[float]:
        """How long it took each time; without those when something was killed meanwhile."""
        return [end - begin for begin, end in self.away if not any(begin + 0.2 < kill < end for kill in kills)]


def kind_of(words: str) -> str:
    """What a process of the league is, by its command line."""
    kinds = {
        "tiltyard worker": "worker",
        "league.web": "web",
        "league.service": "service",
        "submissions.checker": "check",
        "bwrap": "sandbox",
        "zygote_main": "sandbox or cell",
    }
    return next((kind for part, kind in kinds.items() if part in words), "other")


def kills(parent: Path, small: bool) -> list[bool]:
    """200 kills at random in 20 minutes, with uploads at 500 an hour."""
    teams, number, kills_wanted, minutes = (4, 8, 8, 1) if small else (60, 170, 200, 20)
    folder = parent / "course"
    port, tokens = course(folder, teams, 24)
    server = Server(folder, port, parent / "log")
    server.start()
    try:
        killer, watch = Killer(server, kills_wanted, minutes * 60, seed=1), Watch(folder)
        killer.start()
        watch.start()
        uploads = hand_in(port, tokens, number, minutes, attempts=ATTEMPTS)
        killer.join()
        until(lambda: not server.status()["waiting_for_a_check"], CHECK_SECONDS)
        watch.ends.set()
        watch.join()
        # Nothing is played any more, so the last fit, which is due ten seconds after a game, knows all games.
        with Database(folder) as database:
            set_closed(database, True, "benchmark")
        time.sleep(15)
        lost = lost_uploads(port, tokens, uploads)
    finally:
        server.stop()
        # Whatever is still there was left behind.
        time.sleep(2)
    print(f"killed: {dict(killer.killed)}")
    away, worst = watch.seconds(killer.at), {}
    for name, times in (("pages", killer.back), ("service", away)):
        worst[name] = max(times, default=0.0)
        print(f"{name}: back after {share(times, 0.5):.1f} s (half), {share(times, 0.95):.1f} s (p95), {worst[name]:.1f} s (worst)")
    twice = versions_twice(folder, uploads.digests)
    wrong = [*(f"lost: {key}" for key in lost), *twice, *problems(folder, str(folder))]
    for line in wrong:
        print(f"WRONG: {line}")
    accepted, number_of_kills = len(uploads.acknowledged), killer.killed.total()
    return [
        finding(f"{number_of_kills} kills, of {kills_wanted} that were wanted", number_of_kills == kills_wanted),
        finding(f"of {accepted} uploads that were acknowledged {len(lost)} are lost", accepted > 0 and not lost),
        finding(f"of {uploads.digests.total()} uploads {len(twice)} have become a version twice", not twice),
        finding("no game is lost or stored twice, and the ratings are those of a fresh fit, byte for byte", not wrong),
        finding(f"pages are back after {worst['pages']:.1f} s at the latest (at most 5 s)", worst["pages"] <= 5),
        finding(
            f"of {len(away)} times, the service was back after {worst['service']:.1f} s at the latest (at most 10 s)",
            worst["service"] <= 10,
        ),
    ]


def versions_twice(folder: Path, handed_in: Counter[tuple[str, str]]) -> list[str]:
    """What became more versions than it was handed in, where each time was repeated until it was acknowledged."""
    rows = rows_of(
        folder / "league.sqlite",
        "SELECT teams.name, upload, count(*) FROM versions JOIN teams ON teams.id = team WHERE upload != '' GROUP BY 1, 2",
    )
    return [
        f"handed in {handed_in[team, digest]} times by {team}, but {number} versions: {digest}"
        for team, digest, number in rows
        if number > handed_in[team, digest]
    ]


def problems(folder: Path, name: str) -> list[str]:
    """What is wrong with a league that has ended."""
    wrong: list[str] = []
    with closing(sqlite3.connect(folder / "league.sqlite")) as database:
        states = dict(database.execute("SELECT state, count(*) FROM versions GROUP BY 1").fetchall())
        given_up = database.execute("SELECT count(*) FROM versions WHERE reason LIKE 'the check itself%'").fetchone()[0]
        check = database.execute("PRAGMA integrity_check").fetchone()[0]
    print(f"versions: {states}; checks that were given up: {given_up}")
    wrong += [] if check == "ok" else [f"league.sqlite: {check}"]
    wrong += [f"still {state}: {states[state]}" for state in ("received", "checking") if states.get(state)]
    with closing(sqlite3.connect(folder / "results" / "tournament.sqlite")) as store:
        again = stored_twice(store)
        without = store.execute("SELECT count(*) FROM league_games WHERE key NOT IN (SELECT key FROM matches)").fetchone()[0]
        games = store.execute("SELECT count(*), sum(kind = 'rated'), sum(NOT counts) FROM league_games").fetchone()
        matches = store.execute("SELECT count(*) FROM matches WHERE key NOT IN (SELECT key FROM league_games)").fetchone()[0]
        check = store.execute("PRAGMA integrity_check").fetchone()[0]
    print(f"games: {games[0]}, rated {games[1]}, that count for nobody {games[2]}")
    wrong += [f"{again} games were stored twice"] if again else []
    wrong += [f"{without} games without a match"] if without else []
    wrong += [f"{matches} matches without a game"] if matches else []
    wrong += [] if check == "ok" else [f"tournament.sqlite: {check}"]
    shown = read_standing(folder)
    with Database(folder) as league:
        rows = league.rows(
            "SELECT id, team FROM versions WHERE entry IS NOT NULL AND state IN ('accepted', 'disabled', 'withdrawn') ORDER BY id"
        )
        pin = league.number(
            "SELECT versions.id FROM versions JOIN teams ON teams.id = team WHERE kind = 'staff' AND teams.name = ?"
            " ORDER BY number DESC LIMIT 1",
            played().teams[0],
        )
        plays = {int(row["id"]) for row in active_versions(league)}
    versions, source = before((row["id"], row["team"]) for row in rows), Games(folder / "results")
    fit = fit_versions(versions, source.counts()) if played().players == 2 else fit_orders(versions, source.orders())
    if source.lacks_seats():
        wrong.append("the table of seats isn't that of the games")
    if not plays or {line.version for line in shown.lines} != plays:
        wrong.append(f"versions in the standing: {len(shown.lines)}, that play: {len(plays)}")
    rated = Games(folder / "results").totals()[1]
    if not 0 < shown.games == rated:
        wrong.append(f"games in the standing: {shown.games}, that count: {rated}")
    for line in shown.lines:
        rating, error = (round(value, 6) for value in fit.rating(line.version, pin))
        if (rating, error) != (line.rating, line.error):
            wrong.append(f"version {line.version}: shown {line.rating} ± {line.error}, fitted {rating} ± {error}")
    print(f"ratings compared: {len(shown.lines)} of {shown.games} games")
    return wrong + [f"left running: {words[:150]}" for words in left_running(name)]
