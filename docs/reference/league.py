"""The tables of league.md and league-safety.md: keys, figures and addresses of a league."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tiltyard_league.database.tokens import LIFETIMES
from tiltyard_league.league_file.model import LeagueKeys
from tiltyard_league.matchmaking.need import LONGEST_WAIT
from tiltyard_league.rating.fit import NEXT_PRIOR
from tiltyard_league.rating.standing import PROVISIONAL
from tiltyard_league.service.checks import LONGEST_SECONDS
from tiltyard_league.service.main import FIT_GAMES, FIT_SECONDS
from tiltyard_league.service.playing import MOST_SPOILT, REQUEST_EVERY
from tiltyard_league.web import app
from tiltyard_league.web.http.access import BUSY_MOST, BUSY_SECONDS, Page
from tiltyard_league.web.pages import uploads
from tiltyard_tournaments.ratings.model import PRIOR

PAGES = {"league.md": ("keys", "figures"), "league-safety.md": ("api",)}
"""The pages beside this file, with the names of their tables."""
PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
UPLOAD = "Hands in the bytes of the body."
"""What an upload does: its route reads the body itself and has no function that says it."""


def keys() -> Iterator[Sequence[str]]:
    """The keys under ``league``."""
    yield "key", "default", "meaning"
    for name, info in LeagueKeys.model_fields.items():
        value = info.get_default(call_default_factory=True)
        default = "" if value is None or value == [] else f"{value:g}" if isinstance(value, float) else f"{value}".lower()
        yield f"`{info.alias or name}`", default, info.description or ""


def figures() -> Iterator[Sequence[str]]:
    """What can't be set."""
    yield "figure", "value"
    yield "standard deviation of first versions before any game", f"estimated: {NEXT_PRIOR:g} to {PRIOR:g} Elo points"
    yield "standard deviation of a later version around the previous one", f"{NEXT_PRIOR:g} Elo points"
    yield "a rating is provisional with more than", f"± {PROVISIONAL:g} Elo points"
    yield "a new fit comes after", f"{FIT_GAMES} games, or {FIT_SECONDS:g} s after a game"
    yield "a version comes first after", f"{LONGEST_WAIT:g} times the usual interval between its fixtures"
    yield "games that teams have asked for", f"at most every {REQUEST_EVERY}th"
    yield "a game counts for nobody after the machine has spoilt it", f"{MOST_SPOILT} times"
    yield "a check may take", f"{LONGEST_SECONDS / 60:g} minutes"
    for kind, what in (
        ("invite", "an invite link"),
        ("upload", "a token for `tiltyard hand-in`"),
        ("session", "a browser's cookie"),
    ):
        yield f"{what} is good for", f"{LIFETIMES[kind].days} days"
    yield "requests of one address", f"{BUSY_MOST} within {BUSY_SECONDS:g} s"


def addresses() -> Iterator[Sequence[str]]:
    """The addresses for programs."""
    yield "address", "what it is"
    pages = [page for page in (*app.PAGES, *uploads.PAGES) if page.is_api]
    for page in sorted(pages, key=lambda page: (page.path, page.methods)):
        path = re.sub(r"\{(\w+)\}", lambda found: found[1].upper(), page.path)
        for method in page.methods:
            yield f"`{method} {path}`", _says(page)


def _says(page: Page) -> str:
    if page in uploads.PAGES:
        return UPLOAD
    text = (page.answer.__doc__ or "").split("\n\n")[0]
    return " ".join(text.replace("``", "`").split())


def table(rows: Iterator[Sequence[str]]) -> str:
    """A table of Markdown; its first row is the head."""
    head, *lines = rows
    return (
        "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *lines))
        .replace("| --- ", "|---")
        .replace("---|\n", "---|\n")
    )


def files() -> Mapping[Path, str]:
    """Both pages."""
    made = {"keys": keys(), "figures": figures(), "api": addresses()}
    texts = {}
    for name, tables in PAGES.items():
        path = Path(__file__).with_name(name)
        text = path.read_text(encoding="utf-8")
        assert set(tables) == {found[2] for found in PART.finditer(text)}
        texts[path] = PART.sub(lambda found: f"{found[1]}{table(made[found[2]])}{found[3]}", text)
    return texts
