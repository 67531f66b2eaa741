"""The command ``tiltyard serve``."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated

import typer

from tiltyard_site.web.addresses import is_local
from tiltyard_site.web.packages import SERVER_PACKAGES, need_packages
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say
from tiltyard_tournaments.tournament_file.contest import contest

app = application()


@app.command()
def serve(
    options: TournamentOptions,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on. 0.0.0.0 lets other machines see the site.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port. 0 means any free one.")] = 8000,
) -> None:
    """Serve a tournament's site over HTTP, and keep it up to date during a run.

    Start the run in another terminal, before or after. Open pages update by themselves. Nothing is written to disk.
    Of a file with stages, each stage has its site, and a page with the final ranking leads to them.
    The server needs some packages: pip install 'tiltyard[serve]'. What 'tiltyard publish' writes needs no server.

    \b
    Examples:
      tiltyard serve cup.yaml
      tiltyard serve cup.yaml --host 0.0.0.0 --port 8080
    """
    need_packages(
        "'tiltyard serve' needs",
        "serve",
        *SERVER_PACKAGES,
        otherwise="'tiltyard publish' writes pages that need no server",
    )
    from tiltyard_site.live.live_site import LiveSite
    from tiltyard_site.live.site_server import SiteServer

    one = partial(options.tournament, as_run=True)
    site = contest().live_stages(options) if options.stages() else LiveSite(one, at_once=False)
    with suppress(KeyboardInterrupt), SiteServer(site, host, port) as server:
        if not is_local(host):
            say(f"warning: {host}: anyone who can reach this machine can see the site; use 'publication: hide' to hide parts of it")
        server.serve(lambda: print(f"{server.address} serves {site.title}; press Ctrl-C to stop", flush=True))
