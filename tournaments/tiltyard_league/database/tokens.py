"""Tokens: random words that let somebody in. The database has their hashes only."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from tiltyard_league.database.clock import as_stored, here, now
from tiltyard_league.database.database import Database

Kind = Literal["invite", "upload", "session"]
BYTES: Final = 20
"""160 random bits."""
LIFETIMES: Final = {"invite": timedelta(days=366), "upload": timedelta(days=366), "session": timedelta(days=30)}
EXPIRED_STAYS: Final = timedelta(days=30)
"""So long after it has expired a token is still there, and refused: it may have been the clock that was wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Whom a token lets in."""

    kind: str
    team: int | None
    """None: staff."""
    member: int | None
    hash: str

    @property
    def is_staff(self) -> bool:
        """Whether it opens the staff's pages."""
        return self.team is None


def hash_of(token: str) -> str:
    """What the database has of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def make_token(database: Database, kind: Kind, team: int | None, member: int | None = None) -> str:
    """A new token, in the transaction that is open. It is told once, here."""
    token = secrets.token_urlsafe(BYTES)
    at = here()
    database.run(
        "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, '')",
        hash_of(token),
        kind,
        team,
        member,
        as_stored(at),
        as_stored(at + LIFETIMES[kind]),
    )
    return token


def holder_of(database: Database, token: str, *kinds: Kind) -> Holder | None:
    """Whom a token lets in; None if it is none of these kinds, was revoked, or has expired."""
    row = database.row(
        "SELECT tokens.*, teams.state FROM tokens LEFT JOIN teams ON teams.id = tokens.team WHERE hash = ?", hash_of(token)
    )
    if row is None or row["kind"] not in kinds or row["expires_at"] < now() or row["state"] == "gone":
        return None
    return Holder(kind=row["kind"], team=row["team"], member=row["member"], hash=row["hash"])


def still_lets_in(database: Database, holder: Holder) -> bool:
    """Whether a token that let somebody in has not been ended since. In the transaction that is open."""
    return database.row("SELECT 1 FROM tokens WHERE hash = ?", holder.hash) is not None


def revoke(database: Database, team: int | None, *kinds: Kind) -> int:
    """Make all tokens of a team, or the staff's, worthless; how many there were."""
    marks = ", ".join("?" * len(kinds))
    return database.changed(f"DELETE FROM tokens WHERE team IS ? AND kind IN ({marks})", team, *kinds)  # noqa: S608 -- question marks


def forget_expired(database: Database) -> int:
    """Remove tokens that expired long ago; how many there were. Only when the clock can be believed: see ``ClockWatch``."""
    return database.changed("DELETE FROM tokens WHERE expires_at < ?", as_stored(here() - EXPIRED_STAYS))
