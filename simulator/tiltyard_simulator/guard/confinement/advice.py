"""What to install or to switch on for a better level of confinement."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.bubblewrap import find_bubblewrap
from tiltyard_simulator.guard.confinement.kernel.landlock import landlock_version
from tiltyard_simulator.guard.policy import Level, Probe

_SWITCHES: Final = (
    ("/proc/sys/user/max_user_namespaces", "0", "allow user namespaces: sysctl -w user.max_user_namespaces=10000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "allow user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu restricts them since 23.10)",
    ),
)
_CONTAINERS: Final = (
    ("/.dockerenv", "in Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined"),
    ("/.dockerenv", "in Docker on a host with AppArmor, also: --security-opt apparmor=unconfined"),
    ("/run/.containerenv", "in Podman: --security-opt unmask=ALL"),
    ("/run/.containerenv", "in Podman on a host with SELinux, also: --security-opt label=disable"),
)
"""Files by which engines mark their containers, and what to start those with; docs/how-to/run-in-a-container.md explains it."""
_FULL_LANDLOCK: Final = 6


def advice_for(level: Level, probes: Iterable[Probe]) -> tuple[str, ...]:
    """What to do, in order; empty if there is no better level."""
    if not sys.platform.startswith("linux"):
        return ("confinement needs Linux",)
    failed = [probe for probe in probes if not probe.works]
    advice: list[str] = []
    version = landlock_version()
    if version == 0:
        advice.append(
            "Landlock needs Linux 5.13 or later, with landlock in the lsm= list at boot, and a container that lets it pass"
        )
    elif version < _FULL_LANDLOCK:
        advice.append(f"a kernel from 6.12 on gives Landlock version {_FULL_LANDLOCK}, which also holds signals (here: {version})")
    if level is Level.A:
        return tuple(advice)
    if find_bubblewrap() is None:
        advice.append("install bubblewrap: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap")
    elif any(probe.name.startswith("A:") for probe in failed):
        advice += [words for path, bad, words in _SWITCHES if _read(path) == bad]
        advice += [words for path, words in _CONTAINERS if Path(path).exists()]
    if os.environ.get("TILTYARD_CONFINEMENT"):
        advice.append("unset TILTYARD_CONFINEMENT, which allows this level at best")
    return tuple(dict.fromkeys(advice))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""
