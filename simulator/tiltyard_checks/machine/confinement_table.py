"""How well code can be confined here, as a table: each thing that was tried, the level, and what gives a better one."""

from __future__ import annotations

from typing import Final

from tiltyard_simulator.guard.policy import Confinement, Level

_MEANINGS: Final = {
    Level.A: "namespaces, Landlock, seccomp and limits: strangers' code is isolated",
    Level.B: "Landlock, seccomp and limits: strangers' code is isolated, but sees names of files; scratch has no limit as a whole",
    Level.C: "only limits and a process group: no isolation; strangers' code needs an explicit flag",
}


def confinement_table(confinement: Confinement) -> tuple[list[str], list[list[str]]]:
    """Headers and rows: what was tried, the level, and what to do for a better one."""
    rows = [[probe.name, "yes" if probe.works else "NO", probe.detail] for probe in confinement.probes]
    rows.append(["level", str(confinement.level), _MEANINGS[confinement.level]])
    rows += [["to improve it", "", words] for words in confinement.advice]
    return ["probe", "works", "detail"], rows
