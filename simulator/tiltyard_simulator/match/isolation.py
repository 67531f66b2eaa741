"""The three ways to isolate a team's code, and their names for people."""

from __future__ import annotations

from enum import StrEnum


class Isolation(StrEnum):
    """How a team's code is isolated."""

    INLINE = "inline"
    """In the GameManager's process: for trusted code, and the fastest."""
    PROCESS = "process"
    """In its own process: a crash, a hang or high memory use harms only the team itself."""
    SANDBOX = "sandbox"
    """In its own process, confined as well as this machine can."""


def isolation_in_words(isolation: str) -> str:
    """The words for an account's ``held`` text: ``in-process``, ``own process``, ``sandboxed (level A)``."""
    kind, _, level = isolation.partition(", ")
    match kind:
        case Isolation.INLINE:
            return "in-process"
        case Isolation.PROCESS:
            return "own process"
        case "together":
            return f"sandboxed together ({level})"
        case Isolation.SANDBOX:
            return f"sandboxed ({level})" if level else "sandboxed"
    return isolation
