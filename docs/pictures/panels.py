"""A game without a board: the card game of the examples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pictures.played import play

from tiltyard_pictures.marks import LIGHT
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture
from tiltyard_simulator.match.spec import MapSource

FOLDER = Path(__file__).resolve().parent
TEAMS = ("lowest", "beats")
ROUND = 2


def files() -> Mapping[Path, str]:
    """A round of a match."""
    replay, theme = play("high_card.py", MapSource("five", b"5"), TEAMS)
    return {FOLDER / "panels.svg": svg_picture(MatchPicture(replay, theme, scheme=LIGHT), ROUND)}
