"""``tiltyard play GAME --web``: a game of this installation, for the person at this machine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.host import HostPlayer
from tiltyard_engine.records import Game, MapFile, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MAP
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_site.web.packages import SERVER_PACKAGES, need_packages
from tiltyard_web_play.options import WebOptions


@dataclass(frozen=True, slots=True)
class FirstGame:
    """What the page begins with; another game can be chosen there."""

    against: tuple[str, ...]
    """Who sits in the other seats; empty: whoever is chosen on the page."""
    seat: int
    """The person's."""
    map: str
    """A name, or a file; empty: the first one of the game."""


def open_game(record: Game[Any], registry: Registry, policy: IsolationPolicy, first: FirstGame, options: WebOptions) -> None:
    """Serve the game until somebody presses Ctrl-C.

    Args:
        record: the game.
        registry: where its maps and teams are.
        policy: how teams are held.
        first: the game that the page begins with.
        options: those of the command.

    Raises:
        UserError: the game can't be played by hand, what is named isn't here, or a server's packages are missing.
    """
    need_packages("'tiltyard play --web' needs", "serve", *SERVER_PACKAGES, otherwise="without --web the terminal needs none")
    from tiltyard_web_play.lobby import Lobby, LobbyLimits
    from tiltyard_web_play.server import PlayServer
    from tiltyard_web_play.table import GameTableOptions
    from tiltyard_web_play.venue import HostVenue

    against, seat, map_text = first.against, first.seat, first.map
    finder = Finder(registry)
    number = max(len(against) + 1, usual_players(record))
    if not 1 <= seat <= number:
        raise UserError(f"--seat {seat}: there are {number} players")
    names = list(dict.fromkeys([*against, *(entry.name for entry in registry.all(ALGORITHM, record.name))]))
    players = {name: HostPlayer(name, finder.plugin(name, ALGORITHM, record.name)) for name in names}
    if not players:
        raise UserError(f"nobody plays {record.name} here: name a team with --against")
    maps = [MapFile(entry.name, record.name, entry.contribution.data, 0) for entry in registry.all(MAP, record.name)]
    if map_text and all(each.name != map_text for each in maps):
        source = finder.map(map_text, record.name)
        maps.insert(0, MapFile(source.name, record.name, source.data, 0))
    if not maps:
        raise UserError(f"{record.name} has no map: name a file with --map")
    first_map = next((each.name for each in maps if each.name == map_text), maps[0].name)
    venue = HostVenue(record, finder.manager(record.name).name, maps, players, policy)
    usual = list(against) or [random.choice(names)]
    fragment = {"against": ",".join(usual * (number - 1) if len(usual) == 1 else usual), "seat": str(seat), "map": first_map}
    lobby = Lobby(venue, GameTableOptions(clock_seconds=options.clock), LobbyLimits(machine_seconds=0), replaces=True)
    server = PlayServer(lobby, options.port)
    server.serve(server.address(fragment | ({"begin": "1"} if against else {})), options.browser)
