"""One request with whoever makes it, and what pages need to answer it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from tiltyard_league.database.database import Database, Row
from tiltyard_league.database.games import Games
from tiltyard_league.database.tokens import Holder, still_lets_in
from tiltyard_league.league_file.loading import Settings
from tiltyard_league.rating.standing import FROZEN, STANDING, LeagueStanding, read_standing

Audience = Literal["public", "team", "staff"]
SESSION: str = "tiltyard_session"


class RequestRefusedError(Exception):
    """What was asked for is not done; the text is for whoever asked.

    Args:
        status: of HTTP.
        text: why, and what to do.
        headers: of the answer.
    """

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.headers = dict(headers or {})


class NotYet(JSONResponse):
    """An answer in place of which another one comes before long; whoever asks with ``?wait=SECONDS`` gets that one."""


def whole_number(text: str, digits: int = 15) -> int:
    """The number of an address or a form, of so many digits at most; 0 if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else 0


def missing(what: str = "page") -> RequestRefusedError:
    """There is no such thing, or none that this visitor may know of."""
    return RequestRefusedError(404, f"There is no such {what}.")


@dataclass(frozen=True, slots=True)
class App:
    """What is the same for all requests."""

    folder: Path
    settings: Settings
    environment: Environment
    address: str
    """What people type, without a slash at the end; empty: what each request says."""
    root: str
    """The path at which the league lies, without a slash at the end."""
    local: bool
    """Whether only this machine reaches it."""
    theme: Callable[[], bytes] = field(default=lambda: b"")
    """The script with the game's looks."""


class Context:
    """One request, and what a page may know of whoever makes it."""

    def __init__(self, app: App, request: Request, database: Database, holder: Holder | None, token: str) -> None:
        self.app = app
        self.request = request
        self.database = database
        self.holder = holder
        self.token = token
        self.form: FormData = FormData()
        self.cookies: list[tuple[str, str, int]] = []
        """To be set: name, value, seconds."""
        self.etag: str = request.headers.get("If-None-Match", "")
        """The mark of the answer that the visitor has already."""

    def close(self) -> None:
        """Give the databases back."""
        self.database.close()
        if "games" in vars(self):
            self.games.close()

    # Who

    @property
    def is_staff(self) -> bool:
        """Whether this is the staff."""
        return self.holder is not None and self.holder.is_staff

    @property
    def team(self) -> int:
        """The team that is signed in; 0: none is."""
        return 0 if self.holder is None or self.holder.team is None else self.holder.team

    @property
    def own_team(self) -> Row:
        """The row of the team that is signed in. Looked up each time: an upload takes a while.

        Raises:
            RefusedError: it is gone.
        """
        row = self.database.row("SELECT * FROM teams WHERE id = ?", self.team)
        if row is None:
            raise missing("team")
        return row

    @property
    def csrf(self) -> str:
        """What a form of this session must contain."""
        return hashlib.sha256(f"csrf {self.token}".encode()).hexdigest()[:40] if self.token else ""

    def own_version(self) -> Row | None:
        """The version of the visitor's team whose number is in the address; None if there is none."""
        number = whole_number(str(self.request.path_params["number"]), 8)
        return self.database.row("SELECT * FROM versions WHERE team = ? AND number = ?", self.team, number)

    # What there is

    @cached_property
    def frozen_at(self) -> str:
        """Since when the public sees nothing new; empty: it sees everything."""
        return self.database.fact("frozen_at")

    @property
    def stopped(self) -> str:
        """What the league is if teams can change nothing now; empty: they can. Looked up each time: an upload takes a while."""
        return "over" if self.database.fact("closed_at") else ""

    @property
    def until(self) -> str:
        """Up to which time this visitor may see games of others, places and ratings; empty: all."""
        return "" if self.is_staff else self.frozen_at

    @cached_property
    def games(self) -> Games:
        """The games, over one connection for all that this request asks."""
        return Games(self.app.settings.results, stays_open=True)

    @cached_property
    def standing(self) -> LeagueStanding:
        """The standing that this visitor may see."""
        if not self.until:
            return read_standing(self.app.folder)
        standings = (read_standing(self.app.folder, [name]) for name in (FROZEN, STANDING))
        # What the service hasn't kept yet must not be shown in a newer state meanwhile.
        return next((each for each in standings if each.made_at and each.made_at <= self.until), LeagueStanding())

    @property
    def pinned(self) -> str:
        """The staff's team whose rating is 0; empty while there is no standing."""
        team = next((self.teams.get(line.team) for line in self.standing.lines if line.rating == 0), None)
        return str(team["name"]) if team is not None and team["kind"] == "staff" else ""

    @cached_property
    def teams(self) -> dict[int, Row]:
        """All teams by their numbers."""
        return {row["id"]: row for row in self.database.rows("SELECT * FROM teams")}

    def name_of(self, team: Row) -> str:
        """What this visitor sees a team called."""
        if team["kind"] == "staff" or not self.app.settings.keys.pseudonyms or team["id"] == self.team:
            return str(team["name"])
        return f"{team['name']} ({team['pseudonym']})" if self.is_staff else str(team["pseudonym"])

    def version_labels(self, versions: set[int]) -> dict[int, dict[str, Any]]:
        """How versions are shown: what they are called, their team's part of addresses, whether they are the visitor's own."""
        if not versions:
            return {}
        marks = ", ".join("?" * len(versions))
        query = f"SELECT id, team, number, state FROM versions WHERE id IN ({marks})"  # noqa: S608 -- question marks
        labels: dict[int, dict[str, Any]] = {}
        for row in self.database.rows(query, *versions):
            team = self.teams[row["team"]]
            name = self.name_of(team)
            labels[row["id"]] = {
                "id": row["id"],
                "team": team["id"],
                "name": name,
                "slug": team["slug"],
                "number": row["number"],
                "label": name if team["kind"] == "staff" else f"{name} v{row['number']}",
                "own": team["id"] == self.team,
            }
        return labels

    # What is changed

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction for whoever is signed in. Whatever allows it must be looked at inside: others write at the same time.

        Raises:
            RefusedError: their token has been ended since the request came.
        """
        with self.database.writing():
            if self.holder is not None and not still_lets_in(self.database, self.holder):
                raise RequestRefusedError(
                    403, "You were signed out in the meantime, so nothing was changed. Open your team's link again."
                )
            yield

    # Answers

    def path(self, path: str) -> str:
        """An address within the league."""
        return f"{self.app.root}{path}"

    def absolute(self, path: str) -> str:
        """An address for people elsewhere."""
        base = self.app.address or f"{self.request.url.scheme}://{self.request.url.netloc}{self.app.root}"
        return f"{base}{path}"

    def page(self, template: str, *, status: int = 200, page: str = "", **values: Any) -> Response:
        """A page of the site."""
        text = self.app.environment.get_template(template).render(
            context=self,
            root=self.app.root,
            site=self.app.settings,
            title=self.app.settings.title,
            page=page,
            csrf=self.csrf,
            **values,
        )
        return HTMLResponse(text + "\n", status)

    def go(self, path: str) -> Response:
        """After a form: the page that comes next."""
        return RedirectResponse(self.path(path), 303)

    def log(self, what: str, **about: Any) -> None:
        """Write what staff did, in the transaction that is open."""
        self.database.log("staff" if self.is_staff else f"team {self.team}", what, **about)
