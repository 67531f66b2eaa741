"""All pages as one application."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount

from tiltyard_intake.command.deadlines import in_both_zones
from tiltyard_league.database.state import THEME
from tiltyard_league.league_file.loading import Settings
from tiltyard_league.rating.standing import PROVISIONAL
from tiltyard_league.submissions.sizes import shown_size
from tiltyard_league.web.http.access import AccessControl, Page
from tiltyard_league.web.http.context import App
from tiltyard_league.web.pages import api, downloads, games, live, log, play, public, staff, team, uploads, why
from tiltyard_site.pages.labels import counted, harmless, line
from tiltyard_site.web.answers import HEADERS, POLICY
from tiltyard_site.web.app import guarded_app

PAGES: Final[tuple[Page, ...]] = (
    *public.PAGES,
    *why.PAGES,
    *games.PAGES,
    *downloads.PAGES,
    *live.PAGES,
    *team.PAGES,
    *staff.PAGES,
    *log.PAGES,
    *api.PAGES,
)
"""What ``AccessControl`` answers; beside these there are ``uploads.PAGES``, and ``play.PAGES`` where staff allow it."""
LEAGUE_HEADERS: Final = {
    **HEADERS,
    "Content-Security-Policy": POLICY.replace("form-action 'none'", "form-action 'self'"),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


def make_app(settings: Settings, *, local: bool = True) -> Starlette:
    """The application of a league.

    Args:
        settings: of the league.
        local: whether only this machine can reach it.
    """
    address = (settings.keys.address or "").rstrip("/")
    root = urlsplit(address).path.rstrip("/")
    app = App(
        folder=settings.folder,
        settings=settings,
        environment=_environment(),
        address=address,
        root=root,
        local=local and not address,
        theme=lambda: _theme(settings.folder),
    )
    access = AccessControl(app)
    tables = play.routes(access) if settings.keys.play else []
    routes: list[BaseRoute] = list(chain(uploads.routes(access), tables, (access.route(page) for page in PAGES)))
    # Behind a web server that passes paths on as they are, all lies below the league's path; others take it off.
    every = [*([Mount(root, routes=routes)] if root else []), *routes]
    no_page = {404: access.no_such_page, 405: access.no_such_page}
    return guarded_app(every, LEAGUE_HEADERS, access.is_ours, access.refuse_host, no_page)


def _theme(folder: Path) -> bytes:
    path = folder / THEME
    return path.read_bytes() if path.is_file() else b""


def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("tiltyard_league.web"), PackageLoader("tiltyard_site.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(line=line, text=harmless, whole=_whole, time=_time, in_both_zones=in_both_zones, size=shown_size)
    environment.globals.update(
        counted=counted, key=lambda name: "", live="", team_page=lambda name: "", provisional=round(PROVISIONAL)
    )
    return environment


def _whole(value: float) -> str:
    """A number without its fraction, with a minus sign that is as wide as a digit."""
    return str(round(value)).replace("-", "\u2212")


def _time(at: str) -> str:
    """A time of the tables as people write it; in UTC, as the server doesn't know where its visitors are."""
    return f"{at[:10]} {at[11:16]}" if at else ""
