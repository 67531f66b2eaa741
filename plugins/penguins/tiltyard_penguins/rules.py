"""The board, what may be placed and moved on it, and what that changes. Plain typed Python that mypyc compiles as it is.

A square is ``row * columns + column``, from 0. Players are numbers from 1 to 9.
"""

from __future__ import annotations

from typing import Final

LEGAL: Final = 0
OFF_BOARD: Final = 1
ON_WATER: Final = 2
ON_PENGUIN: Final = 3
NOT_ONE_FISH: Final = 4
NO_PENGUIN: Final = 5
NOT_OWN: Final = 6
NOT_MOVED: Final = 7
NOT_STRAIGHT: Final = 8
OVER_WATER: Final = 9
OVER_PENGUIN: Final = 10
WHY: Final = (
    "",
    "the square is outside the board",
    "there is no floe",
    "there is a penguin already",
    "a penguin can only be placed on a floe with exactly one fish",
    "there is no penguin at the start square",
    "the penguin belongs to another player",
    "start and target are the same square",
    "start and target are not in the same row or column",
    "there is water in the way",
    "there is a penguin in the way",
)
"""By verdict, for people."""

MOST_SIZES: Final = 32
"""Of boards, whose rays are kept."""
_RAYS: Final[dict[tuple[int, int], list[list[list[int]]]]] = {}

MOST_PLAYERS: Final = 9
MOST_FISH: Final = 3
_HOLDS: Final[list[int]] = [-(cell % 10) if cell % 10 else cell // 10 for cell in range(256)]
"""By cell as files count it: what ``Board.squares`` holds."""


class Board:
    """Floes, fish and penguins; knows every player's penguins and score, and takes back what was played."""

    def __init__(self, rows: int, columns: int, cells: bytes) -> None:
        """``cells``: a byte a square, ten times the fish plus the player; fish under a penguin count as taken."""
        self.rows: int = rows
        self.columns: int = columns
        self.squares: list[int] = [_HOLDS[cell] for cell in cells]
        """By square: 0 water, 1 to 3 a free floe with so many fish, -1 to -9 a player's penguin."""
        self.penguins: list[list[int]] = [[] for _ in range(MOST_PLAYERS + 1)]
        """By player: where the penguins stand; nobody is player 0."""
        self.scores: list[int] = [0] * (MOST_PLAYERS + 1)
        """By player: fish taken."""
        self.one_fish: int = cells.count(10)
        """Floes on which a penguin may be placed."""
        self._rays: list[list[list[int]]] = _rays_of(rows, columns)
        self._moves: list[tuple[int, int, int, int]] = []
        """``(player, origin, target, fish)``; origin -1 is a placement."""
        for square, holds in enumerate(self.squares):
            if holds < 0:
                self.penguins[-holds].append(square)

    def cells(self) -> bytes:
        """A byte a square as the constructor takes them, no fish under penguins."""
        return bytes([-square if square < 0 else 10 * square for square in self.squares])

    # Placement

    def placements(self) -> list[int]:
        """Where a penguin may be placed, in the order of the squares."""
        return [square for square, holds in enumerate(self.squares) if holds == 1]

    def placement_verdict(self, square: int) -> int:
        """LEGAL, or why no penguin may be placed there."""
        if square < 0 or square >= len(self.squares):
            return OFF_BOARD
        holds = self.squares[square]
        if holds == 1:
            return LEGAL
        return NOT_ONE_FISH if holds > 0 else ON_WATER if holds == 0 else ON_PENGUIN

    def place(self, player: int, square: int) -> None:
        """Place a penguin, where the caller knows that it may be placed."""
        self.squares[square] = -player
        self.penguins[player].append(square)
        self.scores[player] += 1
        self.one_fish -= 1
        self._moves.append((player, -1, square, 1))

    # Movement

    def targets(self, origin: int) -> list[int]:
        """Where the penguin on ``origin`` may slide: up, left, right, down, the nearest first."""
        squares = self.squares
        reachable: list[int] = []
        for ray in self._rays[origin]:
            for square in ray:
                if squares[square] <= 0:
                    break
                reachable.append(square)
        return reachable

    def moves(self, player: int) -> list[tuple[int, int]]:
        """All ``(origin, target)`` of a player, penguin by penguin in the order in which they were placed."""
        return [(origin, target) for origin in self.penguins[player] for target in self.targets(origin)]

    def can_move(self, player: int) -> bool:
        """Whether any penguin of the player has a free floe beside it."""
        squares = self.squares
        for origin in self.penguins[player]:
            for ray in self._rays[origin]:
                if ray and squares[ray[0]] > 0:
                    return True
        return False

    def move_verdict(self, player: int, origin: int, target: int) -> int:
        """LEGAL, or the first reason why the player may not slide from ``origin`` to ``target``."""
        squares = self.squares
        if origin < 0 or origin >= len(squares) or target < 0 or target >= len(squares):
            return OFF_BOARD
        if squares[origin] >= 0:
            return NO_PENGUIN
        if squares[origin] != -player:
            return NOT_OWN
        if origin == target:
            return NOT_MOVED
        if squares[target] <= 0:
            return ON_PENGUIN if squares[target] else ON_WATER
        return way_verdict(squares, self.columns, origin, target)

    def move(self, player: int, origin: int, target: int) -> int:
        """Slide, where the caller knows that it is legal. Returns the fish taken."""
        squares = self.squares
        fish = squares[target]
        squares[origin] = 0
        squares[target] = -player
        own = self.penguins[player]
        own[own.index(origin)] = target
        self.scores[player] += fish
        if fish == 1:
            self.one_fish -= 1
        self._moves.append((player, origin, target, fish))
        return fish

    def undo(self) -> None:
        """Take back the last placement or move that was played and not yet taken back."""
        player, origin, target, fish = self._moves.pop()
        self.squares[target] = fish
        self.scores[player] -= fish
        if fish == 1:
            self.one_fish += 1
        own = self.penguins[player]
        if origin < 0:
            own.pop()
        else:
            self.squares[origin] = -player
            own[own.index(target)] = origin


def way_verdict(squares: list[int], columns: int, origin: int, target: int) -> int:
    """What stands between two different squares: LEGAL where they are in one line and all between them are free floes."""
    if origin // columns == target // columns:
        step = 1
    elif origin % columns == target % columns:
        step = columns
    else:
        return NOT_STRAIGHT
    low, high = (origin, target) if origin < target else (target, origin)
    verdict = LEGAL
    for square in range(low + step, high, step):
        if squares[square] == 0:
            return OVER_WATER
        if squares[square] < 0:
            verdict = OVER_PENGUIN
    return verdict


def _rays_of(rows: int, columns: int) -> list[list[list[int]]]:
    """By square: its four rays. Boards of one size share them; nobody changes them."""
    size = (rows, columns)
    rays = _RAYS.get(size)
    if rays is None:
        if len(_RAYS) >= MOST_SIZES:
            _RAYS.clear()
        rays = [_rays(square, rows, columns) for square in range(rows * columns)]
        _RAYS[size] = rays
    return rays


def _rays(square: int, rows: int, columns: int) -> list[list[int]]:
    """The squares up, left, right and down from a square, the nearest first."""
    row, column = square // columns, square % columns
    return [
        [square - columns * step for step in range(1, row + 1)],
        [square - step for step in range(1, column + 1)],
        [square + step for step in range(1, columns - column)],
        [square + columns * step for step in range(1, rows - row)],
    ]
