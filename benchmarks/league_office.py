"""What staff do with a league, for league_checks.py: rosters, grades, versions and games. No benchmark itself."""

from __future__ import annotations

import csv
import io
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from league_crowd import ask, at, bare_course, finding, mutated
from league_evening import TILTYARD, Evening, evening, tests_pass, until

from tiltyard_league.database.database import Database
from tiltyard_league.database.tokens import make_token
from tiltyard_league.rating.standing import read_standing

MOODLE: Final = "First name,Surname,ID number,Email address,Groups\nAnn,Alder,00017,a@x.org,Red\nBob,Birch,1e5,b@x.org,Red\n"
CANVAS: Final = 'Student,ID,SIS User ID,SIS Login ID\n"    Points Possible",,,\n"Alder, Ann",101,u1,alder\n'
PLAIN: Final = "name,id,group\n=1+1,00017,Red\n@SUM(A1),1e5,+Blue\nZoë Müller,0x1F,-Green\nAnn,2026-01-02,Red\n"


def roster(parent: Path, small: bool) -> list[bool]:
    """Rosters as Moodle and Canvas export them, the same one twice, who moves; and what a reader of CSV finds in grades."""
    holds = [tests_pass("rosters and grades", "tests/league/database/test_people.py", "tests/intake/exports/test_roster.py")]
    for name, text, ids in (("Moodle", MOODLE, {"00017", "1e5"}), ("Canvas", CANVAS, {"101"})):
        rows, members = _imported(parent / name, text, text)
        same = members[0] == members[1] and {row["id"] for row in rows} == ids
        holds.append(finding(f"{name}'s list twice is the list once, with its ids: {sorted(row['id'] for row in rows)}", same))
    moved = PLAIN.replace("0x1F,-Green", "0x1F,Red")
    rows, members = _imported(parent / "plain", PLAIN, moved)
    teams = {row["id"]: row["team"] for row in rows}
    holds.append(finding(f"who moves is in the new team: {teams['0x1F']}", teams["0x1F"] == "Red" and members[0] != members[1]))
    holds.append(finding(f"ids in grades are as they were: {list(teams)}", set(teams) == {"00017", "1e5", "0x1F", "2026-01-02"}))
    formulas = [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    holds.append(finding(f"cells of grades that a spreadsheet takes for formulas: {formulas}", len(rows) == 4 and not formulas))
    holds += _open_to_write(parent, [*rows[0]], rows)
    return holds


def _open_to_write(parent: Path, columns: list[str], rows: list[dict[str, str]]) -> list[bool]:
    """What LibreOffice makes of the spreadsheet of the same grades, where it is installed."""
    if shutil.which("soffice") is None:
        print("LibreOffice isn't installed: the spreadsheet was not opened")
        return []
    folder = parent / "plain" / "course"
    subprocess.run(
        [TILTYARD, "league", "grades", str(folder), "--ods", str(parent / "grades.ods")], check=True, capture_output=True
    )
    words = [
        "soffice",
        f"-env:UserInstallation={(parent / 'home').as_uri()}",
        "--headless",
        "--convert-to",
        "csv:Text - txt - csv (StarCalc):44,34,76",
    ]
    subprocess.run([*words, "--outdir", str(parent), str(parent / "grades.ods")], check=True, capture_output=True, timeout=300)
    found = list(csv.reader(io.StringIO((parent / "grades.csv").read_text(encoding="utf-8"), newline="")))
    # An apostrophe is before text that would be a formula in CSV, and nowhere in a spreadsheet.
    wanted = [columns, *([cell.removeprefix("'") for cell in row.values()] for row in rows)]
    ids = [row[0] for row in found[1:]]
    return [finding(f"LibreOffice shows the spreadsheet as it is meant, ids with their zeros: {ids}", found == wanted)]


def _imported(parent: Path, *rosters: str) -> tuple[list[dict[str, str]], list[list[Any]]]:
    """Rosters one after the other in a league: the grades in the end, and who was in which team after each."""
    folder = parent / "course"
    bare_course(folder, 1)
    members: list[list[Any]] = []
    for number, text in enumerate(rosters):
        students = parent / f"students{number}.csv"
        students.write_text(text, encoding="utf-8")
        subprocess.run([TILTYARD, "league", "roster", str(folder), str(students)], check=True, capture_output=True)
        with closing(sqlite3.connect(folder / "league.sqlite")) as database:
            members.append(database.execute("SELECT id, team, roster_id, name, state FROM members ORDER BY id").fetchall())
    done = subprocess.run([TILTYARD, "league", "grades", str(folder)], check=True, capture_output=True)
    return list(csv.DictReader(io.StringIO(done.stdout.decode("utf-8"), newline=""))), members


class Office:
    """Somebody of the staff with a browser: opens a page, and presses a button there. Two clicks."""

    def __init__(self, league: Evening) -> None:
        self._port = league.port
        with Database(league.folder) as database, database.writing():
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


def staff(parent: Path, small: bool) -> list[bool]:
    """What staff do with versions and games, by commands and on their pages: it stands in the log, and ratings follow."""
    holds: list[bool] = []
    with evening(parent, 3 if small else 12) as league:
        folder = str(league.folder)
        until(lambda: league.games() >= 30)
        holds += _disabled_in_its_game(league)

        def teams() -> int:
            return len(read_standing(league.folder).lines)

        def counted(place: int) -> list[Any]:
            return league.rows("SELECT voided FROM league_games WHERE place = ?", place)

        number = teams()
        league.command("disable", folder, "Team 1")
        took = until(lambda: teams() == number - 1)
        holds.append(finding(f"a team that was disabled has left the standing after {took:.1f} s (at most 10 s)", took <= 10))
        league.command("close", folder)
        time.sleep(12)
        games = read_standing(league.folder).games
        league.command("void", folder, "5")
        took = until(lambda: counted(5) == [(1,)] and read_standing(league.folder).games == games - 1)
        holds.append(finding(f"a voided game has left the ratings after {took:.1f} s (at most 10 s)", took <= 10))
        league.command("restore", folder, "5")
        took = until(lambda: read_standing(league.folder).games == games)
        holds.append(finding(f"a restored one is back after {took:.1f} s (at most 10 s)", took <= 10))
        league.command("close", folder, "--open")
        league.command("rerun", folder, "7")
        took = until(lambda: not counted(7))
        holds.append(finding(f"a game is played again after {took:.1f} s (at most 10 s and a game)", took <= 15))
        office = Office(league)
        office.press("/staff", "close")
        time.sleep(12)
        games = read_standing(league.folder).games
        office.press("/games/6", "void", why="a mistake")
        took = until(lambda: counted(6) == [(1,)] and read_standing(league.folder).games == games - 1)
        holds.append(
            finding(f"a game that was voided on its page has left the ratings after {took:.1f} s (at most 10 s)", took <= 10)
        )
        office.press("/games/6", "restore")
        took = until(lambda: read_standing(league.folder).games == games)
        holds.append(finding(f"one that was restored on its page is back after {took:.1f} s (at most 10 s)", took <= 10))
        office.press("/staff", "open")
        office.press("/games/8", "rerun")
        took = until(lambda: not counted(8))
        holds.append(finding(f"one is played again from its page after {took:.1f} s (at most 10 s and a game)", took <= 15))
        with Database(league.folder) as database:
            done = Counter(row["what"] for row in database.rows("SELECT what FROM log"))
        # Games, and the end of the season, by a command and on a page each.
        wanted = Counter({"version disabled": 1, "team disabled": 1})
        wanted += Counter(2 * ["game void", "game restore", "game rerun", "closed", "opened"])
        holds.append(finding(f"missing in the log: {sorted((wanted - done).elements())}", wanted <= done))
    return holds


def _disabled_in_its_game(league: Evening) -> list[bool]:
    """A version is disabled on its page while a game of it runs: that one ends, no other begins, and the standing follows."""
    # Each of its games takes a second or two more, however large the map.
    slow = b"        self.round += 1\n        if self.round < 5:\n            __import__('time').sleep(0.2)\n"
    data = mutated(1_000, random.Random(1_000)).replace(b"        self.round += 1\n", slow)
    assert slow in data
    league.hand_in("Team 1", data)
    with closing(sqlite3.connect(league.folder / "league.sqlite")) as database:
        (version,) = database.execute("SELECT max(id) FROM versions WHERE state = 'accepted' AND upload != ''").fetchone()

    def games() -> list[tuple[float, float]]:
        rows = league.rows(
            "SELECT ended_at, seconds FROM league_games JOIN matches USING (key) WHERE ? IN (version_1, version_2)", version
        )
        return [(at(ended) - seconds, at(ended)) for ended, seconds in rows]

    def plays() -> bool:
        return any(line.version == version for line in read_standing(league.folder).lines)

    until(lambda: len(games()) >= 2 and plays())
    # The next ones have begun.
    time.sleep(0.5)
    pressed = time.time()
    Office(league).press(f"/staff/versions/{version}", "disable", reason="for a check")
    took = until(lambda: not plays())
    # Time for games of it that should not begin.
    before = league.games()
    until(lambda: league.games() >= before + 10 or ask(league.port, "GET", "/status.json")[1]["complete"])
    running = [(pressed - begun, ended - pressed) for begun, ended in games() if begun < pressed < ended]
    later = [begun - pressed for begun, _ in games() if begun > pressed + 1]
    told = ", ".join(f"{had:.1f} s after it began, {left:.1f} s before it ended" for had, left in running)
    return [
        finding(f"a version was disabled on its page in the middle of a game: {told}", bool(running)),
        finding(f"it has left the standing after {took:.1f} s (at most 10 s)", took <= 10),
        finding(f"{len(later)} games of it began later", not later),
    ]
