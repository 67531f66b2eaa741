"""The three ways to hold a team's code."""

from __future__ import annotations

from enum import StrEnum


class Isolation(StrEnum):
    """How a team's code is held."""

    INLINE = "inline"
    """In the manager's own process: for trusted code, and the fastest."""
    PROCESS = "process"
    """In a process of its own: crashes, hangs and memory are the team's alone."""
    SANDBOX = "sandbox"
    """In a process of its own that is confined as well as this machine can."""
