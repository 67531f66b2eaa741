"""A cell's memory holds nothing of another team, whoever was played before; and no two cells share an open file.

The whole memory is read, all of its maps, also what was freed: a team's code could read it too.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, cmp_to_key
from itertools import pairwise
from pathlib import Path

import pytest
from tests.engine.making import write
from tests.made_specs import made_spec
from tests.simulator.guard.conftest import WriteTeams, open_tanks
from tests.simulator.guard.managers.managing import FIELD, manager_text, write_plugins
from tests.simulator.guard.reading_memory import copy_of, found_in, open_files, order_of_files, places_of, processes_of, zygote_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_client import CellClient
from tiltyard_simulator.guard.code_version import code_version
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.build_client import BuildClient, BuildFile
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.guard.seats import TANKS
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import MANAGER_LIMITS, Limits
from tiltyard_simulator.match.spec import MatchSpec

RIVAL = "xyzzyrival"
OWN = "ploverown"
ROUNDS = 2
SOUND = """
# {name} keeps this for itself
SECRET = "{name} plans"

@hookimpl
def algorithms():
    yield team("{name}")
"""
WAYS = (
    *((Isolation.SANDBOX, level, templates) for level in (Level.A, Level.B) for templates in (True, False)),
    (Isolation.PROCESS, Level.C, False),
)
"""At each level, with templates and without."""
WAYS_OF_PROGRAMS = tuple(way for way in WAYS if not way[2])
"""Only code in Python has templates."""


def named(way: tuple[object, ...]) -> str:
    return " ".join(map(str, way))


ECHO = "#!/bin/sh\n# {name} plans\nwhile read line; do echo ok; done\n"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root reads the memory of a cell")


class Room:
    """A pool, and how its cells are isolated."""

    def __init__(self, pool: CellPool, isolation: Isolation) -> None:
        self.pool = pool
        self.isolation = isolation

    @property
    def playing(self) -> CellClient:
        """The cell that was opened last."""
        return self.pool._playing[-1][0]

    def inherited(self, *marks: str) -> list[str]:
        """Where something of a rival is in the memory of the cell that was opened last; of either team in that of its zygote.

        What its own team planted there must be found.
        """
        cell = self.playing
        cell.wait_until_ready()
        found = {place: mark for process in processes_of(cell) for place, mark in places_of(process, OWN, RIVAL, *marks).items()}
        assert OWN in found.values()
        left = found_in(zygote_of(cell.process.pid), RIVAL, OWN, *marks)
        return [*(place for place, mark in found.items() if mark != OWN), *left]

    def open_echo(self, folder: Path) -> ProgramClient:
        """A resident program that has answered once."""
        team = ProgramTeam(name=folder.name, game="none", command=("./echo",), folder=str(folder))
        source = Source(name=folder.name, origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))
        program = self.pool.open_program(team, source, Limits(), self.isolation)
        program.begin(1.0, "choose")
        program.write(b"hello\n")
        assert program.read_line() == b"ok\n"
        return program

    def open_build(self, tools: Path) -> BuildClient:
        """A build with a compiler in that folder, that has run a command."""
        build = self.pool.open_build([str(tools)], Limits(startup_seconds=2.0), self.isolation)
        build.write_files({f"source/{tools.name}.c": BuildFile(f"{tools.name} plans".encode())})
        call = build.run(["/bin/sh", "-c", f"cat source/{tools.name}.c; exec 3</dev/null"], {}, 2.0, "sh")
        assert call.stdout == f"{tools.name} plans".encode()
        return build


@pytest.fixture(scope="module")
def pool_of(in_any_test: tuple[str, ...]) -> Iterator[Callable[[Level, bool], CellPool]]:
    """One for all tests, of each level with templates or without."""
    with ExitStack() as stack:
        yield cache(lambda level, templates: stack.enter_context(CellPool(level=level, templates=templates, readable=in_any_test)))


@pytest.fixture(params=WAYS, ids=named)
def room(request: pytest.FixtureRequest, pool_of: Callable[[Level, bool], CellPool]) -> Iterator[Room]:
    isolation, level, templates = request.param
    if isolation is Isolation.SANDBOX:
        try:
            probe_confinement(level)
        except UserError as error:
            pytest.skip(str(error))
    yield Room(pool_of(level, templates), isolation)
    pool_of(level, templates).end_match()


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return made_spec(game=tanks, manager=reference_manager, map=FIELD, teams=(teams["shooter"], teams["crasher"]))


def test_of_teams_that_need_a_new_zygote(write_teams: WriteTeams) -> None:
    """At level A each new team does, where the pool knows no folder beforehand: it has to see the team's files."""
    if probe_confinement().level is not Level.A:
        pytest.skip("below level A a zygote sees all files")
    with CellPool() as pool:
        look_at_teams(Room(pool, Isolation.SANDBOX), write_teams)


