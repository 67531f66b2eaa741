"""Writes the whole site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.site.data import SiteData
from tiltyard_tournaments.site.match_scripts import Listed, chunks, ids, list_value, numbered
from tiltyard_tournaments.site.pages import Pages
from tiltyard_tournaments.site.replay_scripts import VERSION, encode, replay_problem, script, theme_value
from tiltyard_tournaments.site.words import harmless, safe_address, slugs
from tiltyard_tournaments.site.writing import SiteFolder

PICTURES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"})
LONGEST_OUTPUT: Final = 16_000
"""Characters of what a seat printed; the end is kept, where crashes are."""


@dataclass(frozen=True, slots=True)
class Published:
    """What came of it."""

    index: Path
    """The page to begin with."""
    written: int
    """Files that are new or changed."""
    unchanged: int
    removed: int
    problems: tuple[str, ...] = ()
    """Replays that cannot be shown, and why; the rest of the site is complete."""


def publish(data: SiteData, folder: Path) -> Published:
    """Write the site to ``folder``, or bring the one that is there up to date.

    Files that the site does not need any more are removed, files that it did not write are left alone. Replays that are
    there already are not asked for again: a key stands for one replay.

    Raises:
        UserError: the folder cannot be written, a file that is not the site's is in its way, a link or the logo is of a
            kind that no page may hold, or a match names a team that is not among the teams.
    """
    problems: list[str] = []
    names = [team.name for team in data.teams]
    unknown = sorted({name for match in data.matches for name in match.teams} - set(names))
    if unknown:
        raise UserError(f"the team '{unknown[0]}' plays matches but is not among the teams: expected one of {', '.join(names)}")
    for link in data.links:
        safe_address(link.address)
    logo = _logo_file(data)
    slug_of = slugs(names)

    site = SiteFolder.open(folder)
    for asset in sorted(files(__package__).joinpath("assets").iterdir(), key=lambda entry: entry.name):
        site.add(f"assets/{asset.name}", asset.read_bytes())
    if data.logo is not None:
        site.add(logo, data.logo.data)
    # A team without an opponent has points from it, but there was no game.
    ordered = numbered([match for match in data.matches if len(match.teams) > 1])
    listed = [_add_match(site, data, number, match, problems) for number, match in zip(ids(ordered), ordered, strict=True)]
    site.add("data/theme.js", script("theme", theme_value(data.theme)))
    site.add("data/games.js", script("games", list_value(listed, slug_of)))
    for number, value in chunks(listed, slug_of, data.hidden):
        site.add(f"data/matches-{number}.js", script(f"matches-{number}", value))
    for path, text in Pages(data, listed, slug_of, logo).all():
        site.add(path, text.encode())
    site.finish()
    return Published(folder / "index.html", site.written, site.unchanged, site.removed, tuple(problems))


def _logo_file(data: SiteData) -> str:
    if data.logo is None:
        return ""
    suffix = PurePath(data.logo.name).suffix.lower()
    if suffix not in PICTURES:
        raise UserError(f"{data.logo.name}: is not a picture that a page can show: expected {', '.join(sorted(PICTURES))}")
    return f"data/logo{suffix}"


def _add_match(site: SiteFolder, data: SiteData, number: int, match: PlayedMatch, problems: list[str]) -> Listed:
    # Keys become file names; a match without a usable one is known by its number.
    name = match.key if re.fullmatch(r"[0-9A-Za-z_-]{1,100}", match.key) else ""
    shown = bool(match.key) and not data.hidden.replays and _add_replay(site, data, match, name or f"match-{number}", problems)
    outputs: Sequence[str] = () if data.hidden.outputs or not match.key else data.outputs(match.key)
    has_outputs = any(outputs)
    name = name or f"match-{number}"
    if has_outputs:
        texts = [harmless(text[-LONGEST_OUTPUT:]) for text in outputs]
        site.add(f"outputs/{name}.js", script(f"outputs/{name}", texts))
    return Listed(number, match, name if shown or has_outputs else "", shown, has_outputs)


def _add_replay(site: SiteFolder, data: SiteData, match: PlayedMatch, name: str, problems: list[str]) -> bool:
    path = f"replays/{name}.js"
    stamp = f"{VERSION} {match.key}" if name == match.key else ""
    if stamp and site.has(path, stamp):
        return True
    replay = data.replay(match.key)
    if replay is None:
        return False
    problem = replay_problem(replay)
    if problem:
        problems.append(f"the replay of {' : '.join(match.teams)} on {match.map} cannot be shown: {problem}")
        return False
    site.add(path, script(f"replays/{name}", encode(replay, data.views(match.key))), stamp)
    return True
