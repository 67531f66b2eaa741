"""What every cell gives up: capabilities, gaining any by exec, core dumps, outliving its parent. And adopting orphans.

Sources: capabilities(7), prctl(2).
"""

from __future__ import annotations

import os
import signal
import struct
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.libc import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    process_control,
    system_call,
)
from tiltyard_simulator.guard.confinement.kernel.system_calls import this_architecture

_CAPABILITY_VERSION_3: Final = 0x20080522
_CAPSET: Final = {"x86_64": 126, "aarch64": 91}


def give_up_privileges() -> None:
    """No capability now, and none by exec: no_new_privs holds even for root.

    Root without capabilities still owns root's files, but Landlock and the mounts protect them. On an architecture without known
    call numbers the capabilities stay, which matters only for root.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_NO_NEW_PRIVS)", PR_SET_NO_NEW_PRIVS, 1)
    architecture = this_architecture()
    if architecture is not None:
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
        system_call("capset", _CAPSET[architecture.name], header, struct.pack("=6I", 0, 0, 0, 0, 0, 0))


def die_with_parent(parent: int) -> None:
    """Get SIGKILL when the thread that forked this process ends, or now if it has ended already. And be neither dumped nor traced.

    A change of user or capabilities may undo both settings, so it must come first.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_DUMPABLE)", PR_SET_DUMPABLE, 0)
    end_with_parent(parent)


def end_with_parent(parent: int) -> None:
    """Only the first of the two settings, for processes that a debugger may attach to.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_PDEATHSIG)", PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> int:
    """Make this process the parent of all orphans below it. Returns a descriptor that can be read when a child has ended.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_CHILD_SUBREAPER)", PR_SET_CHILD_SUBREAPER, 1)
    wakeup, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    return wakeup
