"""What the probes answered is kept until something changes, and nobody else can say it for us."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import RunCommand

from tiltyard_engine.registry import path_sources
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.confinement import probe_answers, probes
from tiltyard_simulator.guard.confinement.probes import probe_afresh, probe_confinement
from tiltyard_simulator.guard.policy import Level, Probe
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS
from tiltyard_simulator.match.own_cache import FRESH, FRESH_VARIABLE
from tiltyard_simulator.registry.plugin_inspection import describe_in_cells

WORKS = (Probe("tried", True, "done"),)
ANOTHER_USER = 65534
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")


class Machine:
    """Stands for the probes: counts how often each level is tried, and says which work."""

    def __init__(self) -> None:
        self.tried: list[Level] = []
        self.broken: set[Level] = set()
        self.starts = True

    def run(self, level: Level) -> tuple[Probe, ...]:
        self.tried.append(level)
        return (Probe("tried", level not in self.broken, "done"),)

    def ask(self) -> Level:
        """What the next command finds, which has nothing in its memory."""
        probes._probe.cache_clear()
        return probe_confinement().level


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder of kept answers, which is not there yet."""
    monkeypatch.delenv(FRESH_VARIABLE, raising=False)
    monkeypatch.delenv(probes.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    probes._probe.cache_clear()
    yield tmp_path / "cache" / "tiltyard"
    probes._probe.cache_clear()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Machine:
    found = Machine()
    monkeypatch.setattr(probes, "_run", found.run)
    monkeypatch.setattr(probes, "_starts", lambda level: found.starts)
    return found


def test_an_answer_is_kept_for_the_next_command(machine: Machine, cache: Path) -> None:
    assert [machine.ask() for _ in range(3)] == [Level.A] * 3
    assert machine.tried == [Level.A]
    (file,) = cache.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def _boot(patch: pytest.MonkeyPatch) -> None:
    real = probe_answers._read
    patch.setattr(probe_answers, "_read", lambda path: "another" if path.endswith("boot_id") else real(path))


def _confined_command(patch: pytest.MonkeyPatch) -> None:
    real = probe_answers._read
    patch.setattr(probe_answers, "_read", lambda path: "Seccomp:\t2" if path.endswith("status") else real(path))


def _namespaces(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(probe_answers, "_link", lambda path: "user:[1]")


def _kernel(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(probe_answers, "landlock_version", lambda: 99)


def _group(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(os, "getgid", lambda: 12345)


def _bubblewrap(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(probe_answers, "find_bubblewrap", lambda: "/elsewhere/bwrap")


def _python(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("sys.executable", "/elsewhere/python")


def _own_code(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(probe_answers, "_stamps_of_own_code", lambda: iter(["policy.py 1 2 3"]))


def _limits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("resource.getrlimit", lambda number: (1, 2))


def _temporary_files(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tempfile.gettempdir", lambda: "/elsewhere")


CHANGES = [
    *(_boot, _confined_command, _namespaces, _kernel, _group, _bubblewrap, _python, _own_code, _limits, _temporary_files),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_whatever_changes_is_probed(machine: Machine, change: Callable[[pytest.MonkeyPatch], None]) -> None:
    machine.ask()
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        machine.ask()
        assert machine.tried == [Level.A] * 2
        machine.ask()
        assert machine.tried == [Level.A] * 2
    machine.ask()
    assert machine.tried == [Level.A] * 3


def test_a_bubblewrap_that_is_replaced_is_probed(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\n")
    monkeypatch.setattr(probe_answers, "find_bubblewrap", lambda: str(program))
    machine.ask()
    program.write_text("#!/bin/sh\nexit 0\n")
    machine.ask()
    program.chmod(0o4755)
    machine.ask()
    assert machine.tried == [Level.A] * 3


def test_the_variable_that_lowers_the_level_is_obeyed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.ask() is Level.A
    monkeypatch.setenv(probes.VARIABLE, "B")
    assert machine.ask() is Level.B
    monkeypatch.delenv(probes.VARIABLE)
    assert machine.ask() is Level.A
    assert machine.tried == [Level.A, Level.B]


def test_what_failed_is_tried_again_by_each_command(machine: Machine) -> None:
    machine.broken = {Level.A}
    assert [machine.ask(), machine.ask()] == [Level.B, Level.B]
    assert machine.tried == [Level.A, Level.B, Level.A]
    machine.broken = set()
    assert machine.ask() is Level.A


def test_a_level_that_no_longer_starts_is_probed(machine: Machine, cache: Path) -> None:
    machine.ask()
    machine.starts, machine.broken = False, {Level.A}
    assert machine.ask() is Level.B
    assert machine.tried == [Level.A, Level.A, Level.B]
    assert [file.name for file in cache.iterdir()] == ["probe-B.json"]


def test_a_level_starts_if_its_bubblewrap_does(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if probe_confinement().level is not Level.A:
        pytest.skip("level A does not work here")
    assert probes._starts(Level.A)
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert not probes._starts(Level.A)


DAMAGED = {
    "empty": b"",
    "cut": b'{"depends_on": {',
    "another-shape": b"[1, 2]",
    "no-probes": b'{"depends_on": {}}',
    "deep": b"[" * 60_000,
    "no-text": b"\xff\xfe",
    "large": b" " * (probe_answers.LARGEST_FILE + 1),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_answer_is_replaced(machine: Machine, cache: Path, text: bytes) -> None:
    machine.ask()
    (cache / "probe-A.json").write_bytes(text)
    assert [machine.ask(), machine.ask()] == [Level.A] * 2
    assert machine.tried == [Level.A] * 2


@pytest.mark.parametrize("probes_told", [[], [["tried", False, ""]], [["tried", 1, ""]], [["tried"]], [7], 7, None])
def test_an_answer_that_does_not_say_that_all_works_is_replaced(machine: Machine, cache: Path, probes_told: object) -> None:
    machine.ask()
    file = cache / "probe-A.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"probes": probes_told}))
    assert machine.ask() is Level.A
    assert machine.tried == [Level.A] * 2


def test_only_a_file_of_this_user_alone_is_read(machine: Machine, cache: Path, tmp_path: Path) -> None:
    machine.ask()
    file = cache / "probe-A.json"
    file.chmod(0o620)
    machine.ask()
    assert machine.tried == [Level.A] * 2
    file.rename(tmp_path / "moved")
    file.symlink_to(tmp_path / "moved")
    machine.ask()
    assert machine.tried == [Level.A] * 3
    file.unlink()
    os.mkfifo(file)
    machine.ask()
    assert machine.tried == [Level.A] * 4
    assert file.is_file()


def test_a_folder_that_others_may_write_in_is_not_used(machine: Machine, cache: Path) -> None:
    machine.ask()
    cache.chmod(0o777)
    machine.ask()
    assert machine.tried == [Level.A] * 2


@as_root
@pytest.mark.parametrize("whose", ["probe-A.json", "."])
def test_what_is_another_users_is_not_used(machine: Machine, cache: Path, whose: str) -> None:
    machine.ask()
    os.chown(cache / whose, ANOTHER_USER, ANOTHER_USER)
    machine.ask()
    assert machine.tried == [Level.A] * 2


@as_root
def test_nothing_is_made_in_another_users_folder(machine: Machine, cache: Path) -> None:
    cache.parent.mkdir()
    os.chown(cache.parent, ANOTHER_USER, ANOTHER_USER)
    assert machine.ask() is Level.A
    assert not cache.exists()


@pytest.mark.parametrize("place", ["/dev/null", "/proc/self", "relative"])
def test_where_nothing_can_be_kept_each_command_probes(machine: Machine, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    monkeypatch.setenv("HOME", "/dev/null")
    assert [machine.ask(), machine.ask()] == [Level.A] * 2
    assert machine.tried == [Level.A] * 2


def test_without_memory_nothing_is_kept(machine: Machine, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FRESH_VARIABLE, FRESH)
    assert [machine.ask(), machine.ask()] == [Level.A] * 2
    assert machine.tried == [Level.A] * 2
    assert not cache.exists()


def test_afresh_means_now_and_for_later(machine: Machine) -> None:
    machine.ask()
    machine.broken = {Level.A}
    assert probe_afresh().level is Level.B
    machine.tried.clear()
    assert machine.ask() is Level.B
    assert machine.tried == [Level.A]


def test_a_zygote_that_is_lost_while_plugins_are_listed_has_the_machine_probed_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, programs: Path
) -> None:
    machine.ask()

    def lost(*arguments: object) -> None:
        raise ZygoteLostError("the zygote is gone")

    monkeypatch.setattr("tiltyard_simulator.guard.zygotes.Zygote", lost)
    (source,) = path_sources(programs / "teams" / "sound.py")
    (description,) = describe_in_cells([source], [], Isolation.SANDBOX, DEFAULT_LIMITS)
    assert [problem.reason for problem in description.problems] == ["not loaded: the zygote is gone"]
    machine.ask()
    assert machine.tried == [Level.A] * 2


def test_the_doctor_probes_and_renews_the_answer(cache: Path, run_command: RunCommand) -> None:
    level = probe_confinement().level
    if level is Level.C:
        pytest.skip("nothing can be confined here")
    file = cache / f"probe-{level}.json"
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"probes": [["an old tale", True, "told before"]]}))
    assert "an old tale" not in run_command("tiltyard", "doctor").stdout
    assert [name for name, _, _ in json.loads(file.read_text())["probes"]] == [name for name, _, _ in told["probes"]]
