"""The compilers and other tools of this machine that builds may use: where they are, their versions, what they need to read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from tiltyard_engine.programs import signal_name
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.guard.programs.program_paths import DOTNET_VARIABLE

PACKAGES: Final = {
    "g++": "g++",
    "gcc": "gcc",
    "clang": "clang",
    "cmake": "cmake",
    "make": "make",
    "mcs": "mono-mcs",
    "mono": "mono-runtime",
    "cargo": "cargo",
    "rustc": "rustc",
    "go": "golang-go",
    "node": "nodejs",
    "javac": "default-jdk-headless",
}
"""Debian's packages. Each of these tools tells its version; one that doesn't is not there, whatever its name."""
IN_WORDS: Final = {
    "dotnet": "a .NET runtime",
    "dotnet-sdk": "the SDK of .NET 6 or newer",
}
"""Tools that no package of Debian's brings."""
VERSION_SECONDS: Final = 30
OPENSSL: Final = "libssl.so.1.1"
"""What .NET before 6 needs and today's systems lack; it is used if it lies beside ``dotnet``."""
DOTNET: Final = ("dotnet", "dotnet-sdk")
SYSTEM_FOLDERS: Final = ("/usr", "/bin", "/lib", "/lib64")
OFFLINE: Final[Mapping[str, Mapping[str, str]]] = {
    "cargo": {"CARGO_NET_OFFLINE": "true", "CARGO_HOME": "{home}/cargo", "CARGO_INCREMENTAL": "0", "CARGO_TERM_COLOR": "never"},
    "go": {
        "GOPROXY": "off",
        "GOSUMDB": "off",
        "GOTOOLCHAIN": "local",
        "GOCACHE": "{home}/go-cache",
        "GOPATH": "{home}/go",
        "GO111MODULE": "auto",
        "CGO_ENABLED": "0",
    },
    "dotnet": {
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
        "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
        "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
        "DOTNET_CLI_HOME": "{home}",
        "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
        "MSBUILDDISABLENODEREUSE": "1",
        "UseSharedCompilation": "false",
        "NUGET_PACKAGES": "{home}/packages",
    },
}
"""What each tool is told in a build, so that it looks for nothing outside and leaves out what differs from run to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool of this machine."""

    name: str
    path: str
    version: str
    """What the compiler says about its version."""
    readable: tuple[str, ...] = ()
    """What it needs outside of the system's folders."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What a build with it sets; ``{home}`` is a folder of the build's own."""


def find_tool(name: str) -> Tool | None:
    """A tool, or None if this machine has none that runs."""
    candidate = try_tool(name)
    return candidate if isinstance(candidate, Tool) else None


def missing_tools(names: Iterable[str]) -> list[str]:
    """Those of the tools that are not there, with what to install; those that are there but don't run, with what they say."""
    lacking = [(name, tool) for name in dict.fromkeys(names) if not isinstance(tool := try_tool(name), Tool)]
    if any(name == "dotnet-sdk" for name, _ in lacking):
        # An SDK brings its runtime.
        lacking = [(name, why) for name, why in lacking if name != "dotnet"]
    return [_in_words(name, why) for name, why in lacking]


def _in_words(name: str, why: str) -> str:
    if why:
        return f"{name} (it is there, but it doesn't run: {why})"
    return IN_WORDS.get(name) or (f"{name} (apt install {PACKAGES[name]})" if name in PACKAGES else name)


@lru_cache(maxsize=64)
def try_tool(name: str) -> Tool | str:
    """A tool that ran; otherwise what it said, or an empty string if there is none of that name."""
    path = _where(name)
    if path is None:
        return ""
    place = Path(path)
    if name in ("cargo", "rustc") and (place.parent / "rustup").exists():
        # What is there is a switch that reads its settings in the home folder; the compiler itself is elsewhere.
        root = Path(_output_of([path if name == "rustc" else str(place.parent / "rustc"), "--print", "sysroot"]).output)
        if (root / "bin" / name).exists():
            place = root / "bin" / name
    environment = dict(OFFLINE.get("dotnet" if name in DOTNET else name, {}))
    if name in DOTNET and (place.resolve().parent / OPENSSL).exists():
        environment["LD_LIBRARY_PATH"] = str(place.resolve().parent)
    answer = _output_of(_version_command(name, place), environment)
    if not answer.is_well and (name in PACKAGES or name in DOTNET):
        return answer.error
    return Tool(name=name, path=str(place), version=answer.output, readable=_readable(name, place), environment=environment)


def _version_command(name: str, place: Path) -> list[str]:
    if name == "dotnet":
        # The SDK alone knows --version.
        return [str(place), "--list-runtimes"]
    if name == "dotnet-sdk":
        return [str(place), *(str(path) for path in sorted(_compilers(place))[-1:]), "-version"]
    return [str(place), "version" if name == "go" else "--version"]


def _compilers(dotnet: Path) -> Iterator[Path]:
    return dotnet.resolve().parent.glob("sdk/*/Roslyn/bincore/csc.dll")


def _where(name: str) -> str | None:
    if name == "dotnet-sdk":
        # A runtime alone has a command of the same name.
        dotnet = _where("dotnet")
        return dotnet if dotnet and any(_compilers(Path(dotnet))) else None
    if name == "python3":
        return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    folder = os.environ.get(DOTNET_VARIABLE, "") if name == "dotnet" else ""
    return shutil.which(name, path=folder) if folder else shutil.which(name)


def _readable(name: str, place: Path) -> tuple[str, ...]:
    if name == "python3":
        parts = (place, *(Path(folder) for folder in (f"{sys.base_prefix}/lib", f"{sys.base_exec_prefix}/lib")))
    elif name in DOTNET:
        parts = (place.resolve().parent,)
    elif place.parent.name == "bin":
        parts = tuple(place.resolve().parent.parent / part for part in ("bin", "lib", "libexec", "include", "share"))
    else:
        parts = (place.resolve(),)
    outside = [part for part in parts if not any(part.is_relative_to(folder) for folder in SYSTEM_FOLDERS)]
    return tuple(dict.fromkeys(str(part) for part in outside if part.exists()))


class _Said(NamedTuple):
    """The result of a command."""

    is_well: bool
    output: str = ""
    error: str = ""
    """The line that tells why it failed."""


def _output_of(command: list[str], environment: Mapping[str, str] = CLEAN) -> _Said:
    """What a tool of the organiser's own machine says."""
    own = {name: value for name, value in environment.items() if "{home}" not in value}
    whole = {**CLEAN, "HOME": str(Path.home()), **own, **{name: value for name, value in os.environ.items() if name == "PATH"}}
    try:
        process = subprocess.run(command, capture_output=True, env=whole, timeout=VERSION_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        # A machine that is this busy says nothing of the tool.
        return _Said(True)
    except OSError as error:
        return _Said(False, error=str(error.strerror))
    output, complaint = (each.decode(errors="replace").strip() for each in (process.stdout, process.stderr))
    if process.returncode == 0:
        return _Said(True, output)
    how = f"it ended with {f'code {process.returncode}' if process.returncode > 0 else signal_name(-process.returncode)}"
    return _Said(False, output, one_line(next(filter(None, (complaint or output).splitlines()), how)))
