"""The pictures of docs/reference/frames.md: all shapes in all colours, in both looks, and a board with a legend."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pictures.played import play

from tiltyard_engine.replay import SHAPES, Replay, SquareStyle, Theme
from tiltyard_pictures.marks import DARK, LIGHT
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture
from tiltyard_simulator.match.spec import MapSource

FOLDER = Path(__file__).resolve().parent
ORANGE, BLUE = "#d55e00", "#0072b2"
ROWS: Mapping[str, Mapping[str, Any]] = {
    "1": {"seat": 1},
    "2": {"seat": 2},
    "3": {"foreground": "#2f9e6e"},
    "4": {"background": "#7f3c8d"},
    "5": {"seat": 1, "mark": "K"},
    "6": {"seat": 1, "turn": 1},
    "7": {"seat": 1, "floor": "#b08d2e"},
    "8": {"seat": 2, "ring": "#c40000"},
    "9": {"seat": 2, "dot": "#2f9e6e"},
}
"""What the styles of each row give, besides a shape."""


def files() -> Mapping[Path, str]:
    """Each picture."""
    shapes = [*SHAPES, ""]
    styles = {
        f"{row}{shape}": SquareStyle(glyph="♞ ", plain="N ", shape=shape, **given)
        for row, given in ROWS.items()
        for shape in shapes
    }
    theme = Theme(
        styles=styles,
        seat_colors=(ORANGE, BLUE),
        column_names=tuple("abcdefghij"[: len(shapes)]),
        row_names=tuple(ROWS),
    )
    replay = Replay(game="shapes", width=len(shapes), height=len(ROWS), squares=tuple(styles))
    drawn = {
        FOLDER / f"shapes-{look}.svg": svg_picture(MatchPicture(replay, theme, scheme=scheme), 0)
        for look, scheme in (("light", LIGHT), ("dark", DARK))
    }
    match, match_theme = play("connect_four.py", MapSource("standard", b"7 6"), ("four-random", "four-careful"))
    legend = svg_picture(MatchPicture(match, match_theme, scheme=LIGHT, legend=True), len(match.frames))
    return {**drawn, FOLDER / "legend.svg": legend}
