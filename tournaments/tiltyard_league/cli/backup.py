"""Commands that take a league's data elsewhere: an export for programs, a backup in one file, and its way back."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.texts.names import file_name
from tiltyard_league.database.database import DATABASE, Database, make_database
from tiltyard_league.database.games import Games, LeagueGame
from tiltyard_league.database.private import make_private, own_paths
from tiltyard_league.database.versions import HAS_PLAYED
from tiltyard_league.league_file.loading import LEAGUE_FILE, Settings, read_settings
from tiltyard_league.submissions.checker import VERSIONS, folder_of
from tiltyard_league.submissions.environments import add_interpreters, files_to_keep
from tiltyard_league.submissions.upload import NEW, UPLOADS
from tiltyard_simulator.output.result_files import sync_file, sync_tree
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_tournaments.store.failures import explaining

Folder = Annotated[Path, typer.Argument(help="The league's folder.", metavar="FOLDER")]


def add_to(app: Any) -> None:
    """Register all commands of this module."""
    for name, command in (("export", export), ("backup", backup), ("unpack-backup", unpack_backup)):
        app.command(name)(command)


def export(folder: Folder) -> None:
    """Print the league as JSON lines: teams under their made-up names, versions, and all games.

    \b
    Examples:
      tiltyard league export course/ > league.jsonl
    """
    encoder = msgspec.json.Encoder(order="sorted")
    for line in export_lines(folder):
        sys.stdout.buffer.write(encoder.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def export_lines(folder: Path) -> Iterator[dict[str, Any]]:
    """What the export has; nobody's name is in it."""
    settings = read_settings(folder)
    with Database(folder) as database:
        yield {"kind": "league", "title": settings.title, "frozen_at": database.fact("frozen_at")}
        for row in database.rows("SELECT id, pseudonym, kind, state FROM teams ORDER BY id"):
            yield {"kind": "team", "id": row["id"], "name": row["pseudonym"], "of": row["kind"], "state": row["state"]}
        for row in database.rows("SELECT * FROM versions ORDER BY id"):
            names = ("id", "team", "number", "state", "uploaded_at", "code", "late")
            yield {"kind": "version", "plays": row["entry"] is not None, **{name: row[name] for name in names}}
    games = Games(settings.results)
    for game in games.games(range(games.newest() + 1)):
        yield {"kind": "game", **_game_line(game)}


def _game_line(game: LeagueGame) -> dict[str, Any]:
    """A game in the export; one of two has the columns that it has always had."""
    if len(game.versions) == 2:
        who: dict[str, Any] = {"version_1": game.versions[0], "version_2": game.versions[1]}
    else:
        who = {"versions": game.versions, "ranks": game.ranks, "faults": game.faults}
    return {
        "id": game.place,
        "key": game.key,
        **who,
        "map": game.map,
        "why": game.kind,
        "counts": game.counts,
        "voided": game.voided,
        "winner": game.winner,
        "rounds": game.rounds,
        "fault": game.fault,
        "verdict": game.verdict,
        "ended_at": game.ended_at,
    }


def backup(folder: Folder, file: Annotated[Path, typer.Argument(help="The file to write, such as league.tar.gz.")]) -> None:
    """Write a whole league into one file, even while it runs.

    \b
    Examples:
      tiltyard league backup course/ league-2026-12-01.tar.gz
    """
    settings = read_settings(folder)
    if file.resolve().is_relative_to(folder.resolve()):
        raise UserError(
            f"{file}: is in the league's folder, so each backup would contain the earlier ones; choose a file outside the folder"
        )
    check_output(file, "a backup of a league", _is_backup)
    new = file.with_name(file_name(f".{file.name}", ".new"))
    try:
        with file_errors(file, "written"), tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as parent:
            # In this order: whatever a copy names is in those that follow.
            copies = Path(parent)
            _copy(settings.results / STORE_NAME, copies / STORE_NAME)
            _copy(folder / DATABASE, copies / DATABASE)
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            # What is large is compressed already.
            with os.fdopen(descriptor, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz", compresslevel=1) as archive:
                archive.add(folder / LEAGUE_FILE, LEAGUE_FILE)
                archive.add(copies / DATABASE, DATABASE)
                if (copies / STORE_NAME).is_file():
                    archive.add(copies / STORE_NAME, f"{_results_name(folder, settings)}/{STORE_NAME}")
                _add(archive, folder / UPLOADS, UPLOADS)
                for version in _versions_with_files(copies):
                    _add(archive, folder_of(folder, version), f"{VERSIONS}/{version}")
                for path in files_to_keep(folder):
                    _add(archive, path, path.relative_to(folder).as_posix())
                # Maps and teams that the file names may lie beside it.
                for path in sorted(folder.iterdir()):
                    if path.name not in _OWN and path.name != settings.results.name and not path.name.startswith("."):
                        _add(archive, path, path.name)
            sync_file(new)
            new.replace(file)
            sync_file(file.absolute().parent)
    finally:
        new.unlink(missing_ok=True)
    print(f"{file}: {file.stat().st_size:,} bytes")


def _is_backup(head: bytes) -> bool:
    try:
        # The name of the first member may stand behind a header with its exact time.
        return LEAGUE_FILE.encode() in zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, 4 * tarfile.BLOCKSIZE)
    except zlib.error:
        return False


