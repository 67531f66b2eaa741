"""The runtimes that the doctor finds are really started."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest
from tests.simulator.guard.programs.runtimes import NotHereError, dotnet

from tiltyard_checks.machine.runtimes import COMPILERS, RUNTIMES, Runtime, compiler_row, runtime_rows
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_paths import ORGANISERS_VARIABLE


@pytest.mark.parametrize("level", [Level.A, Level.B], ids=["A", "B"])
def test_the_doctor_starts_each_runtime_that_it_finds(level: Level, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTYARD_CONFINEMENT", level)
    if probe_confinement().level is not level:
        pytest.skip(f"level {level} does not work here")
    folders = [os.environ["PATH"], str(tmp_path)]
    with contextlib.suppress(NotHereError):
        folders.append(str(dotnet()))
        monkeypatch.setenv(ORGANISERS_VARIABLE, str(dotnet()))
    monkeypatch.setenv("PATH", ":".join(folders))
    (tmp_path / "somebodys").write_text("#!/bin/sh\necho hello\n")
    (tmp_path / "somebodys").chmod(0o755)
    silent = Runtime("Silent", "false", lambda path: [])
    elsewhere = Runtime("Somebody's", "somebodys", lambda path: [])
    nosy = Runtime("Nosy", "sh", lambda path: ["-c", f"cat {tmp_path}/somebodys"])
    missing = Runtime("Missing", "no-such-runtime-of-anybody", lambda path: [])
    rows = runtime_rows([*RUNTIMES, silent, elsewhere, nosy, missing])
    works = {name.removesuffix(" starts"): works for name, works, _ in rows}
    assert works.pop("Silent") == works.pop("Somebody's") == works.pop("Nosy") == "NO", rows
    assert {"compiled code", "Python"} <= works.keys()
    details = {name: detail for name, _, detail in rows}
    # A runtime in somebody's home folder is not for teams, until the organiser opens it.
    closed = {name for name in works if ORGANISERS_VARIABLE in details[f"{name} starts"]}
    assert not closed & {"compiled code", "Python"}
    assert {works for name, works in works.items() if name not in closed} == {"yes"}, rows
    assert details["Silent starts"].endswith("/false: it ended with code 1")
    assert ORGANISERS_VARIABLE in details["Somebody's starts"]
    assert details["Nosy starts"].endswith(f"; denied by the sandbox, the latest first: {tmp_path}/somebodys")


def test_compilers_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path: f"/usr/bin/{name}" if name in ("gcc", "make") else None)
    others = ", ".join(name for name in COMPILERS if name not in ("gcc", "make"))
    assert compiler_row() == ["compilers", "yes", f"gcc, make; not found: {others}"]
    monkeypatch.setattr(shutil, "which", lambda name, path: None)
    assert compiler_row() == ["compilers", "NO", f"not found: {', '.join(COMPILERS)}"]
