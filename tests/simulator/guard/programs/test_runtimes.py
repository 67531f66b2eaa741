"""Programs of real languages start in the sandbox at each level, play both ways, and are still held by the limits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.simulator.guard.programs.conftest import failure
from tests.simulator.guard.programs.runtimes import BUILDERS, Built, NotHereError, dotnet

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.guard.programs.program_paths import ORGANISERS_VARIABLE
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

ROOMY = Limits(startup_seconds=10.0, move_seconds=10.0, wall_factor=10.0)
TIGHT = Limits(startup_seconds=0.0, move_seconds=0.2, wall_factor=50.0, memory_bytes=200 << 20, program_processes=40)

Start = Callable[..., ProgramClient]


def dotnet_folders() -> list[str]:
    with contextlib.suppress(NotHereError):
        return [str(dotnet())]
    return []


@pytest.fixture(scope="module")
def cells_at(built_folder: Path) -> Iterator[Callable[[Level], CellPool]]:
    """One of each level for all tests; pytest makes a fixture anew for each list of parameters."""
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        # It may lie in somebody's home folder, which no manifest can open.
        opened = [str(built_folder), *dotnet_folders()]
        patch.setenv(ORGANISERS_VARIABLE, ":".join(opened))
        yield cache(lambda level: stack.enter_context(CellPool(level=level, readable=opened)))


@pytest.fixture(params=[Level.A, Level.B], ids=["A", "B"])
def cells_of_level(request: pytest.FixtureRequest, cells_at: Callable[[Level], CellPool]) -> CellPool:
    try:
        probe_confinement(request.param)
    except UserError as error:
        pytest.skip(str(error))
    held = cells_at(request.param)
    assert held.confinement.level is request.param
    return held


@pytest.fixture(scope="session")
def built_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runtimes")


@pytest.fixture(scope="session")
def build(built_folder: Path) -> Callable[[str], Built]:
    """Each is built once; a skip says what is missing."""
    known: dict[str, Built | NotHereError] = {}

    def made(name: str) -> Built:
        if name not in known:
            folder = built_folder / name
            folder.mkdir()
            try:
                known[name] = BUILDERS[name](folder, "echo")
            except NotHereError as error:
                known[name] = error
        found = known[name]
        if isinstance(found, NotHereError):
            pytest.skip(str(found))
        return found

    return made


@pytest.fixture
def start(cells_of_level: CellPool, build: Callable[[str], Built], built_folder: Path) -> Iterator[Start]:
    """``start(runtime, *words)``: the program of that language, its first turn begun."""

    def started(name: str, *words: str, limits: Limits = ROOMY) -> ProgramClient:
        built, folder = build(name), built_folder / name
        command = (*built.command, *words)
        team = ProgramTeam(name="bot", game="none", command=command, folder=str(folder), readable=built.readable)
        source = Source(name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))
        program = cells_of_level.open_program(team, source, limits, Isolation.SANDBOX)
        program.begin(limits.move_seconds, "choose")
        return program

    yield started
    cells_of_level.end_match()


@pytest.mark.parametrize("runtime", BUILDERS)
def test_it_answers_lines_as_a_filler_robot(start: Start, runtime: str) -> None:
    program = start(runtime)
    for word in (b"one", b"two"):
        program.write(word + b"\n")
        assert program.read_line() == b"ok " + word + b"\n", program.stderr


@pytest.mark.parametrize("runtime", BUILDERS)
def test_it_runs_once_a_move_as_in_advance(start: Start, runtime: str) -> None:
    program = start(runtime)
    call = program.call(["copy", "in.txt", "out.txt"], {"in.txt": b"the board"}, ["out.txt"])
    assert (call.exit_code, call.signal, call.stdout) == (0, 0, b""), (call, program.stderr)
    assert call.files == {"out.txt": b"ok the board"}


def speak_for_ever(program: ProgramClient) -> None:
    while True:
        program.read_line()


# What a language does with a limit doesn't depend on the level, so at the second one the one with most threads suffices.
@pytest.mark.parametrize(
    ("cells_of_level", "runtime"),
    [*((Level.A, name) for name in BUILDERS), (Level.B, "java")],
    indirect=["cells_of_level"],
    ids=str,
)
def test_its_limits_hold(start: Start, runtime: str) -> None:
    error = failure(lambda: start(runtime, "loop", limits=TIGHT).read_line())
    assert error.termination is Termination.TIMEOUT, error
    error = failure(lambda: start(runtime, "memory", limits=replace(TIGHT, move_seconds=10.0)).read_line())
    assert error.termination is Termination.OUT_OF_MEMORY, error
    # It runs out of processes and crashes, is killed for having too many, or goes on trying until its time is over.
    program = start(runtime, "threads", limits=replace(TIGHT, memory_bytes=1 << 30, move_seconds=0.4, wall_factor=5.0))
    error = failure(lambda: speak_for_ever(program))
    assert error.termination in (Termination.CRASH, Termination.TIMEOUT, Termination.STALL), error
