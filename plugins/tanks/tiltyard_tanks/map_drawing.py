"""A map drawn in a terminal, two columns a square, so that squares look square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiltyard_engine.texts.sanitize import one_line
from tiltyard_tanks.battle import START_HEADINGS
from tiltyard_tanks.maps import TankMap

RESET: Final = "\x1b[0m"
PLAYER_COLOURS: Final = ("94", "91", "92", "93", "95", "96", "34", "31", "32")
"""The terminal's own sixteen colours, player 1 first: people choose those to be readable on their background."""
MINE_COLOUR: Final = "33"
WALL_COLOUR: Final = "90"


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """The characters of a drawing."""

    wall: str
    mine: str
    arrows: str
    """A character a heading, clockwise from up."""
    edge: str
    side: str
    corners: str
    """Top left, top right, bottom left, bottom right."""


UNICODE: Final = Glyphs(wall="▒▒", mine="◆◆", arrows="↑↗→↘↓↙←↖", edge="─", side="│", corners="┌┐└┘")
ASCII: Final = Glyphs(wall="##", mine="@@", arrows="^/>\\v/<\\", edge="-", side="|", corners="++++")


def draw_map(tank_map: TankMap, *, ascii_only: bool = False, colour: bool = False) -> str:
    """Title, framed board and legend. A tank shows its player and an arrow where it heads at the start."""
    glyphs = ASCII if ascii_only else UNICODE
    board = draw_board(tank_map, ascii_only=ascii_only, colour=colour)
    size = f"{tank_map.height} x {tank_map.width}, MaxSteps {tank_map.max_steps}, NumShells {tank_map.num_shells}"
    legend = (
        f"{_square('1', glyphs, colour)} tank, {_square('#', glyphs, colour)} wall, {_square('@', glyphs, colour).rstrip()} mine"
    )
    return f"{one_line(tank_map.title)}\n{board}{size}\n{legend}\n"


def draw_board(tank_map: TankMap, *, ascii_only: bool = False, colour: bool = False) -> str:
    """The framed board: two more lines than rows, and each line is two columns wider than the squares need."""
    glyphs = ASCII if ascii_only else UNICODE
    edge = glyphs.edge * board_columns(tank_map.width)
    top, bottom = glyphs.corners[:2], glyphs.corners[2:]
    squares = {character: _square(character, glyphs, colour) for character in set("".join(tank_map.grid))}
    lines = [glyphs.side + "".join([squares[character] for character in row]) + glyphs.side for row in tank_map.grid]
    return "\n".join([edge.join(top), *lines, edge.join(bottom)]) + "\n"


def board_columns(width: int) -> int:
    """Terminal columns that the squares of a row take, without the frame."""
    return 2 * width


def _square(character: str, glyphs: Glyphs, colour: bool) -> str:
    if character == " ":
        return "  "
    if character == "#":
        glyph, code = glyphs.wall, WALL_COLOUR
    elif character == "@":
        glyph, code = glyphs.mine, MINE_COLOUR
    else:
        player = int(character)
        glyph, code = character + glyphs.arrows[START_HEADINGS[player]], f"1;{PLAYER_COLOURS[player - 1]}"
    return f"\x1b[{code}m{glyph}{RESET}" if colour else glyph
