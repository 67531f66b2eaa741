"""``tiltyard serve``."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_tournaments.cli.options import Block, Only, application
from tiltyard_tournaments.cli.tournament_options import TournamentFile, say, tournament_of

app = application()


@app.command()
def serve(
    file: TournamentFile,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 0.0.0.0 lets other machines see it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0: any free one.")] = 8000,
    block: Block = None,
    only: Only = None,
) -> None:
    """Show the tournament's site in a browser, and keep it up to date while a run goes on.

    \b
    Examples:
      tiltyard serve cup.yaml
      tiltyard serve cup.yaml --host 0.0.0.0 --port 8080
    """
    from tiltyard_tournaments.running.serving import SiteServer

    tournament = tournament_of(file, block, only, quiet=True)
    with SiteServer(tournament, host, port) as server:
        say(f"{server.address} shows {tournament.title}; Ctrl-C ends it")
        server.serve()
