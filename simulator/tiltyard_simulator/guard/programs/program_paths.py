"""Which files a program may read: what is installed for everybody, what is its own; not what other teams handed in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam, command_of
from tiltyard_engine.registry.sources import Source
from tiltyard_simulator.guard.programs.environment_paths import paths_of_environment
from tiltyard_simulator.guard.readable_paths import Paths, is_own_folder, paths_for

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ssl", "/etc/ld.so.conf")
RUNTIMES: Final = ("/etc/java-*", "/etc/python*", "/etc/node*", "/etc/perl", "/etc/mono", "/etc/dotnet")
"""Settings of languages' runtimes, where distributions keep them in /etc."""
OPEN_ROOTS: Final = ("/usr", "/opt", "/nix/store")
"""What a manifest's ``readable`` may name: software, never anybody's files. A team writes its manifest itself."""
ORGANISERS_VARIABLE: Final = "TILTYARD_READABLE"
"""Paths, separated by colons, that whoever runs the matches opens to all programs."""


def paths_for_program(team: ProgramTeam, source: Source) -> Paths:
    """What a program may read.

    Raises:
        UserError: the record claims a folder that is not its source's own, or software outside of the open roots.
    """
    open_roots = (*OPEN_ROOTS, *_opened(), *([team.folder] if team.folder else []))
    for path in team.readable:
        if not any(Path(path).resolve().is_relative_to(root) for root in open_roots):
            raise UserError(
                f"the program '{team.name}' wants to read {path}: a manifest may name what lies below {', '.join(OPEN_ROOTS)};"
                f" whoever runs the matches opens other paths with {ORGANISERS_VARIABLE}={path}"
            )
    if team.folder and not is_own_folder(team.folder, source):
        raise UserError(f"the program '{team.name}' claims the folder {team.folder}, which is not its plugin's own")
    own = [team.folder] if team.folder else [word for word in team.command if Path(word).is_absolute() and Path(word).is_file()]
    environment = _environment(team, own)
    paths = (*_system(), *team.readable, *_opened(), *own, *(environment.readable if environment is not None else ()))
    readable = dict.fromkeys(str(Path(path)) for path in paths)
    hidden = (environment or paths_for([source])).hidden
    return Paths(tuple(readable), tuple(path for path in hidden if not any(Path(path).is_relative_to(part) for part in own)))


def _environment(team: ProgramTeam, own: list[str]) -> Paths | None:
    """Of a command that was installed into a virtual environment; what is not its own opens it none."""
    program = command_of(team)[0]
    if not any(Path(program).is_relative_to(part) for part in own):
        return None
    return paths_of_environment(program)


@cache
def _system() -> tuple[str, ...]:
    return tuple(_found())


def _found() -> Iterator[str]:
    yield from (path for path in SYSTEM if os.path.lexists(path))
    for pattern in RUNTIMES:
        yield from sorted(str(path) for path in Path("/").glob(pattern.lstrip("/")))


def _opened() -> list[str]:
    return [path for path in os.environ.get(ORGANISERS_VARIABLE, "").split(":") if path]
