"""Which level of confinement this machine gives: each is run, and must hold what it promises."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.advice import advice_for
from tiltyard_simulator.guard.confinement.bubblewrap import find_bubblewrap, zygote_command
from tiltyard_simulator.guard.confinement.environment import CLEAN
from tiltyard_simulator.guard.confinement.landlock import landlock_version, why_unavailable
from tiltyard_simulator.guard.confinement.policy import Confinement, Level, Probe
from tiltyard_simulator.guard.confinement.probe_child import CONFINED, Scene, names_of_attempts, namespaces
from tiltyard_simulator.guard.confinement.system_calls import this_architecture

VARIABLE: Final = "TILTYARD_CONFINEMENT"
_LEVELS: Final = tuple(Level)
_SECONDS: Final = 10.0
_BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[4])\n"
    "from pathlib import Path\n"
    "from tiltyard_simulator.guard.confinement.probe_child import Level, main\n"
    "main(Level(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[5]))"
)


def probe_confinement(wanted: Level | None = None) -> Confinement:
    """The best level that works here; ``wanted`` if given. Asked again, this process answers from memory.

    The environment variable TILTYARD_CONFINEMENT=A|B|C names the best level that may be used.

    Raises:
        UserError: ``wanted`` does not work or is better than the variable allows, or the variable has another value.
    """
    return _probe(wanted, os.environ.get(VARIABLE, "").strip().upper())


@cache
def _probe(wanted: Level | None, variable: str) -> Confinement:
    if variable and variable not in _LEVELS:
        raise UserError(f"{VARIABLE} must be A, B or C, found '{variable}'")
    best = Level(variable) if variable else Level.A
    if wanted is not None:
        if wanted < best:
            raise UserError(f"confinement level {wanted} was asked for, but {VARIABLE}={variable} allows {best} at best")
        probes = _run(wanted)
        if not _all_work(probes):
            raise UserError(_complaint(wanted, probes))
        return Confinement(wanted, probes, advice_for(wanted, probes))
    tried: list[Probe] = []
    for level in _LEVELS[_LEVELS.index(best) :]:
        probes = _run(level)
        tried += probes
        if _all_work(probes) or level is Level.C:
            break
    return Confinement(level, tuple(tried), advice_for(level, tried))


def _all_work(probes: Iterable[Probe]) -> bool:
    return all(probe.works for probe in probes)


def _complaint(level: Level, probes: Iterable[Probe]) -> str:
    failed = "; ".join(f"{probe.name}: {probe.detail}" for probe in probes if not probe.works)
    advice = "; ".join(advice_for(Level.C, probes))
    return f"confinement level {level} does not work on this machine: {failed}{'. ' + advice if advice else ''}"


def _run(level: Level) -> tuple[Probe, ...]:
    """Try all that the level promises, in a child."""
    missing = [] if level is Level.C else _missing_parts(level)
    if missing:
        return tuple(missing)
    # Named like scratch folders: one that a killed process leaves is removed with those.
    folder = Path(tempfile.mkdtemp(prefix=f"tiltyard-{os.getpid()}-probe-")).resolve()
    try:
        Scene.build(folder)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            found, said = _run_child(level, folder, listener.getsockname()[1])
    except OSError as error:
        return (Probe(f"{level}: the probe runs", False, str(error)),)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    parts = _parts(level) if found else []
    if not found:
        return (Probe(f"{level}: {'bubblewrap starts' if level is Level.A else 'the probe runs'}", False, said),)
    tried = [found.get(name, Probe(name, False, "nothing stopped it, or the cell died")) for name in _expected(level, found)]
    return (*parts, *(Probe(f"{level}: {probe.name}", probe.works, probe.detail) for probe in tried))


def _expected(level: Level, found: dict[str, Probe]) -> list[str]:
    """What it should have reported; of a cell that could not be confined, no more than that."""
    names = names_of_attempts(level)
    confined = found.get(CONFINED)
    return names if confined is None or confined.works else names[: names.index(CONFINED) + 1]


def _missing_parts(level: Level) -> list[Probe]:
    missing: list[Probe] = []
    if level is Level.A and find_bubblewrap() is None:
        missing.append(Probe("A: bubblewrap starts", False, "bwrap is not installed"))
    if landlock_version() == 0:
        missing.append(Probe(f"{level}: Landlock answers", False, why_unavailable()))
    if this_architecture() is None:
        missing.append(Probe(f"{level}: seccomp filter", False, f"none is written for {os.uname().machine}"))
    return missing


def _parts(level: Level) -> list[Probe]:
    parts: list[Probe] = []
    if level is Level.A:
        parts.append(Probe("A: bubblewrap starts", True, f"{find_bubblewrap()}"))
    if level is not Level.C:
        parts.append(Probe(f"{level}: Landlock answers", True, f"version {landlock_version()}"))
    return parts


def _run_child(level: Level, folder: Path, port: int) -> tuple[dict[str, Probe], str]:
    """What it reported, and what it said where that is nothing."""
    path = [str(Path(place).resolve()) for place in sys.path if place and Path(place).exists()]
    words = [sys.executable, "-I", "-S", "-c", _BOOT, level, str(folder), str(port), json.dumps(path), json.dumps(namespaces())]
    confinement = Confinement(level, (), ())
    command = zygote_command(confinement, words, [str(folder / "tree"), *path], str(folder / "scratches"))
    try:
        ended = subprocess.run(
            command,
            cwd="/",
            env=dict(CLEAN),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {}, str(error)
    found: dict[str, Probe] = {}
    for line in ended.stdout.decode("utf-8", "replace").splitlines():
        name, works, detail = json.loads(line)
        found[name] = Probe(name, works, detail)
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return found, said[-1] if said else f"it ended with {ended.returncode} and said nothing"
