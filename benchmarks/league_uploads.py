"""Many teams hand in at once: is everything that was acknowledged there, how soon is it checked, and how soon does it play?

Two of the checks of league_checks.py. ``load`` hands in mutated copies of acorn at an even rate; a tenth is broken, a twentieth
attacks the machine. Then it stops the league, starts it again, and asks for each version that was acknowledged.

In ``kills``, a process is killed at random moments meanwhile: the web process, the service, a worker, a check, what they have
started, and one time in ten the parent of all, which is then started again. Nothing acknowledged may be lost, and nothing counted
twice. At the end the ratings that the league shows must be those of a fresh fit of its games, to the last digit, and nothing that
was handed in once may have become two versions. There is no cluster here: the check of a cluster kills its schedulers.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from league_course import Course, at, finding, growth, hand_in, lost_uploads, rows_of, share, stored_twice, until
from measuring import left_running, words_of

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.staff import set_closed
from tiltyard_league.database.state import read_state
from tiltyard_league.database.versions import active_versions
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.rating.fit import fit_orders, fit_versions
from tiltyard_league.rating.standing import read_standing
from tiltyard_simulator.output.tables import render

FIRST_GAMES: Final = 20
"""Before memory is measured for the first time."""
FIRST_SECONDS: Final = 10.0
"""In which a version's first game begins, beside a match that has to end first."""
TWENTY_SECONDS: Final = 300.0
"""In which a version has had twenty games."""
PARENT_SHARE: Final = 0.1
ATTEMPTS: Final = 60
KINDS: Final = {
    "tiltyard worker": "worker",
    "league.web": "web",
    "league.service": "service",
    "submissions.checker": "check",
    "bwrap": "sandbox",
    "zygote_main": "sandbox or cell",
}
"""What a process of the league is, by a part of its command line."""


def load(parent: Path, small: bool) -> list[bool]:
    """60 teams hand in 500 versions in an hour."""
    teams, number, minutes = (10, 20, 1) if small else (60, 500, 60)
    course = Course.make(parent, teams)
    with course.served():
        # What a process needs once it does its work is no growth. The staff's two teams begin at once.
        until(lambda: course.games() >= FIRST_GAMES)
        first = course.memory()
        uploads = hand_in(course, number, minutes)
        course.until_checked()
        time.sleep(15)
        last, stopped = course.memory(), time.time()
        course.stop()
        course.start()
        lost = lost_uploads(course, uploads)
    print(f"memory in MB, at the start {first}, at the end {last}")
    odd = {status: times for status, times in uploads.answers.items() if status not in (201, 400)}
    kinds = {key: kind for key, (_, kind) in uploads.acknowledged.items()}
    left = left_running(str(course.folder))
    return [
        finding(f"of {len(kinds)} uploads that were acknowledged {len(lost)} are lost after a restart", bool(kinds) and not lost),
        finding(f"answers that were neither 201 nor a refusal of what is empty: {odd}", not odd),
        finding(f"left running: {left}", not left),
        *growth(first, last, "meanwhile"),
        *waits_of_versions(course, kinds, stopped),
    ]


@dataclass(frozen=True)
class Turn:
    """From when to when a version played."""

    version: int
    accepted: float
    ended: float


def turns_of(accepted: Iterable[tuple[int, str, float]], stopped: float) -> list[Turn]:
    """Of versions with their team and the time of their acceptance: each plays until its team's next one does, or to the end."""
    by_team: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    for version, team, when in accepted:
        by_team[team].append((when, version))
    return [
        Turn(version, when, ended)
        for own in map(sorted, by_team.values())
        for (when, version), (ended, _) in pairwise([*own, (stopped, 0)])
    ]


class GameTimes:
    """When games began and ended, by the versions that played.

    Args:
        games: the versions, and when they began and ended.
    """

    def __init__(self, games: Iterable[tuple[Sequence[int], float, float]]) -> None:
        self.spans: list[tuple[float, float]] = []
        """When each began and ended."""
        self._begun: defaultdict[int, list[float]] = defaultdict(list)
        self._ended: defaultdict[int, list[float]] = defaultdict(list)
        for versions, begun, ended in games:
            self.spans.append((begun, ended))
            for version in versions:
                self._begun[version].append(begun)
                self._ended[version].append(ended)

    def waits(self, number: int, turns: Iterable[Turn], most: float) -> list[float]:
        """Seconds from each version's acceptance until its first game began, or until so many of its games had ended.

        Who hasn't had so many in ``most`` seconds waits for ever. A version whose turn ended sooner says nothing.
        """
        waits = (self._wait(number, turn, most) for turn in turns)
        return [wait for wait in waits if wait is not None]

    def beyond_a_match(self, turns: Iterable[Turn], most: float) -> list[float]:
        """How much longer each version waited for its first game than the longest match took that was being played as it came."""
        return [
            wait - max((ended - begun for begun, ended in self.spans if begun <= turn.accepted < ended), default=0.0)
            for turn in turns
            if (wait := self._wait(1, turn, most)) is not None
        ]

    def _wait(self, number: int, turn: Turn, most: float) -> float | None:
        times = sorted((self._begun if number == 1 else self._ended)[turn.version])
        if len(times) >= number:
            return times[number - 1] - turn.accepted
        return math.inf if turn.ended - turn.accepted > most else None


