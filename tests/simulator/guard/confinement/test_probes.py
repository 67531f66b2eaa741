"""Probing: levels, the variable that lowers them, messages, an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_checks.machine.confinement_table import confinement_table
from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement import advice, probes
from tiltyard_simulator.guard.confinement.advice import advice_for
from tiltyard_simulator.guard.confinement.bubblewrap import zygote_command
from tiltyard_simulator.guard.confinement.kernel.landlock import landlock_version
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Confinement, Level, Probe
from tiltyard_simulator.match.own_cache import FRESH, FRESH_VARIABLE

NOBODY = 65534
AS_NOBODY = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from tiltyard_simulator.guard.confinement import probes
from tiltyard_simulator.guard.policy import Level
found = {level: [[p.name, p.works, p.detail] for p in probes._run(level)] for level in Level}
print(json.dumps(found))
"""


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing remembered from another test, and nothing left to the next."""
    monkeypatch.delenv(probes.VARIABLE, raising=False)
    monkeypatch.setenv(FRESH_VARIABLE, FRESH)
    probes._probe.cache_clear()
    yield
    probes._probe.cache_clear()


def test_the_best_level_is_found_quickly_and_remembered() -> None:
    start = time.perf_counter()
    found = probe_confinement()
    assert time.perf_counter() - start < 5, "0.2 s on an idle machine"
    assert found.probes
    assert probe_confinement() is found


@pytest.mark.parametrize("level", list(Level))
def test_the_variable_names_the_best_level_allowed(monkeypatch: pytest.MonkeyPatch, level: Level) -> None:
    monkeypatch.setenv(probes.VARIABLE, level)
    assert probe_confinement().level >= level
    for better in [other for other in Level if other < level]:
        with pytest.raises(UserError, match=f"{probes.VARIABLE}={level}"):
            probe_confinement(better)


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probes.VARIABLE, "Z")
    with pytest.raises(UserError, match="must be A, B or C, found 'Z'"):
        probe_confinement()


def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    found = probe_confinement()
    assert found.level is not Level.A
    assert Probe("A: bubblewrap starts", False, "bwrap is not installed") in found.probes
    assert any("apt install bubblewrap" in words for words in found.advice)
    with pytest.raises(UserError, match=r"level A does not work on this machine: .*apt install bubblewrap"):
        probe_confinement(Level.A)


def test_a_bubblewrap_that_fails_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: no namespaces for you' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe_confinement()
    assert found.level is not Level.A
    assert found.probes[0].detail == "bwrap: no namespaces for you"


def test_a_bubblewrap_that_isolates_nothing_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe_confinement()
    assert found.level is not Level.A
    if landlock_version():
        failed = {probe.name for probe in found.probes if not probe.works}
        assert {"A: the zygote has namespaces of its own", "A: the machine's files are not there"} <= failed


def test_without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("probes", "advice"):
        monkeypatch.setattr(f"tiltyard_simulator.guard.confinement.{module}.landlock_version", lambda: 0)
    found = probe_confinement()
    assert found.level is Level.C
    assert any("Landlock needs" in words for words in found.advice)


def test_advice_for_the_best_is_to_do_nothing() -> None:
    if landlock_version() < 6:
        pytest.skip("this kernel's Landlock could be newer")
    assert advice_for(Level.A, ()) == ()


def test_advice_in_a_container_names_its_engines_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "containerenv"
    monkeypatch.setattr(
        advice, "_CONTAINERS", ((str(mark), "in Podman: an option"), (str(tmp_path / "dockerenv"), "in Docker: another"))
    )
    monkeypatch.setattr(advice, "find_bubblewrap", lambda: "/usr/bin/bwrap")
    failed = (Probe("A: bubblewrap starts", works=False, detail="no namespace"),)
    assert "in Podman: an option" not in advice_for(Level.B, failed)
    mark.touch()
    found = advice_for(Level.B, failed)
    assert "in Podman: an option" in found
    assert "in Docker: another" not in found


def test_the_doctors_table() -> None:
    confinement = Confinement(Level.B, (Probe("B: x", False, "because"),), ("do this",))
    headers, rows = confinement_table(confinement)
    assert headers == ["probe", "works", "detail"]
    assert [row[:2] for row in rows] == [["B: x", "NO"], ["level", "B"], ["to improve it", ""]]


def test_below_level_a_the_command_stays_as_it_is(tmp_path: Path) -> None:
    for level in (Level.B, Level.C):
        assert zygote_command(Confinement(level, (), ()), ["python", "-V"], ["/usr"], str(tmp_path)) == ["python", "-V"]


def test_links_on_the_way_are_made_in_the_new_tree(tmp_path: Path) -> None:
    (tmp_path / "real/team").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "scratch").mkdir()
    command = zygote_command(Confinement(Level.A, (), ()), ["/bin/true"], [f"{tmp_path}/link/team"], str(tmp_path / "scratch"))
    text = " ".join(command)
    assert f"--ro-bind {tmp_path}/real/team {tmp_path}/real/team" in text
    assert f"--symlink real {tmp_path}/link" in text


def test_an_ordinary_user_gets_what_root_gets() -> None:
    if os.getuid() != 0:
        pytest.skip("the other tests ran as an ordinary user already")
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no python3 that everybody may run")
    path = [place for place in sys.path if place and "lib-dynload" not in place and not place.startswith(sys.base_prefix)]
    start = f"import sys, json; sys.argv[1] = json.dumps([*sys.path, *json.loads(sys.argv[1])])\n{AS_NOBODY}"
    ended = subprocess.run(
        [python, "-c", start, json.dumps(path)],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if ended.returncode:
        pytest.skip(f"the project cannot be used by another user: {ended.stderr.strip().splitlines()[-1:]}")
    found = json.loads(ended.stdout)
    for level in Level:
        if all(probe.works for probe in probes._run(level)):
            assert all(works for _, works, _ in found[level]), found[level]
