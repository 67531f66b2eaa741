"""No file that a cell can read names another team: each kind of cell reads all of /proc, its environment and more, for marks.

The marks are in the names of the opponent's folder, of its file and of another team of the run, which level A mounts beside the
cell's own. Without a sandbox a cell reads what its user can; there the test looks at what is the process's own.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.conftest import HEAD, open_tanks
from tests.simulator.guard.managers.managing import FIELD, manager_text, write_plugins
from tests.simulator.guard.programs.conftest import PYTHON

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.build_client import BuildFile
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena

MARK = "zqmark"
LIMITS = Limits(startup_seconds=60.0, move_seconds=60.0, match_seconds=300.0, wall_factor=5.0)
SCAN = """
import os, sys
MARK, MOST_ENTRIES, MOST_BYTES = b"zqmark", 20_000, 1 << 18
NOT_TEXT = {"mem", "pagemap", "kcore", "kmsg", "kallsyms", "clear_refs", "trace_pipe"}

class Scan:
    def __init__(self):
        self.read, self.marks, self.entries = 0, [], 0
    def look(self, path, data):
        self.read += 1
        if MARK in data:
            self.marks.append(path)
    def visit(self, path, depth=9):
        self.entries += 1
        if self.entries > MOST_ENTRIES or depth < 0 or os.path.basename(path) in NOT_TEXT:
            return
        try:
            if os.path.islink(path):
                return self.look(path, os.fsencode(os.readlink(path)))
            if os.path.isdir(path):
                names = os.listdir(path)
                self.look(path, os.fsencode(" ".join(names)))
                for name in names:
                    self.visit(f"{path}/{name}", depth - 1)
                return
            if not os.path.isfile(path):
                return
            file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                data = b""
                while len(data) < MOST_BYTES and (more := os.read(file, 1 << 16)):
                    data += more
            finally:
                os.close(file)
            self.look(path, data)
        except OSError:
            pass

def scan(own_file, everything):
    found = Scan()
    if everything:
        found.visit("/proc")
        found.visit("/etc", 3)
        found.visit("/dev", 3)
        for number in range(1, 40):
            for name in ("mountinfo", "mounts", "mountstats", "cmdline", "environ", "maps", "cgroup", "cwd", "root"):
                found.visit(f"/proc/{number}/{name}")
        for place in (os.getcwd(), os.path.abspath(own_file)):
            while place != "/":
                place = os.path.dirname(place)
                found.visit(place, 0)
    mounts, own = ("mountinfo", "mounts", "mountstats"), ("cmdline", "environ", "maps", "smaps", "cgroup", "fd", "fdinfo", "cwd")
    for name in (*mounts, *own):
        found.visit(f"/proc/self/{name}")
    found.look("environment", repr(dict(os.environ)).encode())
    found.look("argv", repr([*sys.argv, sys.executable, *sys.path]).encode())
    return f"SCANNED {found.read}: {found.marks}"
"""
TEAM = """
class Scans(Tank):
    def get_action(self):
        print(scan(__file__, {everything}), flush=True)
        return ActionRequest.SHOOT

@hookimpl
def algorithms():
    yield team("scans", tank=Scans)
"""
SCRIPT = "{scan}\nprint(scan(sys.argv[0], {everything}), flush=True)\n"


@dataclass(frozen=True)
class Run:
    """A run of several teams, from which the cells of one isolation come."""

    cells: CellPool
    folder: Path
    readable: list[str]
    """Of all teams."""
    isolation: Isolation

    @property
    def everything(self) -> bool:
        """Whether a cell may not even read what is anybody's."""
        return self.isolation is Isolation.SANDBOX

    def own(self, kind: str) -> Path:
        """A new folder of the scanning team, beside the others."""
        place = self.folder / f"own-{kind}"
        place.mkdir(exist_ok=True)
        return place


WAYS = {"A": Level.A, "B": Level.B, "process": Level.C}


