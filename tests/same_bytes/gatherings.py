"""Scenarios of many people: the intake of a class with a tournament of its teams, and a league's evening."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import zstandard
from tests.ports import free_port
from tests.same_bytes import normal
from tests.same_bytes.scenario import EXAMPLES, INPUTS, LONGEST_COMMAND, Place, scenario

HANDED_IN_AT: Final = 1_790_000_000
"""Seconds since 1970. The time of a file is when it was handed in."""
OF_A_RUN: Final = frozenset(
    {"seconds", "build s", "words", "error", "log", "sources", "digest", "wall_seconds", "smoke_limits", "notes", "as_it_is"}
)
"""Of a report: what differs from run to run, and sentences."""
STUDENTS: Final = "name,id,group\nAnn Ash,0017,\nBob Birch,0018,Red\nCid Cedar,0019,\nDot Dogwood,0020,\nEve Elm,0021,\n"
LEAGUE: Final = """\
title: Evening
game: tanks
teams: [acorn, bramble]
maps: [maps/*.txt]
quarantine: 100
"""
TANK: Final = """\
from tiltyard_engine import ActionRequest, BattleInfo, Player, TankAlgorithm, TankTeam, hookimpl

class Tank(TankAlgorithm):
    def __init__(self, player, tank):
        self.turns = 0

    def get_action(self):
        self.turns += 1
        BODY

    def update_battle_info(self, info):
        pass

class Coach(Player):
    def update_tank_with_battle_info(self, tank, view):
        tank.update_battle_info(BattleInfo())

@hookimpl
def algorithms():
    yield TankTeam("mine", player=Coach, tank=Tank)
"""
TURNING: Final = TANK.replace("BODY", "return ActionRequest.SHOOT if self.turns % 3 else ActionRequest.ROTATE_RIGHT_45")
FAILING: Final = TANK.replace("BODY", "return ActionRequest.SHOOT if self.turns < 4 else self.nothing")


@scenario("gcc")
def filler_intake(place: Place) -> None:
    """A class as a download of Moodle: who plays, who doesn't and why not, what was made; then a tournament of those who do."""
    robot = (INPUTS / "robots" / "first" / "robot").read_text(encoding="utf-8")
    for who, name, text in (
        ("Ann Ash_17", "robot", robot),
        ("Bob Birch_18", "robot.c", "int main(void) { return }\n"),
        ("Cid Cedar_19", "robot.py", "import sys\nfor line in sys.stdin: pass\n"),
        ("Dot Dogwood_20", "report.txt", "I wrote nothing.\n"),
        ("Eve Elm_21", "bot.py", "def main():\n    while True:\n        input()\n        print('0 0', flush=True)\nmain()\n"),
    ):
        place.write(f"handed-in/{who}_assignsubmission_file/{name}", text)
        file = place.folder / "handed-in" / f"{who}_assignsubmission_file" / name
        os.utime(file, (HANDED_IN_AT, HANDED_IN_AT))
    place.write("students.csv", STUDENTS)
    place.keep("dry-run", place.run("tiltyard", "intake", "handed-in", "--game", "filler", "--dry-run", "--format", "csv"))
    place.run("tiltyard", "intake", "handed-in", "--game", "filler", "--roster", "students.csv")
    reports = place.folder / "teams.intake"
    report = json.loads((reports / "intake.json").read_text("utf-8"))
    # They stand there as they came from the workers.
    report["teams"].sort(key=lambda team: team["label"])
    place.keep("intake.json", normal.as_text(_of_every_run(report)))
    rows = csv.DictReader(io.StringIO((reports / "intake.csv").read_text("utf-8")))
    place.keep("intake.csv", normal.as_text([_of_every_run(row) for row in rows]))
    place.keep("files", "".join(f"{line}\n" for line in _files(place.folder / "teams")))
    place.bring(INPUTS / "board")
    place.play_tournament("game: filler\nteams: [teams/, nearest]\nmaps: [board]\nformat: {name: round-robin, seats: single}\n")


def _of_every_run(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _of_every_run(part) for name, part in value.items() if name not in OF_A_RUN}
    return [_of_every_run(part) for part in value] if isinstance(value, list) else value


def _files(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.startswith("."):
            yield f"{file.relative_to(folder)} {hashlib.sha256(file.read_bytes()).hexdigest()[:24]}"


@scenario()
def league_evening(place: Place) -> None:
    """A league of two student teams: four uploads, two of which are refused, all games that there are to play, and the grades."""
    for name in ("duel", "gates"):
        place.bring(EXAMPLES / f"{name}.txt", f"course/maps/{name}.txt")
    place.write("course/league.yaml", LEAGUE)
    place.write("students.csv", "name,id\nAnn,1\nBob,2\n")
    links = place.run("tiltyard", "league", "roster", "course", "students.csv").splitlines()[1:]
    invitations = [line.partition(",")[2] for line in links]
    # Two versions have four games: two maps, two orders of seats. The check refuses what fails at once or can't be imported.
    uploads = ((0, TURNING, 12), (1, FAILING, 12), (1, TURNING.replace("% 3", "% 4"), 24), (0, "import nothing_like_this\n", 24))
    with _served(place) as port:
        _until_played(port, 4)
        for number, (team, source, games) in enumerate(uploads):
            place.write(f"upload{number}/team.py", source)
            link = re.sub(r"localhost:\d+", f"localhost:{port}", invitations[team])
            place.run("tiltyard", "hand-in", f"upload{number}/team.py", "--no-check", "--to", link, name=f"upload {number}")
            _until_played(port, games)
    lines = [json.loads(line) for line in place.run("tiltyard", "league", "export", "course").splitlines()]
    place.keep("games", "".join(f"{line}\n" for line in sorted(map(_as_after_every_run, lines))))
    names = {line["name"]: f"team {line['id']}" for line in lines if line["kind"] == "team"}
    grades = csv.DictReader(io.StringIO(place.run("tiltyard", "league", "grades", "course")))
    measured = {"last_upload", "rating", "error", "place", "provisional"}
    place.keep("grades", normal.as_text([{name: cell for name, cell in row.items() if name not in measured} for row in grades]))
    place.keep("replays", "".join(f"{line}\n" for line in sorted(_replays(place.folder / "course" / "results", names))))


@contextmanager
def _served(place: Place) -> Iterator[int]:
    """A league that is served at a port, until the block ends."""
    port = free_port()
    words = [str(place.commands / "tiltyard"), "league", "serve", "course", "--port", str(port)]
    with (place.folder / "serve.log").open("wb") as log:
        server = subprocess.Popen(words, cwd=place.folder, env=place.environment(), stdout=log, stderr=log)
        try:
            yield port
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(LONGEST_COMMAND)


def _until_played(port: int, games: int) -> None:
    """Wait until so many games were played, and there is nothing more to play."""
    end = time.monotonic() + LONGEST_COMMAND
    while time.monotonic() < end:
        with suppress(urllib.error.URLError, ConnectionError):
            with urllib.request.urlopen(f"http://localhost:{port}/status.json", timeout=LONGEST_COMMAND) as answer:
                status = json.load(answer)
            if status["complete"] and status["games"] >= games:
                return
        time.sleep(0.1)
    raise TimeoutError("the league's games did not end")


def _as_after_every_run(line: Mapping[str, Any]) -> str:
    """A line of a league's export, without what is drawn at random or is a time."""
    gone = {"name"} if line["kind"] == "team" else {"id", "key", "ended_at", "frozen_at", "uploaded_at", "code"}
    return json.dumps({name: value for name, value in line.items() if name not in gone}, sort_keys=True)


def _replays(results: Path, names: Mapping[str, str]) -> Iterator[str]:
    """A line for each stored match, with a digest of its replay. Teams have numbers, as the names of students' are random."""
    with closing(sqlite3.connect(results / "tournament.sqlite")) as store:
        for teams, game_map, packed in store.execute("SELECT teams, map, replay FROM matches"):
            replay = zstandard.decompress(packed).decode()
            for name, number in names.items():
                teams, replay = teams.replace(name, number), replay.replace(name, number)
            yield f"{teams} {game_map} {hashlib.sha256(replay.encode()).hexdigest()[:24]}"
