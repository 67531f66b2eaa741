"""``tiltyard league``: the commands for whoever runs a league."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from tiltyard_cluster.options import ClusterOptions
from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import said_if_interrupted
from tiltyard_intake.exports.roster import read_roster
from tiltyard_league.cli import backup, doctor, finals, recovery, season, surprises
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.private import private_files
from tiltyard_league.database.rosters import apply_roster
from tiltyard_league.database.staff import new_invite, new_invites
from tiltyard_league.database.teams import find_team
from tiltyard_league.league_file.loading import LEAGUE_FILE, Settings, load_league, read_settings
from tiltyard_league.service.game_writing import update_games
from tiltyard_site.pages.labels import counted
from tiltyard_site.web.addresses import address_to_open, is_local
from tiltyard_site.web.packages import SERVER_PACKAGES, need_packages
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.executor_options import RunWorkers

WHO: Final = "command line"
SERVED_AT: Final = "served_at"
"""The fact that says where the league listened last: invite links begin with it where the file has no address."""
USUAL_PORT: Final = 8000
STOPPED: Final = "stopped; all versions and games are saved; run the same command to continue"
Folder = Annotated[Path, typer.Argument(help="The league's folder. Create one with 'tiltyard new league'.", metavar="FOLDER")]
app = application()


@app.callback()
def league(context: typer.Context) -> None:
    """Run a league: teams hand in, are checked, and play rated games all day.

    \b
    Examples:
      tiltyard new league course/
      tiltyard league roster course/ students.csv
      tiltyard league serve course/
    """
    context.with_resource(private_files())


season.add_to(app)
finals.add_to(app)
surprises.add_to(app)
backup.add_to(app)
doctor.add_to(app)
recovery.add_to(app)


@app.command()
def serve(
    *,
    folder: Folder,
    workers: RunWorkers = None,
    cluster: ClusterOptions,
    host: Annotated[str, typer.Option("--host", help="The address to listen on. 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=1, max=65535, help="The port.")] = USUAL_PORT,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Run the teams' code even if this machine can't confine it (level C).")
    ] = False,
) -> None:
    """Run the league until you stop it: serve its pages, check versions and play games.

    You can stop or kill it at any time. Start it again to continue. Each line that it prints is JSON.

    \b
    Examples:
      tiltyard league serve course/
      tiltyard league serve course/ --host 0.0.0.0 --port 8080
      tiltyard league serve course/ --cluster tcp://HOST:8786
    """
    with said_if_interrupted(STOPPED):
        _serve(folder, _where_to_play(workers, cluster), host, port, unconfined=unconfined)


def _serve(folder: Path, where_to_play: Sequence[str], host: str, port: int, *, unconfined: bool) -> None:
    """What ``league serve`` does; ``where_to_play`` are options for the service."""
    _need_extra()
    # All mistakes of the file are told here, and not by each process again and again.
    this_league = load_league(folder, unconfined=unconfined)
    if refusal := this_league.tournament.isolation_policy.refusal():
        raise UserError(f"{folder}: {refusal}", see="no-sandbox")
    _check_address(host, port)
    from tiltyard_league.service.setup import set_up
    from tiltyard_league.service.supervisor import Supervisor

    set_up(this_league)
    options = [*(["--unconfined"] if unconfined else []), *where_to_play]
    served_at = address_to_open("localhost" if host in ("127.0.0.1", "::1") else host, port)
    with Database(folder) as database:
        if database.fact(SERVED_AT) != served_at:
            database.set_fact(SERVED_AT, served_at)
    place = [str(folder.absolute()), "{parent}"]
    commands = {
        "door": ["tiltyard_league.web.main", *place, host, str(port), this_league.settings.keys.address or served_at],
        "steward": ["tiltyard_league.service.main", *place, *options],
    }
    if this_league.settings.keys.play:
        commands["tables"] = ["tiltyard_league.tables.main", *place, *(["--unconfined"] if unconfined else [])]
    status = Supervisor(commands).run()
    if not status:
        print(STOPPED, file=sys.stderr)
    raise typer.Exit(status)


def _where_to_play(workers: int | None, cluster: ClusterOptions) -> list[str]:
    """The options for the service.

    Raises:
        UserError: they contradict each other.
    """
    if not cluster.is_chosen(workers) or cluster.cluster is None:
        return ["--workers", str(workers)] if workers else []
    if cluster.patience is not None:
        raise UserError("--cluster-patience has no use in a league, which always waits for its cluster; leave it out")
    files = (("ca", cluster.tls_ca), ("cert", cluster.tls_cert), ("key", cluster.tls_key))
    tls_options = [word for name, path in files if path is not None for word in (f"--cluster-tls-{name}", str(path.absolute()))]
    return ["--cluster", cluster.cluster, *tls_options]


def _check_address(host: str, port: int) -> None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        raise UserError(
            f"{host}:{port}: cannot listen on this address: {error.strerror}; choose another one with --port or --host",
            see="address-in-use",
        ) from error


def _need_extra() -> None:
    need_packages("the league's pages need", "league", "python_multipart", *SERVER_PACKAGES)


@app.command()
def roster(
    folder: Folder,
    students: Annotated[Path, typer.Argument(help="A CSV file with name, id and group, as Moodle and Canvas export it.")],
    new_links: Annotated[
        bool, typer.Option("--new-links", help="Make new invite links for all teams. Earlier links stop working.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
) -> None:
    """Make teams from a list of students, or update them, and print an invite link for each team that has none.

    The members of a group are one team. A student without a group is a team of one. Using the same list again changes nothing.
    Teams that were renamed or merged in the league stay that way. People who are no longer in the list can't sign in. Their team's
    games stay, but the team's link stops working, since they may have it. Links are shown only once; make new ones with 'league
    invite'.

    \b
    Examples:
      tiltyard league roster course/ students.csv > links.csv
      tiltyard league roster course/ students.csv --dry-run
    """
    settings = read_settings(folder)
    make_database(folder)
    update_games(settings.results)
    people = read_roster(students)
    with Database(folder) as database:
        with database.writing(only_looking=dry_run):
            result = apply_roster(database, people, WHO, is_dry=dry_run)
        for line in result.changes:
            print(line, file=sys.stderr)
        if dry_run:
            for name in result.new:
                print(f"new team: {name}", file=sys.stderr)
            return
        invites = new_invites(database, WHO, since=now() if new_links else "")
        base = _base_of_links(settings, database) if invites else ""
        rows = [(str(team["name"]), f"{base}/join/{token}") for team, token in invites]
    from tiltyard_simulator.output.tables import render

    if rows:
        print(render(("team", "link"), rows, "csv"))
    print(counted(len(result.new), "new team") if result.new else "no new team", file=sys.stderr)


@app.command()
def invite(
    folder: Folder,
    team: Annotated[str, typer.Argument(help="The team's name, its made-up name, or a member's id.", show_default=False)] = "",
    staff: Annotated[bool, typer.Option("--staff", help="A link for the staff: it opens all pages.")] = False,
) -> None:
    """Print a new invite link for a team, or for the staff. The previous link stops working.

    Members of a team stay signed in; the staff's page of the team has a button that signs them out. A new link for the staff signs
    all of them out.

    \b
    Examples:
      tiltyard league invite course/ "Group 7"
      tiltyard league invite course/ --staff
    """
    if bool(team) == staff:
        raise UserError("name a team, or use --staff")
    settings = read_settings(folder)
    make_database(folder)
    update_games(settings.results)
    with Database(folder) as database:
        row = None if staff else find_team(database, team)
        print(f"{_base_of_links(settings, database)}/join/{new_invite(database, row, WHO)}")


def _base_of_links(settings: Settings, database: Database) -> str:
    """What invite links begin with; says on standard error where that isn't what the file says."""
    if settings.keys.address:
        return settings.keys.address.rstrip("/")
    served_at = database.fact(SERVED_AT)
    base = served_at or address_to_open("localhost", USUAL_PORT)
    why = "where the league was last served" if served_at else "where 'league serve' listens unless you choose another port"
    others = "; they open on this machine only" if is_local(urlsplit(base).hostname or "") else ""
    print(
        f"note: links begin with {base}, {why}{others}. If people reach the league elsewhere, set 'address' under 'league' in"
        f" {settings.folder / LEAGUE_FILE}, and make new links",
        file=sys.stderr,
    )
    return base
