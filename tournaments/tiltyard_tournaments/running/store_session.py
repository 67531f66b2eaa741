"""What a run needs on the disk: the output folder, the lock that keeps two runs apart, and the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_tournaments.running.found_teams import note_teams
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store, StoreLock


def make_output_folder(folder: Path) -> None:
    """Make the folder if it is missing; it survives a power cut.

    Raises:
        UserError: it cannot be made.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, expected a folder for the results; choose another name")
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in missing:
            sync_file(each.absolute().parent)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from error


def open_store(tournament: Tournament) -> Store:
    """The tournament's store, to read; close it, or use it as a context manager.

    Raises:
        UserError: nothing has been played yet, or the store cannot be read.
    """
    return Store(tournament.folder, writable=False)


@contextmanager
def store_for_run(tournament: Tournament) -> Iterator[Store]:
    """The tournament's store, for this run alone to write.

    Raises:
        UserError: the folder or the store cannot be written, another run holds it, or it was removed meanwhile.
    """
    make_output_folder(tournament.folder)
    with StoreLock(tournament.folder), Store(tournament.folder) as store:
        store.set_fact("title", tournament.title)
        note_teams(store, tournament.found)
        yield store
        store.check_place()
