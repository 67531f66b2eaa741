"""A league over HTTP, as ``tiltyard hand-in`` asks it."""

from __future__ import annotations

import io
import json
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import one_line

OWN_PAGE: Final = "/me"
INVITE: Final = "/join/"
WAIT_SECONDS: Final = 25
PATIENCE_SECONDS: Final = 60.0
"""For each step of a request, and for a league that went away while somebody waits for a report."""
PAUSE_SECONDS: Final = 3.0
"""Between two questions, if the league doesn't let the first one wait."""
OPEN: Final = ("received", "checking")
AWAY: Final = (429, 502, 503, 504)
"""What a league, or the web server in front of it, answers when another attempt may succeed."""
TEAM_KEYS: Final = frozenset(["team", "league", "page", "largest_upload"])
WHERE: Final = "use the part of your invite link before /join"


class AwayError(UserError):
    """The league can't be reached now; it may be there again in a moment."""


class UnknownTokenError(UserError):
    """The league doesn't know the token."""


def address_of(to: str) -> tuple[str, str]:
    """The league's address in what people copy from a browser or a mail, and the token if that is an invite link.

    Raises:
        UserError: it is no address.
    """
    try:
        parts = urlsplit(to.strip())
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        scheme = "http" if to.startswith(("localhost", "127.0.0.1")) else "https"
        example = "https://league.example.edu" if "://" in to or not to else f"{scheme}://{to}"
        raise UserError(f"--to {to}: expected the league's address, such as {one_line(example)}")
    path, _, token = parts.path.partition(INVITE)
    # People copy what the browser shows when they look at their team.
    path = f"{path}/".partition(f"{OWN_PAGE}/")[0]
    return f"{parts.scheme}://{parts.netloc}{path}".rstrip("/"), token.strip("/")


class LeagueClient:
    """A league over HTTP.

    Args:
        address: without a slash at the end.
        token: of the team; empty: none.

    Raises:
        UserError: nothing like that is a token.
    """

    def __init__(self, address: str, token: str) -> None:
        if not token.isascii() or not token.isprintable() or " " in token:
            raise UserError("this is not a token; copy the whole token from your team's page", see="no-token")
        self.address = address
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirects)

    def ask(self, method: str, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """What the league answers.

        Raises:
            AwayError: it can't be reached now.
            UnknownTokenError: it doesn't know the token.
            UserError: it refuses, or isn't a league.
        """
        all_headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        all_headers |= headers or {}
        if data is not None:
            all_headers["Content-Length"] = str(len(data))
        # Sent piece by piece: bytes at once would have to be through within the patience for one step.
        body = None if data is None else io.BytesIO(data)
        request = urllib.request.Request(self.address + path, body, all_headers, method=method)  # noqa: S310 -- the scheme was looked at
        try:
            with self._opener.open(request, timeout=PATIENCE_SECONDS) as answer:
                value = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error, path) from error
        except urllib.error.URLError as error:
            raise AwayError(f"{self.address}: can't be reached: {error.reason}", see="league-address") from error
        except (OSError, HTTPException) as error:
            text = str(error) or type(error).__name__
            raise AwayError(f"{self.address}: the connection broke: {text}") from error
        except ValueError as error:
            raise self._no_league() from error
        if not isinstance(value, dict):
            raise self._no_league()
        return value

    def team(self) -> dict[str, Any]:
        """The team whose token it is, and what it may hand in now.

        Raises:
            UserError: as ``ask``.
        """
        value = self.ask("GET", "/api/team")
        if not value.keys() >= TEAM_KEYS:
            raise self._no_league()
        return value

    def wait_for(self, number: int) -> dict[str, Any]:
        """A version once its check has ended.

        Raises:
            UserError: the league was away for too long, or refuses.
        """
        last_state = ""
        away_since = None
        while True:
            began = time.monotonic()
            try:
                version = self.ask("GET", f"/api/versions/{number}?wait={WAIT_SECONDS}")
            except AwayError as error:
                if away_since is None:
                    away_since = began
                    typer.echo(f"{error}\nwaiting for the league to come back", err=True)
                if time.monotonic() - away_since >= PATIENCE_SECONDS:
                    raise
            else:
                away_since = None
                if version["state"] not in OPEN:
                    return version
                if version["state"] != last_state:
                    last_state = str(version["state"])
                    typer.echo("it waits for its check" if last_state == "received" else "it is being checked", err=True)
            if time.monotonic() - began < WAIT_SECONDS:
                time.sleep(PAUSE_SECONDS)

    def _refused(self, error: urllib.error.HTTPError, path: str) -> UserError:
        """What an answer means that isn't the one that was hoped for."""
        if 300 <= error.code < 400:
            return self._moved(urljoin(self.address + path, error.headers.get("Location", "")), path)
        try:
            reason = one_line(str(json.load(error)["error"]))
        except (OSError, HTTPException, ValueError, KeyError, TypeError):
            reason = ""
        if error.code == 401 and reason:
            return UnknownTokenError(f"{self.address}: {reason}", see="no-token")
        if error.code in AWAY:
            return AwayError(f"{self.address}: {reason or f'{error.code} {error.reason}'}")
        if reason or error.code >= 500:
            return UserError(f"{self.address}: {reason or f'{error.code} {error.reason}'}")
        return UserError(
            f"{self.address}: there is no league at this address ({error.code} {error.reason}); {WHERE}", see="league-address"
        )

    def _moved(self, place: str, path: str) -> UserError:
        """A redirection is told, not followed: the token is for this address alone, and an upload would be lost on the way."""
        if place.endswith(path) and place != self.address + path:
            return UserError(f"{self.address}: this league is at {one_line(place.removesuffix(path))}: use that address")
        return UserError(
            f"{self.address}: leads to {one_line(place)}, and there is no league at this address; {WHERE}", see="league-address"
        )

    def _no_league(self) -> UserError:
        return UserError(f"{self.address}: doesn't answer like a league; check the address", see="league-address")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Go nowhere: the answer that said so is an error."""
