"""Cells of builds: files in, commands, files out; and that players gain nothing by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.simulator.guard.programs.conftest import Open

from tiltyard_engine.programs import ProgramError
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs import build_client
from tiltyard_simulator.guard.programs.build_client import BuildClient, BuildFile
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

LIMITS = Limits(move_seconds=5.0, startup_seconds=2.0, memory_bytes=256 << 20, output_bytes=1000)
SCRIPT = b"#!/bin/sh\necho made by a script\n"
OpenBuild = Callable[..., BuildClient]


@pytest.fixture(scope="module")
def builds() -> Iterator[CellPool]:
    with CellPool(reserve=0) as pool:
        yield pool


@pytest.fixture(params=[Isolation.SANDBOX, Isolation.PROCESS])
def open_build(request: pytest.FixtureRequest, builds: CellPool) -> Iterator[OpenBuild]:
    """``open_build(limits)``: an empty build."""
    yield lambda limits=LIMITS: builds.open_build([], limits, request.param)
    builds.end_match()


def sh(build: BuildClient, text: str) -> bytes:
    """What a shell prints."""
    call = build.run(["/bin/sh", "-c", text], {"WORD": "told"}, 2.0, "sh")
    return call.stdout + call.stderr


def test_files_go_in_and_come_out(open_build: OpenBuild) -> None:
    build = open_build()
    build.write_files({"source/a.txt": BuildFile(b"one"), "source/deep/b.sh": BuildFile(SCRIPT, executable=True)}, ["out"])
    assert sh(build, "cat source/a.txt; source/deep/b.sh; echo $WORD") == b"onemade by a script\ntold\n"
    sh(build, "cp source/a.txt out/c; ln -s a.txt source/link; mkfifo source/pipe; mkdir source/empty")
    listed = build.list_files(["source", "out"])
    assert [(file.name, file.size, file.executable, file.head[:3]) for file in listed] == [
        ("source/a.txt", 3, False, b"one"),
        ("source/deep/b.sh", len(SCRIPT), True, b"#!/"),
        ("out/c", 3, False, b"one"),
    ]
    assert build.take_files(["out/c", "source/link", "source/pipe", "gone"], 10, 10) == {"out/c": b"one"}


def test_many_large_files_arrive_whole(open_build: OpenBuild) -> None:
    build = open_build()
    files = {f"source/{number}": BuildFile(bytes([number]) * (3 << 19)) for number in range(6)}
    build.write_files(files)
    taken = build.take_files(list(files), 3 << 19, 9 << 20)
    assert taken == {name: file.data for name, file in files.items()}


@pytest.mark.parametrize(("file_bytes", "total_bytes"), [(3, 100), (100, 7)])
def test_what_is_too_large_is_not_taken(open_build: OpenBuild, file_bytes: int, total_bytes: int) -> None:
    build = open_build()
    build.write_files({"a": BuildFile(b"1234"), "b": BuildFile(b"5678")})
    with pytest.raises(ProgramError, match="which is larger than") as caught:
        build.take_files(["a", "b"], file_bytes, total_bytes)
    assert caught.value.termination is Termination.PROTOCOL


def test_too_many_files_are_an_error(open_build: OpenBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_client, "MOST_LISTED", 5)
    build = open_build()
    build.write_files({f"source/{number}": BuildFile(b"") for number in range(6)})
    with pytest.raises(ProgramError, match="made more than 5 files and folders"):
        build.list_files(["source"])


def test_what_is_made_may_run_in_the_scratch_folder_of_a_build_alone(open_build: OpenBuild, open_program: Open) -> None:
    text = "printf '#!/bin/sh\\necho it ran\\n' >made; chmod 700 made; ./made"
    build = open_build()
    made = sh(build, text)
    is_weak = build.cell._zygote.confinement.level is Level.B
    assert made == b"it ran\n" or (is_weak and b"ermission denied" in made)
    program = open_program(f"cd $HOME; {text}")
    is_confined = program._readable is not None
    assert (program.call([], {}).stdout == b"it ran\n") is not is_confined


def test_each_command_has_its_own_time(open_build: OpenBuild) -> None:
    build = open_build(replace(LIMITS, startup_seconds=0.1, wall_factor=2.0))
    assert sh(build, "sleep 0.1; echo one") == b"one\n"
    assert sh(build, "sleep 0.1; echo two") == b"two\n"
    with pytest.raises(ProgramError, match="sleep: no answer within"):
        build.run(["/bin/sleep", "60"], {}, 0.2, "sleep")
    with pytest.raises(ProgramError):
        sh(build, "echo three")
