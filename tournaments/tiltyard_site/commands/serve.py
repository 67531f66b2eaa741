"""The command ``tiltyard serve``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import host_value
from tiltyard_simulator.output.reports import say
from tiltyard_site.web.addresses import is_local
from tiltyard_site.web.packages import SERVER_PACKAGES, need_packages
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.tournament_file.contest import contest

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from tiltyard_site.live.live_site import LiveSite

app = application()

VISITORS_GROUP: Final = "tiltyard.visitors"
"""The entry-point group of what lets visitors play against the teams of a site, and ask why they lost."""
ANALYSIS_GROUP: Final = "tiltyard.analysis"
"""The entry-point group of what explains lost games."""
PLAY: Final = "/play/"
EXPLAIN: Final = "/why/"


@app.command()
def serve(
    options: TournamentOptions,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on. 0.0.0.0 lets other machines see the site.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port. 0 means any free one.")] = 8000,
    play: Annotated[
        bool, typer.Option("--play", help="Let visitors play against the teams, in games that count for nothing.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Let visitors ask why a team lost a game. This uses CPU time.")
    ] = False,
) -> None:
    """Serve a tournament's site over HTTP, and keep it up to date during a run.

    Start the run in another terminal, before or after. Open pages update by themselves. The server writes only explanations of lost
    games to disk: with --explain, and within the time of 'analysis' in the file while no game is played. For a file with stages,
    each stage has its own site, and a page with the final ranking links to them. The server needs some packages: pip install
    'tiltyard[serve]'. A site from 'tiltyard publish' needs no server.

    \b
    Examples:
      tiltyard serve cup.yaml
      tiltyard serve cup.yaml --host 0.0.0.0 --port 8080
      tiltyard serve cup.yaml --play --explain
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
    more: Sequence[BaseRoute] = ()
    with ExitStack() as stack:
        if options.stages():
            if play or explain:
                what = "visitors play against the teams" if play else "visitors ask about the games"
                raise UserError(f"{what} of one stage; choose it with --stage NAME")
            site = contest().live_stages(options)
        else:
            site = own = LiveSite(one, at_once=False, play=PLAY if play else "", explain=EXPLAIN if explain else "")
            more = _for_visitors(stack, options, own, play=play, explain=explain)
        stack.enter_context(suppress(KeyboardInterrupt))
        server = stack.enter_context(SiteServer(site, host, port, more=more))
        if not is_local(host):
            say(f"warning: {host}: anyone who can reach this machine can see the site; use 'publication: hide' to hide parts of it")
        server.serve(lambda: print(f"{server.address} serves {site.title}; press Ctrl-C to stop", flush=True))


def _for_visitors(stack: ExitStack, options: TournamentOptions, site: LiveSite, *, play: bool, explain: bool) -> list[BaseRoute]:
    """The routes of what visitors may do; what explains lost games in the background begins too.

    Raises:
        UserError: it can't be done with this tournament.
    """
    routes: list[BaseRoute] = []
    visitors: Any = host_value(VISITORS_GROUP, "what lets visitors play") if play or explain else None
    if play:
        routes += stack.enter_context(visitors.open_tables(options, site.tournament))
    seconds = site.tournament.analysis_seconds
    if not (explain or seconds):
        return routes
    analysis = host_value(ANALYSIS_GROUP, "what explains lost games")
    process = stack.enter_context(analysis.IdleProcess())
    desk = None
    if explain:
        desk, own = stack.enter_context(visitors.open_desk(options, site.tournament, process))
        routes += own
    if seconds:

        def idle_stamp() -> object:
            return None if desk is not None and desk.is_busy else site.idle_stamp()

        stack.enter_context(analysis.explaining(options, process, idle_stamp))
    return routes
