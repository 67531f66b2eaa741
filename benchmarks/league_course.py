"""What the checks of a league share: a course with a server of its own, its teams and processes."""

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
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
TILTYARD: Final = str(Path(sys.executable).with_name("tiltyard"))
ACORN: Final = ROOT / "plugins" / "acorn" / "tiltyard_acorn"
HOSTILE: Final = ROOT / "tests" / "programs" / "hostile"
LEAGUE: Final = """\
title: Course
game: {game}
players: {players}
teams: [{teams}]
maps: [{{generate: {{count: {maps}, seed: 1{options}}}}}]
league: {{address: 'http://localhost:{port}', uploads-a-day: 1000}}
"""
PENGUINS: Final = """\
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, has_something_to_do

NUMBER = {number}
NOW, LATER, FIRST = {weights}


class Team(TurnAlgorithm):
    def __init__(self, seat):
        pass

    def choose(self, position):
        board = position.board()
        if not has_something_to_do(position, board):
            return PASS

        def worth(square):
            around = sum(board.squares[target] for target in board.targets(square))
            return NOW * board.squares[square] + LATER * around, FIRST * square

        if position.phase == PLACEMENT:
            return Move(max(board.placements(), key=worth))
        origin, target = max(board.moves(position.player), key=lambda move: worth(move[1]))
        return Move(target, origin)


@hookimpl
def algorithms():
    yield TurnTeam(name="team-{number}", game="penguins", create=Team)
"""
START_SECONDS: Final = 60.0
WAIT_SECONDS: Final = 300.0
BROKEN: Final = (
    b"def algorithms(:\n",
    b"import nothing_of_this_name\n",
    b"x = 1\n",
    b"",
    b"PK\x03\x04 and then nothing",
    bytes(range(256)) * 40,
)


@dataclass(frozen=True)
class Play:
    """What a league plays in its checks."""

    players: int
    game: str
    teams: tuple[str, ...]
    """The staff's; the first one has rating 0."""
    options: str = ""
    """Of the generated maps."""


PLAYS: Final = {
    play.players: play
    for play in (
        Play(2, "tanks", ("acorn", "bramble")),
        Play(3, "tanks", ("acorn", "bramble", "coyote")),
        Play(
            4,
            "penguins",
            (
                "penguins-greedy",
                "penguins-random",
                *(f"{{team: penguins-{name}, name: second-{name}}}" for name in ("greedy", "random")),
            ),
            ", rows: 8, columns: 8",
        ),
    )
}
_play = PLAYS[2]


def play_games_of(players: int) -> None:
    """Let all leagues that are made from now on play games of so many: of tanks, or of Penguins for four."""
    global _play
    _play = PLAYS[players]


def played() -> Play:
    """What leagues play that are made now."""
    return _play


