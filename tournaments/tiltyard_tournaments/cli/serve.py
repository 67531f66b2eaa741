"""``tiltyard serve``."""

from __future__ import annotations

from contextlib import suppress
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

    The run goes on in another terminal, or has ended, or is still to come. Pages change by themselves; nothing is written.

    \b
    Examples:
      tiltyard serve cup.yaml
      tiltyard serve cup.yaml --host 0.0.0.0 --port 8080
    """
    from tiltyard_tournaments.running.live_site import LiveSite
    from tiltyard_tournaments.running.serving import SiteServer, is_local

    site = LiveSite(lambda: tournament_of(file, block, only, quiet=True))
    with suppress(KeyboardInterrupt), SiteServer(site, host, port) as server:
        if not is_local(host):
            say(f"warning: {host}: whoever reaches this machine can see the site; 'publication: hide' keeps things off it")
        print(f"{server.address} shows {site.tournament.title}; Ctrl-C ends it", flush=True)
        server.serve()
