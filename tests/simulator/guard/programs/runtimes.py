"""The languages' runtimes of this machine, and the same small programs built for each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tiltyard_intake.building.toolchains import find_tool, missing_tools
from tiltyard_intake.recipes.program_recipes import CSHARP_HELPERS

SOURCES = Path(__file__).parents[3] / "programs" / "runtimes"
COMPILE = f"{CSHARP_HELPERS}/compile_csharp.py"
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
"""Where a program's command is looked up."""


class NotHereError(Exception):
    """Why a runtime or its compiler cannot be used."""


@dataclass(frozen=True)
class Built:
    """A command that runs the program, and what it reads outside of the system's folders."""

    command: tuple[str, ...]
    readable: tuple[str, ...] = ()


def _tool(name: str, path: str | None = SYSTEM) -> str:
    found = shutil.which(name, path=path)
    if found is None:
        raise NotHereError(f"no {name} in {path or 'PATH'}")
    for lacking in missing_tools([name]):
        raise NotHereError(f"no {lacking}")
    return found


def _run(folder: Path, *command: str, **environment: str) -> None:
    ended = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _mono(folder: Path, program: str) -> Built:
    mono, compiler = _tool("mono"), _tool("mcs")
    _run(folder, compiler, f"-out:{program}.exe", str(SOURCES / f"{program.title()}.cs"))
    return Built((mono, f"{program}.exe"))


def dotnet() -> Path:
    """The folder of a .NET runtime: TILTYARD_DOTNET, or that of the ``dotnet`` in PATH."""
    given = os.environ.get("TILTYARD_DOTNET") or shutil.which("dotnet")
    if not given:
        raise NotHereError("no dotnet in PATH, and TILTYARD_DOTNET doesn't name a folder of one")
    path = Path(given).resolve()
    return path if path.is_dir() else path.parent


def _dotnet(folder: Path, program: str) -> Built:
    sdk, root = find_tool("dotnet-sdk"), dotnet()
    if sdk is None:
        raise NotHereError(f"no {missing_tools(['dotnet-sdk'])[0]}")
    with tempfile.TemporaryDirectory() as source:
        shutil.copy(SOURCES / f"{program.title()}.cs", source)
        environment = {**sdk.environment, "PATH": f"{root}:{SYSTEM}"}
        _run(folder, sys.executable, COMPILE, source, str(folder / f"{program}.dll"), **environment)
    return Built((str(root / "dotnet"), f"{program}.dll"), (str(root),))


def _java(folder: Path, program: str) -> Built:
    java, compiler = _tool("java"), _tool("javac")
    _run(folder, compiler, "-d", ".", str(SOURCES / f"{program.title()}.java"))
    # By default it takes a share of the machine's memory, whatever the limit is.
    return Built((java, "-Xmx1g", "-cp", ".", program.title()))


def _node(folder: Path, program: str) -> Built:
    node = _tool("node")
    shutil.copy(SOURCES / f"{program}.js", folder)
    return Built((node, f"{program}.js"))


def _go(folder: Path, program: str) -> Built:
    _run(folder, _tool("go", None), "build", "-o", program, str(SOURCES / f"{program}.go"), GO111MODULE="off")
    return Built((f"./{program}",))


def _rust(folder: Path, program: str) -> Built:
    _run(folder, _tool("rustc", None), "-o", program, str(SOURCES / f"{program}.rs"))
    return Built((f"./{program}",))


def _script(name: str) -> Callable[[Path, str], Built]:
    def built(folder: Path, program: str) -> Built:
        command = _tool(name)
        shutil.copy(SOURCES / f"{program}.py", folder)
        return Built((command, f"{program}.py"))

    return built


BUILDERS: dict[str, Callable[[Path, str], Built]] = {
    "mono": _mono,
    "dotnet": _dotnet,
    "java": _java,
    "node": _node,
    "go": _go,
    "rust": _rust,
    "pypy": _script("pypy3"),
    "python": _script("python3"),
}
"""By language: they build the program of that name, ``echo`` or ``bot``, in a folder."""
PLAYERS = ("dotnet", "java", "mono", "node")
"""Runtimes that differ from each other, for which there is a ``bot`` that plays Advance and Filler."""
