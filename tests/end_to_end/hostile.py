"""A place where hostile teams play against a sound one, with things in it that they must not reach, and a look at it afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import stat
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

from tests.conftest import map_text
from tests.made_specs import made_spec

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.wire import FIRST_CHUNK
from tiltyard_simulator.guard.policy import Confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import MEBIBYTE, Limits
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena

LIMITS = Limits(
    startup_seconds=1.0,
    move_seconds=0.3,
    match_seconds=2.0,
    wall_factor=7.0,
    memory_bytes=64 * MEBIBYTE,
    file_bytes=MEBIBYTE,
    scratch_bytes=4 * MEBIBYTE,
    output_bytes=1 << 14,
    reply_bytes=1 << 16,
)
PATIENT = replace(LIMITS, startup_seconds=10.0, move_seconds=3.0, match_seconds=20.0)
"""For attacks that time alone must not end: on some machines a megabyte of small writes takes a third of a CPU second."""
HOSTILE, RIVAL = 1, 2
"""Their seats."""
BOARD = MapSource("quiet", map_text(("      ", " 1#  2", "      "), steps=2, shells=0).encode())
PATIENCE = 10.0
STANDSTILL = "the runner was suspended"
"""An incident that a busy machine brings about, and no team."""
ATTEMPTS = 5
TOUCHES_OTHERS = "traces_parent_and_sibling"
"""The hostile team that, where it is not blocked, may leave the process that all cells come from in another state, unseen."""
MOST_BYTES = LIMITS.memory_bytes + 96 * MEBIBYTE
"""What a cell may have held at once, the empty process included."""


@dataclass(frozen=True)
class Seen:
    """What came of an attack."""

    word: str
    """``blocked``, ``contained`` or ``open``."""
    fault: str
    """What the hostile seat was charged with, if it was."""
    why: str
    """For whom the word is not enough."""

    def __str__(self) -> str:
        """As the page says it."""
        return f"{self.word}, {self.fault}" if self.word == "contained" and self.fault else self.word


class Bait:
    """Files, a secret and servers that no team may reach."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self.secret = secrets.token_hex(8)
        self.sources: dict[str, Path] = {}
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        self._unix, self._abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        for path in sorted((programs / "hostile").glob("*.py")):
            self._put(path, folder / "teams" / path.stem)
        self._put(programs / "rival" / "rival.py", folder / "rival")
        (folder / "scratch").mkdir()
        self._unix.bind(str(folder / "socket"))
        self._datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._datagrams.bind(str(folder / "datagrams"))
        self._abstract.bind(f"\0{folder}"[:100])
        for server in (self._unix, self._abstract):
            server.listen()
        for channel in (self._tcp, self._udp, self._unix, self._abstract, self._datagrams):
            channel.setblocking(False)
        self._before = self._files()

    def _put(self, path: Path, folder: Path) -> None:
        folder.mkdir(parents=True)
        text = path.read_text(encoding="utf-8")
        for name, value in (("PORT", self.port), ("HOME", str(Path.home())), ("SECRET", self.secret)):
            text = re.sub(rf"^{name} = .*$", f"{name} = {value!r}", text, flags=re.MULTILINE)
        self.sources[path.stem] = folder / path.name
        self.sources[path.stem].write_text(text, encoding="utf-8")

    def reference(self, name: str) -> Reference:
        """A team by its file; it is not loaded here."""
        return Reference(
            kind="algorithm", name=name, game="tanks", source=Source(name=name, origin=Origin.FILE, value=str(self.sources[name]))
        )

    def touched(self) -> list[str]:
        """What was reached since the last look."""
        found = [f"heard by {kind}" for kind in self._listen()]
        now = self._files()
        found += [f"file {path}" for path in sorted(now.keys() ^ self._before.keys())]
        found += [f"changed {path}" for path in sorted(now.keys() & self._before.keys()) if now[path] != self._before[path]]
        self._before = now
        return found

    def _listen(self) -> list[str]:
        heard: set[str] = set()
        for receiver in (self._udp, self._datagrams):
            with contextlib.suppress(BlockingIOError):
                while True:
                    heard.add(receiver.recv(10).decode())
        for server in (self._tcp, self._unix, self._abstract):
            with contextlib.suppress(BlockingIOError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.settimeout(PATIENCE)
                        heard.add(connection.recv(10).decode())
        return sorted(heard)

    def _files(self) -> dict[str, tuple[int, int]]:
        every = [*files_below(self.folder, "scratch"), str(self.folder.parent / "written")]
        found: dict[str, tuple[int, int]] = {}
        for path in every:
            with contextlib.suppress(OSError):
                status = Path(path).stat()
                if stat.S_ISREG(status.st_mode):
                    found[path] = status.st_size, status.st_mtime_ns
        return found

    def close(self) -> None:
        """End the servers."""
        for channel in (self._tcp, self._udp, self._unix, self._abstract, self._datagrams):
            channel.close()


class Lab:
    """Plays hostile teams at one level, each in a match of its own, and says what came of it."""

    def __init__(self, confinement: Confinement, bait: Bait, game: Reference, manager: Reference) -> None:
        self._confinement = confinement
        self._bait = bait
        self._game, self._manager = game, manager
        self._earlier = {entry.name for entry in Path("/proc").iterdir()}
        self._begin()

    def _begin(self) -> None:
        scratch = str(self._bait.folder / "scratch")
        # Known from the start, so that level A needs one zygote for all.
        readable = [str(path) for path in self._bait.sources.values()]
        self._cells = CellPool(reserve=0, scratch_root=scratch, readable=readable)
        self._cells.confinement = self._confinement
        self._arena = Arena()
        self._arena._cells = self._cells

    def play(self, name: str, limits: Limits = LIMITS) -> Seen:
        """A match of that team against the sound one."""
        teams = (self._bait.reference(name), self._bait.reference("rival"))
        sandbox = (Isolation.SANDBOX,) * 2
        spec = made_spec(game=self._game, manager=self._manager, map=BOARD, teams=teams, isolations=sandbox, limits=(limits,) * 2)
        for _ in range(ATTEMPTS):
            record = self._arena.play(spec)
            if not any(STANDSTILL in incident for incident in record.outcome.incidents):
                break
        said = record.evidence.accounts[HOSTILE - 1].output.decode("utf-8", "replace")
        harm = [*self._harm(record, said), *self._left()]
        seen = self._judge(record, said, [*harm, *self._bait.touched()])
        # What reached files or servers alone did nothing to the cells of the next match.
        if harm or (name == TOUCHES_OTHERS and seen.word == "open"):
            self.close()
            self._begin()
        return seen

    def _judge(self, record: MatchRecord, said: str, harm: list[str]) -> Seen:
        fault = next((fault for fault in record.outcome.faults if fault.seat == HOSTILE), None)
        kind = fault.termination.value if fault is not None else ""
        said_open = [line for line in said.splitlines() if line.startswith("OPEN: ")]
        if harm or said_open:
            return Seen("open", kind, "; ".join([*harm, *said_open])[:500])
        if "BLOCKED: " in said:
            return Seen("blocked", kind, said[:500])
        return Seen("contained", kind, f"{fault.message if fault else ''} {said}"[:500])

    def _harm(self, record: MatchRecord, said: str) -> list[str]:
        """What was done to anybody but the hostile seat."""
        own, rival = record.evidence.accounts[HOSTILE - 1], record.evidence.accounts[RIVAL - 1]
        harm = [f"incident: {incident}" for incident in record.outcome.incidents]
        harm += [f"seat {fault.seat}: {fault.message}" for fault in record.outcome.faults if fault.seat != HOSTILE]
        if record.outcome.winner == HOSTILE:
            harm.append("it won")
        if self._bait.secret in said:
            harm.append("it knows the secret")
        if b"TOUCHED" in rival.output:
            harm.append("the opponent's world was changed")
        if own.peak_bytes > MOST_BYTES:
            harm.append(f"{own.peak_bytes >> 20} MiB at once")
        if len(own.output) > LIMITS.output_bytes:
            harm.append("more output kept than the limit")
        if sum(len(exchange.answer) for exchange in own.conversation) > FIRST_CHUNK * 8:
            harm.append("long answers were kept")
        return harm

    def _left(self) -> list[str]:
        """Files and processes that outlive the match."""
        scratch = self._bait.folder / "scratch"
        if not eventually(lambda: not processes_in(scratch, self._earlier)):
            return [f"left running: {processes_in(scratch)}"]
        eventually(lambda: not files_below(scratch))
        return [f"left lying: {path}" for path in files_below(scratch)]

    def close(self) -> None:
        """End all."""
        self._arena.close()
        self._cells.close()


def processes_in(folder: Path, earlier: Collection[str] = ()) -> list[int]:
    """Processes that work below a folder: every cell does, and what it forks. A template may stay, alone in its own folder.

    Those of ``earlier`` were there before the folder: to look at all of a machine for each attack takes longer than the attack.
    """
    found: dict[Path, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and entry.name not in earlier:
            with contextlib.suppress(OSError):
                place = (entry / "cwd").readlink()
                if place.is_relative_to(folder):
                    found.setdefault(place, []).append(int(entry.name))
    return [process for place, those in found.items() for process in sorted(those)[place.name.startswith("template-") :]]


def files_below(folder: Path, without: str = "") -> list[str]:
    """All files, while some may just be removed, however deep they lie; without those in one of its folders."""
    found: list[str] = []
    waiting = [str(folder)]
    while waiting:
        # One that is gone, or whose path is too long, has nothing to list.
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.path != f"{folder}/{without}":
                    (waiting if entry.is_dir(follow_symlinks=False) else found).append(entry.path)
    return found


def eventually(happened: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether it happened in time."""
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.005)
    return happened()
