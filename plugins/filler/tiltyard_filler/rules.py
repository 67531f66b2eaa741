"""The board, what may be placed on it, and what a placement changes. Plain typed Python that mypyc compiles as it is.

A placement is legal when every cell of the shape lies on the board, exactly one on a cell of the player's own, and all others on
free ones. Which cells are the piece last placed is part of the board: they are small letters until the same player's next answer.
"""

from __future__ import annotations

from typing import Final

LEGAL: Final = 0
OUTSIDE: Final = 1
ON_ENEMY: Final = 2
NOT_CONNECTED: Final = 3
OVERLAPS: Final = 4
WHY: Final = (
    "",
    "a cell lies outside the board",
    "a cell lies on the enemy",
    "no cell lies on an own one",
    "more than one cell lies on own ones",
)
"""By verdict, for people."""

FREE: Final = 0x2E
PLAIN: Final = (0, 0x40, 0x24)
"""By player: ``@`` and ``$``."""
LAST: Final = (0, 0x61, 0x73)
"""By player, cells of the piece last placed: ``a`` and ``s``."""
OWN: Final = ((0, 0), (0x40, 0x61), (0x24, 0x73))
"""By player, both."""


class Board:
    """A board that two players fill."""

    def __init__(self, width: int, height: int, cells: bytes) -> None:
        self.width: int = width
        self.height: int = height
        self.cells: bytearray = bytearray(cells)
        """Row by row, in the characters of FillerPosition."""
        self.counts: list[int] = [0] + [cells.count(PLAIN[player]) + cells.count(LAST[player]) for player in (1, 2)]
        """By player, from index 1: the cells that are the player's."""
        self.changed: list[int] = []
        """Squares that the last answer changed; some may be named twice."""
        self._last: list[list[int]] = [[index for index, cell in enumerate(cells) if cell == LAST[player]] for player in range(3)]
        """By player: the squares of the piece last placed."""

    def verdict(self, player: int, offsets: list[tuple[int, int]], x: int, y: int) -> int:
        """LEGAL, or the first of the reasons in their order. ``offsets`` are those of the piece's cells."""
        width, height, cells = self.width, self.height, self.cells
        own_cells = OWN[player]
        own = 0
        enemy = False
        for offset in offsets:
            column, row = x + offset[0], y + offset[1]
            if column < 0 or column >= width or row < 0 or row >= height:
                return OUTSIDE
            cell = cells[row * width + column]
            if cell == FREE:
                continue
            if cell in own_cells:
                own += 1
            else:
                enemy = True
        if enemy:
            return ON_ENEMY
        if own != 1:
            return OVERLAPS if own else NOT_CONNECTED
        return LEGAL

    def play(self, player: int, offsets: list[tuple[int, int]], x: int, y: int) -> int:
        """Take an answer: the player's last piece becomes plain; where the answer is LEGAL the new piece is placed."""
        cells = self.cells
        plain = PLAIN[player]
        changed = self._last[player]
        for square in changed:
            cells[square] = plain
        result = self.verdict(player, offsets, x, y)
        squares: list[int] = []
        if result == LEGAL:
            last, width = LAST[player], self.width
            for offset in offsets:
                square = (y + offset[1]) * width + x + offset[0]
                cells[square] = last
                squares.append(square)
            self.counts[player] += len(squares) - 1
        self._last[player] = squares
        self.changed = changed + squares
        return result


_KINDS: Final = [bytes(256)] + [
    bytes(0 if cell == FREE else 1 if cell in (PLAIN[player], LAST[player]) else 2 for cell in range(256)) for player in (1, 2)
]
"""By player: what a board's character is to this player; 0 free, 1 own, 2 the enemy's."""


def legal_placements(board: bytes, width: int, height: int, player: int, offsets: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """All ``(x, y)`` where a shape may go, row by row.

    The board is one large number with a byte a square. Shifted by each cell of the shape it tells for all placements at once
    which kinds of square were met, and which were met twice.
    """
    if not offsets:
        return []
    left, top = min(x for x, _ in offsets), min(y for _, y in offsets)
    columns = width - (max(x for x, _ in offsets) - left)
    rows = height - (max(y for _, y in offsets) - top)
    if columns <= 0 or rows <= 0:
        return []
    kinds = int.from_bytes(board.translate(_KINDS[player]), "little")
    once = twice = 0
    for x, y in offsets:
        met = kinds >> 8 * ((y - top) * width + x - left)
        twice |= once & met
        once |= met
    # Exactly 1: met an own square, no enemy, and no own one twice.
    met_kinds = (once | twice << 2).to_bytes(len(board), "little")
    corners: list[tuple[int, int]] = []
    end = rows * width
    square = met_kinds.find(1, 0, end)
    while square >= 0:
        column = square % width
        if column < columns:
            corners.append((column - left, square // width - top))
        square = met_kinds.find(1, square + 1, end)
    return corners
