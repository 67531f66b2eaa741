"""What can be looked at: the board as it stands, as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.replay import Recorder, SquareStyle, Theme
from tiltyard_engine.replay.panels import Panel

PIXELS: Final = 16
"""Of a square's side."""
GROUND: Final = "#f7f7f4"
LINES: Final = "#d9d9d2"
UNKNOWN: Final = "#444444"
RADII: Final = {"disc": 0.42, "tank": 0.42, "wreck": 0.3, "shell": 0.15, "shells": 0.2, "mine": 0.25}
"""Of what is round, as a share of the square."""


class BoardRecorder(Recorder):
    """Keeps the board, and what was recorded about the last round."""

    def __init__(self) -> None:
        self.width = self.height = 0
        self.squares: list[str] = []
        self.actions: Sequence[str] = ()
        """What each actor did in the last round; empty before."""
        self.scores: tuple[float, ...] = ()
        """Empty where the game has none, or none yet."""

    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        self.width, self.height, self.squares = width, height, list(squares)

    def frame(
        self,
        changes: Iterable[tuple[int, str]] = (),
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
        panels: Sequence[Panel] = (),
    ) -> None:
        for square, token in changes:
            self.squares[square] = token
        self.actions = actions
        self.scores = tuple(scores)

    def text(self) -> str:
        """The board's characters, then a line with the scores and with what was done last."""
        plain = "".join(token[0] for token in self.squares)
        rows = [plain[start : start + self.width] for start in range(0, len(plain), self.width or 1)]
        scores = " : ".join(f"{score:g}" for score in self.scores)
        caption = "  ".join(filter(None, (scores, ", ".join(filter(None, self.actions)))))
        return "\n".join([*rows, *filter(None, [caption])]) + "\n"

    def picture(self, theme: Theme | None) -> NDArray[np.uint8]:
        """The board in its theme's colours; a game without a board is one square."""
        height, width = max(1, self.height), max(1, self.width)
        pixels = np.empty((height * PIXELS, width * PIXELS, 3), np.uint8)
        pixels[:] = _rgb(GROUND)
        for square, token in enumerate(self.squares):
            style = theme.styles.get(token) if theme is not None else None
            top, left = square // width * PIXELS, square % width * PIXELS
            part = pixels[top : top + PIXELS, left : left + PIXELS]
            if style is not None:
                _draw(part, style, theme)
            elif token.strip(" ."):
                part[4:-4, 4:-4] = _rgb(UNKNOWN)
            part[0], part[:, 0] = _rgb(LINES), _rgb(LINES)
        return pixels


def _draw(part: NDArray[np.uint8], style: SquareStyle, theme: Theme | None) -> None:
    """Fill one square of the picture with its floor, shape and colours."""
    seats = theme.seat_colors if theme is not None else ()
    seat_color = seats[style.seat - 1] if 0 < style.seat <= len(seats) else ""
    if style.floor:
        part[:] = _rgb(style.floor)
    if style.shape in RADII:
        away = np.hypot(*np.meshgrid(*[np.arange(PIXELS) - (PIXELS - 1) / 2] * 2))
        color = style.background if style.shape in ("disc", "tank") else style.foreground
        part[away <= RADII[style.shape] * PIXELS] = _rgb(color or seat_color or style.foreground or UNKNOWN)
        if style.shape == "tank":
            _draw_barrel(part, style.turn)
    elif style.shape in ("block", "broken block"):
        part[:] = _rgb(style.foreground or seat_color or style.background or UNKNOWN)
    elif style.shape != "nothing" and (style.background or seat_color):
        part[:] = _rgb(style.background or seat_color)


def _draw_barrel(part: NDArray[np.uint8], turn: int) -> None:
    angle, middle = turn * np.pi / 4, (PIXELS - 1) / 2
    for step in np.arange(0.0, 0.5 * PIXELS, 0.5):
        row, column = round(middle - step * np.cos(angle)), round(middle + step * np.sin(angle))
        part[max(0, row - 1) : row + 1, max(0, column - 1) : column + 1] = 0


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
