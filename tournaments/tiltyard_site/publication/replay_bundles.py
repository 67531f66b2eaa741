"""The replays of a published site: those of games that follow each other are in one file, and a large one in a file of its own."""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from itertools import groupby
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_site.pages.contents import Numbered
from tiltyard_site.pages.data import SeatView, SiteData
from tiltyard_site.pages.replay_scripts import VERSION, packed_replay, replays_script
from tiltyard_site.publication.page_writer import SiteFolder

BUNDLE: Final = 32
"""Games of a file. Whoever opens one of them loads the others too, so there are not more."""
LARGE: Final = 32_000
"""Characters of a packed replay that is in a file of its own."""


def add_replays(site: SiteFolder, data: SiteData, games: Sequence[Numbered], problems: MutableSequence[str]) -> dict[int, str]:
    """Write the replays; the name of the script that each game's is in. What can't be shown is added to ``problems``.

    A key stands for one replay, so a file of games with the same keys as before stays, and no replay of them is asked for.
    """
    bundles = {number: list(members) for number, members in groupby(games, lambda game: game.id // BUNDLE)}
    # All at once: each claim writes the whole list of the site's files.
    names = [_bundle_name(number) for number in bundles] + [game.file for game in games if game.match.key]
    site.claim(f"replays/{name}.js" for name in names)
    scripts: dict[int, str] = {}
    for number, members in bundles.items():
        scripts |= _add_bundle(site, data, _bundle_name(number), [game for game in members if game.match.key], problems)
    return scripts


def _bundle_name(number: int) -> str:
    return f"games-{number}"


def _add_bundle(
    site: SiteFolder, data: SiteData, name: str, games: Sequence[Numbered], problems: MutableSequence[str]
) -> dict[int, str]:
    """Write the games of a file. Its stamp says from which keys it was made, and which of them have files of their own."""
    keys = hashlib.blake2b(repr([game.match.key for game in games]).encode(), digest_size=8).hexdigest()
    made_from = f"{VERSION} {keys} "
    scripts = _scripts_before(site, name, made_from, games)
    if scripts:
        return scripts
    small: dict[str, str] = {}
    views: dict[str, Sequence[SeatView]] = {}
    large = 0
    for number, game in enumerate(games):
        packed = _packed(data, game, problems)
        own_views = data.views(game.match.key) if packed else ()
        if len(packed) > LARGE:
            views_of_it = {game.file: own_views} if own_views else None
            site.add(f"replays/{game.file}.js", replays_script(game.file, {game.file: packed}, views_of_it), _own_stamp(game))
            scripts[game.id] = game.file
            large |= 1 << number
        elif packed:
            small[game.file] = packed
            views |= {game.file: own_views} if own_views else {}
            scripts[game.id] = name
    if scripts:
        is_whole = all(game.own and game.id in scripts for game in games)
        site.add(f"replays/{name}.js", replays_script(name, small, views), f"{made_from}{large:x}" if is_whole else "")
    return scripts


def _scripts_before(site: SiteFolder, name: str, made_from: str, games: Sequence[Numbered]) -> dict[int, str]:
    """Where the replays of the same games are from before; empty if they must be written."""
    path = f"replays/{name}.js"
    stamp = site.previous.get(path, "")
    if not stamp.startswith(made_from):
        return {}
    large = int(stamp.removeprefix(made_from), 16)
    own = [game for number, game in enumerate(games) if large >> number & 1]
    if not all(site.has(f"replays/{game.file}.js", _own_stamp(game)) for game in own) or not site.has(path, stamp):
        return {}
    return {game.id: name for game in games} | {game.id: game.file for game in own}


def _own_stamp(game: Numbered) -> str:
    return f"{VERSION} {game.match.key}" if game.own else ""


def _packed(data: SiteData, game: Numbered, problems: MutableSequence[str]) -> str:
    """The packed replay; empty if there is none, or none that can be shown."""
    match = game.match
    replay = (data.replay_bytes or data.replay)(match.key)
    if not replay:
        return ""
    try:
        return packed_replay(replay, f"the replay of match {match.key}")
    except UserError as error:
        problems.append(f"the replay of {' : '.join(match.teams)} on {match.map} cannot be shown: {error}")
        return ""
