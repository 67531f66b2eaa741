"""A folder with everything that a run found out, for people (text) and programs (CSV)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_simulator.result_files import write_new
from tiltyard_simulator.tables import Table, render, render_all


def write_folder(folder: Path, tables: Sequence[tuple[str, Table]], report: str) -> None:
    """Write ``results.txt`` with all tables but the list of games, and each table as CSV.

    Raises:
        UserError: the folder cannot be written.
    """
    text = render_all([table for name, table in tables if name != "games"])
    write_new(folder, "results", ".txt", f"{text}\n" + (f"\n{report}\n" if report else ""))
    for name, table in tables:
        write_new(folder, name, ".csv", render(table.headers, table.rows, "csv") + "\n")


def make_folder(folder: Path) -> Path:
    """Make the folder, with parents; called before anything is played, so that a slip costs nothing.

    Raises:
        UserError: it cannot be made or already holds results.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = any(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from error
    if held:
        raise UserError(f"{folder}: is not empty; name a new folder for the results")
    return folder
