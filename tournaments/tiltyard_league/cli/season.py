"""Commands over a league's season: how it goes, single teams and games, freezing, and the table for grades."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_league.database import staff
from tiltyard_league.database.database import DATABASE, Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.grades import as_csv
from tiltyard_league.database.grades import grades as grades_of
from tiltyard_league.database.spreadsheet import spreadsheet
from tiltyard_league.database.state import is_running, read_state
from tiltyard_league.database.teams import find_team, remove_personal_data
from tiltyard_league.league_file.loading import read_settings
from tiltyard_league.rating.standing import read_standing
from tiltyard_site.pages.labels import counted

WHO: Final = "command line"
Folder = Annotated[Path, typer.Argument(help="The league's folder.", metavar="FOLDER")]
Team = Annotated[str, typer.Argument(help="The team's name, its made-up name, or a member's id.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, for the team and the log.")]


def add_to(app: Any) -> None:
    """Register all commands of this module."""
    for command in (status, disable, enable, void, restore_game, rerun, freeze, unfreeze, close, grades, forget):
        app.command(command.__name__.replace("_game", "").replace("_", "-"))(command)


def status(folder: Folder) -> None:
    """Show the state of the league: waiting checks, games, and the standings.

    \b
    Examples:
      tiltyard league status course/
    """
    from tiltyard_simulator.output.tables import render

    settings, state, standing = read_settings(folder), read_state(folder), read_standing(folder)
    with Database(folder) as database:
        waiting = database.number("SELECT count(*) FROM versions WHERE state IN ('received', 'checking')")
        names = {row["id"]: (row["name"], row["pseudonym"]) for row in database.rows("SELECT * FROM teams")}
        numbers = {row["id"]: row["number"] for row in database.rows("SELECT id, number FROM versions")}
        frozen, closed = database.fact("frozen_at"), database.fact("closed_at")
    games, rated = Games(settings.results).totals()
    print(f"{settings.title}: {counted(games, 'game')}, {state.last_hour} in the hour before {state.at or 'its first start'}")
    print(f"{waiting} waiting for a check, {state.in_flight} games being played, {state.left} fixtures left")
    if standing.made_at:
        print(f"standing of {standing.made_at}, from {standing.games} of {counted(rated, 'rated game')}")
    for word, at in (("frozen", frozen), ("closed", closed)):
        if at:
            print(f"{word} since {at}")
    rows = [
        (
            place,
            *names.get(line.team, ("?", "?")),
            numbers.get(line.version, "?"),
            round(line.rating),
            round(line.error),
            line.games,
        )
        for place, line in enumerate(standing.lines, start=1)
    ]
    print(render(("place", "team", "others see", "version", "rating", "±", "games"), rows, "simple"))


def disable(folder: Folder, team: Team, reason: Reason = "disabled by the staff") -> None:
    """Stop a team from playing. Its games stay.

    \b
    Examples:
      tiltyard league disable course/ "Group 7" --reason "see me about your code"
    """
    with Database(folder) as database:
        row = find_team(database, team)
        staff.disable_team(database, row, reason, WHO)
    print(f"{row['name']} stops playing and can't hand in; its page says: {reason}")


def enable(folder: Folder, team: Team) -> None:
    """Let a disabled team play again.

    \b
    Examples:
      tiltyard league enable course/ "Group 7"
    """
    with Database(folder) as database:
        row = find_team(database, team)
        staff.enable_team(database, row, WHO)
    print(f"{row['name']} plays again")


GameNumber = Annotated[int, typer.Argument(help="The game's number, as pages show it.")]


def void(folder: Folder, game: GameNumber, reason: Reason = "") -> None:
    """Void a game: it counts for nobody. 'league restore' undoes this.

    \b
    Examples:
      tiltyard league void course/ 1204 --reason "the machine was being updated"
    """
    _override(folder, game, "void", reason)


def restore_game(folder: Folder, game: GameNumber, reason: Reason = "") -> None:
    """Count a voided game again.

    \b
    Examples:
      tiltyard league restore course/ 1204
    """
    _override(folder, game, "restore", reason)


def rerun(folder: Folder, game: GameNumber, reason: Reason = "") -> None:
    """Play a game again, and replace the old one.

    \b
    Examples:
      tiltyard league rerun course/ 1204
    """
    _override(folder, game, "rerun", reason)


def _override(folder: Path, number: int, what: str, reason: str) -> None:
    game = Games(read_settings(folder).results).game(number)
    if game is None:
        raise UserError(f"there is no game {number}")
    with Database(folder) as database:
        staff.override(database, game.key, what, reason, WHO)
    then = "within seconds" if is_running(folder) else "when the league runs"
    print({"void": f"game {number} is void", "restore": f"game {number} counts again"}.get(what, ""), end="")
    print(f"game {number} is played again {then}" if what == "rerun" else f"; ratings follow {then}")


def freeze(folder: Folder) -> None:
    """Freeze the standings for everyone but the staff. Teams can still hand in, and games continue.

    \b
    Examples:
      tiltyard league freeze course/
    """
    with Database(folder) as database:
        is_new = staff.set_frozen(database, True, WHO)
        since = database.fact("frozen_at")
    print(f"{'frozen' if is_new else 'frozen already,'} since {since[:16].replace('T', ' ')} UTC")


def unfreeze(folder: Folder) -> None:
    """Show everyone the newest standings and games again.

    \b
    Examples:
      tiltyard league unfreeze course/
    """
    with Database(folder) as database:
        staff.set_frozen(database, False, WHO)
    print("no longer frozen")


def close(folder: Folder, again: Annotated[bool, typer.Option("--open", help="Open it again instead.")] = False) -> None:
    """End the season: teams can't hand in, and no more games are played. The pages stay.

    \b
    Examples:
      tiltyard league close course/
      tiltyard league close course/ --open
    """
    with Database(folder) as database:
        staff.set_closed(database, not again, WHO)
    print(
        "open again: teams can hand in, and games are played"
        if again
        else "closed: teams can't hand in, and no more games are played"
    )


def grades(
    folder: Folder,
    ods: Annotated[
        Path | None,
        typer.Option(help="Write a spreadsheet to this file instead. In CSV, LibreOffice and Excel read the id 00017 as 17."),
    ] = None,
) -> None:
    """Print everyone on the roster with the data for a grade, as CSV.

    \b
    Examples:
      tiltyard league grades course/ > grades.csv
      tiltyard league grades course/ --ods grades.ods
    """
    with Database(folder) as database:
        rows = grades_of(database, read_standing(folder))
    if ods is None:
        print(as_csv(rows), end="")
    else:
        with file_errors(ods, "written"):
            ods.write_bytes(spreadsheet("grades", rows))
        print(ods)


def forget(
    folder: Folder, yes: Annotated[bool, typer.Option("--yes", help="Confirm the removal. It can't be undone.")] = False
) -> None:
    """Remove all names and ids of people, and what they wrote as notes and reasons. Games, code and made-up names stay.

    \b
    Examples:
      tiltyard league forget course/ --yes
    """
    if not yes:
        raise UserError("this removes all names and ids permanently; make a backup or print the grades first, then use --yes")
    with Database(folder) as database:
        with database.writing():
            number = remove_personal_data(database, WHO)
        # What was deleted would stay readable in the file, and in the one beside it.
        database.run("VACUUM")
        is_read = database.number("PRAGMA wal_checkpoint(TRUNCATE)")
    print(f"removed the names and ids of {counted(number, 'person', 'people')}")
    if is_read:
        print(f"they stay in {DATABASE}-wal until the league is stopped; stop it now, or run this command again")
    names = [path.name for name in _WITH_NAMES for path in sorted(folder.glob(name))]
    if names:
        print(f"these may also contain names of people; delete them yourself: {', '.join(names)}")


_WITH_NAMES: Final = (f"{DATABASE}.damaged-*", "finals*", "*.csv", "*.html", "*.tar.gz", "uploads-without-a-version")
"""What may lie in a league's folder that names people and that no command removes."""