def test_of_teams_in_python(room: Room, write_teams: WriteTeams) -> None:
    look_at_teams(room, write_teams)


def look_at_teams(room: Room, write_teams: WriteTeams) -> None:
    for number in range(ROUNDS):
        room.pool.end_match()
        rival = write_teams(SOUND.format(name=f"{RIVAL}{number}"), name=f"{RIVAL}/{RIVAL}_{number}.py")[f"{RIVAL}{number}"]
        own = write_teams(SOUND.format(name=OWN), name=f"{OWN}.py")[OWN]
        for team in (rival, own):
            open_tanks(room.pool, 1, team, room.isolation).create_tank(0)
    assert room.inherited(code_version(rival.source)) == []


def test_of_managers(room: Room, spec: MatchSpec, tmp_path: Path) -> None:
    for _ in range(ROUNDS):
        room.pool.end_match()
        for name in (RIVAL, OWN):
            manager = write_plugins(tmp_path, manager_text(f"secret = '{name} plans'"), name=f"{name}.py")["bad"]
            own = replace(spec.input, manager=manager)
            room.pool.open_manager(own, room.isolation, MANAGER_LIMITS, TANKS, (4, 3, 100, 5), board=None)
    assert room.inherited(code_version(Source(name=RIVAL, origin=Origin.FILE, value=str(tmp_path / f"{RIVAL}.py")))) == []


@pytest.mark.parametrize("room", WAYS_OF_PROGRAMS, ids=named, indirect=True)
def test_of_programs(room: Room, tmp_path: Path) -> None:
    for _ in range(ROUNDS):
        room.pool.end_match()
        for name in (RIVAL, OWN):
            write(tmp_path / name / "echo", ECHO.format(name=name)).chmod(0o755)
            room.open_echo(tmp_path / name)
    assert room.inherited() == []


@pytest.mark.parametrize("room", WAYS_OF_PROGRAMS, ids=named, indirect=True)
def test_of_builds(room: Room, tmp_path: Path) -> None:
    for _ in range(ROUNDS):
        room.pool.end_match()
        for name in (RIVAL, OWN):
            (tmp_path / name).mkdir(exist_ok=True)
            room.open_build(tmp_path / name)
    assert room.inherited() == []


def test_no_open_file_is_shared(room: Room, write_teams: WriteTeams, spec: MatchSpec, tmp_path: Path) -> None:
    """Neither between cells that play side by side, nor with those of earlier matches."""
    team = write_teams(SOUND.format(name=OWN), name=f"{OWN}.py")[OWN]
    manager = write_plugins(tmp_path, manager_text("pass"), name="managing.py")["bad"]
    write(tmp_path / "echo" / "echo", ECHO.format(name=OWN)).chmod(0o755)
    (tmp_path / "tools").mkdir()
    earlier: list[int] = []
    for _ in range(2):
        for seat in (1, 2):
            open_tanks(room.pool, seat, team, room.isolation).create_tank(0)
        own = replace(spec.input, manager=manager)
        room.pool.open_manager(own, room.isolation, MANAGER_LIMITS, TANKS, (4, 3, 100, 5), board=None)
        for _ in range(2):
            room.open_echo(tmp_path / "echo")
            room.open_build(tmp_path / "tools")
        cells = [cell for cell, _ in room.pool._playing]
        assert len(cells) == 7
        opened = [[(process, number) for process in processes_of(cell) for number in open_files(process)] for cell in cells]
        held = [[(os.getpid(), number) for number in earlier], *opened]
        every = [(index, file) for index, files in enumerate(held) for file in files]
        # In the kernel's own order, one and the same file stands side by side.
        every.sort(key=cmp_to_key(by_file))
        assert [(a, b) for (one, a), (other, b) in pairwise(every) if one != other and order(a, b) == 0] == []
        earlier += [copy_of(process, number) for those in opened for process, number in those]
        room.pool.end_match()
    for descriptor in earlier:
        os.close(descriptor)


def by_file(one: tuple[int, tuple[int, int]], other: tuple[int, tuple[int, int]]) -> int:
    """The order of two pairs by their second parts, see ``order``."""
    return order(one[1], other[1])


def order(one: tuple[int, int], other: tuple[int, int]) -> int:
    """See ``order_of_files``; skips the test where the kernel can't tell."""
    try:
        return order_of_files(one, other)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        pytest.skip("this kernel has no kcmp")
