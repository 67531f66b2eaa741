"""System calls and their numbers on the architectures that the filter is written for, as ``system_calls.txt`` lists them.

A test compares them with the headers of the machine that it runs on.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

LAST_KNOWN_CALL: Final = 462
"""mseal, Linux 6.10. From 424 on, all architectures share their numbers. What is newer than the filter gets ENOSYS."""


def _read_table() -> dict[str, dict[str, list[str]]]:
    """The sections of the table: each call's name and its numbers."""
    sections: dict[str, dict[str, list[str]]] = {}
    # importlib.resources would take longer than the rest of this module.
    for line in Path(__file__).with_name("system_calls.txt").read_text("ascii").splitlines():
        if line.startswith("["):
            calls = sections[line.strip("[]")] = {}
        elif line and not line.startswith("#"):
            name, *numbers = line.split()
            calls[name] = numbers
    return sections


_TABLE: Final = _read_table()
DENIED: Final = tuple(_TABLE["denied"])
"""Calls that no cell may make."""
METADATA: Final = tuple(_TABLE["metadata"])
"""Calls that change a file's mode, owner, times or attributes, of which Landlock knows nothing."""
PATHS: Final = tuple(_TABLE["paths"])
"""Calls that look for a file by its path, which a watched cell reports."""


@dataclass(frozen=True, eq=False)
class Architecture:
    """An architecture's number in filters, and its system calls."""

    name: str
    audit: int
    """AUDIT_ARCH_* of linux/audit.h. A filter must check it, because a process may enter the kernel in several ways."""
    calls: Mapping[str, int]


def _calls(column: int) -> dict[str, int]:
    rows = [(name, numbers[column]) for section in _TABLE.values() for name, numbers in section.items()]
    return {name: int(number) for name, number in rows if number != "-"}


ARCHITECTURES: Final = {
    "x86_64": Architecture("x86_64", 0xC000003E, _calls(0)),
    "aarch64": Architecture("aarch64", 0xC00000B7, _calls(1)),
}


@cache
def this_architecture() -> Architecture | None:
    """This process's own architecture; None if no filter is written for it."""
    wide = sys.maxsize > 1 << 32
    return ARCHITECTURES.get(platform.machine()) if wide else None
