"""What the checks of a league share: a course with a server of its own, what its teams hand in, and what is said of it."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Final

from measuring import descendants, megabytes_of, words_of

ROOT: Final = Path(__file__).resolve().parent.parent
TILTYARD: Final = str(Path(sys.executable).with_name("tiltyard"))
ACORN: Final = ROOT / "plugins" / "acorn" / "tiltyard_acorn"
HOSTILE: Final = ROOT / "tests" / "programs" / "hostile"
MAPS: Final = 24
LEAGUE: Final = f"""\
title: Course
game: tanks
players: PLAYERS
teams: [TEAMS]
maps: [{{generate: {{count: {MAPS}, seed: 1}}}}]
league: {{address: 'http://localhost:PORT', uploads-a-day: 1000}}
"""
STAFF: Final = ("acorn", "bramble", "coyote")
"""The sample teams of a league: as many as play a game. The first one has rating 0."""
START_SECONDS: Final = 60.0
WAIT_SECONDS: Final = 300.0
CHECK_SECONDS: Final = 600.0
"""In which the last upload is checked."""
BROKEN: Final = (
    b"def algorithms(:\n",
    b"import nothing_of_this_name\n",
    b"x = 1\n",
    b"",
    b"PK\x03\x04 and then nothing",
    bytes(range(256)) * 40,
)


def league_command(*words: str) -> str:
    """What ``tiltyard league`` prints; the benchmark ends where the command fails."""
    done = subprocess.run([TILTYARD, "league", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"tiltyard league {' '.join(words)}: {done.stderr}")
    return done.stdout


@dataclass
class Course:
    """A league of students' teams, whose server can be killed and started again."""

    folder: Path
    port: int
    tokens: dict[str, str]
    """Of each team's link, by the team's name."""
    words: Sequence[str] = ()
    """Of ``tiltyard league serve``."""
    players: ClassVar[int] = 2
    """In a game of each league that is made."""
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    def make(cls, parent: Path, teams: int, words: Sequence[str] = ()) -> Course:
        """A league that was never started."""
        with closing(socket.socket()) as one:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
        folder, students = parent / "course", parent / "students.csv"
        folder.mkdir(parents=True)
        (folder / "league.yaml").write_text(
            LEAGUE.replace("PORT", str(port)).replace("PLAYERS", str(cls.players)).replace("TEAMS", ", ".join(STAFF[: cls.players]))
        )
        students.write_text("name,id,group\n" + "".join(f"Student {n},{n:05},Team {n}\n" for n in range(1, teams + 1)))
        links = league_command("roster", str(folder), str(students))
        return cls(folder, port, dict(re.findall(r"^(Team \d+),\S+/join/(\S+)$", links, re.MULTILINE)), words)

    @contextmanager
    def served(self) -> Iterator[None]:
        """It runs as long as the block does."""
        self.start()
        try:
            yield
        finally:
            self.stop()

    def start(self) -> None:
        """Start it and wait until its pages answer."""
        log = self.folder.with_name("log")
        words = [TILTYARD, "league", "serve", str(self.folder), "--port", str(self.port), *self.words]
        with log.open("ab") as output:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        begun = time.monotonic()
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - begun > START_SECONDS:
                sys.exit(f"the league doesn't start: see {log}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(START_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def ask(self, method: str, path: str, team: str = "", data: bytes | None = None, *, name: str = "team.py") -> tuple[int, Any]:
        """An answer of the league to anybody, or to a team: its status, and its JSON or text.

        Raises:
            OSError: there was none.
        """
        headers = {"Authorization": f"Bearer {self.tokens[team]}", "X-Name": name} if team else {}
        request = urllib.request.Request(f"http://localhost:{self.port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=40.0) as answer:  # noqa: S310 -- our own server
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        except Exception as error:
            raise OSError(str(error)) from error
        try:
            return status, json.loads(body)
        except ValueError:
            return status, body.decode("utf-8", "replace")

    def answers(self) -> bool:
        """Whether the pages are there."""
        try:
            return self.ask("GET", "/status.json")[0] == 200
        except OSError:
            return False

    def status(self) -> Any:
        """What the league says of itself."""
        return self.ask("GET", "/status.json")[1]

    def games(self) -> int:
        """How many there are."""
        return int(self.status()["games"])

    def until_checked(self) -> None:
        """Wait until no upload waits for its check."""
        until(lambda: not self.status()["waiting_for_a_check"], CHECK_SECONDS)

    def processes(self) -> list[int]:
        """All its processes but the first."""
        assert self.process is not None
        return descendants(self.process.pid)

    def process_of(self, name: str) -> int:
        """The web process or the service. Workers are forks of the service, and have its words; it comes before them."""
        return next((each for each in self.processes() if f"tiltyard_league.{name}.main" in words_of(each)), 0)

    def memory(self) -> dict[str, float]:
        """That of the web process and the service, in MB."""
        return {name: megabytes_of(self.process_of(name)) for name in ("web", "service")}

    def store(self, query: str, *values: object) -> list[Any]:
        """Rows of the store."""
        return rows_of(self.folder / "results" / "tournament.sqlite", query, *values)

    def database(self, query: str, *values: object) -> list[Any]:
        """Rows of the league's database."""
        return rows_of(self.folder / "league.sqlite", query, *values)


@contextmanager
def running_course(parent: Path, teams: int, words: Sequence[str] = ()) -> Iterator[Course]:
    """A league that is served, with so many teams, each of which has a version that was checked."""
    course = Course.make(parent, teams, words)
    with course.served():
        for number, team in enumerate(sorted(course.tokens)):
            status, answer = course.ask("PUT", "/api/versions", team, mutated(number, random.Random(number)))
            assert status == 201, answer
        course.until_checked()
        yield course


def mutated(number: int, draw: random.Random) -> bytes:
    """A program of its own as one file: acorn with other constants, which plays about as well."""
    text = (ACORN / "player.py").read_text() + (ACORN / "tank.py").read_text() + (ACORN / "__init__.py").read_text()
    text = text.replace("from __future__ import annotations\n", "")
    text = re.sub(r"^from tiltyard_acorn\.\w+ import \w+\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"LOOKS = \d+", f"LOOKS = {draw.randint(1, 12)}", text)
    text = re.sub(r"SHOTS = \d+", f"SHOTS = {draw.randint(1, 12)}", text)
    text = text.replace('TankTeam("acorn"', f'TankTeam("team-{number}"')
    return f"from __future__ import annotations\nNUMBER = {number}\n{text}".encode()


def uploads(number: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """What teams hand in, with its kind: so many, of which a tenth can't play, and a twentieth attacks the machine."""
    draw = random.Random(seed)
    attacks = sorted(HOSTILE.glob("*.py"))
    for place in range(number):
        chance = draw.random()
        if chance < 0.1:
            yield "broken", draw.choice(BROKEN) + (b"# %d\n" % place if draw.random() < 0.8 else b"")
        elif chance < 0.15:
            attack = draw.choice(attacks)
            yield f"hostile {attack.stem}", attack.read_bytes() + b"\nNUMBER = %d\n" % place
        else:
            yield "good", mutated(place, draw)


@dataclass
class Uploads:
    """What teams handed in, and what they were answered."""

    acknowledged: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    """Team and number to digest and kind."""
    answers: Counter[int] = field(default_factory=Counter)
    """By their status."""
    digests: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a team handed in each digest."""


def hand_in(course: Course, number: int, minutes: float, *, attempts: int = 1) -> Uploads:
    """Hand in at an even rate, each upload until it is acknowledged or refused.

    Raises:
        OSError: there was no answer in so many attempts.
    """
    names, all_uploads, begun = sorted(course.tokens), Uploads(), time.monotonic()
    for place, (kind, data) in enumerate(uploads(number, seed=1)):
        time.sleep(max(0.0, begun + place * minutes * 60 / number - time.monotonic()))
        team, digest = names[place % len(names)], hashlib.sha256(data).hexdigest()
        all_uploads.digests[team, digest] += 1
        for attempt in range(attempts):
            try:
                name = "team.zip" if data[:2] == b"PK" else "team.py"
                status, answer = course.ask("PUT", "/api/versions", team, data, name=name)
            except OSError:
                if attempt + 1 == attempts:
                    raise
                time.sleep(0.5)
                continue
            if status == 201:
                assert answer["digest"] == digest
                all_uploads.acknowledged[team, answer["number"]] = digest, kind
            if status < 500:
                all_uploads.answers[status] += 1
                break
            time.sleep(0.5)
    return all_uploads


def lost_uploads(course: Course, all_uploads: Uploads) -> list[tuple[str, int]]:
    """Versions that were acknowledged, and that the league doesn't have as they were handed in."""
    return [
        (team, number)
        for (team, number), (digest, _) in all_uploads.acknowledged.items()
        if course.ask("GET", f"/api/versions/{number}", team)[1].get("digest") != digest
    ]


def rows_of(database: Path, query: str, *values: object) -> list[Any]:
    """Rows of a database."""
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        return connection.execute(query, values).fetchall()


def stored_twice(folder: Path) -> int:
    """How many games were stored a second time, in a league whose staff had none played again.

    Such a game takes the place of the first one in the table, and a number of its own: the one that the first one had is missing.
    """
    query = "SELECT ifnull(max(place), 0) - count(*) FROM league_games"
    return int(rows_of(folder / "results" / "tournament.sqlite", query)[0][0])


def until(true: Callable[[], Any], seconds: float = WAIT_SECONDS) -> float:
    """Wait for a condition; the seconds that it took."""
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > seconds:
            sys.exit("what was waited for never came")
        time.sleep(0.05)
    return time.monotonic() - begun


def finding(what: str, holds: bool) -> bool:
    """Say whether something is as it has to be."""
    print(f"{'holds' if holds else 'DOES NOT HOLD'}: {what}", flush=True)
    return holds


def growth(first: dict[str, float], last: dict[str, float], when: str) -> list[bool]:
    """Whether the web process and the service grew by at most 20 MB."""
    grown = {name: last[name] - first[name] for name in first}
    return [finding(f"the {name} grew by {more:.1f} MB {when} (at most 20)", more <= 20) for name, more in grown.items()]


def at(time_text: str) -> float:
    """A time of the league as seconds."""
    return datetime.fromisoformat(time_text).timestamp()


def share(values: Sequence[float], part: float) -> float:
    """The value that so large a part of the values doesn't exceed; 0 if there is none."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0
