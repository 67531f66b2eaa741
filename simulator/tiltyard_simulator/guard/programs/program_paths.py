"""Which files a program may read: what is installed for everybody and what is its own, but not what other teams handed in.

A command that pip installed is a small script in the ``bin`` of a virtual environment, whose first line names the environment's
interpreter. Only there does such a line give access to the environment: a script elsewhere that has one gains nothing by it. Other
teams are installed in the environment that runs the matches. There, a command may read the same files as a Python team of its own
distribution. Sources: PEP 405 for ``pyvenv.cfg``, distlib for the two forms of the first line.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam, command_of
from tiltyard_engine.registry.sources import Origin, Source, normal_name
from tiltyard_simulator.guard.confinement.readable_paths import Paths, paths_for
from tiltyard_simulator.guard.confinement.rulesets import system_paths
from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.match.file_owners import Claim, is_there
from tiltyard_simulator.match.plugin_files import claims_of, is_own_folder

if TYPE_CHECKING:
    from importlib import metadata

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ssl", "/etc/ld.so.conf")
RUNTIMES: Final = ("/etc/java-*", "/etc/python*", "/etc/node*", "/etc/perl", "/etc/mono", "/etc/dotnet")
"""Settings of languages' runtimes that Linux distributions keep in /etc."""
OPEN_ROOTS: Final = ("/usr", "/opt", "/nix/store")
"""What a manifest's ``readable`` may name: software, but nobody's files, because a team writes its manifest itself."""
ORGANISERS_VARIABLE: Final = "TILTYARD_READABLE"
"""Paths, separated by colons, that the organiser lets all programs read."""
DOTNET: Final = "dotnet"
DOTNET_VARIABLE: Final = "TILTYARD_DOTNET"
"""The folder of a .NET that is not in PATH; the organiser lets programs read it whose command is ``dotnet`` or that name it."""

FIRST_LINE: Final = re.compile(rb"#![ \t]*(/[^\n\0]*)\n")
LONG_PATH: Final = re.compile(rb"#!/bin/sh\n'''exec' \"?(/[^\n\"\0]*?)\"? \"\$0\" \"\$@\"\n")
"""How installers write the first line if the path is too long for the kernel or has spaces."""
HOME: Final = re.compile(r"^home\s*=\s*(/.*?)\s*$", re.MULTILINE)
VERSION: Final = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)


def paths_for_program(team: ProgramTeam, source: Source) -> Paths:
    """What a program may read.

    Raises:
        UserError: the record names a folder that does not belong to its source, or software outside of the open roots.
    """
    dotnet = dotnet_folder()
    own_roots = [team.folder] if team.folder else []
    open_roots = (*OPEN_ROOTS, *_organisers_paths(), *([dotnet] if dotnet else []), *own_roots)
    for path in team.readable:
        if not any(Path(path).resolve().is_relative_to(root) for root in open_roots):
            raise UserError(
                f"the program '{team.name}' wants to read {path}. A manifest may only name paths below {', '.join(OPEN_ROOTS)}."
                f" To allow other paths, the organiser sets {ORGANISERS_VARIABLE}={path}",
                see="wants-to-read",
            )
    if team.folder and not is_own_folder(team.folder, source):
        raise UserError(f"the program '{team.name}' claims the folder {team.folder}, which doesn't belong to its plugin")
    own = [team.folder] if team.folder else [word for word in team.command if Path(word).is_absolute() and Path(word).is_file()]
    environment = _environment(team, own)
    runs_on_dotnet = [dotnet] if dotnet and team.command[0] == DOTNET else []
    paths = [
        *_system(),
        *team.readable,
        *runs_on_dotnet,
        *_organisers_paths(),
        *own,
        *(environment.readable if environment is not None else ()),
    ]
    if source.environment:
        paths += [source.environment, *_base_of(Path(source.environment))]
    readable = dict.fromkeys(str(Path(path)) for path in paths)
    hidden = (environment or paths_for([source])).hidden
    return Paths(tuple(readable), tuple(path for path in hidden if not any(Path(path).is_relative_to(part) for part in own)))


def on_environment(team: ProgramTeam, source: Source) -> ProgramTeam:
    """The program with its source's environment, if it has one: ``python3`` is that environment's for all its processes."""
    if not source.environment:
        return team
    python, *words = team.command
    if python in ("python", "python3"):
        # Looked up by the launcher, in its own PATH.
        team = replace(team, command=(f"{source.environment}/bin/{python}", *words))
    path = dict(team.environment).get("PATH", CLEAN["PATH"])
    others = [pair for pair in team.environment if pair[0] != "PATH"]
    return replace(team, environment=(*others, ("PATH", f"{source.environment}/bin:{path}")))


def on_dotnet(team: ProgramTeam) -> ProgramTeam:
    """The program with the organiser's .NET, if ``dotnet`` is its command, wherever that lies on this machine."""
    folder = dotnet_folder()
    if team.command[0] != DOTNET or not folder:
        return team
    return replace(team, command=(f"{folder}/{DOTNET}", *team.command[1:]))


def dotnet_folder() -> str:
    """The real folder of the organiser's .NET: that which TILTYARD_DOTNET names, or that of the command in PATH; empty: none."""
    search_path = os.environ.get(DOTNET_VARIABLE, "")
    path = shutil.which(DOTNET, path=search_path) if search_path else shutil.which(DOTNET)
    folder = Path(path).resolve().parent if path else None
    # What starts .NET in another way, such as a script, says nothing of where it is.
    return str(folder) if folder is not None and (folder / "shared").is_dir() else ""


