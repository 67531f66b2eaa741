"""One run at a time writes into a store."""

from __future__ import annotations

from pathlib import Path

from tiltyard_simulator.output.folder_lock import FolderLock


class StoreLock(FolderLock):
    """Held as long as the object is open.

    Raises:
        UserError: another run holds it, and which; or the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "running this tournament")
