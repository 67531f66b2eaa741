"""The games of OpenSpiel that can be played here, known without importing it: every command of tiltyard reads this."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, TypeAlias

FAMILY: Final = "openspiel/"
"""What the name of each game begins with in tiltyard."""
FILE: Final = "catalogue.json"
SEED_PARAMETER: Final = "rng_seed"
"""Where a game has chance of its own, besides chance nodes: what it draws from."""

Parameter: TypeAlias = bool | int | float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A game of the catalogue."""

    name: str
    """OpenSpiel's short name: ``connect_four``."""
    title: str
    """Its long name: ``Connect Four``."""
    least: int
    """The fewest players, at least two."""
    most: int
    """The most players, at most nine."""
    players: str
    """The parameter that says how many play; empty where the number is fixed."""
    parameters: Mapping[str, Parameter]
    """All parameters with their defaults."""
    simulations: int
    """How many simulations a move MCTS is given; 0: it cannot play the game."""
    about: str
    """What kind of game it is: ``hidden information, chance``."""

    @property
    def game(self) -> str:
        """What the game is called in tiltyard."""
        return FAMILY + self.name

    @property
    def seats(self) -> range:
        """How many players a match may have."""
        return range(self.least, self.most + 1)


@cache
def listings() -> Mapping[str, Listing]:
    """All games by their short names, sorted."""
    rows = json.loads(resources.files(__package__).joinpath(FILE).read_bytes())["games"]
    return {row["name"]: Listing(**row) for row in rows}
