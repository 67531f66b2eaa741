"""What a league writes is for the server's user alone: code and output of teams, names of people, hidden standings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISLNK
from typing import Final

from tiltyard_tournaments.store import STORE_NAME

OTHERS: Final = 0o077
"""All that a mode allows to anybody but the owner."""
OWN_NAMES: Final = (
    *("league.sqlite*", "uploads*", "versions", "results", "finalists", "finals*"),
    *("standing*.json", "history.json", "steward.json", "theme.js", "tables.sock"),
    # Halves of files and folders that a killed command has left.
    *(".new-*", ".*.new", ".backup-*", ".recovered-*"),
)
"""Patterns of what a league itself writes into its folder. All else was put there by staff, who know who is to read it."""


@contextmanager
def private_files() -> Iterator[None]:
    """What this process writes inside is for its user alone, whatever the umask was. It counts for all threads."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def own_paths(folder: Path, results: Path) -> list[Path]:
    """What a league has written: into its folder, and the store of its games.

    Where the file names a folder elsewhere for that, there may be other things in it, which are not the league's.
    """
    place, inside = folder.resolve(), results.resolve()
    games = [results] if inside.is_relative_to(place) and inside != place else results.glob(f"{STORE_NAME}*")
    return sorted({path for name in OWN_NAMES for path in folder.glob(name)} | {path for path in games if path.exists()})


def open_to_others(paths: Iterable[Path]) -> Iterator[Path]:
    """The files and folders, among some and all below them, that others than the owner may read, change or enter."""
    for path in paths:
        with suppress(FileNotFoundError):
            mode = path.lstat().st_mode
            # A link says nothing about what it leads to, such as Python.
            if S_ISLNK(mode):
                continue
            if mode & OTHERS:
                yield path
            if path.is_dir():
                yield from open_to_others(path.iterdir())


def make_private(paths: Iterable[Path]) -> int:
    """Take from others what they may do with some files and folders, and all below these; how many that were.

    A folder comes before what is in it, so nobody reads on meanwhile. Another user's files stay as they are.
    """
    number = 0
    for path in open_to_others(paths):
        with suppress(PermissionError, FileNotFoundError):
            path.chmod(path.lstat().st_mode & 0o7777 & ~OTHERS)
            number += 1
    return number
