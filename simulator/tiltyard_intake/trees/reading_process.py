"""The process that ``bounded_reading`` asks: it calls one function after the other, each within its bounds."""

from __future__ import annotations

import math
import os
import pickle
import resource
import select
import struct
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from tiltyard_intake.archives.bounds import MIB, Bounds
from tiltyard_intake.trees import team_tree  # noqa: F401 -- loaded before the first request, and before any bound

LENGTH: Final = struct.Struct("<Q")
"""Before each request and each answer: its bytes."""
READY: Final = b"+"
"""What is said before the first request."""
OPEN_FILES: Final = 256
MORE_TO_WRITE: Final = MIB
"""Beyond the bound for all files, which is noticed earlier."""


def serve() -> NoReturn:
    """Answer requests until there are no more, or nobody is there to read the answer."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Nothing else may come between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    threading.Thread(target=_end_with_parent, args=(requests.fileno(),), daemon=True).start()
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    answers.write(READY)
    answers.flush()
    while head := requests.read(LENGTH.size):
        answer = _answer(requests.read(*LENGTH.unpack(head)))
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()
    os._exit(0)


def _answer(request: bytes) -> bytes:
    try:
        folder, bounds, function, arguments, more = pickle.loads(request)  # noqa: S301 -- from the process that started this one
        with suppress(OSError):
            os.chdir(folder)
        _bound(bounds)
        return pickle.dumps((True, function(*arguments, **more)))
    except MemoryError:
        return pickle.dumps((False, MemoryError()))
    except Exception as error:
        return _dumped(error)


def _dumped(error: Exception) -> bytes:
    with suppress(Exception):
        data = pickle.dumps((False, error))
        # Some are pickled and don't come back.
        pickle.loads(data)  # noqa: S301 -- as above
        return data
    return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _bound(bounds: Bounds) -> None:
    """Set the bounds for one request. They can be raised again: nobody else's code runs here."""
    _limit(resource.RLIMIT_FSIZE, bounds.size + MORE_TO_WRITE)
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + bounds.cpu_seconds)
    # Elsewhere than on Linux nobody counts it like that.
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + bounds.memory)


_FIRST: Final[dict[int, int]] = {}
"""The limits that this process was started with, which stay the highest."""


def _limit(which: int, value: int) -> None:
    soft, hard = resource.getrlimit(which)
    first = _FIRST.setdefault(which, soft)
    resource.setrlimit(which, (value if first == resource.RLIM_INFINITY else min(value, first), hard))


def _end_with_parent(requests: int) -> None:
    """End when the other end of the pipe is closed, whatever is being read then."""
    poll = select.poll()
    poll.register(requests, 0)
    poll.poll()
    os._exit(1)
