"""Which languages' runtimes start in the sandbox of this machine: each that is found runs a line of its language.

Where a line needs a compiler, which hosts seldom have, the runtime is given a library of its own to run. Its complaint that there
is no entry point comes from the language's own code, so it has started.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import Call, ProgramError, ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.denials import in_words
from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.guard.programs.program_paths import DOTNET, SYSTEM, dotnet_folder
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS

HELLO: Final = "hello"
NO_ENTRY_POINT: Final = re.compile(rb"entry ?point", re.IGNORECASE)
SECONDS: Final = 10.0
CONFIGURATION: Final = "hello.runtimeconfig.json"
SAID_CHARACTERS: Final = 160
COMPILERS: Final = ("g++", "gcc", "clang", "cmake", "make", "cargo", "go", "javac", "mcs", "dotnet")
"""Whether one builds what a class hands in is seen by ``tiltyard intake``."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """The program that runs a language, and its version."""

    language: str
    command: str
    """Looked up where programs' commands are, and in the user's PATH."""
    arguments: Callable[[Path], list[str] | None]
    """What makes it say hello, from its real path; None: it lacks something, and is left out."""
    expected: re.Pattern[bytes] = re.compile(HELLO.encode())
    files: Callable[[Path], dict[str, bytes]] = lambda path: {}
    """In its working folder."""


def _line(*words: str) -> Callable[[Path], list[str]]:
    return lambda path: [*words]


def _mono(path: Path) -> list[str] | None:
    libraries = sorted(path.parent.parent.glob("lib/mono/4.5/mscorlib.dll"))
    return [str(libraries[-1])] if libraries else None


def _frameworks(path: Path) -> list[Path]:
    return sorted((path.parent / "shared" / "Microsoft.NETCore.App").glob("*/System.Runtime.dll"))


def _dotnet(path: Path) -> list[str] | None:
    frameworks = _frameworks(path)
    return ["exec", "--runtimeconfig", CONFIGURATION, str(frameworks[-1])] if frameworks else None


def _dotnet_files(path: Path) -> dict[str, bytes]:
    version = _frameworks(path)[-1].parent.name
    framework = f'"framework": {{"name": "Microsoft.NETCore.App", "version": "{version}"}}'
    settings = '"configProperties": {"System.Globalization.Invariant": true}'
    return {CONFIGURATION: f'{{"runtimeOptions": {{{framework}, {settings}}}}}'.encode()}


RUNTIMES: Final = (
    Runtime("compiled code", "echo", _line(HELLO)),
    Runtime("Python", "python3", _line("-c", f"print('{HELLO}')")),
    Runtime("PyPy", "pypy3", _line("-c", f"print('{HELLO}')")),
    Runtime("Java", "java", _line("-Xmx64m", "-version"), re.compile(rb"version")),
    Runtime(".NET", "dotnet", _dotnet, NO_ENTRY_POINT, _dotnet_files),
    Runtime("Mono", "mono", _mono, NO_ENTRY_POINT),
    Runtime("Node.js", "node", _line("-e", f"console.log('{HELLO}')")),
    Runtime("Perl", "perl", _line("-e", f"print '{HELLO}'")),
    Runtime("Ruby", "ruby", _line("-e", f"puts '{HELLO}'")),
    Runtime("PHP", "php", _line("-r", f"echo '{HELLO}';")),
    Runtime("Lua", "lua", _line("-e", f"print('{HELLO}')")),
    Runtime("Julia", "julia", _line("-e", f'println("{HELLO}")')),
)


def runtime_rows(runtimes: Iterable[Runtime] = RUNTIMES) -> list[list[str]]:
    """Rows for the doctor's table: each runtime that is found, whether it starts in the sandbox, and why not."""
    paths = [(runtime, path) for runtime in runtimes for path in _find(runtime)]
    words = {word for runtime, path in paths for word in (*_command(runtime, path), str(path.parent))}
    # One zygote that sees the files of all.
    with CellPool(preload=(), readable=sorted(word for word in words if word.startswith("/"))) as cells:
        return [_try(runtime, path, cells) for runtime, path in paths]


def compiler_row() -> list[str]:
    """A row for the doctor's table: the compilers and build tools that ``intake`` and matches of sources can use."""
    here = [name for name in COMPILERS if shutil.which(name, path=CLEAN["PATH"])]
    absent = [name for name in COMPILERS if name not in here]
    not_found = f"not found: {', '.join(absent)}" if absent else ""
    return ["compilers", "yes" if here else "NO", "; ".join(filter(None, (", ".join(here), not_found)))]


def _find(runtime: Runtime) -> Iterator[Path]:
    path = shutil.which(runtime.command, path=CLEAN["PATH"]) or shutil.which(runtime.command)
    if runtime.command == DOTNET and (folder := dotnet_folder()):
        path = f"{folder}/{DOTNET}"
    if path is not None and runtime.arguments(Path(path).resolve()) is not None:
        # A link in /usr/bin may lead to a folder elsewhere.
        yield Path(path).resolve()


def _try(runtime: Runtime, path: Path, cells: CellPool) -> list[str]:
    start = time.monotonic()
    works, detail = _start(runtime, path, cells)
    if not works:
        # Once more, to see what the sandbox denies to it.
        cells.watch_denials = True
        works_watched, watched = _start(runtime, path, cells)
        cells.watch_denials = False
        detail = detail if works_watched else watched
    if works:
        is_system = runtime.command == DOTNET or any(path.is_relative_to(folder) for folder in SYSTEM)
        needs = "" if is_system else f'; a manifest needs readable = ["{path.parent}"]'
        detail = f"{path}, {time.monotonic() - start:.1f} s{needs}"
    return [f"{runtime.language} starts", "yes" if works else "NO", detail if works else f"{path}: {detail}"]


def _start(runtime: Runtime, path: Path, cells: CellPool) -> tuple[bool, str]:
    team = ProgramTeam(name=runtime.command, game="", command=_command(runtime, path), folder="", readable=(str(path.parent),))
    source = Source(name=runtime.command, origin=Origin.PROGRAM, value="")
    try:
        program = cells.open_program(team, source, DEFAULT_LIMITS, Isolation.SANDBOX)
        program.begin(SECONDS, "hello")
        call = program.call([], runtime.files(path))
        program.cell.find_denials()
    except (ProgramError, UserError) as error:
        return False, str(error)
    finally:
        cells.end_match()
    output = call.stdout + call.stderr
    return runtime.expected.search(output) is not None, _complaint(call) + in_words(program.cell.denied)


def _command(runtime: Runtime, path: Path) -> tuple[str, ...]:
    return (str(path), *(runtime.arguments(path) or ()))


def _complaint(call: Call) -> str:
    lines = (call.stderr or call.stdout).decode("utf-8", "replace").strip().splitlines()
    ending = f"signal {call.signal}" if call.signal else f"code {call.exit_code}"
    return f"it ended with {ending}{': ' if lines else ''}{' / '.join(lines[-2:]):.{SAID_CHARACTERS}}"