def paths_for_host(program: Path, sources: Iterable[Source]) -> Paths:
    """What the program that plays a match of compiled files may read: itself and these files."""
    own = [str(program), *(source.value for source in sources)]
    return Paths(tuple(dict.fromkeys([*_system(), *own])), ())


def paths_for_build(readable: Iterable[str]) -> Paths:
    """What a build may read: what is installed for everybody, and ``readable``, such as a compiler that is installed elsewhere."""
    return Paths(tuple(dict.fromkeys((*_system(), *_organisers_paths(), *readable))), paths_for([]).hidden)


def _environment(team: ProgramTeam, own: list[str]) -> Paths | None:
    """What a command of a virtual environment may read. A command that is not the program's own adds nothing."""
    program = command_of(team)[0]
    if not any(Path(program).is_relative_to(part) for part in own):
        return None
    return paths_of_environment(program)


@cache
def _system() -> tuple[str, ...]:
    settings = [sorted(str(path) for path in Path("/").glob(pattern.lstrip("/"))) for pattern in RUNTIMES]
    return (*(path for path in SYSTEM if os.path.lexists(path)), *(path for paths in settings for path in paths))


def _organisers_paths() -> list[str]:
    return [path for path in os.environ.get(ORGANISERS_VARIABLE, "").split(":") if path]


def why_not_found(command: str, readable: Iterable[str]) -> str:
    """Why a command that is there cannot be started in the sandbox, and what to do; empty if that is not the reason.

    Args:
        command: the command's first word.
        readable: what the program may read, beside the system's files.
    """
    file = Path(command)
    if "/" not in command:
        here = shutil.which(command, path=CLEAN["PATH"]) or shutil.which(command)
        if here is None:
            return ""
        if str(Path(here).parent) not in CLEAN["PATH"].split(":"):
            return f"it is {here}, but only {CLEAN['PATH'].replace(':', ', ')} are searched: write the whole path into the command"
        file = Path(here)
    for path in (file, *_interpreter(file)):
        place = path.resolve()
        if is_there(path) and not any(place.is_relative_to(Path(other).resolve()) for other in (*readable, *system_paths())):
            open_to_manifests = any(place.is_relative_to(root) for root in OPEN_ROOTS)
            manifest = "'readable' in its manifest or to " if open_to_manifests else ""
            what = "it" if path == file else f"its interpreter {path}"
            return f"{what} exists, but is not readable in the sandbox: add {place.parent} to {manifest}{ORGANISERS_VARIABLE}"
    return ""


def _interpreter(script: Path) -> list[Path]:
    """What the first line of a script names."""
    try:
        with script.open("rb") as stream:
            match = FIRST_LINE.match(stream.read(4096))
    except OSError:
        return []
    words = match[1].decode(errors="replace").split() if match is not None else []
    return [Path(words[0])] if words else []


# Virtual environments


def paths_of_environment(program: str) -> Paths | None:
    """What an installed command needs beside its own file; None if ``program`` is not such a command.

    Args:
        program: the path of its file.
    """
    file = Path(program)
    folder = _environment_of(file)
    if folder is None:
        return None
    if folder.resolve() == Path(sys.prefix).resolve():
        return paths_for([Source(name=file.name, origin=Origin.INSTALLED, value="", distribution=_distribution_of(file))])
    return Paths((str(folder), *_base_of(folder)), ())


def _environment_of(file: Path) -> Path | None:
    """The environment of a script that lies in its ``bin`` and names its Python."""
    try:
        with file.open("rb") as stream:
            begin = stream.read(4096)
    except OSError:
        return None
    match = LONG_PATH.match(begin) or FIRST_LINE.match(begin)
    if match is None:
        return None
    interpreter = Path(match[1].decode(errors="replace").strip())
    folder = interpreter.parent.parent
    is_there = interpreter.parent.resolve() == file.parent.resolve() and (folder / "pyvenv.cfg").is_file()
    return folder if is_there else None


def _base_of(folder: Path) -> tuple[str, ...]:
    """Programs and libraries of the Python that the environment was made from."""
    try:
        about = (folder / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    home, version = HOME.search(about), VERSION.search(about)
    if home is None or version is None:
        return ()
    # Whoever made the environment wrote this file, so it may name nothing but a Python.
    base = Path(home[1]).resolve().parent
    if not (base / "lib" / f"python{version[1]}" / "os.py").is_file():
        return ()
    return tuple(str(base / part) for part in ("bin", "lib") if (base / part).is_dir())


def _distribution_of(file: Path) -> str:
    """The installed distribution that a file of this environment belongs to; empty if there is none."""
    # Here, because the zygote of all cells never comes here: they are smaller without it.
    from importlib import metadata

    candidates: list[tuple[Claim, metadata.Distribution]] = []
    for distribution in metadata.distributions():
        claims = (claim for claim in claims_of("", distribution) if claim.parts[-2:] == file.parts[-2:])
        candidates += [(replace(claim, base=str(file.parent), parts=(file.name,)), distribution) for claim in claims]
    if len(candidates) > 1:
        candidates = [(claim, distribution) for claim, distribution in candidates if claim.is_proven]
    return normal_name(candidates[0][1].metadata["Name"]) if candidates else ""
