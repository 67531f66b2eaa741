"""A watched program fails as it does otherwise, and the host can tell what was denied to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.simulator.guard.programs.conftest import PYTHON, failure, write_program

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.denials import in_words
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

TRIES = """
import os, socket, sys
secret = sys.argv[1]

def fork():
    if os.fork() == 0:
        open(secret + "/of a child")
    os.wait()

works = [
    lambda: os.memfd_create("x"),
    lambda: open(secret + "/key"),
    lambda: open(secret + "/nothing is here"),
    lambda: open(secret + "/new", "w"),
    lambda: open(os.fsencode(secret) + b"/\\xff", "w"),
    lambda: open(secret + "/\\x1b[1m", "w"),
    lambda: open(sys.argv[0]).close(),
    lambda: open("own file", "w").close(),
    lambda: os.memfd_create("x"),
    lambda: os.execv(secret + "/program", ["x"]),
    fork,
    socket.socket,
]
for work in works:
    try:
        work()
        print("done")
    except OSError as error:
        print(type(error).__name__, error.errno, flush=True)
sys.exit(3)
"""


@pytest.fixture(scope="module", params=[Level.A, Level.B], ids=["A", "B"])
def pool(request: pytest.FixtureRequest, program_folder: Path) -> Iterator[CellPool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILTYARD_CONFINEMENT", request.param)
        try:
            probe_confinement(request.param)
        except UserError as error:
            pytest.skip(str(error))
        with CellPool(readable=[str(program_folder), "/usr"]) as held:
            yield held


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder that no program may read."""
    for name in ("key", "program", "of a child"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def open_program(pool: CellPool, program_folder: Path, secret: Path, watched: bool) -> ProgramClient:
    folder = program_folder / "denials"
    folder.mkdir(exist_ok=True)
    path = write_program(folder, TRIES, "python")
    team = ProgramTeam(name="bot", game="none", command=(PYTHON or "", "-I", "-S", str(path), str(secret)), folder=str(folder))
    source = Source(name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))
    pool.watch_denials = watched
    program = pool.open_program(team, source, Limits(startup_seconds=5), Isolation.SANDBOX)
    program.begin(5.0, "choose")
    return program


def test_what_was_denied_is_known_afterwards(pool: CellPool, program_folder: Path, secret: Path) -> None:
    said: list[bytes] = []
    for watched in (False, True):
        program = open_program(pool, program_folder, secret, watched)
        call = program.call([], {})
        assert call.exit_code == 3, call
        program.cell.find_denials()
        said.append(call.stdout)
    assert said[0] == said[1]
    assert said[0].count(b"done") == 3
    names = [str(secret / name) for name in ("key", "new")]
    # Each once, where it came last; what is not there, what may be read, and what can't be printed is left out.
    denied = [name for name in program.cell.denied if str(secret) in name or "/" not in name]
    assert denied == [*names, "memfd_create", str(secret / "program"), str(secret / "of a child"), "socket"]
    pool.end_match()


def test_a_resident_programs_end_too(pool: CellPool, program_folder: Path, secret: Path) -> None:
    for watched in (False, True):
        program = open_program(pool, program_folder, secret, watched)
        error = failure(lambda program=program: [program.read_line() for _ in range(99)])  # type: ignore[misc]
        assert error.termination is Termination.CRASH
        assert ("memfd_create" in program.cell.denied, program.cell.denied[-1:]) == (watched, ["socket"] * watched)
    pool.end_match()


def test_words() -> None:
    assert in_words([]) == ""
    assert in_words(["socket", "/etc/passwd"]) == "; denied by the sandbox, the latest first: /etc/passwd, socket"
    many = [str(number) for number in range(10)]
    assert in_words(many).endswith("first: 9, 8, 7, 6, 5, 4, 3, 2 and 2 more")
