"""What the package contributes for each game of the catalogue: itself, its referee, a map, players. This imports no OpenSpiel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, GameDisplay, GameMaps, GameTeams, Manager, MapFile, TurnInterface, TurnTeam
from tiltyard_openspiel.algorithms import MctsPlayer, RandomPlayer
from tiltyard_openspiel.catalogue import Listing, listings
from tiltyard_openspiel.encoding import ENCODING
from tiltyard_openspiel.manager import SpielGameManager
from tiltyard_openspiel.map_files import DEFAULT_MAP, SpielMap, generate_map, options_of, read_map, truncate
from tiltyard_openspiel.positions import SpielPosition
from tiltyard_openspiel.rules import HidingSpielRules, SpielRules
from tiltyard_openspiel.theme import theme_of

TILTYARD_API = 1
MANAGER: Final = "openspiel"
LIMITS: Final = {"move_seconds": 10.0, "match_seconds": 3600.0}
"""A search takes a second or two in the largest games; some have more than a thousand moves."""
RULES: Final = SpielRules()
HIDING_RULES: Final = HidingSpielRules()
HIDDEN: Final = "hidden information"
"""In what a game is about."""
INTERFACE: Final = TurnInterface(SpielPosition, int)


@hookimpl
def games() -> Iterator[Game[SpielMap]]:
    """The games of OpenSpiel that can be played here, each with its own parameters."""
    for listing in listings().values():
        yield Game(
            name=listing.game,
            seats=listing.seats,
            maps=GameMaps(partial(read_map, listing.name), truncate, generate_map, options_of(listing)),
            interface=INTERFACE,
            rules=HIDING_RULES if HIDDEN in listing.about else RULES,
            teams=GameTeams(limits=LIMITS),
            display=GameDisplay(theme_of(listing.name), modules=("tiltyard_openspiel.theme",)),
            encoding=ENCODING,
            default_manager=MANAGER,
            description=_description(listing),
        )


def _description(listing: Listing) -> str:
    players = f"{listing.least} to {listing.most} players" if listing.least < listing.most else f"{listing.least} players"
    return ", ".join(filter(None, (f"{listing.title}: {players}", listing.about)))


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referee, the same for all."""
    for listing in listings().values():
        yield Manager(
            name=MANAGER, game=listing.game, create=SpielGameManager, on_fault="raise", description="OpenSpiel's rules and returns"
        )


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """A random player for every game, and a search for those that hide nothing and go by turns."""
    for listing in listings().values():
        yield TurnTeam("openspiel-random", listing.game, RandomPlayer, "any legal action")
        if listing.simulations:
            search = partial(MctsPlayer, listing.simulations)
            yield TurnTeam("openspiel-mcts", listing.game, search, f"OpenSpiel's MCTS, {listing.simulations} simulations a move")


@hookimpl
def maps() -> Iterator[MapFile]:
    """Each game with its own parameters, for any number of players."""
    for listing in listings().values():
        yield MapFile("default", listing.game, DEFAULT_MAP, 0, "with OpenSpiel's own parameters")
