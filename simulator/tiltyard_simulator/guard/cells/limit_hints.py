"""Finds in a crash's text that the limit of processes caused it. The error that the kernel gives names no limit."""

from __future__ import annotations

import re
from typing import Final

_THREAD: Final = re.compile(
    r"can't start new thread|'std::system_error'\s+what\(\):\s+(?:Operation not permitted|Resource temporarily)"
)
_REFUSED: Final = re.compile(r"PermissionError|BlockingIOError|Operation not permitted|Resource temporarily unavailable")
_STARTS_PROCESS: Final = re.compile(r"\b(?:fork|forkpty|_?fork_exec|posix_spawnp?|start_new_thread|vfork)\(")


def limit_hint(processes: int, *texts: str) -> str:
    """What to add to the message of a crash, with a blank before it; empty if the limit has nothing to do with it.

    Args:
        processes: the limit.
        texts: the fault's message, its traceback, the last that was printed.
    """
    text = "\n".join(texts)
    is_refused = bool(_REFUSED.search(text)) and bool(_STARTS_PROCESS.search(text))
    if not (_THREAD.search(text) or is_refused):
        return ""
    return f" (limit processes={processes}: a team's processes and threads together; --limit processes=N allows more)"
