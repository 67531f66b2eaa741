"""Loaders of plugins that are not Python files: found by the file's suffix, through entry points of their own.

A distribution that can load, say, ``.so`` files names a ``FileLoader`` in the entry-point group ``tiltyard.files`` under ``so``.
It runs in the runner's own process, so only distributions that the host calls its own may.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.native_matches import NativeHost, Starter

FILES_GROUP: Final = "tiltyard.files"
ForkCells: TypeAlias = Callable[[Sequence[int], int, int], None]
"""Forks cells of a file by a system call with these arguments, which serve over pipes of these numbers without Python. Returns if
the call is denied."""
LIBRARY_SUFFIX: Final = ".so"
"""The suffix of compiled plugins, known even where nothing is installed that loads them: they are not silently ignored."""


@dataclass(frozen=True, slots=True)
class FileLoader:
    """What an entry point of the group ``tiltyard.files`` names."""

    plugin_of: Callable[[Path, Sequence[str]], object]
    """The plugin that a file is: an object with hooks. It gets the file and what ``needs`` returned, and runs none of the
    file's code: that waits until a record's factory is called. Each match waits for it, so it looks for no faults."""
    examine: Callable[[Path], None]
    """Looks whether the file could be loaded on this machine, running none of its code. Raises UserError: why not, in one line."""
    needs: Callable[[], Sequence[str]]
    """Files beside the plugin's own that running it takes, as absolute paths; made now if they are not there yet, so this may
    take a while. Called only where processes may be started. Raises UserError: they cannot be made, and what to do about it."""
    open_host: Callable[[Starter | None], NativeHost]
    """Makes what plays matches only of such files: in a process beside this one, or in one that is started by what it gets."""
    load: Callable[[Path], ForkCells | None]
    """Loads the file into this process, as its first match would: what it does on being loaded, it does now. Returns what forks
    cells of it; None: its cells are Python."""
    prepare: Callable[[Any, str, int], bytes]
    """What the file's GameManager in a cell without Python gets: of a map, which the game has read, its name, and the number of
    players. Empty: this match needs Python."""
    read_claim: Callable[[bytes, Any], GameResult]
    """The result that the file's GameManager claims in a cell, on that map. Nothing there is trusted: raises ContractError."""


def get_loader(where: str) -> FileLoader:
    """The loader itself.

    Raises:
        UserError: it cannot be imported, or is none.
    """
    module, _, attribute = where.partition(":")
    try:
        loader = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise UserError(f"{where}, which loads such files, cannot be imported: {describe(error)}") from error
    if not isinstance(loader, FileLoader):
        raise UserError(f"{where}, which should load such files, is not a FileLoader")
    return loader


def needs_of(where: str) -> tuple[str, ...]:
    """What running a file of that loader takes beside it.

    Raises:
        UserError: it cannot be made.
    """
    return tuple(str(path) for path in get_loader(where).needs())
