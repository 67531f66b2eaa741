"""What the probes of a level answered, kept in a file until the machine is booted again or something changes that they depend on.

Only an answer that all works is kept. So nothing that is kept can lower the level: what has failed is tried again by the next
command, and a zygote of a level that no longer works doesn't start. A file that another user could have written isn't read.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.bubblewrap import find_bubblewrap
from tiltyard_simulator.guard.confinement.kernel.landlock import landlock_version
from tiltyard_simulator.guard.confinement.kernel.process_status import read_small_file
from tiltyard_simulator.guard.policy import Level, Probe
from tiltyard_simulator.match.own_cache import own_cache_folder, read_own, stamp_of, write_own

LEVEL_VARIABLE: Final = "TILTYARD_CONFINEMENT"
LARGEST_FILE: Final = 1 << 16
"""Bytes; an answer has some three thousand."""
_NAMESPACES: Final = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
_SWITCHES: Final = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
)
"""What another boot, another administrator or another security profile changes."""
_OWN_STATUS: Final = ("CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:")
_LIMITS: Final = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)


def kept_answer(level: Level) -> tuple[Probe, ...]:
    """What the probes of the level answered on this boot, if all worked; empty if that isn't known."""
    folder = own_cache_folder()
    if folder is None:
        return ()
    try:
        answers = json.loads(read_own(_file(folder, level), LARGEST_FILE))
        probes = tuple(Probe(str(name), works is True, str(detail)) for name, works, detail in answers["probes"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()
    return probes if answers["depends_on"] == depends_on() and all(probe.works for probe in probes) else ()


def keep_answer(level: Level, probes: Sequence[Probe]) -> None:
    """Keep what the probes of the level answered, all of which worked. Where it can't be kept, the next command probes again."""
    folder = own_cache_folder()
    if folder is None:
        return
    text = json.dumps({"depends_on": depends_on(), "probes": [(probe.name, probe.works, probe.detail) for probe in probes]})
    write_own(_file(folder, level), text.encode())


def drop_answers() -> None:
    """Forget the answers of all levels, such as when a zygote could not be started: the next command probes."""
    folder = own_cache_folder()
    if folder is not None:
        for level in Level:
            with suppress(OSError):
                _file(folder, level).unlink(missing_ok=True)


def depends_on() -> dict[str, str]:
    """All that the answers depend on and that can be read quickly, as texts."""
    system = os.uname()
    switches = {path: _read(path) for path in _SWITCHES}
    switches |= {f"namespace {kind}": _link(f"/proc/self/ns/{kind}") for kind in _NAMESPACES}
    status = _read("/proc/self/status").splitlines()
    switches["own status"] = " ".join(" ".join(line.split()) for line in status if line.startswith(_OWN_STATUS))
    switches["limits"] = str([resource.getrlimit(number) for number in _LIMITS])
    switches["kernel"] = f"{system.release} {system.version} {system.machine} Landlock {landlock_version()}"
    switches["user"] = f"{os.getuid()} {os.getgid()}"
    switches["bubblewrap"] = stamp_of(find_bubblewrap())
    switches["python"] = f"{stamp_of(sys.executable)} {sys.prefix} {sys.version}"
    switches["own code"] = " ".join(_stamps_of_own_code())
    switches["folder of temporary files"] = tempfile.gettempdir()
    switches[LEVEL_VARIABLE] = os.environ.get(LEVEL_VARIABLE, "")
    return switches


def _stamps_of_own_code() -> Iterator[str]:
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in (".py", ".so"):
            yield stamp_of(str(path))


def _read(path: str) -> str:
    try:
        return read_small_file(path).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 -- no file's name
    except OSError:
        return ""


def _file(folder: Path, level: Level) -> Path:
    return folder / f"probe-{level}.json"
