"""What /proc says of processes: their parents, words and memory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def children_of(number: int) -> list[int]:
    """The processes that one has started, the oldest first of each of its threads; none of a process that has ended."""
    children: list[int] = []
    for task in Path("/proc", str(number), "task").glob("*/children"):
        with suppress(OSError):
            children += map(int, task.read_text().split())
    return children


def descendants(number: int) -> list[int]:
    """The processes below one, all the way down; each comes after its parent."""
    below = children_of(number)
    for each in below:
        below += children_of(each)
    return below


def words_of(number: int) -> str:
    """The command line of a process and what ``top`` calls it; empty if it is gone."""
    with suppress(OSError):
        words = Path("/proc", str(number), "cmdline").read_bytes() + Path("/proc", str(number), "comm").read_bytes()
        return words.replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return ""


def left_running(name: str) -> list[str]:
    """Command lines that name something, such as a league's folder that nobody should use any more."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and int(path.name) != os.getpid()]
    return [words for words in map(words_of, numbers) if name in words]


def megabytes_of(number: int) -> float:
    """The memory of a process; 0 if it is gone."""
    with suppress(OSError):
        return int(Path("/proc", str(number), "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def descriptors_of(number: int) -> int:
    """How many files a process has open; 0 if it is gone."""
    with suppress(OSError):
        return len(list(Path("/proc", str(number), "fd").iterdir()))
    return 0
