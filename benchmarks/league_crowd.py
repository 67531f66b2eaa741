"""A league under load, for the scripts beside it: a course on a server of its own, and teams that hand in. No benchmark itself."""

from __future__ import annotations

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
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
ACORN: Final = ROOT / "plugins" / "acorn" / "tiltyard_acorn"
HOSTILE: Final = ROOT / "tests" / "programs" / "hostile"
LEAGUE: Final = """\
title: Course
game: tanks
teams: [acorn, bramble]
maps: [{{generate: {{count: {maps}, seed: 1}}}}]
league: {{address: 'http://localhost:{port}', uploads-a-day: 1000}}
"""
PATIENCE: Final = 60.0
BROKEN: Final = (
    b"def algorithms(:\n",
    b"import nothing_of_this_name\n",
    b"x = 1\n",
    b"",
    b"PK\x03\x04 and then nothing",
    bytes(range(256)) * 40,
)


def bare_course(folder: Path, maps: int) -> int:
    """A league that was never started and has no teams of students: its port."""
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    folder.mkdir(parents=True)
    (folder / "league.yaml").write_text(LEAGUE.format(maps=maps, port=port))
    return port


def course(folder: Path, teams: int, maps: int) -> tuple[int, dict[str, str]]:
    """A league that was never started: its port, and the token of each team's link by name."""
    port = bare_course(folder, maps)
    students = folder.with_name("students.csv")
    students.write_text("name,id,group\n" + "".join(f"Student {n},{n:05},Team {n}\n" for n in range(1, teams + 1)))
    words = [str(Path(sys.executable).with_name("tiltyard")), "league", "roster", str(folder), str(students)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return port, dict(re.findall(r"^(Team \d+),\S+/join/(\S+)$", done.stdout, re.MULTILINE))


def mutated(number: int, draw: random.Random) -> bytes:
    """The source of acorn as one file, with other constants: a program of its own that plays about as well."""
    text = (ACORN / "player.py").read_text() + (ACORN / "tank.py").read_text() + (ACORN / "__init__.py").read_text()
    text = text.replace("from __future__ import annotations\n", "")
    text = re.sub(r"^from tiltyard_acorn\.\w+ import \w+\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"LOOKS = \d+", f"LOOKS = {draw.randint(1, 12)}", text)
    text = re.sub(r"SHOTS = \d+", f"SHOTS = {draw.randint(1, 12)}", text)
    text = text.replace('TankTeam("acorn"', f'TankTeam("team-{number}"')
    return f"from __future__ import annotations\nNUMBER = {number}\n{text}".encode()


def uploads(number: int, seed: int, broken: float = 0.1, hostile: float = 0.05) -> list[tuple[str, bytes]]:
    """What teams hand in, with its kind: so many, of which these shares can't play or attack the machine."""
    draw = random.Random(seed)
    attacks = sorted(HOSTILE.glob("*.py"))
    made: list[tuple[str, bytes]] = []
    for place in range(number):
        chance = draw.random()
        if chance < broken:
            data = draw.choice(BROKEN) + (b"# %d\n" % place if draw.random() < 0.8 else b"")
            made.append(("broken", data))
        elif chance < broken + hostile:
            chosen = draw.choice(attacks)
            made.append((f"hostile {chosen.stem}", chosen.read_bytes() + b"\nNUMBER = %d\n" % place))
        else:
            made.append(("good", mutated(place, draw)))
    return made


@dataclass
class Server:
    """``tiltyard league serve``, which can be killed and started again."""

    folder: Path
    port: int
    log: Path
    words: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None
    down: list[float] = field(default_factory=list)
    """Seconds until it answered, of each start."""

    def start(self) -> None:
        """Start it and wait until its pages answer."""
        begun = time.monotonic()
        words = [str(Path(sys.executable).with_name("tiltyard")), "league", "serve", str(self.folder), "--port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*words, *self.words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - begun > PATIENCE:
                sys.exit(f"the league doesn't start: see {self.log}")
            time.sleep(0.05)
        self.down.append(time.monotonic() - begun)

    def answers(self) -> bool:
        """Whether the pages are there."""
        try:
            return ask(self.port, "GET", "/status.json")[0] == 200
        except OSError:
            return False

    def rss(self) -> dict[str, float]:
        """Memory of the web process and the service, in MB."""
        assert self.process is not None
        found: dict[str, float] = {}
        for number in descendants(self.process.pid):
            for name in ("web", "service"):
                # Workers are forks of the service, and have its words; it comes before them.
                if name not in found and f"tiltyard_league.{name}.main" in words_of(number):
                    found[name] = rss_of(number)
        return found

    def stop(self) -> None:
        """End it in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def finding(what: str, holds: bool) -> bool:
    """Say whether something is as it has to be, in a line that league_checks.py counts."""
    print(f"{'holds' if holds else 'DOES NOT HOLD'}: {what}", flush=True)
    return holds


def kept_again(store: sqlite3.Connection) -> int:
    """How many games were kept a second time, in a league whose staff had none played again.

    Such a game takes the place of the first one in the table, and a number of its own: the one that the first one had is missing.
    """
    return int(store.execute("SELECT ifnull(max(place), 0) - count(*) FROM league_games").fetchone()[0])


def left_running(name: str) -> list[str]:
    """Command lines that name something, such as a league's folder that nobody should use any more."""
    found = [words_of(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit() and int(path.name) != os.getpid()]
    return [words for words in found if name in words]


def words_of(number: int) -> str:
    """The command line of a process; empty if it is gone."""
    try:
        return Path("/proc", str(number), "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def name_of(number: int) -> str:
    """What ``top`` calls a process; empty if it is gone."""
    try:
        return Path("/proc", str(number), "comm").read_text()
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
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            status = (place / "stat").read_text()
        except OSError:
            continue
        parents.setdefault(int(status.rpartition(")")[2].split()[1]), []).append(int(place.name))
    found, waiting = [], [number]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


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
    from datetime import datetime

    return datetime.fromisoformat(time_text).timestamp()


def share(values: Sequence[float], part: float) -> float:
    """The value that so large a part of the values doesn't exceed; 0 if there is none."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0
