"""Writes the whole site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiltyard_site.pages.contents import Numbered, check, games, outputs_script, site_files
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_site.publication.page_writer import SiteFolder
from tiltyard_site.publication.replay_bundles import add_replays


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
    check(data)
    problems: list[str] = []
    site = SiteFolder.open(folder)
    every = games(data)
    # All at once: each claim writes the whole list of the site's files.
    site.claim(f"outputs/{game.file}.js" for game in every if game.match.key and "output" not in data.hide)
    replays = {} if "replays" in data.hide else add_replays(site, data, every, problems)
    listed = [_add_game(site, data, game, replays.get(game.id, "")) for game in every]
    contents = list(site_files(data, listed))
    site.claim(file.path for file in contents)
    for file in contents:
        site.add(file.path, file.make())
    site.finish()
    return Published(folder / "index.html", site.written, site.unchanged, site.removed, tuple(problems))


def _add_game(site: SiteFolder, data: SiteData, game: Numbered, replay: str) -> Listed:
    match = game.match
    outputs = () if "output" in data.hide or not match.key else data.outputs(match.key)
    has_outputs = any(outputs)
    if has_outputs:
        site.add(f"outputs/{game.file}.js", outputs_script(game.file, outputs))
    return Listed(game.id, match, game.file if replay or has_outputs else "", replay, has_outputs)
