"""What staff do with versions and games of a league, by commands and on pages, for league_checks.py."""

from __future__ import annotations

import random
import re
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlencode

from league_course import RunningLeague, at, finding, league, mutated, rows_of, running_league, until

from tiltyard_league.database.database import Database
from tiltyard_league.database.tokens import make_token
from tiltyard_league.rating.standing import read_standing

Actions: TypeAlias = Mapping[str, Callable[[], object]]


class Office:
    """Somebody of the staff with a browser: opens a page, and presses a button there. Two clicks."""

    def __init__(self, running: RunningLeague) -> None:
        self._port = running.port
        with Database(running.folder) as database, database.writing():
            self._cookie = f"tiltyard_session={make_token(database, 'session', None)}"

    def press(self, path: str, what: str, **fields: str) -> None:
        """Send the form that has this button.

        Raises:
            SystemExit: the page has no such button.
            urllib.error.HTTPError: the form was refused.
        """
        for start, form in re.findall(r'<form method="post"([^>]*)>(.*?)</form>', self._ask(path), re.DOTALL):
            if f'value="{what}"' in form:
                action, csrf = re.search(r'action="([^"]+)"', start), re.search(r'name="csrf" value="(\w+)"', form)
                assert csrf is not None
                values = {**fields, "what": what, "csrf": csrf[1]}
                self._ask(action[1] if action else path, urlencode(values).encode())
                return
        sys.exit(f"{path}: there is no button {what!r}")

    def _ask(self, path: str, data: bytes | None = None) -> str:
        request = urllib.request.Request(f"http://localhost:{self._port}{path}", data, {"Cookie": self._cookie})
        with urllib.request.urlopen(request, timeout=40.0) as answer:  # noqa: S310 -- our own server
            return str(answer.read().decode())


def soon(what: str, took: float, most: float = 10.0) -> bool:
    """Whether something followed soon enough, which is said as a finding; a game that is played again may take 5 s more."""
    return finding(f"{what} after {took:.1f} s (at most {most:g} s)", took <= most)


def staff(parent: Path, small: bool) -> list[bool]:
    """What staff do with versions and games, by commands and on their pages: it stands in the log, and ratings follow."""
    with running_league(parent, 3 if small else 12) as running:
        folder, office = str(running.folder), Office(running)

        until(lambda: running.games() >= 30)
        holds = _disabled_in_its_game(running, office)
        number = len(read_standing(running.folder).lines)
        league("disable", folder, "Team 1")
        took = until(lambda: len(read_standing(running.folder).lines) == number - 1)
        holds.append(soon("a team that was disabled has left the standing", took))
        commands: Actions = {
            "close": lambda: league("close", folder),
            "void": lambda: league("void", folder, "5"),
            "restore": lambda: league("restore", folder, "5"),
            "open": lambda: league("close", folder, "--open"),
            "rerun": lambda: league("rerun", folder, "7"),
        }
        buttons: Actions = {
            "close": lambda: office.press("/staff", "close"),
            "void": lambda: office.press("/games/6", "void", why="a mistake"),
            "restore": lambda: office.press("/games/6", "restore"),
            "open": lambda: office.press("/staff", "open"),
            "rerun": lambda: office.press("/games/8", "rerun"),
        }
        holds += _in_ratings(running, "by a command", commands, 5, 7)
        holds += _in_ratings(running, "on its page", buttons, 6, 8)
        with Database(running.folder) as database:
            log = Counter(row["what"] for row in database.rows("SELECT what FROM log"))
    # Games, and the end of the season, by a command and on a page each.
    expected = Counter({"version disabled": 1, "team disabled": 1})
    expected += Counter(2 * ["game void", "game restore", "game rerun", "closed", "opened"])
    return [*holds, finding(f"missing in the log: {sorted((expected - log).elements())}", expected <= log)]


def _in_ratings(running: RunningLeague, where: str, actions: Actions, voided: int, again: int) -> list[bool]:
    """Void a game and restore it, and have another one played again."""

    def games() -> int:
        return read_standing(running.folder).games

    def counted(place: int) -> list[tuple[int]]:
        return running.rows("SELECT voided FROM league_games WHERE place = ?", place)

    actions["close"]()
    time.sleep(12)
    before = games()
    actions["void"]()
    took = until(lambda: counted(voided) == [(1,)] and games() == before - 1)
    holds = [soon(f"a game that was voided {where} has left the ratings", took)]
    actions["restore"]()
    holds.append(soon(f"restored {where} it is back", until(lambda: games() == before)))
    actions["open"]()
    actions["rerun"]()
    return [*holds, soon(f"a game is played again {where}", until(lambda: not counted(again)), 15.0)]


def _disabled_in_its_game(running: RunningLeague, office: Office) -> list[bool]:
    """A version is disabled on its page while a game of it runs: that one ends, no other begins, and the standing follows."""
    # Each of its games takes a second or two more, however large the map.
    slow = b"        self.round += 1\n        if self.round < 5:\n            __import__('time').sleep(0.2)\n"
    data = mutated(1_000, random.Random(1_000)).replace(b"        self.round += 1\n", slow)
    assert slow in data
    running.hand_in("Team 1", data)
    query = "SELECT max(id) FROM versions WHERE state = 'accepted' AND upload != ''"
    ((version,),) = rows_of(running.folder / "league.sqlite", query)

    def games() -> list[tuple[float, float]]:
        rows = running.rows(
            "SELECT ended_at, seconds FROM league_games JOIN matches USING (key) WHERE ? IN (version_1, version_2)", version
        )
        return [(at(ended) - seconds, at(ended)) for ended, seconds in rows]

    def plays() -> bool:
        return any(line.version == version for line in read_standing(running.folder).lines)

    until(lambda: len(games()) >= 2 and plays())
    # The next ones have begun.
    time.sleep(0.5)
    pressed = time.time()
    office.press(f"/staff/versions/{version}", "disable", reason="for a check")
    took = until(lambda: not plays())
    # Time for games of it that should not begin.
    before = running.games()
    until(lambda: running.games() >= before + 10 or running.server.status()["complete"])
    spans = [(pressed - begun, ended - pressed) for begun, ended in games() if begun < pressed < ended]
    later = [begun - pressed for begun, _ in games() if begun > pressed + 1]
    words = ", ".join(f"{had:.1f} s after it began, {left:.1f} s before it ended" for had, left in spans)
    return [
        finding(f"a version was disabled on its page in the middle of a game: {words}", bool(spans)),
        soon("it has left the standing", took),
        finding(f"{len(later)} games of it began later", not later),
    ]