@pytest.fixture(scope="module", params=list(WAYS))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    level = WAYS[request.param]
    folder = tmp_path_factory.mktemp("run")
    rival, other = folder / f"{MARK}-rival", folder / f"{MARK}-other"
    for place in (rival, other):
        place.mkdir()
        (place / f"{MARK}.py").write_text(f"{HEAD}\n@hookimpl\ndef algorithms():\n    yield team('{MARK}')\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILTYARD_CONFINEMENT", level)
        try:
            probe_confinement(level)
        except UserError as error:
            pytest.skip(str(error))
        kinds = ("python", "several", "manager", "compiled", "called", "resident", "child", "host")
        readable = [str(place / f"{MARK}.py") for place in (rival, other)] + [str(folder / f"own-{kind}") for kind in kinds]
        for kind in kinds:
            (folder / f"own-{kind}").mkdir()
        with CellPool(readable=readable, reserve=0) as cells:
            isolation = Isolation.PROCESS if level is Level.C else Isolation.SANDBOX
            held = Run(cells, folder, readable, isolation)
            # The opponent's cell lives beside the one that looks.
            rival_team = team_of(rival / f"{MARK}.py")
            open_tanks(cells, 2, rival_team, isolation, limits=LIMITS).create_tank(0).get_action()
            yield held


def team_of(path: Path) -> Reference:
    registry = Registry.from_paths([path])
    (entry,) = registry.all(ALGORITHM)
    return entry.reference


def by_python(run: Run, limits: Limits, kind: str) -> bytes:
    path = run.own(kind) / "scans.py"
    path.write_text(HEAD + SCAN + TEAM.format(everything=run.everything))
    seat = open_tanks(run.cells, 1, team_of(path), run.isolation, limits=limits)
    seat.get_actions([seat.create_tank(0)])
    assert seat.fault is None, seat.fault
    return bytes(seat.port.cell.read_output())


def a_python_team(run: Run) -> bytes:
    return by_python(run, LIMITS, "python")


def a_python_team_with_processes(run: Run) -> bytes:
    return by_python(run, replace(LIMITS, processes=4), "several")


@pytest.fixture(scope="module")
def compile_team(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, Path], None]:
    """``compile_team(source, library)`` makes a team from what is compiled once and a source of its own."""
    try:
        from tests.plugins.tanks_native.compiled import SOURCES

        from tiltyard_tanks_native.builds import find_compiler
        from tiltyard_tanks_native.elf.errors import NativeError

        compiler = find_compiler()
    except (ImportError, NativeError) as error:
        pytest.skip(str(error))
    common = tmp_path_factory.mktemp("compiled") / "algorithm.o"
    flags = ["-std=c++20", "-O0", "-fPIC", "-pthread"]
    subprocess.run([*compiler, *flags, "-c", str(SOURCES / "algorithm.cpp"), "-o", str(common)], check=True)

    def made(source: Path, library: Path) -> None:
        subprocess.run([*compiler, *flags, "-shared", "-o", str(library), str(common), str(source)], check=True)

    return made


def a_compiled_team(run: Run, installed: Registry, compile_team: Callable[[Path, Path], None]) -> bytes:
    """Its loader finds the interpreter in its process, which reads as well as any code of its own would."""
    folder = run.own("compiled")
    library = folder / "Algorithm_scans.so"
    source = folder / "scans.cpp"
    text = f"{SCAN}\nprint(scan({str(library)!r}, {run.everything}), flush=True)"
    source.write_text(CALLS_PYTHON.replace("TEXT", text))
    compile_team(source, library)
    team = choose(str(library), ALGORITHM, installed, "tanks")
    # What such a file needs is loaded by the process that its cell comes from.
    with CellPool(readable=run.readable, reserve=0) as cells:
        cells.preload([team])
        seat = open_tanks(cells, 1, team, run.isolation, limits=LIMITS)
        seat.get_actions([seat.create_tank(0)])
        assert seat.fault is None, seat.fault
        return bytes(seat.port.cell.read_output())


CALLS_PYTHON = """
#include <dlfcn.h>
__attribute__((constructor)) static void look() {
    auto ensure = (int (*)())dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    auto run = (int (*)(const char*))dlsym(RTLD_DEFAULT, "PyRun_SimpleString");
    auto release = (void (*)(int))dlsym(RTLD_DEFAULT, "PyGILState_Release");
    int state = ensure();
    run(R"scan(TEXT)scan");
    release(state);
}
"""


