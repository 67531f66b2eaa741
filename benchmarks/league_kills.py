"""Random kill -9 of every process of a league under load: nothing acknowledged may be lost, nothing counted twice.

    nice .venv/bin/python benchmarks/league_kills.py --kills 200 --teams 60 --uploads 500 --minutes 60

While teams hand in as in league_load.py, a process is killed at random moments: the web process, the service, a worker, a check,
what they have started, and one time in ten the parent of all, which is then started again. At the end the ratings that the
league shows must be those of a fresh fit of its games, to the last digit, and nothing that was handed in once may have become two
versions.

There is no cluster here, so no scheduler is killed: league_checks.py does that in its check of a cluster.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing, nullcontext, suppress
from pathlib import Path

from league_crowd import Server, ask, course, descendants, finding, kept_again, left_running, name_of, share, uploads, words_of
from measuring import command_line

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.staff import set_closed
from tiltyard_league.database.state import read_state
from tiltyard_league.database.versions import active_versions
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.rating.fit import fit_versions
from tiltyard_league.rating.standing import read_standing

PARENT_SHARE = 0.1


class Killer(threading.Thread):
    """Kills one process after the other until it is told to stop."""

    def __init__(self, server: Server, kills: int, seconds: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.killed: Counter[str] = Counter()
        self.back: list[float] = []
        """Seconds from each kill until the pages answered."""
        self.at: list[float] = []
        """When something was killed."""
        self._server, self._kills, self._pause = server, kills, seconds / max(1, kills)
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
        below = descendants(self._server.process.pid)
        if below:
            number = self._draw.choice(below)
            self.killed[kind_of(f"{words_of(number)} {name_of(number)}")] += 1
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
    known = {
        "tiltyard worker": "worker",
        "league.web": "web",
        "league.service": "service",
        "submissions.checker": "check",
        "bwrap": "sandbox",
        "zygote_main": "sandbox or cell",
    }
    return next((kind for part, kind in known.items() if part in words), "other")


def hand_in_again_and_again(
    port: int, tokens: dict[str, str], number: int, seconds: float, seed: int
) -> tuple[dict[tuple[str, int], str], Counter[tuple[str, str]]]:
    """Hand all in, each until it is acknowledged; team and number to digest, and how often a team handed in each digest."""
    names = sorted(tokens)
    done: dict[tuple[str, int], str] = {}
    handed_in: Counter[tuple[str, str]] = Counter()
    begun = time.monotonic()
    for place, (_, data) in enumerate(uploads(number, seed)):
        time.sleep(max(0.0, begun + place * seconds / number - time.monotonic()))
        team = names[place % len(names)]
        handed_in[team, hashlib.sha256(data).hexdigest()] += 1
        for _ in range(60):
            try:
                status, found = ask(port, "PUT", "/api/versions", tokens[team], data)
            except OSError:
                time.sleep(0.5)
                continue
            if status == 201:
                done[team, found["number"]] = found["digest"]
            if status < 500:
                break
            time.sleep(0.5)
    return done, handed_in


def main() -> int:
    """Do it, and say what is wrong."""
    parser = command_line(__doc__)
    parser.add_argument("--teams", type=int, default=60)
    parser.add_argument("--uploads", type=int, default=500)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--maps", type=int, default=24)
    parser.add_argument("--patience", type=float, default=600.0, help="seconds to wait for the last check")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a new folder for the league, which is kept; else a temporary one")
    given = parser.parse_args()
    with nullcontext(str(given.keep)) if given.keep else tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "course"
        port, tokens = course(folder, given.teams, given.maps)
        server = Server(folder, port, Path(parent) / "log")
        server.start()
        try:
            killer, watch = Killer(server, given.kills, given.minutes * 60, given.seed), Watch(folder)
            killer.start()
            watch.start()
            done, handed_in = hand_in_again_and_again(port, tokens, given.uploads, given.minutes * 60, given.seed)
            killer.join()
            until = time.monotonic() + given.patience
            while ask(port, "GET", "/status.json")[1]["waiting_for_a_check"] and time.monotonic() < until:
                time.sleep(0.5)
            if time.monotonic() >= until:
                assert server.process is not None
                print("still waiting for a check, with these processes:")
                print("\n".join(f"  {one} {words_of(one)[:120]}" for one in descendants(server.process.pid)))
            watch.ends.set()
            watch.join()
            # Nothing is played any more, so the last fit, which is due ten seconds after a game, knows all games.
            with Database(folder) as database:
                set_closed(database, True, "benchmark")
            time.sleep(15)
            lost = [
                key
                for key, digest in done.items()
                if ask(port, "GET", f"/api/versions/{key[1]}", tokens[key[0]])[1].get("digest") != digest
            ]
        finally:
            server.stop()
            # Whatever is still there was left behind.
            time.sleep(2)
        killed = killer.killed
        print(f"killed: {dict(killed)}; acknowledged uploads {len(done)}")
        worst = max(killer.back, default=0.0)
        print(f"back after: half {share(killer.back, 0.5):.1f} s, p95 {share(killer.back, 0.95):.1f} s, worst {worst:.1f} s")
        away = watch.seconds(killer.at)
        slowest = max(away, default=0.0)
        print(f"the service was back after: half {share(away, 0.5):.1f} s, p95 {share(away, 0.95):.1f} s, worst {slowest:.1f} s")
        twice = versions_twice(folder, handed_in)
        wrong = [*(f"lost: {key}" for key in lost), *twice, *problems(folder, str(folder))]
        for line in wrong:
            print(f"WRONG: {line}")
        kills = sum(killed.values())
        holds = [
            finding(f"{kills} kills, of {given.kills} that were wanted", kills == given.kills > 0),
            finding(f"of {len(done)} uploads that were acknowledged {len(lost)} are lost", bool(done) and not lost),
            finding(f"of {handed_in.total()} uploads {len(twice)} have become a version twice", bool(handed_in) and not twice),
            finding("no game is lost or kept twice, and the ratings are those of a fresh fit, byte for byte", not wrong),
            finding(f"pages are back after {worst:.1f} s at the latest (at most 5 s)", worst <= 5),
            finding(
                f"of {len(away)} times, the service was back after {slowest:.1f} s at the latest (at most 10 s)", slowest <= 10
            ),
        ]
        return 0 if all(holds) else 1


def versions_twice(folder: Path, handed_in: Counter[tuple[str, str]]) -> list[str]:
    """What became more versions than it was handed in, where each time was repeated until it was acknowledged."""
    with closing(sqlite3.connect(folder / "league.sqlite")) as database:
        rows = database.execute(
            "SELECT teams.name, upload, count(*) FROM versions JOIN teams ON teams.id = team WHERE upload != '' GROUP BY 1, 2"
        ).fetchall()
    return [
        f"handed in {handed_in[team, digest]} times by {team}, but {number} versions: {digest}"
        for team, digest, number in rows
        if number > handed_in[team, digest]
    ]


def problems(folder: Path, name: str) -> list[str]:
    """What is wrong with a league that has ended."""
    found: list[str] = []
    with closing(sqlite3.connect(folder / "league.sqlite")) as database:
        states = dict(database.execute("SELECT state, count(*) FROM versions GROUP BY 1").fetchall())
        given_up = database.execute("SELECT count(*) FROM versions WHERE reason LIKE 'the check itself%'").fetchone()[0]
        check = database.execute("PRAGMA integrity_check").fetchone()[0]
    print(f"versions: {states}; checks that were given up: {given_up}")
    found += [] if check == "ok" else [f"league.sqlite: {check}"]
    found += [f"still {state}: {states[state]}" for state in ("received", "checking") if states.get(state)]
    with closing(sqlite3.connect(folder / "results" / "tournament.sqlite")) as store:
        again = kept_again(store)
        without = store.execute("SELECT count(*) FROM league_games WHERE key NOT IN (SELECT key FROM matches)").fetchone()[0]
        games = store.execute("SELECT count(*), sum(kind = 'rated'), sum(NOT counts) FROM league_games").fetchone()
        matches = store.execute("SELECT count(*) FROM matches WHERE key NOT IN (SELECT key FROM league_games)").fetchone()[0]
        check = store.execute("PRAGMA integrity_check").fetchone()[0]
    print(f"games: {games[0]}, rated {games[1]}, that count for nobody {games[2]}")
    found += [f"{again} games were kept twice"] if again else []
    found += [f"{without} games without a match"] if without else []
    found += [f"{matches} matches without a game"] if matches else []
    found += [] if check == "ok" else [f"tournament.sqlite: {check}"]
    shown = read_standing(folder)
    with Database(folder) as league:
        rows = league.rows(
            "SELECT id, team FROM versions WHERE entry IS NOT NULL AND state IN ('accepted', 'disabled', 'withdrawn') ORDER BY id"
        )
        pin = league.number(
            "SELECT versions.id FROM versions JOIN teams ON teams.id = team WHERE kind = 'staff' AND teams.name = 'acorn'"
            " ORDER BY number DESC LIMIT 1"
        )
        plays = {int(row["id"]) for row in active_versions(league)}
    fit = fit_versions(before((row["id"], row["team"]) for row in rows), Games(folder / "results").counts())
    if not plays or {line.version for line in shown.lines} != plays:
        found.append(f"versions in the standing: {len(shown.lines)}, that play: {len(plays)}")
    rated = Games(folder / "results").totals()[1]
    if not 0 < shown.games == rated:
        found.append(f"games in the standing: {shown.games}, that count: {rated}")
    for line in shown.lines:
        rating, error = (round(value, 6) for value in fit.rating(line.version, pin))
        if (rating, error) != (line.rating, line.error):
            found.append(f"version {line.version}: shown {line.rating} ± {line.error}, fitted {rating} ± {error}")
    print(f"ratings compared: {len(shown.lines)} of {shown.games} games")
    return found + [f"left running: {words[:150]}" for words in left_running(name)]


if __name__ == "__main__":
    sys.exit(main())
