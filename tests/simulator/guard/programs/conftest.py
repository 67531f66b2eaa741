"""Programs for tests, written where they are needed, opened in cells of both kinds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine.programs import ProgramError, ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

LIMITS = Limits(move_seconds=0.5, startup_seconds=0.5, wall_factor=5.0, memory_bytes=128 << 20, output_bytes=1000)
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
"""One that programs may read: the environment's own is not theirs."""

SHORT = replace(LIMITS, move_seconds=0.1, startup_seconds=0.1)
"""For programs that are known to wait for ever."""
SPINNING = replace(LIMITS, move_seconds=0.1, startup_seconds=0.1, wall_factor=25.0)
"""For programs that are known to use CPU time for ever; by the clock they may run as long as all others."""

Open = Callable[..., ProgramClient]


@pytest.fixture(scope="session")
def program_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the programs of all tests: a zygote that can see it serves them all."""
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="session")
def cells(program_folder: Path) -> Iterator[CellPool]:
    with CellPool(readable=[str(program_folder), "/usr", "/bin", "/lib", "/lib64"]) as held:
        yield held


@pytest.fixture(params=[Isolation.SANDBOX, Isolation.PROCESS])
def open_program(request: pytest.FixtureRequest, cells: CellPool, program_folder: Path) -> Open:
    """``open_program(text, "sh" | "python")``: a program of that text, its first turn begun."""
    folder = program_folder / str(len(list(program_folder.iterdir())))
    folder.mkdir()

    def opened(text: str, language: str = "sh", limits: Limits = LIMITS, **fields: Any) -> ProgramClient:
        path = write_program(folder, text, language)
        command = (PYTHON or sys.executable, "-I", "-S", str(path)) if language == "python" else (f"./{path.name}",)
        team = ProgramTeam(name="bot", game="none", command=fields.pop("command", command), folder=str(folder), **fields)
        source = Source(name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))
        program = cells.open_program(team, source, limits, request.param)
        program.begin(limits.move_seconds, "choose")
        return program

    return opened


def failure(work: Callable[[], object]) -> ProgramError:
    """What it ends in."""
    with pytest.raises(ProgramError) as caught:
        work()
    return caught.value


def write_program(folder: Path, text: str, language: str) -> Path:
    """A program's file; of C, what the compiler makes of it."""
    path = folder / f"bot.{language}"
    if language == "c":
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler")
        path.write_text(text)
        binary = folder / "bot"
        subprocess.run([compiler, "-O1", "-w", str(path), "-o", str(binary)], check=True)
        return binary
    if language == "python" and PYTHON is None:
        pytest.skip("no Python that programs may read")
    path.write_text(text if language == "python" else f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path
