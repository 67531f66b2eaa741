"""What to tell the author of a game about a mistake, wherever it is found: in a run, or by ``tiltyard check-game``."""

from __future__ import annotations

from typing import Any

from tiltyard_engine.seat_kinds.value_types import place_of


def differing_maps(game: str, generate: Any) -> str:
    """Maps that can't be generated again can't be played again."""
    return (
        f"the game {game} generates a different map when it is asked for the same one again{place_of(generate)}: "
        "take all chance from random.Random(seed), and sort sets before you iterate over them"
    )


def unnamed_position(position: object) -> str:
    """Why a game that names no type for its positions cannot show this one to a team in another process."""
    name = type(position).__name__
    return (
        f"the position is a {name}, but the game doesn't say so, and a team in another process can't rebuild it: "
        f"write interface=TurnInterface({name}, ...) in the Game, with the type of answers in place of the dots"
    )
