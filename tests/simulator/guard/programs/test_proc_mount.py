"""What programs see of /proc at each level: themselves and a few facts about the machine, but nobody else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.simulator.guard.programs.conftest import PYTHON, failure, write_program

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_paths import why_not_found
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

Ask = Callable[..., list[str]]


@pytest.fixture(scope="module", params=[Level.A, Level.B], ids=["A", "B"])
def cells(request: pytest.FixtureRequest, program_folder: Path) -> Iterator[CellPool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILTYARD_CONFINEMENT", request.param)
        try:
            probe_confinement(request.param)
        except UserError as error:
            pytest.skip(str(error))
        with CellPool(readable=[str(program_folder), "/usr", "/bin", "/lib", "/lib64"]) as held:
            assert held.confinement.level is request.param
            yield held


@pytest.fixture
def ask(cells: CellPool, program_folder: Path) -> Ask:
    """``ask(text)``: the lines that a program prints, called twice; both times the same. ``text`` has ``tell(path)``."""
    folder = program_folder / f"proc{len(list(program_folder.iterdir()))}"
    folder.mkdir()

    def asked(text: str, language: str = "python") -> list[str]:
        path = write_program(folder, HEAD + text if language == "python" else text, language)
        command = (PYTHON or "", "-I", "-S", str(path)) if language == "python" else (f"./{path.name}",)
        team = ProgramTeam(name="bot", game="none", command=command, folder=str(folder))
        source = Source(name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))
        program = cells.open_program(team, source, Limits(startup_seconds=5), Isolation.SANDBOX)
        program.begin(5.0, "choose")
        first, second = (program.call([], {}) for _ in range(2))
        assert (first.exit_code, second.exit_code) == (0, 0), (first, second)
        assert first.stdout == second.stdout
        return first.stdout.decode().splitlines()

    return asked


HEAD = """
import os, threading
def tell(*paths):
    for path in paths:
        try:
            print(path, "read" if (os.listdir(path) if os.path.isdir(path) else open(path, "rb").read()) else "empty")
        except OSError as error:
            print(path, "no")
"""


def test_its_own(ask: Ask) -> None:
    own = ("maps", "status", "stat", "statm", "cgroup", "task", "fd", "limits")
    paths = [f"/proc/self/{name}" for name in own]
    numbered = "print(open(f'/proc/{os.getpid()}/stat').read().split()[0] == str(os.getpid()))"
    said = ask(f"tell(*{paths})\nprint(len(os.listdir('/proc/self/task')))\ntell('/proc/thread-self/stat')")
    assert said == [*(f"{path} read" for path in paths), "1", "/proc/thread-self/stat read"]
    assert ask(numbered) == ["True"]


def test_what_is_mounted_is_shown_where_it_is_its_own(ask: Ask, cells: CellPool) -> None:
    paths = [f"/proc/self/{name}" for name in ("mountinfo", "mounts", "mountstats")]
    answer = "read" if cells.confinement.level is Level.A else "no"
    assert ask(f"tell(*{paths})") == [f"{path} {answer}" for path in paths]


def test_the_tree_holds_what_it_may_read_and_what_the_system_needs(ask: Ask, cells: CellPool, program_folder: Path) -> None:
    if cells.confinement.level is not Level.A:
        pytest.skip("below level A, the tree is the machine's")
    other = program_folder / "of_another_team"
    other.touch()
    text = """
print([os.path.exists(path) for path in ("/bin/sh", "/dev/null", "/proc/self/stat", "/usr/lib", {other!r})])
print(os.path.realpath("/bin/sh"), os.listdir("/dev/shm"), os.listdir("."))
for folder in ("/", "/usr", os.path.dirname(os.getcwd())):
    for change in (lambda: os.mkdir(folder + "/new"), lambda: os.chmod(folder, 0o777), lambda: os.rename(folder, folder + "2")):
        try:
            change()
            print("changed", folder)
        except OSError:
            pass
