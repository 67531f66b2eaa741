"""The environments that versions run on, where they need more packages than the league's own has.

Versions that need the same packages share one, whichever team they are of. It lies beside the folders of all versions, so sandboxes
see it as these, and beside the files of each such version lies a link to it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry.environments import DIGEST, LOCK_FILE, check_environment
from tiltyard_intake.environments.allowed import Allowed
from tiltyard_intake.environments.team_environments import LOCKS, TeamEnvironments, add_interpreter
from tiltyard_league.database.database import Database
from tiltyard_league.database.versions import entry_of
from tiltyard_league.submissions.checker import environments_folder


def files_to_keep(league: Path) -> list[Path]:
    """What a backup needs of all environments that can be used here: not what leads to this machine's Python."""
    paths: list[Path] = []
    for folder in _usable(league):
        paths += [folder / LOCK_FILE, folder / "lib"]
    locks = environments_folder(league) / LOCKS
    return [*paths, locks] if locks.is_dir() else paths


def add_interpreters(league: Path) -> None:
    """Complete environments of a backup, on this machine's Python. For another Python, the next check makes new ones.

    Raises:
        UserError: that can't be written.
    """
    for folder in _usable(league):
        with file_errors(folder, "written"):
            add_interpreter(folder)


def _usable(league: Path) -> Iterator[Path]:
    for folder in sorted(environments_folder(league).glob("*")):
        with suppress(UserError):
            check_environment(folder)
            yield folder


def share_environment(league: Path, product: Path, environment: str) -> None:
    """Let a copy of a version run on the environment of that version.

    Args:
        league: the league's folder.
        product: the copy's file or folder.
        environment: as of its ``Source``; empty: the copy needs none.

    Raises:
        UserError: that can't be written.
    """
    if environment:
        environments = TeamEnvironments(product.parent, Allowed(), shared=environments_folder(league))
        environments.assign([product], Path(environment).name)


def remove_unused(league: Path, database: Database) -> int:
    """Remove the environments that no version needs any more, such as those of refused ones; how many that were.

    Raises:
        UserError: one can't be removed.
    """
    there = [folder for folder in environments_folder(league).glob("*") if DIGEST.fullmatch(folder.name)]
    # What a check installs now is in no row yet.
    if not there or database.number("SELECT count(*) FROM versions WHERE state = 'checking'"):
        return 0
    rows = database.rows("SELECT entry FROM versions WHERE entry IS NOT NULL AND state NOT IN ('refused', 'again')")
    needed = {Path(entry.source.environment).name for row in rows if (entry := entry_of(row)) is not None}
    unused = [folder for folder in there if folder.name not in needed]
    for folder in unused:
        with file_errors(folder, "removed"):
            shutil.rmtree(folder)
    return len(unused)
