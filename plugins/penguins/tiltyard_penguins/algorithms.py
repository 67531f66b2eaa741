"""The game's own algorithms by name, for the registry and for ``penguins-master``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.champion import create_champion
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.simple_algorithms import create_greedy, create_random

Create: TypeAlias = Callable[[int], TurnAlgorithm[PenguinsPosition, Move]]

ALGORITHMS: Final[Mapping[str, tuple[Create, str]]] = {
    "penguins-random": (create_random, "any legal move"),
    "penguins-greedy": (create_greedy, "the most fish at once"),
    "penguins-champion": (create_champion, "territory, search, and a good walk at the end"),
}
"""Each with a line that says what it is."""
