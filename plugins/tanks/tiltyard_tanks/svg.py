"""A map as an SVG picture: one file that needs nothing else and reads on a light page and on a dark one."""

from __future__ import annotations

from html import escape
from typing import Final

from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line, printable
from tiltyard_tanks.battle import START_HEADINGS
from tiltyard_tanks.maps import TankMap

SQUARE: Final = 16
"""Pixels a square."""
MARGIN: Final = 12
CAPTION: Final = 28
"""Pixels below the board for the title and the limits."""

LETTER: Final = 7
"""Pixels that a letter of the caption takes at most, more or less: fonts differ."""

PLAYER_COLOURS: Final = ("#0072b2", "#d55e00", "#007a5a", "#a6437f", "#8a6d00", "#2b6f8f", "#6a51a3", "#a50f15", "#444444")
"""Player 1 first; white digits are readable on each, and the first four are told apart by colour-blind people too."""

STYLE: Final = """\
.page{fill:#f4f2ec}.floor{fill:#fffdf7;stroke:#c9c4b6}.wall{fill:#5d5a52}.mine{fill:#b3261e}.text{fill:#2b2a27}
@media(prefers-color-scheme:dark){.page{fill:#1d1c1a}.floor{fill:#35332e;stroke:#55524a}.wall{fill:#a29d90}.mine{fill:#ff8a80}.text{fill:#ece9e0}}
text{font-family:system-ui,sans-serif}.digit{fill:#fff;font-size:8px;font-weight:700;text-anchor:middle}.caption{font-size:11px}"""

DEFINITIONS: Final = (
    '<g id="mine"><circle cx="8" cy="8" r="4"/><path d="M7 2h2v12h-2zM2 7h12v2h-12z"/></g>'
    '<path id="tank" d="M2 4h12v10H2zM8 0l3 4H5z"/>'
)
"""The tank points up; it is turned about the middle of its square to its heading."""


def draw_svg(tank_map: TankMap) -> str:
    """The whole document. Each tank carries a tooltip that says whose it is and where it stands."""
    board_width, board_height = tank_map.width * SQUARE, tank_map.height * SQUARE
    limits = f"{tank_map.height} x {tank_map.width}, MaxSteps {tank_map.max_steps}, NumShells {tank_map.num_shells}"
    width = max(board_width, LETTER * len(limits)) + 2 * MARGIN
    height = board_height + 2 * MARGIN + CAPTION
    title = escape(one_line(tank_map.title, LONGEST_NAME))
    caption = escape(_shortened(printable(tank_map.title), (width - 2 * MARGIN) // LETTER))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        f"<defs>{DEFINITIONS}</defs>",
        f'<rect class="page" width="{width}" height="{height}" rx="6"/>',
        f'<g transform="translate({MARGIN} {MARGIN})">',
        f'<rect class="floor" width="{board_width}" height="{board_height}"/>',
        _walls(tank_map),
        *_mines(tank_map),
        *_tanks(tank_map),
        "</g>",
        f'<text class="text caption" x="{MARGIN}" y="{height - CAPTION + 2}">{caption}</text>',
        f'<text class="text caption" x="{MARGIN}" y="{height - CAPTION + 17}">{limits}</text>',
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _walls(tank_map: TankMap) -> str:
    """All walls as one path, a rectangle a run: a picture of a large map stays small, and has no seams."""
    runs = [
        f"M{start * SQUARE} {y * SQUARE}h{length * SQUARE}v{SQUARE}h{-length * SQUARE}z"
        for y, row in enumerate(tank_map.grid)
        for start, length in _runs(row)
    ]
    return f'<path class="wall" shape-rendering="crispEdges" d="{"".join(runs)}"/>' if runs else ""


def _runs(row: str) -> list[tuple[int, int]]:
    """Start and length of each stretch of wall."""
    runs: list[tuple[int, int]] = []
    start = row.find("#")
    while start >= 0:
        length = len(row[start:]) - len(row[start:].lstrip("#"))
        runs.append((start, length))
        start = row.find("#", start + length)
    return runs


def _mines(tank_map: TankMap) -> list[str]:
    return [
        f'<use href="#mine" class="mine" x="{x * SQUARE}" y="{y * SQUARE}"/>'
        for y, row in enumerate(tank_map.grid)
        for x, character in enumerate(row)
        if character == "@"
    ]


def _tanks(tank_map: TankMap) -> list[str]:
    elements: list[str] = []
    middle = SQUARE // 2
    for y, row in enumerate(tank_map.grid):
        for x, character in enumerate(row):
            if character.isdigit():
                player = int(character)
                turn = 45 * START_HEADINGS[player]
                elements.append(
                    f'<g transform="translate({x * SQUARE} {y * SQUARE})" fill="{PLAYER_COLOURS[player - 1]}">'
                    f"<title>player {player}, row {y + 1}, column {x + 1}</title>"
                    f'<use href="#tank" transform="rotate({turn} {middle} {middle})"/>'
                    f'<text class="digit" x="{middle}" y="11">{player}</text></g>'
                )
    return elements