def a_manager(run: Run, arena: Arena, spec: MatchSpec) -> bytes:
    body = f"def run(self, match):\n    print(scan(__file__, {run.everything}), flush=True)\n    return super().run(match)"
    folder = run.own("manager")
    managers = write_plugins(folder, SCAN + manager_text(body), name="manages.py")
    limits = replace(LIMITS, reply_bytes=1 << 20)
    record = arena.play(spec_with(spec, manager=managers["bad"], manager_isolation=run.isolation, manager_limits=limits))
    assert record.evidence.manager_account is not None
    return record.evidence.manager_account.output


def script(run: Run, kind: str) -> tuple[ProgramTeam, Source]:
    if PYTHON is None:
        pytest.skip("no Python that programs may read")
    path = run.own(kind) / "scans.py"
    path.write_text(SCRIPT.format(scan=SCAN, everything=run.everything))
    team = ProgramTeam(name="bot", game="none", command=(PYTHON, "-I", "-S", str(path)), folder=str(path.parent))
    return team, Source(name="bot", origin=Origin.PROGRAM, value=str(path.parent / "program.toml"), folder=str(path.parent))


def a_called_program(run: Run) -> bytes:
    program = run.cells.open_program(*script(run, "called"), LIMITS, run.isolation)
    program.begin(60.0, "choose")
    return program.call([], {}).stdout


def a_resident_program(run: Run) -> bytes:
    program = run.cells.open_program(*script(run, "resident"), LIMITS, run.isolation)
    program.begin(60.0, "choose")
    return program.read_line(1 << 16)


def a_child_of_a_program(run: Run) -> bytes:
    team, source = script(run, "child")
    again = ("/bin/sh", "-c", '"$@"; exit $?', "sh", *team.command)
    program = run.cells.open_program(replace(team, command=again), source, LIMITS, run.isolation)
    program.begin(60.0, "choose")
    return program.call([], {}).stdout


def a_match_of_compiled_files(run: Run) -> bytes:
    """The program that plays it is the host's own; the files that it loads can read what it can."""
    if run.isolation is not Isolation.SANDBOX:
        pytest.skip("only in a sandbox")
    path = run.own("host") / "scans.py"
    path.write_text(f"#!{PYTHON} -IS\n" + SCRIPT.format(scan=SCAN, everything=True))
    path.chmod(0o755)
    host = run.cells.open_host(path, [], LIMITS)
    host.begin(60.0, "play")
    try:
        return host.read_line(1 << 16)
    finally:
        run.cells.close_host(host)


def a_build(run: Run) -> bytes:
    if PYTHON is None:
        pytest.skip("no Python that programs may read")
    build = run.cells.open_build([], LIMITS, run.isolation)
    build.write_files({"source/scans.py": BuildFile(SCRIPT.format(scan=SCAN, everything=run.everything).encode())})
    return build.run([PYTHON, "-I", "-S", "source/scans.py"], {}, 60.0, "python").stdout


KINDS: tuple[Callable[[Run], bytes], ...] = (
    a_python_team,
    a_python_team_with_processes,
    a_called_program,
    a_resident_program,
    a_child_of_a_program,
    a_match_of_compiled_files,
    a_build,
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_nothing_that_a_cell_reads_names_another_team(run: Run, kind: Callable[[Run], bytes]) -> None:
    check(kind(run))


def test_nothing_that_a_compiled_team_reads_names_another_team(
    run: Run, registry: Registry, compile_team: Callable[[Path, Path], None]
) -> None:
    check(a_compiled_team(run, registry, compile_team))


def test_nothing_that_a_manager_reads_names_a_team(run: Run, tanks: Reference, reference_manager: Reference) -> None:
    rivals = tuple(team_of(path) for path in sorted(run.folder.glob(f"{MARK}-*/*.py")))
    spec = made_spec(
        game=tanks, manager=reference_manager, map=FIELD, teams=rivals, isolations=(run.isolation,) * 2, limits=(LIMITS,) * 2
    )
    arena = Arena()
    arena._cells = run.cells
    check(a_manager(run, arena, spec))


def check(output: bytes) -> None:
    lines = [line for line in output.decode().splitlines() if line.startswith("SCANNED ")]
    assert lines, output
    for line in lines:
        count, _, marks = line.removeprefix("SCANNED ").partition(": ")
        assert int(count) >= 2, "it read nothing"
        assert marks == "[]"
