"""All files of a site, each made when it is needed: a publication writes all of them, a server makes those that are requested."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.data_files import games_file, standings_file
from tiltyard_site.pages.labels import harmless, safe_address, slugs
from tiltyard_site.pages.match_scripts import Listed, chunks, ids, list_value, numbered, why_value
from tiltyard_site.pages.pages import SHARE_PICTURE, Pages
from tiltyard_site.pages.replay_scripts import script, theme_value

PICTURES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"})
LONGEST_OUTPUT: Final = 16_000
"""Characters of what a seat printed; the end is kept, where crashes are."""
LIVE_ASSET: Final = "live.js"
"""Asks the server for news; a published site doesn't have it."""


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the site."""

    path: str
    """Below the site's folder, with slashes."""
    make: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The matches with their numbers and the names of their files."""

    match: Outcome
    id: int
    file: str
    """Its name in the scripts with replays, and that of the script with its output without folder and ending."""
    own: bool
    """Whether ``file`` is the match's key, and so stands for one replay for ever."""


def check(data: SiteData) -> None:
    """Raise UserError for what no page may hold: a link or logo of another kind, a team that is not among the teams."""
    unknown = sorted({name for match in data.matches for name in match.teams} - set(data.teams))
    if unknown:
        teams = ", ".join(data.teams)
        raise UserError(f"the team '{unknown[0]}' plays matches but is not among the teams: expected one of {teams}")
    for _, address in data.links:
        safe_address(address)
    if data.address and not re.match(r"https?://[^\s/]", data.address):
        raise UserError(f"the site's address is {data.address!r}: expected one such as https://example.org/cup/")
    logo_file(data)


def games(data: SiteData) -> list[Numbered]:
    """The games of the site in the order of the schedule. A team without an opponent has points from it, but there was no game."""
    ordered = numbered([match for match in data.matches if len(match.teams) > 1])
    site_games: list[Numbered] = []
    for number, match in zip(ids(ordered), ordered, strict=True):
        # Keys become file names; a match without a usable one is known by its number.
        own = re.fullmatch(r"[0-9A-Za-z_-]{1,100}", match.key) is not None
        site_games.append(Numbered(match, number, match.key if own else f"match-{number}", own))
    return site_games


def listed_games(data: SiteData, replayed: Set[str], with_output: Set[str] = frozenset()) -> list[Listed]:
    """The games of the site, each with files of its own; those with replays, and with outputs, by their keys."""
    entries: list[Listed] = []
    for game in games(data):
        key = game.match.key
        replay = game.file if key in replayed and not game.match.is_forfeit else ""
        has_output = key in with_output and not game.match.is_forfeit
        entries.append(Listed(game.id, game.match, game.file if replay or has_output else "", replay, has_output))
    return entries


def site_files(data: SiteData, listed: Sequence[Listed], live: str = "") -> Iterator[SiteFile]:
    """All files but replays and outputs. ``live`` names the edition of a site that asks its server for news."""
    slug_of = slugs(data.teams)
    logo = logo_file(data)
    yield from design_files(data, live)
    yield _script("theme", lambda: theme_value(data.theme))
    yield _script("games", lambda: list_value(listed, slug_of))
    pages = Pages(data, listed, slug_of, logo, live)
    for number, value in chunks(listed, {} if data.groups else slug_of, data.hide, pages.explained):
        yield _script(f"matches-{number}", value)
    if not data.groups:
        yield SiteFile("data/standings.json", lambda: standings_file(data, len(listed), slug_of))
    yield SiteFile("data/games.json", lambda: games_file(data, listed))
    for entry in listed:
        if entry.id in pages.explained:
            yield _script(f"why-{entry.id}", partial(why_value, entry, pages.explained[entry.id], data.explained_replay, slug_of))
    if picture := pages.share_picture():
        yield SiteFile(SHARE_PICTURE, lambda: picture)
    for path, page in pages.all():
        yield SiteFile(path, partial(_encoded, page))


def design_files(data: SiteData, live: str, is_wanted: Callable[[str], bool] = lambda name: True) -> Iterator[SiteFile]:
    """The style sheets, scripts and pictures that all sites have, by their names, and the logo."""
    for asset in sorted(files(__package__).joinpath("assets").iterdir(), key=lambda entry: entry.name):
        if (live or asset.name != LIVE_ASSET) and is_wanted(asset.name):
            yield SiteFile(f"assets/{asset.name}", asset.read_bytes)
    if data.logo is not None:
        content = data.logo.data
        yield SiteFile(logo_file(data), lambda: content)


def outputs_script(name: str, texts: Sequence[str]) -> bytes:
    """What the seats of a match printed, under the name of its files."""
    return script(f"outputs/{name}", [harmless(text[-LONGEST_OUTPUT:]) for text in texts])


def _script(name: str, value: Callable[[], Mapping[str, Any]]) -> SiteFile:
    return SiteFile(f"data/{name}.js", lambda: script(name, value()))


def _encoded(page: Callable[[], str]) -> bytes:
    return page().encode()


def logo_file(data: SiteData) -> str:
    """The path of the logo; empty where there is none.

    Raises:
        UserError: no page can show it.
    """
    if data.logo is None:
        return ""
    suffix = PurePath(data.logo.name).suffix.lower()
    if suffix not in PICTURES:
        raise UserError(f"{data.logo.name}: isn't an image that a page can show; expected {', '.join(sorted(PICTURES))}")
    return f"data/logo{suffix}"
