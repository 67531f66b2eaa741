"""``tiltyard league recover``: copies what is whole of a damaged ``league.sqlite``, and keeps the damaged file beside it."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_checks.runs.recovery import FILES
from tiltyard_checks.runs.recovery import recover as recover_store
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.texts.quantities import counted
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import DATABASE, MIGRATIONS, make_database
from tiltyard_league.database.games import Games
from tiltyard_league.league_file.loading import read_settings
from tiltyard_league.service.game_writing import remove_games_without_matches, update_games
from tiltyard_league.submissions.upload import UPLOADS
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_tournaments.store import STORE_NAME, StoreLock
from tiltyard_tournaments.store.failures import PATIENCE_SECONDS, check_length
from tiltyard_tournaments.store.schema import bring_up_to_date

LOST_UPLOADS: Final = "uploads-without-a-version"
"""Where uploads go of which nobody knows any more whose they are."""
SMALLEST_ROW: Final = 20
"""Bytes; so a file's size says how many rows there can be."""
Folder = Annotated[Path, typer.Argument(help="The league's folder.", metavar="FOLDER")]
_LOST: Final = "its row was lost when the database was damaged"


def add_to(app: Any) -> None:
    """Register the command of this module."""
    app.command()(recover)


def recover(folder: Folder) -> None:
    """Save everything that can be read from the damaged databases of a league.

    Stop the league first. Damaged files are kept beside the new ones. Games that were lost are played again. A recent backup is
    better: see 'league unpack-backup'.

    \b
    Examples:
      tiltyard league recover course/
    """
    settings = read_settings(folder)
    if not (folder / DATABASE).is_file():
        raise UserError(f"{folder}: there is nothing to recover ({DATABASE} is missing)")
    if (settings.results / STORE_NAME).is_file():
        store = recover_store(settings.results)
        if store.damaged is None:
            print(f"{STORE_NAME}: not damaged")
        else:
            with StoreLock(settings.results):
                without = remove_games_without_matches(settings.results)
            lost = max(store.lost, without)
            print(f"{STORE_NAME}: saved {counted(store.matches, 'game')}, lost {lost}; the damaged file is now {store.damaged}")
    if is_sound(folder):
        print(f"{DATABASE}: not damaged")
        return
    update_games(settings.results)
    games = Games(settings.results)
    versions = [version for (version,) in games.rows("SELECT DISTINCT version FROM league_seats")]
    result = recover_database(folder, versions)
    print(f"{DATABASE}: saved {counted(result.rows, 'row')}, lost {result.lost}; the damaged file is now {result.damaged}")
    if result.made_up:
        print(
            f"teams and versions now called 'lost', because only games mention them: {result.made_up}."
            " Use 'league roster' with your list again"
        )
    if result.uploads:
        print(f"uploads that no longer belong to a version: {result.uploads}, now in {folder / LOST_UPLOADS}")


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """The result of a recovery."""

    rows: int
    """They were whole."""
    lost: int
    """Rows that were not, or that said nothing without one that was not."""
    made_up: int
    """Teams and versions that others name, of which nothing else is known."""
    uploads: int
    """Uploads of which nobody knows any more whose they are."""
    damaged: Path
    """The damaged file under its new name."""


def is_sound(folder: Path) -> bool:
    """Whether the database of a league's folder is as it was written.

    Raises:
        UserError: its path is too long to open it.
    """
    path = folder / DATABASE
    check_length(path)
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE_SECONDS)) as connection:
            if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                return False
            return not connection.execute("PRAGMA foreign_key_check").fetchall()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False


