"""The project's own distributions: their code runs in the runner's own process by default."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.registry.sources import HOST_DISTRIBUTION

OWN_DISTRIBUTIONS: Final = frozenset(
    [
        HOST_DISTRIBUTION,
        "tiltyard-tanks",
        "tiltyard-tanks-native",
        "tiltyard-advance",
        "tiltyard-filler",
        "tiltyard-penguins",
        "tiltyard-openspiel",
        "tiltyard-acorn",
        "tiltyard-bramble",
        "tiltyard-coyote",
        "tiltyard-dragoon",
    ]
)
"""Listed here and not in metadata, so that an installed distribution cannot add itself."""

USUAL_GAME: Final = "tanks"
"""Of commands that need a game and are told none."""
GAME_EXTRAS: Final = {game: f"{HOST_DISTRIBUTION}[{game}]" for game in (USUAL_GAME, "filler", "penguins", "advance", "openspiel")}
"""What to install for each of the project's games or families of games, as pip names it; the extras are in the metadata."""
