"""What a probe runs: a small zygote that confines one cell. The cell tries what cells must be able to do, and what they must not.

``probes`` starts it through ``zygote_command``, so that all steps are tried. It writes one JSON list per line: the name, whether
it is as it should be, a text.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import json
import os
import resource
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.confining import confine_cell, prepare
from tiltyard_simulator.guard.policy import CellPolicy, Confinement, Level, PreparedPolicy
from tiltyard_simulator.match.limits import MEBIBYTE, Limits

CONFINED: Final = "a cell can be confined"
MEMORY_BYTES: Final = 64 * MEBIBYTE
FILE_BYTES: Final = MEBIBYTE
SCRATCH_BYTES: Final = 2 * MEBIBYTE
_PTRACE_SEIZE: Final = 0x4206
_SELDOM_IMPORTED: Final = "colorsys"
_ISOLATED_KINDS: Final = ("user", "pid", "net", "ipc", "uts", "mnt")
_OF_THE_ZYGOTE: Final = ("the zygote has namespaces of its own", "the machine's files are not there")


@dataclass(frozen=True)
class Scene:
    """The targets of the attempts: files in ``folder`` as made by ``build``, a listener's port, a sibling process."""

    folder: Path
    port: int
    sibling: int

    @staticmethod
    def build(folder: Path) -> None:
        """Make the files that the probes look at."""
        for name in ("tree/own", "tree/hidden", "outside", "scratches/cell"):
            (folder / name).mkdir(parents=True)
        (folder / "tree/own/data.txt").write_text("own", encoding="ascii")
        (folder / "tree/hidden/secret.txt").write_text("secret", encoding="ascii")

    def policy(self) -> CellPolicy:
        """The policy of the cell that looks at these files."""
        limits = Limits(memory_bytes=MEMORY_BYTES, file_bytes=FILE_BYTES, scratch_bytes=SCRATCH_BYTES)
        readable = (str(self.folder / "tree"), *(str(Path(path).resolve()) for path in sys.path if path))
        return CellPolicy(readable, (str(self.folder / "tree/hidden"),), str(self.folder / "scratches/cell"), limits)


def namespaces() -> dict[str, str]:
    """The namespaces of this process, by the kernel's names."""
    return {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in _ISOLATED_KINDS}  # noqa: PTH115 -- no file's name


def main(level: Level, folder: Path, port: int, outside: Mapping[str, str]) -> None:
    """Fork a sibling and a cell, and wait for both. ``outside`` are the namespaces of the process that started the probe."""
    confinement = Confinement(level, (), ())
    if level is Level.A:
        _examine_zygote(folder, outside)
    sibling = _fork(signal.pause)
    scene = Scene(folder, port, sibling)
    try:
        prepared = prepare(scene.policy(), confinement)
        cell = _fork(lambda: _try_all(confinement, scene, prepared))
        os.waitpid(cell, 0)
    finally:
        os.kill(sibling, signal.SIGKILL)
        os.waitpid(sibling, 0)


def _examine_zygote(folder: Path, outside: Mapping[str, str]) -> None:
    shared = [kind for kind, name in namespaces().items() if outside.get(kind) == name]
    own, there = _OF_THE_ZYGOTE
    _report(own, not shared, f"shared with the machine: {', '.join(shared)}" if shared else ", ".join(_ISOLATED_KINDS))
    # If modules are imported from the folder of temporary files, it is readable.
    invited = any(path and folder.is_relative_to(path) for path in sys.path)
    candidates = ["/etc/shadow", "/root/.profile", *([] if invited else [str(folder / "outside")])]
    visible = [path for path in candidates if os.path.lexists(path)]
    _report(there, not visible, f"seen: {', '.join(visible)}" if visible else "not even /etc/shadow")


def _fork(work: Callable[[], object]) -> int:
    process = os.fork()
    if process:
        return process
    try:
        work()
    except BaseException:
        traceback.print_exc()
    os._exit(0)


def _try_all(confinement: Confinement, scene: Scene, prepared: PreparedPolicy) -> None:
    try:
        confine_cell(confinement, prepared)
    except OSError as error:
        _report(CONFINED, False, str(error))
        return
    _report(CONFINED, True, "every step was done")
    for name, work in _needed(scene).items():
        _report(name, *_succeeds(work))
    for name, attempt in _forbidden(confinement.level, scene).items():
        _report(name, *_is_refused(attempt))


def _report(name: str, works: bool, detail: str) -> None:
    os.write(1, (json.dumps([name, works, detail]) + "\n").encode())


def _succeeds(work: Callable[[], object]) -> tuple[bool, str]:
    try:
        work()
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"
    return True, "done"


def _is_refused(attempt: Callable[[], object]) -> tuple[bool, str]:
    try:
        attempt()
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        return True, f"refused: {error}" if str(error) else f"refused: {type(error).__name__}"
    return False, "nothing stopped it"


def _needed(scene: Scene) -> dict[str, Callable[[], object]]:
    return {
        "own files can be read": (scene.folder / "tree/own/data.txt").read_bytes,
        "modules can be imported": lambda: importlib.import_module(_SELDOM_IMPORTED),
        "scratch can be written": lambda: Path("note.txt").write_text("note", encoding="ascii"),
    }


def _forbidden(level: Level, scene: Scene) -> dict[str, Callable[[], object]]:
    attempts: dict[str, Callable[[], object]] = {
        "memory is limited": lambda: bytearray(2 * MEMORY_BYTES),
        "a file's size is limited": lambda: Path("large").write_bytes(bytes(2 * FILE_BYTES)),
        "limits cannot be raised": _raise_limits,
    }
    if level is Level.C:
        return attempts
    attempts |= {
        "a hidden file cannot be read": (scene.folder / "tree/hidden/secret.txt").read_bytes,
        "nothing can be written outside": lambda: (scene.folder / "outside/new.txt").write_text("x", encoding="ascii"),
        "no connection": lambda: socket.create_connection(("127.0.0.1", scene.port), timeout=1).close(),
        "a sibling cannot be signalled": lambda: os.kill(scene.sibling, 0),
        "a sibling cannot be traced": lambda: _trace(scene.sibling),
        "no second process": lambda: os.fork() or os._exit(0),
        "no thread": threading.Thread(target=int).start,
    }
    if level is Level.A:
        attempts["scratch is limited"] = _fill_scratch
    # This comes last: if it is not refused, nothing more is reported.
    attempts["no other program"] = _start_another_program
    return attempts


def _start_another_program() -> None:
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", ""])  # noqa: S606 -- no shell is the point


def _raise_limits() -> None:
    for limit in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _trace(process: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(ctypes.c_long(_PTRACE_SEIZE), ctypes.c_long(process), None, None) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _fill_scratch() -> None:
    for number in range(2 * SCRATCH_BYTES // FILE_BYTES):
        try:
            Path(f"part{number}").write_bytes(bytes(FILE_BYTES - 1))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            return


def names_of_attempts(level: Level) -> list[str]:
    """Everything that a cell of this level reports if nothing goes wrong."""
    scene = Scene(Path("/"), 0, 0)
    return [*(_OF_THE_ZYGOTE if level is Level.A else ()), CONFINED, *_needed(scene), *_forbidden(level, scene)]
