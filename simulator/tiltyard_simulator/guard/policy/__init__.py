"""The values that say how a cell is confined: the level, what the probes found, what one team's code may touch."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.match.limits import Limits

CLEAN: Final[Mapping[str, str]] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    # The order of a set of strings must be the same in two runs of a match.
    "PYTHONHASHSEED": "0",
    # Threads are denied. Libraries that start threads on import would complain or fail.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""The environment of a zygote. Its cells can read it in their memory, so it must be clean from the start."""

GUARD_PACKAGES: Final = ("tiltyard_engine", "tiltyard_kit", "tiltyard_simulator", "msgspec", "pluggy")
"""What runs in each Python cell beside the team: the runner's own, whatever environment the cell runs on.

Of the kit, games may use something, such as the names of squares."""


class Level(StrEnum):
    """How well this machine can confine code from outside. A is the best."""

    A = "A"
    """bubblewrap around the zygote, and each cell in namespaces of its own; rlimits, Landlock, seccomp."""
    B = "B"
    """Landlock, seccomp and rlimits; the file tree and the process table stay the machine's."""
    C = "C"
    """rlimits and a process group: no isolation."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing that was tried, and its result."""

    name: str
    works: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Confinement:
    """The level in force, what was tried to find it, and what would make a better one possible.

    A zygote needs only the level: ``Confinement(level, (), ())`` is enough.
    """

    level: Level
    probes: tuple[Probe, ...]
    advice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CellPolicy:
    """What one cell may touch. All paths are absolute and as the zygote sees them."""

    readable: tuple[str, ...]
    """Files, and folders with everything below them. The root folder is ignored."""
    hidden: tuple[str, ...]
    """Files and folders below readable ones that are not readable. A readable path below them is readable again."""
    scratch: str
    """The only writable folder. At level A it becomes a file system that no other process sees."""
    limits: Limits
    python: bool = True
    """Whether it is a Python team, which may not start programs. Otherwise it is a program."""
    watched: bool = False
    """Whether what is denied to a program is noted: see ``denials``."""
    template: bool = False
    """Whether it is a template, from which the zygote forks cells of a Python team with one process: see ``templates``."""
    builds: bool = False
    """Whether it builds what teams handed in: what it has made in its scratch folder may be executed there."""


@dataclass(frozen=True, slots=True)
class PreparedPolicy:
    """What a process needs to confine itself: a policy without what is hidden, and a descriptor of rules that leave it out."""

    policy: CellPolicy
    ruleset: int = -1
    """-1 at level C, which has none."""
    is_shared: bool = False
    """Whether other cells use the ruleset too. Otherwise this one completes it."""

    def close(self) -> None:
        """Close the ruleset in the process that has prepared it, once the cell has it. A shared one stays open."""
        if self.ruleset >= 0 and not self.is_shared:
            os.close(self.ruleset)
