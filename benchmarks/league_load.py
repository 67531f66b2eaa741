"""Many teams hand in at once: is everything that was acknowledged there, how soon is it checked, and how soon does it play?

One of the checks of league_checks.py. It starts a league of its own and hands in mutated copies of acorn at an even rate; a tenth
is broken, a twentieth attacks the machine. Then it stops the league, starts it again, and asks for each version that was
acknowledged.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from league_course import Server, at, course, finding, growth, hand_in, left_running, lost_uploads, rows_of, share, until

from tiltyard_simulator.output.tables import render

MAPS: Final = 24
CHECK_SECONDS: Final = 600.0
"""In which the last upload is checked."""
FIRST_GAMES: Final = 20
"""Before memory is measured for the first time."""
LEAST_PLAYING: Final = 10
FIRST_SECONDS: Final = 10.0
"""In which a version's first game begins, beside a match that has to end first."""
TWENTY_SECONDS: Final = 300.0
"""In which a version has had twenty games."""


def load(parent: Path, small: bool) -> list[bool]:
    """60 teams hand in at a rate of 500 versions an hour."""
    teams, number, minutes = (10, 20, 1) if small else (60, 100, 12)
    folder = parent / "course"
    port, tokens = course(folder, teams, MAPS)
    server = Server(folder, port, parent / "log")
    server.start()
    try:
        # What a process needs once it does its work is no growth. The staff's two teams begin at once.
        until(lambda: server.status()["games"] >= FIRST_GAMES)
        first = server.rss()
        uploads = hand_in(port, tokens, number, minutes)
        until(lambda: not server.status()["waiting_for_a_check"], CHECK_SECONDS)
        time.sleep(15)
        last, stopped = server.rss(), time.time()
        server.stop()
        server.start()
        lost = lost_uploads(port, tokens, uploads)
    finally:
        server.stop()
    print(f"memory in MB, at the start {first}, at the end {last}")
    odd = {status: times for status, times in uploads.answers.items() if status not in (201, 400)}
    kinds = {key: kind for key, (_, kind) in uploads.acknowledged.items()}
    return [
        finding(f"of {len(kinds)} uploads that were acknowledged {len(lost)} are lost after a restart", bool(kinds) and not lost),
        finding(f"answers that were neither 201 nor a refusal of what is empty: {odd}", not odd),
        finding(f"left running: {left_running(str(folder))}", not left_running(str(folder))),
        *growth(first, last, "meanwhile"),
        *waits_of_versions(folder, kinds, MAPS, stopped),
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


def longest_wait(store: sqlite3.Connection, maps: int, teams: dict[int, str]) -> float:
    """The longest that a version waited for its next fixture, in mean intervals between two fixtures of a version then.

    Nobody waits who has met all others as often as they are to meet.
    Only while at least ten played: with fewer, an interval is one fixture or two.
    """
    begun: dict[tuple[tuple[int, ...], str], float] = {}
    players = 2
    for versions, game_map, ended, seconds in store.execute(
        "SELECT versions, league_games.map, ended_at, seconds FROM league_games JOIN matches USING (key) WHERE kind = 'rated'"
    ):
        seats = tuple(json.loads(versions))
        players = len(seats)
        # Of two, both orders of seats are one fixture; of more, each game is one.
        fixture = (tuple(sorted(seats)) if players == 2 else seats), game_map
        begun[fixture] = min(at(ended) - seconds, begun.get(fixture, at(ended)))
    most = maps if players == 2 else maps * players
    turns: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for number, (seats, _) in enumerate(sorted(begun, key=lambda fixture: begun[fixture])):
        for version in seats:
            turns.setdefault(version, []).append((number, tuple(other for other in seats if other != version)))
    spans: dict[int, tuple[int, int]] = {}
    newer: dict[str, int] = {}
    for version in sorted(turns, reverse=True):
        # Each plays until the team's next one does; the staff's have none.
        team, first = teams.get(version, f"staff {version}"), turns[version][0][0]
        spans[version] = first, newer.get(team, len(begun))
        newer[team] = first
    longest = 0.0
    for version, own in turns.items():
        met: Counter[int] = Counter()
        for (before, opponents), (after, _) in pairwise(own):
            met.update(opponents)
            left = [span for other, span in spans.items() if other != version and met[other] < most]
            # Back to when there was nobody left to play.
            since = after
            while (earlier := min((first for first, last in left if first <= since <= last), default=since)) < since:
                since = earlier
            playing = sum(first <= after <= last for first, last in spans.values())
            if playing >= LEAST_PLAYING:
                longest = max(longest, (after - max(before, since)) / (playing / players))
    return longest


def waits_of_versions(folder: Path, kinds: dict[tuple[str, int], str], maps: int, stopped: float) -> list[bool]:
    """Print tables, and say whether what is expected of them holds."""
    rows = rows_of(
        folder / "league.sqlite",
        "SELECT versions.id, teams.name, number, versions.state, versions.reason, uploaded_at, checked_at FROM versions"
        " JOIN teams ON teams.id = team WHERE upload != '' ORDER BY versions.id",
    )
    with closing(sqlite3.connect(folder / "results" / "tournament.sqlite")) as store:
        games = GameTimes(
            (json.loads(versions), at(ended) - seconds, at(ended))
            for versions, ended, seconds in store.execute(
                "SELECT versions, ended_at, seconds FROM league_games JOIN matches USING (key) WHERE kind = 'rated'"
            )
        )
        faults = dict(store.execute("SELECT verdict, count(*) FROM league_games GROUP BY 1").fetchall())
        longest = longest_wait(store, maps, {row[0]: row[1] for row in rows})
    waits: dict[str, list[float]] = {}
    states: dict[str, Counter[str]] = {}
    accepted = [(version, team, at(checked)) for version, team, _, state, _, _, checked in rows if state == "accepted"]
    turns = turns_of(accepted, stopped)
    for _, team, number, state, reason, uploaded, checked in rows:
        kind = kinds.get((team, number), "?")
        states.setdefault(kind.split()[0], Counter())[state] += 1
        if checked:
            waits.setdefault(kind.split()[0], []).append(at(checked) - at(uploaded))
        if kind.startswith("hostile") or (kind == "good" and state == "refused"):
            print(f"  {kind}: {state}: {reason[:110]}")
    table: list[tuple[str | int, ...]] = [
        (
            kind,
            states[kind].total(),
            str(dict(states[kind])),
            *(f"{value:.1f}" for value in (share(times, 0.5), share(times, 0.95), max(times))),
        )
        for kind, times in sorted(waits.items())
    ]
    headers = ("kind", "number", "states", "report after s (half)", "p95", "worst")
    print(render(headers, table, align=("left", "right", "left", *["right"] * 3)))
    slowest = max((ended - begun for begun, ended in games.spans), default=0.0)
    print(f"{len(games.spans)} games, the slowest in {slowest:.1f} s; verdicts {faults}")
    firsts = games.waits(1, turns, FIRST_SECONDS + slowest)
    beyond = share(games.beyond_a_match(turns, FIRST_SECONDS + slowest), 0.95)
    p95, worst = share(firsts, 0.95), max(firsts, default=0.0)
    print(f"first game began after acceptance: half {share(firsts, 0.5):.1f} s, p95 {p95:.1f} s, worst {worst:.1f} s")
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
        finding(
            f"nobody waited longer than {longest:.1f} mean intervals for a fixture (at most 3, and a half where several have)",
            0 < longest <= 3.5,
        ),
    ]
