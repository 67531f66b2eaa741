"""Reading a map with the game's own reader, whose mistakes are told like those of a map."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TypeVar

from tiltyard_engine.errors import MapError, UserError, describe
from tiltyard_engine.records import Game, check_players

M = TypeVar("M")


def read_map(game: Game[M], name: str, data: bytes, seats: int) -> M:
    """The start position.

    Args:
        game: whose map it is.
        name: the map's, or its file's.
        data: the map file.
        seats: how many players there are.

    Raises:
        UserError: the game is not for so many. Every match passes here, so that no GameManager ever sees a wrong number of seats.
        MapError: it is no map for so many, or the game's reader fails.
    """
    check_players(game, seats)
    try:
        return game.maps.read(name, data, seats)
    except UserError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}, line {frame.lineno}"
        raise MapError(f"{name}: the map reader of the game {game.name} raised {describe(error)} ({where})") from error
