"""What a process gives up whatever the level: capabilities, gaining any by exec, being dumped, outliving its parent.

Sources: capabilities(7), prctl(2).
"""

from __future__ import annotations

import os
import signal
import struct
from typing import Final

from tiltyard_simulator.guard.confinement.libc import (
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    process_control,
    system_call,
)
from tiltyard_simulator.guard.confinement.system_calls import this_architecture

_CAPABILITY_VERSION_3: Final = 0x20080522
_CAPSET: Final = {"x86_64": 126, "aarch64": 91}


def give_up_privileges() -> None:
    """No capability now, and none by exec: no_new_privs holds even for root.

    Root without capabilities still owns root's files: Landlock and the mounts keep it from them. On an architecture without known
    call numbers capabilities stay as they are, which matters for root alone.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_NO_NEW_PRIVS)", PR_SET_NO_NEW_PRIVS, 1)
    architecture = this_architecture()
    if architecture is not None:
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
        system_call("capset", _CAPSET[architecture.name], header, struct.pack("=6I", 0, 0, 0, 0, 0, 0))


def die_with_parent(parent: int) -> None:
    """SIGKILL once the thread that forked this process ends; at once if it has ended already.

    A change of user or capabilities may undo both settings, so they come after it.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_DUMPABLE)", PR_SET_DUMPABLE, 0)
    end_with_parent(parent)


def end_with_parent(parent: int) -> None:
    """The second of the two settings alone, for processes that are to stay open to a debugger.

    Raises:
        OSError: a system call failed.
    """
    process_control("prctl(PR_SET_PDEATHSIG)", PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
