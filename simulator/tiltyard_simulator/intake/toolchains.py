"""The compilers and other tools of this machine that builds may use: where they are, their versions, what they need to read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement import CLEAN
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
"""Debian's packages."""
VERSION_SECONDS: Final = 30
OPENSSL: Final = "libssl.so.1.1"
"""What .NET before 6 needs and today's systems lack; it is used if it lies beside ``dotnet``."""
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
    """What it says of itself."""
    readable: tuple[str, ...] = ()
    """What it needs outside of the system's folders."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What a build with it sets; ``{home}`` is a folder of the build's own."""


@lru_cache(maxsize=64)
def find_tool(name: str) -> Tool | None:
    """A tool, or None if this machine has none."""
    path = _where(name)
    if path is None:
        return None
    place = Path(path)
    if name in ("cargo", "rustc") and (place.parent / "rustup").exists():
        # What is there is a switch that reads its settings in the home folder; the compiler itself is elsewhere.
        root = Path(_output([path if name == "rustc" else str(place.parent / "rustc"), "--print", "sysroot"]))
        if (root / "bin" / name).exists():
            place = root / "bin" / name
    environment = dict(OFFLINE.get(name, {}))
    if name == "dotnet" and (place.resolve().parent / OPENSSL).exists():
        environment["LD_LIBRARY_PATH"] = str(place.resolve().parent)
    return Tool(
        name=name,
        path=str(place),
        version=_output([str(place), "version" if name == "go" else "--version"]),
        readable=_readable(name, place),
        environment=environment,
    )


def missing_tools(names: Iterable[str]) -> list[str]:
    """Those of the tools that are not there, with what to install."""
    lacking = [name for name in dict.fromkeys(names) if find_tool(name) is None]
    return [f"{name} (apt install {PACKAGES[name]})" if name in PACKAGES else name for name in lacking]


def _where(name: str) -> str | None:
    if name == "dotnet-sdk":
        # A runtime alone has a command of the same name.
        dotnet = _where("dotnet")
        return dotnet if dotnet and any(Path(dotnet).resolve().parent.glob("sdk/*/Roslyn/bincore/csc.dll")) else None
    if name == "python3":
        return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    folder = os.environ.get(DOTNET_VARIABLE, "") if name == "dotnet" else ""
    return shutil.which(name, path=folder) if folder else shutil.which(name)


def _readable(name: str, place: Path) -> tuple[str, ...]:
    if name == "python3":
        parts = (place, *(Path(folder) for folder in (f"{sys.base_prefix}/lib", f"{sys.base_exec_prefix}/lib")))
    elif name in ("dotnet", "dotnet-sdk"):
        parts = (place.resolve().parent,)
    elif place.parent.name == "bin":
        parts = tuple(place.resolve().parent.parent / part for part in ("bin", "lib", "libexec", "include", "share"))
    else:
        parts = (place.resolve(),)
    outside = [part for part in parts if not any(part.is_relative_to(folder) for folder in SYSTEM_FOLDERS)]
    return tuple(dict.fromkeys(str(part) for part in outside if part.exists()))


def _output(command: list[str]) -> str:
    """What a tool of the organiser's own machine prints, or an empty string."""
    environment = {**CLEAN, "HOME": str(Path.home()), **{name: value for name, value in os.environ.items() if name == "PATH"}}
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=VERSION_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").strip()