def league(*words: str) -> str:
    """What ``tiltyard league`` prints; the benchmark ends where the command fails."""
    done = subprocess.run([TILTYARD, "league", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"tiltyard league {' '.join(words)}: {done.stderr}")
    return done.stdout


def bare_course(folder: Path, maps: int) -> int:
    """A league that was never started and has no teams of students: its port."""
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    folder.mkdir(parents=True)
    text = LEAGUE.format(
        game=_play.game, players=_play.players, teams=", ".join(_play.teams), maps=maps, port=port, options=_play.options
    )
    (folder / "league.yaml").write_text(text)
    return port


def course(folder: Path, teams: int, maps: int) -> tuple[int, dict[str, str]]:
    """A league that was never started: its port, and the token of each team's link by name."""
    port = bare_course(folder, maps)
    students = folder.with_name("students.csv")
    students.write_text("name,id,group\n" + "".join(f"Student {n},{n:05},Team {n}\n" for n in range(1, teams + 1)))
    links = re.findall(r"^(Team \d+),\S+/join/(\S+)$", league("roster", str(folder), str(students)), re.MULTILINE)
    return port, dict(links)


def mutated(number: int, draw: random.Random) -> bytes:
    """A program of its own as one file: of tanks, acorn with other constants, which plays about as well."""
    if _play.game == "penguins":
        weights = draw.randint(1, 9), draw.choice((0, 0, 1)), draw.choice((-1, 1))
        return PENGUINS.format(number=number, weights=weights).encode()
    text = (ACORN / "player.py").read_text() + (ACORN / "tank.py").read_text() + (ACORN / "__init__.py").read_text()
    text = text.replace("from __future__ import annotations\n", "")
    text = re.sub(r"^from tiltyard_acorn\.\w+ import \w+\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"LOOKS = \d+", f"LOOKS = {draw.randint(1, 12)}", text)
    text = re.sub(r"SHOTS = \d+", f"SHOTS = {draw.randint(1, 12)}", text)
    text = text.replace('TankTeam("acorn"', f'TankTeam("team-{number}"')
    return f"from __future__ import annotations\nNUMBER = {number}\n{text}".encode()


def slowed(team: bytes) -> bytes:
    """A mutated program each of whose games takes a second or two more, however large the map."""
    first = b"        if not has_something" if _play.game == "penguins" else b"        self.round += 1\n"
    assert first in team
    pause = b"        self.__dict__['turns'] = self.__dict__.get('turns', 0) + 1\n"
    pause += b"        if self.turns < 5:\n            __import__('time').sleep(0.2)\n"
    return team.replace(first, pause + first)


def uploads(number: int, seed: int, broken: float = 0.1, hostile: float = 0.05) -> Iterator[tuple[str, bytes]]:
    """What teams hand in, with its kind: so many, of which these shares can't play or attack the machine."""
    draw = random.Random(seed)
    attacks = sorted(HOSTILE.glob("*.py"))
    for place in range(number):
        chance = draw.random()
        if chance < broken:
            yield "broken", draw.choice(BROKEN) + (b"# %d\n" % place if draw.random() < 0.8 else b"")
        elif chance < broken + hostile:
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


def hand_in(port: int, tokens: dict[str, str], number: int, minutes: float, *, attempts: int = 1) -> Uploads:
    """Hand in at an even rate, each upload until it is acknowledged or refused.

    Raises:
        OSError: there was no answer in so many attempts.
    """
    names, all_uploads, begun = sorted(tokens), Uploads(), time.monotonic()
    for place, (kind, data) in enumerate(uploads(number, seed=1)):
        time.sleep(max(0.0, begun + place * minutes * 60 / number - time.monotonic()))
        team, digest = names[place % len(names)], hashlib.sha256(data).hexdigest()
        all_uploads.digests[team, digest] += 1
        for attempt in range(attempts):
            try:
                name = "team.zip" if data[:2] == b"PK" else "team.py"
                status, answer = ask(port, "PUT", "/api/versions", tokens[team], data, name=name)
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


def lost_uploads(port: int, tokens: dict[str, str], all_uploads: Uploads) -> list[tuple[str, int]]:
    """Versions that were acknowledged, and that the league doesn't have as they were handed in."""
    return [
        (team, number)
        for (team, number), (digest, _) in all_uploads.acknowledged.items()
        if ask(port, "GET", f"/api/versions/{number}", tokens[team])[1].get("digest") != digest
    ]


@dataclass
class Server:
    """``tiltyard league serve``, which can be killed and started again."""

    folder: Path
    port: int
    log: Path
    words: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until its pages answer."""
        begun = time.monotonic()
        words = [TILTYARD, "league", "serve", str(self.folder), "--port", str(self.port), *self.words]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - begun > START_SECONDS:
                sys.exit(f"the league doesn't start: see {self.log}")
            time.sleep(0.05)

    def answers(self) -> bool:
        """Whether the pages are there."""
        try:
            return ask(self.port, "GET", "/status.json")[0] == 200
        except OSError:
            return False

    def status(self) -> Any:
        """What the league says of itself."""
        return ask(self.port, "GET", "/status.json")[1]

    def processes(self) -> list[int]:
        """All its processes but the first."""
        assert self.process is not None
        return descendants(self.process.pid)

    def rss(self) -> dict[str, float]:
        """Memory of the web process and the service, in MB."""
        sizes: dict[str, float] = {}
        for number in self.processes():
            for name in ("web", "service"):
                # Workers are forks of the service, and have its words; it comes before them.
                if name not in sizes and f"tiltyard_league.{name}.main" in words_of(number):
                    sizes[name] = rss_of(number)
        return sizes

    def stop(self) -> None:
        """End it in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(START_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


@dataclass(frozen=True)
class RunningLeague:
    """A league that is served, whose teams have a version each."""

    folder: Path
    port: int
    tokens: dict[str, str]
    server: Server

    def hand_in(self, team: str, data: bytes) -> None:
        """Hand in a team that plays, and wait until it was checked."""
        status, answer = ask(self.port, "PUT", "/api/versions", self.tokens[team], data)
        assert status == 201, answer
        page = f"/api/versions/{answer['number']}"
        until(lambda: ask(self.port, "GET", page, self.tokens[team])[1]["state"] not in ("received", "checking"))

    def games(self) -> int:
        """How many there are."""
        return int(self.server.status()["games"])

    def rows(self, query: str, *values: object) -> list[Any]:
        """Rows of the store."""
        return rows_of(self.folder / "results" / "tournament.sqlite", query, *values)


@contextmanager
def running_league(parent: Path, teams: int, maps: int = 24, words: tuple[str, ...] = ()) -> Iterator[RunningLeague]:
    """A league with so many teams, each of which has a version."""
    folder = parent / "course"
    port, tokens = course(folder, teams, maps)
    server = Server(folder, port, parent / "log", words)
    server.start()
    try:
        made = RunningLeague(folder, port, tokens, server)
        for number, team in enumerate(sorted(tokens)):
            made.hand_in(team, mutated(number, random.Random(number)))
        yield made
    finally:
        server.stop()


def rows_of(database: Path, query: str, *values: object) -> list[Any]:
    """Rows of a database."""
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        return connection.execute(query, values).fetchall()


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
    grown = {name: last[name] - first[name] for name in ("web", "service")}
    return [finding(f"the {name} grew by {more:.1f} MB {when} (at most 20)", more <= 20) for name, more in grown.items()]


def stored_twice(store: sqlite3.Connection) -> int:
    """How many games were stored a second time, in a league whose staff had none played again.

    Such a game takes the place of the first one in the table, and a number of its own: the one that the first one had is missing.
    """
    return int(store.execute("SELECT ifnull(max(place), 0) - count(*) FROM league_games").fetchone()[0])


def left_running(name: str) -> list[str]:
    """Command lines that name something, such as a league's folder that nobody should use any more."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and int(path.name) != os.getpid()]
    return [words for words in map(words_of, numbers) if name in words]


def words_of(number: int) -> str:
    """The command line of a process and what ``top`` calls it; empty if it is gone."""
    place = Path("/proc", str(number))
    try:
        words = (place / "cmdline").read_bytes() + (place / "comm").read_bytes()
        return words.replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def rss_of(number: int) -> float:
    """The memory of a process, in MB; 0 if it is gone."""
    try:
        return int(Path("/proc", str(number), "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0


def descendants(number: int) -> list[int]:
    """The processes below one, all the way down; each comes after its parent."""
    below: list[int] = []
    waiting = [number]
    while waiting:
        children: list[int] = []
        for task in Path("/proc", str(waiting.pop()), "task").glob("*/children"):
            try:
                children += map(int, task.read_text().split())
            except OSError:
                continue
        below += children
        waiting += children
    return below


def ask(port: int, method: str, path: str, token: str = "", data: bytes | None = None, *, name: str = "team.py") -> tuple[int, Any]:
    """An answer of the league: its status, and its JSON or text.

    Raises:
        OSError: there was none.
    """
    headers = {"Authorization": f"Bearer {token}", "X-Name": name} if token else {}
    request = urllib.request.Request(f"http://localhost:{port}{path}", data, headers, method=method)
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


def at(time_text: str) -> float:
    """A time of the league as seconds."""
    return datetime.fromisoformat(time_text).timestamp()


def share(values: Sequence[float], part: float) -> float:
    """The value that so large a part of the values doesn't exceed; 0 if there is none."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0
