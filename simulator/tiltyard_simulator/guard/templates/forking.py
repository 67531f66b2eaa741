"""How a template forks: a copy of this process becomes a child of the zygote. Sources: clone(2), ``set_tid_address(2)``.

With ``os.fork``, the template would be its cells' parent, and learn from their exit codes how a match ended.
"""

from __future__ import annotations

import ctypes
import signal
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.system_calls import this_architecture

_PARENT: Final = 0x00008000
_CLEAR_NUMBER: Final = 0x00200000
_SET_NUMBER: Final = 0x01000000
FORK_FLAGS: Final = _PARENT | _SET_NUMBER | _CLEAR_NUMBER | signal.SIGCHLD
"""CLONE_PARENT: a child of this process's own parent. The C library's record of the thread's number is kept right."""
_PR_GET_TID_ADDRESS: Final = 40


class Forker:
    """Forks this process, which must have one thread.

    Raises:
        OSError: the kernel doesn't tell what it takes.
    """

    def __init__(self) -> None:
        architecture = this_architecture()
        if architecture is None:
            raise OSError("no system call numbers are known for this machine")
        # With the interpreter's lock held: the child would wait for it for ever.
        library = ctypes.PyDLL(None, use_errno=True)
        address = ctypes.c_void_p()
        if library.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(address), 0, 0, 0) != 0 or not address.value:
            raise OSError(ctypes.get_errno(), "prctl(PR_GET_TID_ADDRESS)")
        zero, number = ctypes.c_void_p(0), ctypes.c_void_p(address.value)
        # Two architectures, two orders: the address for the thread-local storage comes last, or last but one.
        last = (number, zero) if architecture.name == "x86_64" else (zero, number)
        self._arguments = (ctypes.c_long(architecture.calls["clone"]), ctypes.c_ulong(FORK_FLAGS), zero, zero, *last)
        self.arguments = [int(each.value or 0) for each in self._arguments]
        """Of ``syscall``, for code that forks without Python."""
        self._call = library.syscall
        self._call.restype = ctypes.c_long

    def fork(self) -> int:
        """As ``os.fork``: 0 in the child. -1 if it was denied.

        What Python does after a fork is left out. It replaces locks that other threads could have held, and there are none. It
        would copy some 165 pages of memory in each child. To seed Python's random numbers again is the caller's business.
        """
        return int(self._call(*self._arguments))