_OWN: Final = frozenset(
    {LEAGUE_FILE, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", UPLOADS, VERSIONS, "theme.js", "steward.json", "tables.sock"}
)


def _results_name(folder: Path, settings: Settings) -> str:
    return settings.results.relative_to(folder).as_posix() if settings.results.is_relative_to(folder) else "results"


def _versions_with_files(copies: Path) -> list[int]:
    """The versions of the copy that play, or have played. What is only being checked is unpacked again from its upload."""
    if not (copies / DATABASE).is_file():
        return []
    with Database(copies) as database:
        return [row["id"] for row in database.rows(f"SELECT id FROM versions WHERE upload != '' AND {HAS_PLAYED} ORDER BY id")]  # noqa: S608 -- our own words


def _add(archive: tarfile.TarFile, path: Path, name: str) -> None:
    """Add a file, or a folder with all that is in it. What goes away meanwhile, or is only half there, is left out."""
    if path.name.startswith(NEW):
        return
    with suppress(FileNotFoundError):
        if path.is_file() and not path.is_symlink():
            # Once it is open it can be read to its end.
            with path.open("rb") as file:
                archive.addfile(archive.gettarinfo(arcname=name, fileobj=file), file)
            return
        archive.add(path, name, recursive=False)
        if path.is_dir() and not path.is_symlink():
            for each in sorted(path.iterdir()):
                _add(archive, each, f"{name}/{each.name}")


def _copy(database: Path, copy: Path) -> None:
    """A copy of a database as it is at one moment, while others write it."""
    if not database.is_file():
        return
    with (
        explaining(database),
        closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def _extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Extract what lies below the folder and nowhere else: by the filter ``data`` where Python has it, which is since 3.11.4."""
    if LEAGUE_FILE not in archive.getnames():
        raise tarfile.ReadError(f"it has no {LEAGUE_FILE}")
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
        return
    root = folder.resolve()
    for member in archive.getmembers():
        place = root / member.name
        link = [] if not member.linkname else [place.parent / member.linkname if member.issym() else root / member.linkname]
        is_below = all(each.resolve().is_relative_to(root) for each in (place, *link))
        if not (is_below and (member.isfile() or member.isdir() or link)):
            raise tarfile.ExtractError(f"{member.name} is no file below its folder")
        archive.extract(member, folder)


def unpack_backup(
    file: Annotated[Path, typer.Argument(help="A file that 'league backup' wrote.")],
    folder: Annotated[Path, typer.Argument(help="The new folder for the league.", metavar="FOLDER")],
) -> None:
    """Make a league's folder from a backup, here or on another machine. Then serve it as before.

    \b
    Examples:
      tiltyard league unpack-backup league-2026-12-01.tar.gz course/
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: already exists and isn't an empty folder; nothing was written")
    new = folder.with_name(file_name(f".{folder.name}", ".new"))
    shutil.rmtree(new, ignore_errors=True)
    try:
        with file_errors(file, "read"), tarfile.open(file) as archive:
            _extract(archive, new)
        make_private(own_paths(new, read_settings(new).results))
        make_database(new)
        add_interpreters(new)
        if folder.exists():
            folder.rmdir()
        sync_tree(new)
        new.rename(folder)
        sync_file(folder.absolute().parent)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise UserError(f"{file}: isn't a backup of a league: {error}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    print(f"made {folder}/. Next:\n\n  tiltyard league serve {folder}")
