"""``tiltyard league doctor``: what would go wrong in a league, seen before it does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_intake.command.deadlines import in_both_zones
from tiltyard_league.cli.recovery import is_sound
from tiltyard_league.database.clock import here, now
from tiltyard_league.database.clock_jumps import last_jump
from tiltyard_league.database.database import DATABASE, Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.private import open_to_others, own_paths
from tiltyard_league.database.staff import without_link
from tiltyard_league.database.state import is_running
from tiltyard_league.league_file.loading import League, Settings, load_league, read_settings
from tiltyard_league.submissions.checker import folder_of
from tiltyard_league.submissions.upload import UPLOADS, free_bytes

FEW_MAPS: Final = 12
OK, LOOK, WRONG = "ok", "look", "WRONG"
Folder = Annotated[Path, typer.Argument(help="The league's folder.", metavar="FOLDER")]


def add_to(app: Any) -> None:
    """Register the command of this module."""
    app.command()(doctor)


def doctor(folder: Folder) -> None:
    """Look for problems in a league: its file, this machine, the disk, its databases, people and files.

    It changes nothing, and you can run it while the league runs. The exit status is 1 if something is WRONG.

    \b
    Examples:
      tiltyard league doctor course/
    """
    from tiltyard_simulator.output.tables import render

    rows = list(_look(folder))
    print(render(("what", "result", "what was seen"), rows, "simple"))
    raise typer.Exit(int(any(result == WRONG for _, result, _ in rows)))


def _look(folder: Path) -> Iterator[tuple[str, str, str]]:
    settings = read_settings(folder)
    try:
        yield from _about_file(load_league(folder, unconfined=True))
    except UserError as error:
        yield "file", WRONG, str(error).splitlines()[-1]
    yield from _about_settings(settings)
    yield from _about_disk(settings)
    yield from _about_databases(folder, settings)


def _about_file(league: League) -> Iterator[tuple[str, str, str]]:
    from tiltyard_simulator.guard.confinement.probes import probe_confinement
    from tiltyard_simulator.guard.policy import Level

    tournament = league.tournament
    yield "file", OK, f"{tournament.game.name}, staff's teams {', '.join(tournament.names)}; {league.pin.label} has rating 0"
    maps = len(tournament.maps)
    few = "; two versions that have met on all maps don't meet again, so 20 to 50 maps are better" if maps < FEW_MAPS else ""
    yield "maps", LOOK if few else OK, f"{maps} map{'s' * (maps != 1)}{few}"
    level = probe_confinement().level
    if level is Level.C:
        yield "confinement", WRONG, "level C: this machine can't confine the teams' code; see 'tiltyard doctor'"
    else:
        yield "confinement", OK, f"level {level.value}"


def _about_settings(settings: Settings) -> Iterator[tuple[str, str, str]]:
    address = settings.keys.address
    if address is None:
        yield "address", LOOK, "not set in the file: links begin with the address where the league was last served"
    else:
        plain = address.startswith("http://") and "localhost" not in address
        yield (
            "address",
            LOOK if plain else OK,
            f"{address}{': without https, others on the network can read what is sent' if plain else ''}",
        )
    if settings.deadline is None:
        yield "deadline", OK, "none"
    else:
        is_over = settings.end is not None and settings.end < here()
        over = "; it has passed, so nothing can be handed in" if is_over else ""
        yield "deadline", LOOK if is_over else OK, f"{in_both_zones(settings.deadline)}{over}"


def _about_disk(settings: Settings) -> Iterator[tuple[str, str, str]]:
    free, least = free_bytes(settings.folder), settings.keys.least_free
    text = f"{free:,} bytes free; with less than {least:,} nothing is handed in, checked or played"
    yield "disk", WRONG if free < least else LOOK if free < 2 * least else OK, text
    mode = settings.folder.stat().st_mode
    if mode & 0o002:
        yield "folder", WRONG, f"anybody on this machine can change {settings.folder}; run 'chmod o-w {settings.folder}'"
    if (path := next(open_to_others(own_paths(settings.folder, settings.results)), None)) is not None:
        yield "privacy", LOOK, f"others on this machine can read {path}; the league corrects this when it starts again"


def _about_databases(folder: Path, settings: Settings) -> Iterator[tuple[str, str, str]]:
    if not (folder / DATABASE).is_file():
        yield "people", LOOK, "nobody yet; make teams from a list of students with 'tiltyard league roster'"
        return
    if not is_sound(folder):
        yield "league.sqlite", WRONG, f"is damaged; stop the league and use 'tiltyard league recover {folder}'"
        return
    yield "league.sqlite", OK, "is whole"
    try:
        rows = Games(settings.results).rows("PRAGMA quick_check(1)") or [("ok",)]
        result = str(rows[0][0])
    except UserError as error:
        result = str(error)
    advice = "" if result == "ok" else f"; stop the league and use 'tiltyard league recover {folder}'"
    yield "games", WRONG if advice else OK, f"{result}{advice}" if advice else "are whole"
    with Database(folder) as database:
        yield from _about_people(database)
        if (jump := last_jump(database)) is not None and jump.until > now():
            yield "clock", LOOK, f"jumped from {jump.before[:16]} to {jump.after[:16]} UTC, or the league was stopped in between"
        lost = [
            f"{row['id']}"
            for row in database.rows("SELECT id, upload FROM versions WHERE upload != '' AND state IN ('accepted', 'received')")
            if not (folder / UPLOADS / row["upload"]).is_file() and not folder_of(folder, row["id"]).is_dir()
        ]
        number = database.number("SELECT count(*) FROM versions WHERE upload != ''")
    yield (
        "versions",
        WRONG if lost else OK,
        f"the files of {', '.join(lost[:10])} are missing" if lost else f"{number}, and their files are there",
    )
    runs = is_running(folder)
    yield "steward", OK if runs else LOOK, "runs" if runs else "isn't running"


def _about_people(database: Database) -> Iterator[tuple[str, str, str]]:
    teams = database.number("SELECT count(*) FROM teams WHERE kind = 'student' AND state = 'active'")
    without = len(without_link(database))
    text = f"{teams} team{'s' * (teams != 1)}"
    if not teams:
        yield "people", LOOK, "no team yet; make teams from a list of students with 'tiltyard league roster'"
    elif without:
        yield "people", LOOK, f"{text}; {without} without a valid link; make links with 'tiltyard league roster'"
    else:
        yield "people", OK, text
    staff = database.number("SELECT count(*) FROM tokens WHERE team IS NULL")
    yield (
        "staff",
        OK if staff else LOOK,
        "can sign in" if staff else "no link for staff yet; make one with 'tiltyard league invite FOLDER --staff'",
    )