"""
    shell = os.path.realpath("/bin/sh")
    assert ask(text.format(other=str(other))) == ["[True, True, True, True, False]", f"{shell} [] []"]


def test_the_machine(ask: Ask) -> None:
    needed = [f"/proc/{name}" for name in ("cpuinfo", "meminfo", "stat", "sys/vm/overcommit_memory", "sys/kernel/pid_max")]
    refused = [f"/proc/{name}" for name in ("config.gz", "kallsyms", "modules", "interrupts", "keys", "sys/kernel/random/boot_id")]
    said = dict(line.split() for line in ask(f"tell(*{[*needed, *refused]})"))
    assert {said[path] for path in needed} == {"read"}
    assert {said[path] for path in refused} <= {"no", "empty"}


def test_nobody_else(ask: Ask, cells: CellPool) -> None:
    others = [f"/proc/{number}/{name}" for number in (os.getpid(), os.getppid()) for name in ("status", "cmdline", "maps")]
    assert {line.split()[1] for line in ask(f"tell(*{others})")} == {"no"}
    if cells.confinement.level is Level.A:
        # The launcher and itself. What the launcher holds can't be opened.
        assert ask("print(sum(name.isdecimal() for name in os.listdir('/proc')))") == ["2"]
        assert ask("tell('/proc/1/mem', '/proc/1/environ', '/proc/1/fd/0', '/proc/1/maps')") == [
            f"/proc/1/{name} no" for name in ("mem", "environ", "fd/0", "maps")
        ]
    else:
        assert ask("tell('/proc', '/proc/1/status', '/proc/self/net/tcp', '/proc/self/net/unix')") == [
            f"/proc{name} no" for name in ("", "/1/status", "/self/net/tcp", "/self/net/unix")
        ]


def test_nothing_is_written(ask: Ask) -> None:
    text = """
for name in ("self/oom_score_adj", "self/comm", "self/mem", "sys/vm/overcommit_memory", "sysrq-trigger", "sys/kernel/core_pattern"):
    try:
        open("/proc/" + name, "r+b").close()
        print("opened", name)
    except OSError as error:
        pass
"""
    assert ask(text) == []


def test_a_child_sees_itself_only_where_the_cell_has_a_proc_of_its_own(ask: Ask, cells: CellPool) -> None:
    said = ask("cat /proc/self/maps >/dev/null 2>&1 && echo read || echo refused", "sh")
    assert said == (["read"] if cells.confinement.level is Level.A else ["refused"])
    # What takes the place of the first process is still that process.
    assert ask("exec grep -c grep /proc/self/maps", "sh") != ["0"]


def test_a_pool_of_processes_works_where_the_cell_has_shared_memory_of_its_own(ask: Ask, cells: CellPool) -> None:
    text = """
import multiprocessing
try:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))
except OSError:
    print("refused")
"""
    assert ask(text) == (["[1, 2]"] if cells.confinement.level is Level.A else ["refused"])


def test_a_command_outside_of_what_is_readable(
    cells: CellPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program_folder: Path
) -> None:
    def refusal(*command: str) -> str:
        team = ProgramTeam(name="bot", game="none", command=command, folder=str(program_folder))
        source = Source(name="bot", origin=Origin.PROGRAM, value="words", folder=str(program_folder))
        program = cells.open_program(team, source, Limits(), Isolation.SANDBOX)
        program.begin(5.0, "choose")
        error = failure(lambda: program.call([], {}))
        assert error.not_started in error.message
        return error.message

    hidden = write_program(tmp_path, "echo", "sh")
    advice = f"exists, but is not readable in the sandbox: add {tmp_path} to TILTYARD_READABLE"
    assert refusal(str(hidden)) == f"choose: cannot start {hidden}: it {advice}"
    script = program_folder / "script"
    script.write_text(f"#!{hidden}\n")
    script.chmod(0o755)
    assert refusal("./script") == f"choose: cannot start {script}: its interpreter {hidden} {advice}"
    (tmp_path / "runtime-of-somebody").symlink_to(hidden)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin")
    places = "/usr/local/bin, /usr/bin, /bin, /usr/local/games, /usr/games"
    assert f"it is {tmp_path}/runtime-of-somebody, but only {places} are searched" in refusal("runtime-of-somebody")
    assert why_not_found("/opt/x/y", []) == ""
    assert why_not_found("sh", ["/usr"]) == ""


def test_a_command_that_is_not_there(cells: CellPool) -> None:
    for command, reason in (("no-such-command-of-anybody", "No such file or directory"), ("/usr/bin", "Permission denied")):
        team = ProgramTeam(name="bot", game="none", command=(command,), folder="")
        program = cells.open_program(team, Source(name="bot", origin=Origin.PROGRAM, value=command), Limits(), Isolation.SANDBOX)
        program.begin(5.0, "choose")
        error = failure(lambda: program.call([], {}))  # noqa: B023 -- called at once
        assert (error.termination, error.message) == (Termination.CRASH, f"choose: cannot start {command}: {reason}")
