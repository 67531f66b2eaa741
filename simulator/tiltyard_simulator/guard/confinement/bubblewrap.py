"""Level A: the command line that starts the zygote inside bubblewrap, in a file tree that contains only what it needs.

Source: bwrap(1). The zygote has its own user, process, ipc, uts, network and, if there are any, cgroup namespaces. Of the machine's
files it sees only those that are listed here, read-only, and the folder of scratch folders.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.landlock import is_below
from tiltyard_simulator.guard.confinement.rulesets import system_paths
from tiltyard_simulator.guard.policy import CLEAN, Confinement, Level

_MAX_LINKS: Final = 40
"""As many as the kernel follows."""
_ISOLATED: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--hostname", "tiltyard"),
)


def zygote_command(confinement: Confinement, command: Sequence[str], readable: Sequence[str], scratch_root: str) -> list[str]:
    """The command line that starts a zygote; below level A, the command itself.

    ``readable`` must contain what any of its cells may read. Python and this project are added. ``scratch_root`` exists and is
    writable. Start it from a thread that lives as long as the zygote should, with ``CLEAN`` or less below level A. Descriptors are
    passed on as they are.
    """
    if confinement.level is not Level.A:
        return [*command]
    words = [find_bubblewrap() or "bwrap", *_ISOLATED, "--clearenv"]
    for name, value in CLEAN.items():
        words += ["--setenv", name, value]
    words += _mounts([*python_paths(), *_program(command), *system_paths(), *readable], scratch_root)
    words += ["--proc", "/proc", "--dev", "/dev"]
    # The file system in which bubblewrap builds the tree is writable by default.
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [*words, "--", *command]


def find_bubblewrap() -> str | None:
    """The path of bubblewrap; None if it is not installed."""
    return shutil.which("bwrap")


def python_paths() -> list[str]:
    """The interpreter, its standard library and installed packages, and this project's own packages."""
    paths = [sys.executable, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))]
    # Below /usr only Python's own files and the libraries are added.
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix} - {"/usr", "/usr/local", "/"}
    paths += sorted(prefixes)
    for package in ("tiltyard_engine", "tiltyard_simulator"):
        module = sys.modules.get(package)
        paths += [str(Path(place)) for place in getattr(module, "__path__", ())]
    return paths


def _program(command: Sequence[str]) -> list[str]:
    path = shutil.which(command[0]) if command else None
    return [path] if path else []


def _mounts(readable: Iterable[str], scratch_root: str) -> list[str]:
    places, links = tree_for(readable, scratch_root)
    scratch = os.path.realpath(scratch_root)
    words: list[str] = []
    for place in places:
        words += ["--bind" if place == scratch else "--ro-bind", place, place]
    for link, target in links.items():
        words += ["--symlink", target, link]
    return words


def tree_for(readable: Iterable[str], scratch_root: str = "") -> tuple[list[str], dict[str, str]]:
    """What to mount so that these paths can be reached, folders before what is below them; and the links that lead there.

    With ``scratch_root``, that too. It will be writable, so readable folders below it need mounts of their own.
    """
    links: dict[str, str] = {}
    folders = {_real_path(path, links) for path in readable if os.path.lexists(path)} - {"/"}
    scratch = _real_path(scratch_root, links) if scratch_root else ""
    roots = {folder for folder in folders if not any(is_below(folder, other) for other in folders)}
    if scratch:
        roots |= {folder for folder in folders if is_below(folder, scratch)} | {scratch}
    places = sorted(folder for folder in roots if folder != "/dev" and not is_below(folder, "/dev"))
    # A link below a mount is there already.
    return places, {link: target for link, target in links.items() if not any(is_below(link, place) for place in places)}


def _real_path(path: str, links: dict[str, str]) -> str:
    """Where a path leads. All links on the way are added to ``links``, because the new tree needs them as well."""
    waiting = [part for part in reversed(os.path.abspath(path).split("/")) if part]  # noqa: PTH100 -- must not follow links
    real, followed = "/", 0
    while waiting:
        part = waiting.pop()
        if part == "..":
            real = os.path.dirname(real)  # noqa: PTH120 -- "/" stays "/"
            continue
        if part == ".":
            continue
        here = os.path.join(real, part)  # noqa: PTH118 -- likewise
        if Path(here).is_symlink() and followed < _MAX_LINKS:
            followed += 1
            target = os.readlink(here)  # noqa: PTH115 -- the text as it stands
            links[here] = target
            real = "/" if target.startswith("/") else real
            waiting += [piece for piece in reversed(target.split("/")) if piece]
        else:
            real = here
    return real