def recover_database(folder: Path, versions_in_games: Sequence[int]) -> RecoveryResult:
    """Put a new database, with all that is whole, into the place of the one in a league's folder. Nobody may use it.

    Args:
        folder: of the league.
        versions_in_games: their numbers, which must stay.

    Raises:
        UserError: nothing of it can be read, or the folder cannot be written.
    """
    path = folder / DATABASE
    with file_errors(folder, "written"):
        new = Path(tempfile.mkdtemp(prefix=".recovered-", dir=folder))
    try:
        check_length(new / DATABASE)
        # It has hashes of tokens, and names of people.
        (new / DATABASE).touch(mode=0o600)
        with closing(sqlite3.connect(new / DATABASE, isolation_level=None)) as copy:
            # First with the columns that the damaged file has.
            bring_up_to_date(copy, str(path), MIGRATIONS[: _version_of(path)])
            rows, lost = _copy_all(path, copy)
            bring_up_to_date(copy, str(path), MIGRATIONS)
            if not copy.execute("SELECT count(*) FROM teams").fetchone()[0]:
                raise UserError(
                    f"{path}: no team in it can be read; nothing was changed. Make the league's folder again from a backup, with"
                    " 'tiltyard league unpack-backup'"
                )
            made_up = _make_up(copy, versions_in_games)
            lost += _remove_dangling(copy)
            upload_names = {upload for (upload,) in copy.execute("SELECT DISTINCT upload FROM versions")}
            # All of it goes into the one file that is moved.
            copy.execute("PRAGMA journal_mode = DELETE")
        with file_errors(folder, "written"):
            uploads = _put_aside(folder, upload_names)
            damaged = next(
                name for number in itertools.count(1) if not (name := path.with_name(f"{DATABASE}.damaged-{number}")).exists()
            )
            for ending in FILES:
                with suppress(FileNotFoundError):
                    Path(f"{path}{ending}").rename(f"{damaged}{ending}")
            (new / DATABASE).rename(path)
            sync_file(folder)
        make_database(folder)
        return RecoveryResult(rows, lost, made_up, uploads, damaged)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _version_of(path: Path) -> int:
    """The version of a damaged file's tables; the newest if even that can't be read."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE_SECONDS)) as old:
            version = int(old.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return len(MIGRATIONS)
    return version if 0 < version <= len(MIGRATIONS) else len(MIGRATIONS)


def _copy_all(path: Path, copy: sqlite3.Connection) -> tuple[int, int]:
    """Copy each row that can be read; how many these were, and how many others."""
    rows = lost = 0
    tables = [name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE_SECONDS)) as old:
        # Nothing is written. It makes SQLite read a file whose end is missing, or whose list of tables is not quite right.
        with suppress(sqlite3.Error):
            old.execute("PRAGMA writable_schema = ON")
        most = path.stat().st_size // SMALLEST_ROW
        for table in tables:
            columns = [column[1] for column in copy.execute(f"PRAGMA table_info({table})")]
            query = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 -- our own names
            row: Any
            for row in _rows(old, table, columns, most):
                try:
                    if row is None:
                        raise sqlite3.DataError
                    copy.execute(query, row)
                    rows += 1
                except sqlite3.Error:
                    lost += 1
    return rows, lost


def _rows(old: sqlite3.Connection, table: str, columns: Sequence[str], most: int) -> Iterator[Any]:
    """The rows of a table; None for one that can't be read."""
    select = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 -- our own names
    if columns[0] != "id":
        # Without numbers, from each end up to the first one that can't be read.
        by_key: dict[Any, Any] = {}
        for order in ("ASC", "DESC"):
            rows: Iterable[Any] = old.execute(f"{select} ORDER BY {columns[0]} {order}") if _can(old, select) else ()
            try:
                by_key.update((row[0], row) for row in rows)
            except (sqlite3.Error, UnicodeDecodeError):
                yield None
        yield from by_key.values()
        return
    last = most
    with suppress(sqlite3.Error):
        last = min(int(old.execute(f"SELECT ifnull(max(id), 0) FROM {table}").fetchone()[0]), most)  # noqa: S608 -- our own names
    for number in range(1, last + 1):
        try:
            row = old.execute(f"{select} WHERE id = ?", (number,)).fetchone()
        except (sqlite3.Error, UnicodeDecodeError):
            yield None
        else:
            if row is not None:
                yield row


def _can(old: sqlite3.Connection, select: str) -> bool:
    try:
        old.execute(select)
    except sqlite3.Error:
        return False
    return True


def _make_up(copy: sqlite3.Connection, versions_in_games: Sequence[int]) -> int:
    """Replace each team and version that is lost while others name it by a row, so that games stay what they are."""
    number = 0
    version_ids = {version for (version,) in copy.execute("SELECT id FROM versions")}
    for version in sorted(set(versions_in_games) - version_ids):
        copy.execute(
            "INSERT INTO versions (id, team, number, upload, name, size, note, late, uploaded_at, state, reason, attempts,"
            " checked_at, code) VALUES (?, 0, ?, '', 'lost', 0, '', 0, ?, 'disabled', ?, 0, '', '')",
            (version, version, now(), _LOST),
        )
        number += 1
    team_ids = {team for (team,) in copy.execute("SELECT team FROM versions UNION SELECT team FROM members")}
    for team in sorted(team_ids - {team for (team,) in copy.execute("SELECT id FROM teams")}):
        name = f"lost-{team}"
        copy.execute(
            "INSERT INTO teams (id, name, pseudonym, slug, kind, state, reason, made_at)"
            " VALUES (?, ?, ?, ?, 'student', 'disabled', ?, ?)",
            (team, name, name, name, _LOST, now()),
        )
        number += 1
    return number


def _remove_dangling(copy: sqlite3.Connection) -> int:
    """Remove rows that name what is lost, or let them name nothing where they may; how many were removed."""
    removed = 0
    copy.execute("UPDATE teams SET chosen = NULL WHERE chosen NOT IN (SELECT id FROM versions)")
    copy.execute("UPDATE teams SET merged_into = NULL WHERE merged_into NOT IN (SELECT id FROM teams)")
    copy.execute("UPDATE members SET merged_from = NULL WHERE merged_from NOT IN (SELECT id FROM teams)")
    copy.execute("UPDATE versions SET member = NULL WHERE member NOT IN (SELECT id FROM members)")
    for table, column, other in (
        ("requests", "version", "versions"),
        ("requests", "opponent", "versions"),
        ("requests", "team", "teams"),
        ("questions", "team", "teams"),
        ("tokens", "team", "teams"),
        ("tokens", "member", "members"),
    ):
        removed += copy.execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT id FROM {other})").rowcount  # noqa: S608 -- our own names
    return removed


def _put_aside(folder: Path, upload_names: set[str]) -> int:
    """Move uploads that no version is of out of the way of ``sweep``; how many there were."""
    lost = [
        path for path in sorted((folder / UPLOADS).glob("*")) if path.name not in upload_names and not path.name.startswith(".")
    ]
    if lost:
        (folder / LOST_UPLOADS).mkdir(exist_ok=True)
        for path in lost:
            path.rename(folder / LOST_UPLOADS / path.name)
    return len(lost)
