"""The values that say how a cell is confined: the level, what probing found, what one team's code may touch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tiltyard_simulator.guard.limits import Limits


class Level(StrEnum):
    """How well strangers' code is held on this machine; A is the best."""

    A = "A"
    """bubblewrap around the zygote, and each cell in namespaces of its own; rlimits, Landlock, seccomp."""
    B = "B"
    """Landlock, seccomp and rlimits; the file tree and the process table stay the machine's."""
    C = "C"
    """rlimits and a process group: no isolation, only tidiness."""


@dataclass(frozen=True)
class Probe:
    """One thing that was tried, and what came of it."""

    name: str
    works: bool
    detail: str


@dataclass(frozen=True)
class Confinement:
    """The level in force, what was tried to find it, and what would make a better one possible.

    A zygote needs the level alone: ``Confinement(level, (), ())`` confines as well as what probing returned.
    """

    level: Level
    probes: tuple[Probe, ...]
    advice: tuple[str, ...]


@dataclass(frozen=True)
class CellPolicy:
    """What one cell may touch. All paths are absolute and as the zygote sees them."""

    readable: tuple[str, ...]
    """Files, and folders with all that is below them; the root folder is passed over."""
    hidden: tuple[str, ...]
    """Files and folders below readable ones that stay unreadable; a readable path still deeper is readable again."""
    scratch: str
    """The only place to write; at level A it becomes a file system of its own that nobody else sees."""
    limits: Limits
    python: bool = True
    """A Python team starts no program; others are programs."""
    network: bool = False
    """Never at level A, where the zygote itself has none."""
