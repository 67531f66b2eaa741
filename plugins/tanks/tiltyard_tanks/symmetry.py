"""Fair boards: the symmetries that give every player the same start, and how to find them on a board.

A start is the same for two players if a symmetry carries the tanks of one onto the tanks of the other and
turns the start heading of the one into that of the other as well. Player 1 starts left and player 2 right,
so a half turn and a left-right mirror are fair to two players, and a top-bottom mirror is not. Players 1 to 4
start left, right, up and down: among four, only the quarter turn treats all of them alike.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, TypeAlias

from tiltyard_engine.data_classes import dataclass
from tiltyard_tanks.battle import START_HEADINGS

MOST_SHIFTS: Final = 1000
"""With more tanks of player 1 than this only symmetry about the centre is looked for, to keep huge maps cheap."""


class Symmetry(StrEnum):
    """How the second half of a board follows from the first."""

    NONE = "none"
    """Nothing follows: every square is on its own, and the map is fair only by luck."""
    HALF_TURN = "half-turn"
    """The board looks the same upside down; for 2, 4, 6 or 8 players, in the pairs 1-2, 3-4, 5-6 and 7-8."""
    MIRROR = "mirror"
    """Left and right are mirror images; for 2 players."""
    QUARTER_TURN = "quarter-turn"
    """The board looks the same from all four sides; for 4 or 8 players, and as many rows as columns."""


SymmetryName: TypeAlias = Literal["none", "half-turn", "mirror", "quarter-turn"]
"""A symmetry as options name it."""

FAIR: Final = (Symmetry.QUARTER_TURN, Symmetry.HALF_TURN, Symmetry.MIRROR)
"""All but NONE; the one that makes more players alike comes first."""


def heading_image(symmetry: Symmetry, heading: int) -> int:
    """What becomes of a heading; headings count clockwise from 0, up."""
    if symmetry is Symmetry.HALF_TURN:
        return (heading + 4) % 8
    if symmetry is Symmetry.MIRROR:
        return -heading % 8
    if symmetry is Symmetry.QUARTER_TURN:
        return (heading + 2) % 8
    return heading


def player_images(symmetry: Symmetry, players: int) -> dict[int, int] | None:
    """Whose tank stands on the image of each player's tank; None if the symmetry cannot be fair to so many.

    A player that is its own image shares its start with nobody, so such a symmetry is not fair either.
    """
    if symmetry is Symmetry.NONE:
        return {player: player for player in range(1, players + 1)}
    by_heading: dict[int, int] = {}
    for player in range(1, players + 1):
        if START_HEADINGS[player] in by_heading:
            return None
        by_heading[START_HEADINGS[player]] = player
    images = {player: by_heading.get(heading_image(symmetry, START_HEADINGS[player]), player) for player in range(1, players + 1)}
    return None if any(image == player for player, image in images.items()) else images


def fair_groups(symmetry: Symmetry, players: int) -> list[list[int]]:
    """The players that a symmetry treats alike, such as ``[[1, 2], [3, 4]]``; with NONE everybody is alone."""
    images = player_images(symmetry, players)
    if images is None:
        return [[player] for player in range(1, players + 1)]
    groups: list[list[int]] = []
    for player in images:
        if not any(player in group for group in groups):
            group = [player]
            while images[group[-1]] != player:
                group.append(images[group[-1]])
            groups.append(group)
    return groups


def orbit(symmetry: Symmetry, square: int, width: int, height: int) -> list[int]:
    """The square and all its images about the centre of the board, each image following from the one before."""
    squares = [square]
    if symmetry is Symmetry.NONE:
        return squares
    y, x = divmod(square, width)
    while True:
        if symmetry is Symmetry.HALF_TURN:
            x, y = width - 1 - x, height - 1 - y
        elif symmetry is Symmetry.MIRROR:
            x = width - 1 - x
        else:
            x, y = height - 1 - y, x
        image = y * width + x
        if image == square:
            return squares
        squares.append(image)


@dataclass(frozen=True, slots=True)
class BoardSymmetry:
    """A symmetry that a board has. A board has no edges, so its centre may lie anywhere."""

    symmetry: Symmetry
    right: int = 0
    """By how many squares the image about the centre has to be moved to cover the board."""
    down: int = 0

    @property
    def is_centred(self) -> bool:
        """Whether the symmetry shows without moving the board."""
        return self.right == 0 and self.down == 0


def find_symmetries(grid: tuple[str, ...], players: int) -> list[BoardSymmetry]:
    """Every fair symmetry of a board, tanks included; first what makes more players alike, then what is centred."""
    symmetries = []
    for symmetry in FAIR:
        images = player_images(symmetry, players)
        if images is None or (symmetry is Symmetry.QUARTER_TURN and len(grid) != len(grid[0])):
            continue
        shift = _shift_onto(_image(symmetry, grid, images), grid)
        if shift is not None:
            symmetries.append(BoardSymmetry(symmetry, *shift))
    return sorted(symmetries, key=lambda one: (len(fair_groups(one.symmetry, players)), not one.is_centred))


def is_mirrored_top_to_bottom(grid: tuple[str, ...]) -> bool:
    """Whether a two-player board is the unfair kind of mirror image: right in its squares, wrong in its headings."""
    swap = str.maketrans("12", "21")
    return all(top.translate(swap) == bottom for top, bottom in zip(grid, reversed(grid), strict=True))


def _image(symmetry: Symmetry, grid: tuple[str, ...], images: dict[int, int]) -> list[str]:
    names = str.maketrans({str(player): str(image) for player, image in images.items()})
    if symmetry is Symmetry.HALF_TURN:
        rows = [row[::-1] for row in reversed(grid)]
    elif symmetry is Symmetry.MIRROR:
        rows = [row[::-1] for row in grid]
    else:
        rows = ["".join(column) for column in zip(*reversed(grid), strict=True)]
    return [row.translate(names) for row in rows]


def _shift_onto(image: list[str], grid: tuple[str, ...]) -> tuple[int, int] | None:
    """How far to move ``image`` around the torus to cover ``grid``: its first tank 1 must fall on some tank 1."""
    height, width = len(grid), len(grid[0])
    shifts = [(0, 0)]
    anchor = next(((row.index("1"), y) for y, row in enumerate(image) if "1" in row), None)
    if anchor is not None and sum(row.count("1") for row in grid) <= MOST_SHIFTS:
        places = [(x, y) for y, row in enumerate(grid) for x, character in enumerate(row) if character == "1"]
        shifts += [((x - anchor[0]) % width, (y - anchor[1]) % height) for x, y in places]
    for right, down in shifts:
        if all(_moved(image[(y - down) % height], right) == row for y, row in enumerate(grid)):
            return right, down
    return None


def _moved(row: str, right: int) -> str:
    return row[-right:] + row[:-right] if right else row
