"""What looks at a machine: ``python -m tiltyard_cluster.inspection_main``.

Reads what is wanted on standard input and writes the machine's report to standard output. It is a new process, so that nothing that
changed since is remembered.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiltyard_cluster.contents import (
    copies_of,
    host_files,
    installed_contents,
    python_version,
    version_and_files,
    version_of,
)
from tiltyard_cluster.messages import ENCODER, REQUIREMENTS, MachineRequirements, NeededPlugin, Report
from tiltyard_cluster.shipping import Move, place_of
from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.environments import check_environment
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, Origin, Source
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_paths import on_dotnet
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.plugin_files import installed_files

MOST_NAMES: Final = 3
"""Files that are named as different; of more their number is told."""


def examine(requirements: MachineRequirements) -> Report:
    """Compare this machine with what it must be like."""
    differences = [*_python_and_host(requirements), *_confinement(requirements), *_requirements(requirements)]
    missing: list[str] = []
    places: dict[str, str] = {}
    for plugin in requirements.plugins:
        if plugin.source.origin is Origin.INSTALLED:
            differences += _installed(plugin)
            differences += [text for program in plugin.programs for text in _program(program)]
            continue
        differences += _environment(plugin.source)
        place = _place(plugin)
        if place is None:
            missing.append(plugin.digest)
            continue
        if place:
            places[plugin.digest] = place
        move = Move.of(plugin, place) if place else Move(())
        differences += [text for program in plugin.programs for text in _program(move.program(program))]
    return Report(socket.gethostname(), tuple(differences), tuple(missing), places)


def _python_and_host(requirements: MachineRequirements) -> Iterator[str]:
    python = python_version()
    if python != requirements.python:
        yield f"{python} there, {requirements.python} here; run its Dask worker with the same Python"
    differences = _file_differences(requirements.host, host_files())
    if differences:
        version = version_of(HOST_DISTRIBUTION)
        name = f"tiltyard{_versions(version, requirements.version)}"
        yield f"{name}: {differences}; install the same version there and restart the Dask worker"


def _versions(there: str, here: str) -> str:
    return f" {here}" if there == here else f" is {there or 'not installed'} there, {here} here"


def _file_differences(here: dict[str, str], there: dict[str, str]) -> str:
    """Which files differ, in words; empty if none does."""
    if here == there:
        return ""
    if not here.keys() & there.keys():
        return "it was installed in a different way, for example with pip install -e" if there else "its files are not there"
    kinds = {
        "differ": [name for name in here if there.get(name, here[name]) != here[name]],
        "are missing there": [name for name in here if name not in there],
        "are only there": [name for name in there if name not in here],
    }
    return "; ".join(f"{_names(names)} {_verb(kind, names)}" for kind, names in kinds.items() if names)


def _names(names: list[str]) -> str:
    first = ", ".join(sorted(names)[:MOST_NAMES])
    return f"{first} and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else first


def _verb(kind: str, names: list[str]) -> str:
    if len(names) > 1:
        return kind
    return kind.replace("differ", "differs").replace("are ", "is ")


def _installed(plugin: NeededPlugin) -> Iterator[str]:
    source = plugin.source
    version = version_of(source.distribution)
    if not version and not installed_files(source.distribution):
        yield f"{source.distribution} {source.version} is not installed there; install it into the Dask worker's Python with pip"
    elif version != source.version:
        yield f"{source.distribution} is {version} there, {source.version} here; install the same version"
    else:
        differences = _file_differences(plugin.files, installed_contents(source))
        if differences:
            copies = [
                f"; {where}, {text}" for where, texts in (("there", copies_of(source)), ("here", plugin.copies)) for text in texts
            ]
            what_to_do = "use the same files on both" if copies else "install the same version there"
            yield f"{source.distribution} {version}: {differences}{''.join(copies)}; {what_to_do}"


def _requirements(requirements: MachineRequirements) -> Iterator[str]:
    for name, version in requirements.requirements.items():
        there = version_and_files(name)
        if there != version:
            yield f"{name}, which a plugin needs, is {there or 'not installed'} there, {version} here; install the same version"


def _confinement(requirements: MachineRequirements) -> Iterator[str]:
    if requirements.level:
        try:
            probe_confinement(Level(requirements.level))
        except UserError as error:
            yield (
                f"{error}. Run 'tiltyard doctor' there for details, or play everything at a lower level:"
                " TILTYARD_CONFINEMENT=B tiltyard run ..."
            )


def _environment(source: Source) -> Iterator[str]:
    """A team's own environment is never sent: it has the same path on all machines, or the team can't be played there."""
    if source.environment:
        try:
            check_environment(Path(source.environment))
        except UserError as error:
            yield f"the team {source}: {error}"


def _place(plugin: NeededPlugin) -> str | None:
    """Where a plugin's files lie: empty for the same place as on the coordinator; None if they are not there."""
    if _is_the_same(plugin.source, plugin.digest):
        return ""
    place = place_of(plugin.digest)
    return place if place and _is_the_same(Move.of(plugin, place).source(plugin.source), plugin.digest) else None


def _is_the_same(source: Source, digest: str) -> bool:
    try:
        return code_digest(source) == digest
    except (UserError, OSError):
        return False


def _program(program: ProgramTeam) -> Iterator[str]:
    """What a program needs beside its own files, which nobody sends: what runs it, and other software."""
    first = program.command[0]
    is_there = Path(program.folder, first).exists() if "/" in first else shutil.which(on_dotnet(program).command[0])
    if not is_there:
        yield f"the program '{program.name}' is run by {shlex.quote(first)}, which is missing there; install it"
    if program.folder and not Path(program.folder).is_dir():
        yield f"the program '{program.name}' is in {program.folder}, which is missing there"
    for path in program.readable:
        if not os.path.lexists(path):
            yield f"the program '{program.name}' needs {path}, which is missing there; install it"


def main() -> None:
    """Read requirements from standard input, and write a report to standard output."""
    # Whatever is printed by anybody goes to standard error.
    answer = os.dup(1)
    os.dup2(2, 1)
    report = examine(REQUIREMENTS.decode(sys.stdin.buffer.read()))
    with os.fdopen(answer, "wb") as stream:
        stream.write(ENCODER.encode(report))


if __name__ == "__main__":
    main()
