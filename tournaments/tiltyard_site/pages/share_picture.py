"""The picture that a preview of a link to the site shows: a board, as PNG of few colours and without text."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from tiltyard_engine.replay import Replay, Theme
from tiltyard_site.pages.watching import token_marks
from tiltyard_viewer.drawing.colors import parse
from tiltyard_viewer.drawing.theme_colors import drawn_colors

WIDTH: Final = 1200
HEIGHT: Final = 630
"""Pixels; previews cut other proportions."""
MARGIN: Final = 40
PAPER: Final = "#fbfaf7"
FLOOR: Final = "#f3f0e8"
"""Those of the style sheet in its light look."""
MOST_COLORS: Final = 256


def share_picture(replay: Replay, theme: Theme | None) -> bytes:
    """The last board of a game; empty where there is no board, or one with more squares than the picture has room for."""
    size = min((WIDTH - 2 * MARGIN) // max(1, replay.width), (HEIGHT - 2 * MARGIN) // max(1, replay.height))
    if size < 2 or not replay.width * replay.height:
        return b""
    left, top = (WIDTH - size * replay.width) // 2, (HEIGHT - size * replay.height) // 2
    palette = [PAPER, FLOOR]
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    for row in rows[top : top + size * replay.height]:
        row[left : left + size * replay.width] = b"\x01" * (size * replay.width)
    styles = drawn_colors(theme).styles
    for square, token in enumerate(replay.squares_after(len(replay.frames))):
        y, x = divmod(square, replay.width)
        for color, is_piece in token_marks(styles[token]) if token in styles else ():
            if color not in palette and len(palette) < MOST_COLORS:
                palette.append(color)
            if color in palette:
                _fill(rows, (left + x * size, top + y * size, size), palette.index(color), is_piece)
    return _png(rows, palette)


def _fill(rows: list[bytearray], square: tuple[int, int, int], color: int, is_piece: bool) -> None:
    """A square, or a disc in it."""
    left, top, size = square
    for line in range(size):
        inset = 0
        if is_piece:
            radius, off = 0.42 * size, line + 0.5 - size / 2
            if abs(off) > radius:
                continue
            inset = round(size / 2 - (radius**2 - off**2) ** 0.5)
        width = size - 2 * inset
        rows[top + line][left + inset : left + inset + width] = bytes([color]) * width


def _png(rows: list[bytearray], palette: list[str]) -> bytes:
    colors = b"".join(bytes(parse(color) or (0, 0, 0)) for color in palette)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    parts = ((b"IHDR", header), (b"PLTE", colors), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
