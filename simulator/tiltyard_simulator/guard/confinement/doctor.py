"""The confinement of this machine as a table, for ``tiltyard doctor``."""

from __future__ import annotations

from tiltyard_simulator.guard.confinement.policy import Confinement, Level

MEANINGS = {
    Level.A: "namespaces, Landlock, seccomp and limits: strangers' code is isolated",
    Level.B: "Landlock, seccomp and limits: strangers' code is isolated, but sees names of files; scratch has no limit as a whole",
    Level.C: "limits and a process group alone: no isolation; strangers' code needs an explicit flag",
}


def doctor_table(confinement: Confinement) -> tuple[list[str], list[list[str]]]:
    """Headers and rows: what was tried, the level, what to do for a better one."""
    rows = [[probe.name, "yes" if probe.works else "NO", probe.detail] for probe in confinement.probes]
    rows.append(["level", str(confinement.level), MEANINGS[confinement.level]])
    rows += [["for a better one", "", words] for words in confinement.advice]
    return ["probe", "works", "detail"], rows