def waits_of_versions(course: Course, kinds: dict[tuple[str, int], str], stopped: float) -> list[bool]:
    """Print a table, and say whether what is expected of it holds."""
    versions = course.database(
        "SELECT versions.id, teams.name, number, versions.state, versions.reason, uploaded_at, checked_at FROM versions"
        " JOIN teams ON teams.id = team WHERE upload != '' ORDER BY versions.id"
    )
    waits: defaultdict[str, list[float]] = defaultdict(list)
    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, team, number, state, reason, uploaded, checked in versions:
        kind = kinds.get((team, number), "?")
        states[kind.split()[0]][state] += 1
        waits[kind.split()[0]] += [at(checked) - at(uploaded)] if checked else []
        if kind.startswith("hostile") or (kind == "good" and state == "refused"):
            print(f"  {kind}: {state}: {reason[:110]}")
    rows = [
        (kind, str(dict(states[kind])), *(f"{value:.1f}" for value in (share(times, 0.5), share(times, 0.95), share(times, 1))))
        for kind, times in sorted(waits.items())
    ]
    print(render(("kind", "states", "report after s (half)", "p95", "worst"), rows))
    games = GameTimes(
        (json.loads(seats), at(ended) - seconds, at(ended))
        for seats, ended, seconds in course.store(
            "SELECT versions, ended_at, seconds FROM league_games JOIN matches USING (key) WHERE kind = 'rated'"
        )
    )
    accepted = [(version, team, at(checked)) for version, team, _, state, _, _, checked in versions if state == "accepted"]
    turns = turns_of(accepted, stopped)
    slowest = max((ended - begun for begun, ended in games.spans), default=0.0)
    print(f"{len(games.spans)} games, the slowest in {slowest:.1f} s")
    firsts = games.waits(1, turns, FIRST_SECONDS + slowest)
    beyond = share(games.beyond_a_match(turns, FIRST_SECONDS + slowest), 0.95)
    print(f"first game began after acceptance: half {share(firsts, 0.5):.1f} s, p95 {share(firsts, 0.95):.1f} s")
    twentieth = games.waits(20, turns, TWENTY_SECONDS)
    late = share([wait for times in waits.values() for wait in times], 0.95)
    return [
        finding(f"a report is there after {late:.1f} s (p95; at most 60 s)", late <= 60),
        finding(
            f"the first rated game of a version began {max(0.0, beyond):.1f} s later than one of the matches could end that were"
            f" being played when it was accepted (p95 of {len(firsts)} versions; at most 10 s)",
            bool(firsts) and beyond <= FIRST_SECONDS,
        ),
        finding(
            f"20 games after {share(twentieth, 0.95):.0f} s (p95 of {len(twentieth)} versions; at most 300 s)",
            bool(twentieth) and share(twentieth, 0.95) <= TWENTY_SECONDS,
        ),
    ]


