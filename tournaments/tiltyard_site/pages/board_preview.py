"""A small still picture of a board, for beside the standings: shapes of plain colours, without a script."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from tiltyard_engine.replay import Replay, SquareStyle, Theme
from tiltyard_simulator.replays.viewer.colors import parse
from tiltyard_simulator.replays.viewer.theme_colors import FILLED, drawn_colors

MOST_SQUARES: Final = 2500
"""Of a board that is drawn; a larger one would be most of the page."""


def board_preview(replay: Replay, theme: Theme | None) -> Markup:
    """The last board as SVG, hidden from screen readers; empty where there is no board, or one that is too large."""
    width, height = replay.width, replay.height
    if not 0 < width * height <= MOST_SQUARES:
        return Markup("")
    styles = drawn_colors(theme).styles
    squares: dict[str, list[str]] = {}
    pieces: list[Markup] = []
    for square, token in enumerate(replay.squares_after(len(replay.frames))):
        y, x = divmod(square, width)
        for color, is_piece in _marks(styles[token]) if token in styles else ():
            if is_piece:
                pieces.append(Markup('<circle cx="{}.5" cy="{}.5" r=".4" fill="{}"/>').format(x, y, color))
            else:
                squares.setdefault(color, []).append(f"M{x} {y}h1v1h-1z")
    paths = [Markup('<path fill="{}" d="{}"/>').format(color, "".join(steps)) for color, steps in squares.items()]
    head = Markup('<svg class="preview" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">').format(width, height)
    floor = Markup('<rect class="floor" width="{}" height="{}"/>').format(width, height)
    return Markup("").join([head, floor, *paths, *pieces, Markup("</svg>")])


def _marks(style: SquareStyle) -> list[tuple[str, bool]]:
    """(colour, whether it is a piece) of what is seen of a token from afar: its ground, then itself."""
    is_filled = style.shape in FILLED
    ground = style.floor or ("" if is_filled else style.background)
    own = style.background if is_filled else style.foreground
    is_piece = is_filled or style.seat > 0 or style.shape not in ("block", "broken block")
    marks = [(ground, False)] if parse(ground) else []
    if parse(own) and style.shape and style.shape != "nothing":
        marks.append((own, is_piece))
    return marks
