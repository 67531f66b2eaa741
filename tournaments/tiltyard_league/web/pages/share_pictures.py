"""The picture of a game for whoever shows a preview of a link to its page; drawn when it is asked for."""

from __future__ import annotations

import importlib.util
import threading
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay
from tiltyard_league.database.games import LeagueGame
from tiltyard_pictures.marks import LIGHT
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.raster import png_picture
from tiltyard_site.pages.replay_scripts import theme_of_script

CAN_DRAW: Final = importlib.util.find_spec("PIL") is not None
"""Whether Pillow is installed, which the league doesn't need otherwise."""
MOST_SQUARES: Final = 40_000
"""Of a board that is drawn: a larger one takes too long for whoever only looks at a link."""
SCALE: Final = 2.0
"""Previews are shown large."""
_ONE_AT_A_TIME: Final = threading.Lock()
"""Drawing takes a core; strangers may ask for many games at once."""


def picture_path(game: LeagueGame) -> str:
    """Its address in the league."""
    return f"/games/{game.place}/picture.png"


def share_picture(replay: Replay, theme: bytes) -> bytes | None:
    """The last turn of a game as a PNG; None if it can't be drawn. ``theme`` is the script that the viewer gets."""
    if not CAN_DRAW or len(replay.squares) > MOST_SQUARES:
        return None
    with _ONE_AT_A_TIME:
        try:
            return png_picture(MatchPicture(replay, theme_of_script(theme), SCALE, LIGHT), len(replay.frames))
        except UserError:
            return None