class Killer(threading.Thread):
    """Kills one process after the other."""

    def __init__(self, course: Course, kills: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.killed: Counter[str] = Counter()
        self.back: list[float] = []
        """Seconds from each kill until the pages answered."""
        self.at: list[float] = []
        """When something was killed."""
        self._course, self._kills, self._pause = course, kills, seconds / kills
        self._draw = random.Random(1)

    def run(self) -> None:
        """Kill."""
        for _ in range(self._kills):
            time.sleep(self._draw.uniform(0.3, 1.7) * self._pause)
            begun = time.monotonic()
            self.at.append(begun)
            self._kill()
            while not self._course.answers() and time.monotonic() - begun < 60:
                time.sleep(0.05)
            self.back.append(time.monotonic() - begun)

    def _kill(self) -> None:
        assert self._course.process is not None
        if self._draw.random() < PARENT_SHARE:
            self.killed["parent"] += 1
            self._course.process.kill()
            self._course.process.wait()
            self._course.start()
        elif below := self._course.processes():
            number = self._draw.choice(below)
            words = words_of(number)
            self.killed[next((kind for part, kind in KINDS.items() if part in words), "other")] += 1
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


def kills(parent: Path, small: bool) -> list[bool]:
    """200 kills at random in 20 minutes, with uploads at 500 an hour."""
    teams, number, most_kills, minutes = (4, 8, 8, 1) if small else (60, 170, 200, 20)
    course = Course.make(parent, teams)
    with course.served():
        killer, watch = Killer(course, most_kills, minutes * 60), Watch(course.folder)
        killer.start()
        watch.start()
        uploads = hand_in(course, number, minutes, attempts=ATTEMPTS)
        killer.join()
        course.until_checked()
        watch.ends.set()
        watch.join()
        close(course.folder)
        lost = lost_uploads(course, uploads)
    # Whatever is still there was left behind.
    time.sleep(2)
    print(f"killed: {dict(killer.killed)}")
    away = watch.seconds(killer.at)
    for name, times in (("pages", killer.back), ("service", away)):
        print(f"{name}: back after {share(times, 0.5):.1f} s (half), {share(times, 0.95):.1f} s (p95)")
    twice = versions_twice(course.folder, uploads.digests)
    wrong = [*(f"lost: {key}" for key in lost), *twice, *problems(course.folder, str(course.folder))]
    for line in wrong:
        print(f"WRONG: {line}")
    accepted, pages, service = len(uploads.acknowledged), share(killer.back, 1), share(away, 1)
    return [
        finding(f"{killer.killed.total()} kills, of {most_kills}", killer.killed.total() == most_kills),
        finding(f"of {accepted} uploads that were acknowledged {len(lost)} are lost", accepted > 0 and not lost),
        finding(f"of {uploads.digests.total()} uploads {len(twice)} have become a version twice", not twice),
        finding("no game is lost or stored twice, and the ratings are those of a fresh fit, byte for byte", not wrong),
        finding(f"pages are back after {pages:.1f} s at the latest (at most 5 s)", pages <= 5),
        finding(f"of {len(away)} times, the service was back after {service:.1f} s at the latest (at most 10 s)", service <= 10),
    ]


def close(folder: Path) -> None:
    """End the season, and wait until the last fit, which is due ten seconds after a game, knows all games."""
    with Database(folder) as database:
        set_closed(database, True, "benchmark")
    time.sleep(15)


def versions_twice(folder: Path, uploads: Counter[tuple[str, str]]) -> list[str]:
    """What became more versions than it was handed in, where each time was repeated until it was acknowledged."""
    rows = rows_of(
        folder / "league.sqlite",
        "SELECT teams.name, upload, count(*) FROM versions JOIN teams ON teams.id = team WHERE upload != '' GROUP BY 1, 2",
    )
    return [
        f"handed in {uploads[team, digest]} times by {team}, but {number} versions: {digest}"
        for team, digest, number in rows
        if number > uploads[team, digest]
    ]


def problems(folder: Path, name: str) -> list[str]:
    """What is wrong with a league that has ended."""
    database, store = folder / "league.sqlite", folder / "results" / "tournament.sqlite"
    states = dict(rows_of(database, "SELECT state, count(*) FROM versions GROUP BY 1"))
    print(f"versions: {states}")
    wrong = [f"still {state}: {states[state]}" for state in ("received", "checking") if states.get(state)]
    for file in (database, store):
        ((check,),) = rows_of(file, "PRAGMA integrity_check")
        wrong += [] if check == "ok" else [f"{file.name}: {check}"]
    ((games, rated, for_nobody),) = rows_of(store, "SELECT count(*), sum(kind = 'rated'), sum(NOT counts) FROM league_games")
    print(f"games: {games}, rated {rated}, that count for nobody {for_nobody}")
    counts = {"games were stored twice": stored_twice(folder)}
    for one, other, what in (
        ("league_games", "matches", "games without a match"),
        ("matches", "league_games", "matches without a game"),
    ):
        ((counts[what],),) = rows_of(store, f"SELECT count(*) FROM {one} WHERE key NOT IN (SELECT key FROM {other})")  # noqa: S608
    wrong += [f"{number} {what}" for what, number in counts.items() if number]
    wrong += wrong_standing(folder)
    return wrong + [f"left running: {words[:150]}" for words in left_running(name)]


def wrong_standing(folder: Path) -> list[str]:
    """How the standing that a league shows differs from a fresh fit of its games."""
    shown, source = read_standing(folder), Games(folder / "results")
    with Database(folder) as league:
        rows = league.rows(
            "SELECT id, team FROM versions WHERE entry IS NOT NULL AND state IN ('accepted', 'disabled', 'withdrawn') ORDER BY id"
        )
        pin = league.number(
            "SELECT versions.id FROM versions JOIN teams ON teams.id = team WHERE kind = 'staff' AND teams.name = 'acorn'"
            " ORDER BY number DESC LIMIT 1"
        )
        plays = {int(row["id"]) for row in active_versions(league)}
    versions = before((row["id"], row["team"]) for row in rows)
    fit = fit_versions(versions, source.counts()) if Course.players == 2 else fit_orders(versions, source.orders())
    wrong = ["the table of seats isn't that of the games"] if source.lacks_seats() else []
    if not plays or {line.version for line in shown.lines} != plays:
        wrong.append(f"versions in the standing: {len(shown.lines)}, that play: {len(plays)}")
    if not 0 < shown.games == source.totals()[1]:
        wrong.append(f"games in the standing: {shown.games}, that count: {source.totals()[1]}")
    for line in shown.lines:
        rating, error = (round(value, 6) for value in fit.rating(line.version, pin))
        if (rating, error) != (line.rating, line.error):
            wrong.append(f"version {line.version}: shown {line.rating} ± {line.error}, fitted {rating} ± {error}")
    print(f"ratings compared: {len(shown.lines)} of {shown.games} games")
    return wrong
