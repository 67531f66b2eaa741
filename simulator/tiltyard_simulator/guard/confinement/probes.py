"""Finds out which level of confinement works on this machine. Each is run, and must do what it promises."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.advice import advice_for
from tiltyard_simulator.guard.confinement.bubblewrap import find_bubblewrap, zygote_command
from tiltyard_simulator.guard.confinement.kernel.landlock import landlock_version, why_unavailable
from tiltyard_simulator.guard.confinement.kernel.process_status import own_prefix
from tiltyard_simulator.guard.confinement.kernel.system_calls import this_architecture
from tiltyard_simulator.guard.confinement.probe_answers import LEVEL_VARIABLE, drop_answers, keep_answer, kept_answer
from tiltyard_simulator.guard.confinement.probe_child import CONFINED, Scene, names_of_attempts, namespaces
from tiltyard_simulator.guard.policy import CLEAN, Confinement, Level, Probe

VARIABLE: Final = LEVEL_VARIABLE
_LEVELS: Final = tuple(Level)
_SECONDS: Final = 10.0
_ATTEMPTS: Final = 3
"""How often a worker tries the level of its run."""
_BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[4])\n"
    "from pathlib import Path\n"
    "from tiltyard_simulator.guard.confinement.probe_child import Level, main\n"
    "main(Level(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[5]))"
)


def probe_confinement(exact_level: Level | None = None) -> Confinement:
    """The best level that works here, or ``exact_level``. The result is remembered, and that all works also by later commands.

    The environment variable TILTYARD_CONFINEMENT=A|B|C limits the level.

    Raises:
        UserError: ``exact_level`` does not work or is better than the variable allows, or the variable has another value.
    """
    return _probe(exact_level, os.environ.get(VARIABLE, "").strip().upper())


def probe_afresh() -> Confinement:
    """The best level that works here, tried now, whatever is remembered. Later commands remember the new answer.

    Raises:
        UserError: the environment variable TILTYARD_CONFINEMENT has another value than A, B or C.
    """
    drop_answers()
    _probe.cache_clear()
    return probe_confinement()


def confinement_at(level: Level) -> Confinement:
    """The level that the rest of a run has. It is tried several times: a busy machine, or a kill, may make a probe fail.

    Raises:
        UserError: it does not work in this process, although it does elsewhere on this machine.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(UserError):
            return probe_confinement(level)
    try:
        return probe_confinement(level)
    except UserError as error:
        raise UserError(
            f"a match worker cannot confine teams at level {level}, as the run does: {error}. The run stops here, so that no match"
            f" is played with less. Run it again, or set {VARIABLE} to play all matches at a lower level",
            see=error.see,
        ) from error


@cache
def _probe(exact_level: Level | None, variable: str) -> Confinement:
    if variable and variable not in _LEVELS:
        raise UserError(f"{VARIABLE} must be A, B or C, found '{variable}'")
    best = Level(variable) if variable else Level.A
    if exact_level is not None:
        if exact_level < best:
            raise UserError(f"confinement level {exact_level} was asked for, but {VARIABLE}={variable} allows {best} at best")
        probes = _answer(exact_level)
        if not _all_work(probes):
            raise UserError(_complaint(exact_level, probes), see="level-does-not-work")
        return Confinement(exact_level, probes, advice_for(exact_level, probes))
    tried: list[Probe] = []
    for level in _LEVELS[_LEVELS.index(best) :]:
        probes = _answer(level)
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


def _answer(level: Level) -> tuple[Probe, ...]:
    """What is remembered of the level, if it still starts; else what ``_run`` finds."""
    cached = kept_answer(level)
    if cached and _starts(level):
        return cached
    probes = _run(level)
    if _all_work(probes):
        keep_answer(level, probes)
    elif cached:
        drop_answers()
    return probes


def _starts(level: Level) -> bool:
    """Whether a process starts as a zygote of that level does, which takes a small part of the probes' time.

    What else no longer works, the cells themselves notice: one that can't be confined ends before a team's first line runs.
    """
    if level is not Level.A:
        return True
    with tempfile.TemporaryDirectory(prefix=f"{own_prefix()}probe-", ignore_cleanup_errors=True) as folder:
        words = [shutil.which("true") or sys.executable]
        command = zygote_command(Confinement(level, (), ()), words, [], folder)
        try:
            process = subprocess.run(
                command, cwd="/", env=dict(CLEAN), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return process.returncode == 0


def _run(level: Level) -> tuple[Probe, ...]:
    """Try everything that the level promises, in a child process."""
    parts = _parts(level)
    if not _all_work(parts):
        return tuple(part for part in parts if not part.works)
    # Named like a scratch folder, so that it is removed as one if this process is killed.
    folder = Path(tempfile.mkdtemp(prefix=f"{own_prefix()}probe-")).resolve()
    try:
        Scene.build(folder)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            probes, complaint = _run_child(level, folder, port)
            # It may have been killed, or the machine may have been busy.
            probes, complaint = (probes, complaint) if probes else _run_child(level, folder, port)
    except OSError as error:
        return (Probe(f"{level}: the probe runs", False, str(error)),)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not probes:
        return (Probe(f"{level}: {'bubblewrap starts' if level is Level.A else 'the probe runs'}", False, complaint),)
    tried = [probes.get(name, Probe(name, False, "nothing stopped it, or the cell died")) for name in _expected(level, probes)]
    return (*parts, *(Probe(f"{level}: {probe.name}", probe.works, probe.detail) for probe in tried))


def _expected(level: Level, probes: dict[str, Probe]) -> list[str]:
    """What the child should have reported. A cell that could not be confined reports nothing else."""
    names = names_of_attempts(level)
    confined = probes.get(CONFINED)
    return names if confined is None or confined.works else names[: names.index(CONFINED) + 1]


def _parts(level: Level) -> list[Probe]:
    """What the level needs, as far as that can be checked without running it."""
    parts: list[Probe] = []
    if level is Level.A:
        where = find_bubblewrap()
        parts.append(Probe("A: bubblewrap starts", where is not None, where or "bwrap is not installed"))
    if level is not Level.C:
        version = landlock_version()
        parts.append(Probe(f"{level}: Landlock answers", version > 0, f"version {version}" if version else why_unavailable()))
        if this_architecture() is None:
            parts.append(Probe(f"{level}: seccomp filter", False, f"none is written for {os.uname().machine}"))
    return parts


def _run_child(level: Level, folder: Path, port: int) -> tuple[dict[str, Probe], str]:
    """What the child reported, and its error message if it reported nothing."""
    path = [str(Path(place).resolve()) for place in sys.path if place and Path(place).exists()]
    words = [sys.executable, "-I", "-S", "-c", _BOOT, level, str(folder), str(port), json.dumps(path), json.dumps(namespaces())]
    confinement = Confinement(level, (), ())
    command = zygote_command(confinement, words, [str(folder / "tree"), *path], str(folder / "scratches"))
    try:
        process = subprocess.run(
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
    probes: dict[str, Probe] = {}
    for line in process.stdout.decode("utf-8", "replace").splitlines():
        name, works, detail = json.loads(line)
        probes[name] = Probe(name, works, detail)
    complaint = process.stderr.decode("utf-8", "replace").strip().splitlines()
    return probes, complaint[-1] if complaint else f"it ended with {process.returncode} and said nothing"
