"""What a build's output tells of the machine rather than of the work: a tool that is too old, and ways that can't be gone here."""

from __future__ import annotations

import re
from typing import Final

OWN_HELPER: Final = re.compile(r"^this machine lacks (?P<lacks>.{1,200})$", re.MULTILINE)
"""How a recipe's own helper says it, as the last thing that it prints."""
_TOO_OLD: Final = (
    (re.compile(r"CMake (?P<version>\d[\d.]*) or higher is required\.\s+You are running version"), "CMake {version} or newer"),
    (re.compile(r"go\.mod requires go >= (?P<version>\d[\d.]*) \(running"), "Go {version} or newer"),
    (re.compile(r"^note: module requires Go (?P<version>\d[\d.]*)$", re.MULTILINE), "Go {version} or newer"),
    (re.compile(r"requires rustc (?P<version>\d[\d.]*) or newer, while the currently active"), "Rust {version} or newer"),
    (re.compile(r"feature `edition(?P<version>\d+)` is required"), "a newer Rust, which knows the edition {version}"),
    (
        re.compile(r"lock file version `?(?P<version>\d+)`? (?:was found|requires)"),
        "a newer Rust, which knows Cargo.lock {version}",
    ),
)
_NO_WORD: Final = re.compile(
    r"\berror (?:MSB3644|MSB4019|MSB4236|NETSDK1045|NETSDK1073|NETSDK1100|NETSDK1127|NETSDK1147|NU\d{4})\b|NuGet\.targets\("
)
"""MSBuild: no reference assemblies, targets or workload of that framework here, an SDK that is too old, no network for packages."""


def lack_of(output: str, *, is_own_helper: bool = False) -> str:
    """What the machine lacks, by what a command of a build printed when it failed; empty if it tells of nothing.

    Args:
        output: what it printed.
        is_own_helper: whether it is a helper of the recipe's own, and no stranger's program.
    """
    for pattern, words in _TOO_OLD:
        if match := pattern.search(output):
            return words.format(version=match["version"].rstrip("."))
    match = OWN_HELPER.search(output) if is_own_helper else None
    return match["lacks"] if match is not None else ""


def says_nothing_of_work(output: str) -> bool:
    """Whether a command failed for what this machine hasn't got, so that another way has to tell what the work is like."""
    return _NO_WORD.search(output) is not None
