"""What fails at the start of a sandbox says what was being done: the kernel itself often says no more than "Invalid argument"."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tiltyard_simulator.guard.confinement.kernel.landlock import READ, Ruleset, landlock_version
from tiltyard_simulator.guard.confinement.kernel.libc import exchange, mount, run_on, unmount, unshare
from tiltyard_simulator.guard.confinement.kernel.rlimits import _set

NOWHERE = "/no-such-folder-anywhere"
NO_CORE = 1023

CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "mount": (lambda: mount("tmpfs", NOWHERE, "tmpfs", 6, "size=1"), f"mount of tmpfs on {NOWHERE} (flags 0x6, size=1): "),
    "bind": (lambda: mount("/dev/null", NOWHERE, "", 4096, ""), f"mount of /dev/null on {NOWHERE} (flags 0x1000): "),
    "remount": (lambda: mount("", NOWHERE, "", 4128, ""), f"mount of it again on {NOWHERE} (flags 0x1020): "),
    "unmount": (lambda: unmount(NOWHERE), f"unmount {NOWHERE}: "),
    "unshare": (lambda: unshare(0x30000000 | 1), "unshare of the namespaces: user, pid: "),
    "unshare of nothing known": (lambda: unshare(1), "unshare of the namespaces: flags 0x1: Invalid argument"),
    "exchange": (lambda: exchange(NOWHERE, "/tmp"), f"renameat2 of {NOWHERE} and /tmp: "),
    "cores": (lambda: run_on([NO_CORE]), f"sched_setaffinity to the cores [{NO_CORE}]: Invalid argument"),
    "limit": (lambda: _set(999, 7), "setrlimit 999 to 7: invalid resource specified"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_says_what_it_was_to_do(call: str) -> None:
    do, text = CALLS[call]
    with pytest.raises(OSError, match=rf"^\[Errno \d+\] {re.escape(text)}") as raised:
        do()
    assert raised.value.errno


def test_options_that_are_no_options(tmp_path: Path) -> None:
    """As root, the kernel gets to look at them."""
    text = f"mount of tmpfs on {tmp_path} (flags 0x0, size=oops): "
    with pytest.raises(OSError, match=re.escape(text)) as raised:
        mount("tmpfs", str(tmp_path), "tmpfs", 0, "size=oops")
    assert raised.value.errno in (errno.EINVAL, errno.EPERM)


@pytest.mark.skipif(landlock_version() == 0, reason="the kernel has no Landlock, or doesn't let us use it")
def test_a_rule_that_is_refused_names_its_path(tmp_path: Path) -> None:
    rules = Ruleset(landlock_version())
    os.close(rules.descriptor)
    with pytest.raises(OSError, match=re.escape(f"landlock_add_rule: Bad file descriptor ({tmp_path})")):
        rules.allow(str(tmp_path), READ)


MAP = """
import os
from tiltyard_simulator.guard.confinement.kernel.libc import unshare
from tiltyard_simulator.guard.confinement.kernel.namespaces import enter_own_namespaces
try:
    unshare(0x10000000)
except OSError:
    print("not allowed")
else:
    # Without rights outside of its namespace, a process may only map its own number.
    try:
        enter_own_namespaces(os.getpid(), 4242, 4242)
    except OSError as error:
        print(error)
"""


def test_numbers_of_users_that_cannot_be_mapped() -> None:
    done = subprocess.run([sys.executable, "-c", MAP], capture_output=True, text=True, timeout=60, check=True)
    if done.stdout == "not allowed\n":
        pytest.skip("processes may not make user namespaces here")
    assert "uid_map: Operation not permitted" in done.stdout or "unshare of the namespaces: user, mount, ipc: " in done.stdout
    if "uid_map" in done.stdout:
        assert "'4242 4242 1' for /proc/" in done.stdout
