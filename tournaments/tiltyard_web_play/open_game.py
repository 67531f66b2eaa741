"""``tiltyard play GAME --web``: a game of this installation, for the person at this machine."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tiltyard_engine.errors import UserError
from tiltyard_engine.host import HostPlayer
from tiltyard_engine.records import Game, MapFile, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MAP
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_web_play.lobby import Lobby, LobbyLimits
from tiltyard_web_play.server import PlayServer
from tiltyard_web_play.table import TableOptions
from tiltyard_web_play.venue import HostVenue, check_game


def open_game(
    record: Game[object],
    registry: Registry,
    policy: IsolationPolicy,
    *,
    against: Sequence[str],
    seat: int,
    map_text: str,
    clock: float,
    port: int,
    opens: bool,
) -> None:
    """Serve the game until somebody presses Ctrl-C.

    Args:
        record: the game.
        registry: where its maps and teams are.
        policy: how teams are held.
        against: who sits in the other seats; the installed teams can be chosen on the page as well.
        seat: the person's.
        map_text: a map's name, or a file; empty: the first one.
        clock: the person's seconds for the whole game; 0: as many as it takes.
        port: to listen on; 0: any free one.
        opens: whether to open a browser.

    Raises:
        UserError: the game can't be played by hand, or what is named isn't here.
    """
    check_game(record)
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
    asked = {"against": ",".join(usual * (number - 1) if len(usual) == 1 else usual), "seat": str(seat), "map": first_map}
    lobby = Lobby(venue, TableOptions(clock_seconds=clock), LobbyLimits(machine_seconds=0), replaces=True)
    server = PlayServer(lobby, port)
    server.serve(server.address(asked | ({"begin": "1"} if against else {})), opens)
