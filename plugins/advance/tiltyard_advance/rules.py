"""The board, all moves, protection and danger. Plain typed Python that mypyc compiles as it is.

The board is a flat list with a rim three squares wide, so that no step from a square leaves the list: ``square`` numbers count the
rim, ``place`` numbers from 0 to 80 do not. White is side 0 and moves towards line 1, black is side 1. A move is a small int that
``make`` and ``unmake`` understand; see ``pack``. docs/reference/advance.md has the rules in words.
"""

from __future__ import annotations

from typing import Final

WHITE: Final = 0
BLACK: Final = 1

EMPTY: Final = 0
ZOMBIE: Final = 1
BUILDER: Final = 2
JESTER: Final = 3
MINER: Final = 4
SENTINEL: Final = 5
CATAPULT: Final = 6
DRAGON: Final = 7
GENERAL: Final = 8
"""Kinds. A white piece is its kind, a black one its kind plus eight; but for the General, the kind is the piece's value too."""
WALL: Final = 17
OUTSIDE: Final = 18
CHARACTERS: Final = ".ZBJMSCDGzbjmscdg#"
"""By content of a square."""
CONTENT: Final[dict[str, int]] = {character: content for content, character in enumerate(CHARACTERS)}
VALUES: Final[list[int]] = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0]
"""By content of a square: what the piece there is worth."""

SIZE: Final = 9
RIM: Final = 3
STRIDE: Final = SIZE + RIM
CELLS: Final = STRIDE * (SIZE + 2 * RIM)
SQUARES: Final[list[int]] = [(row + RIM) * STRIDE + column + RIM for row in range(SIZE) for column in range(SIZE)]
"""By place."""
PLACES: Final[list[int]] = [SQUARES.index(square) if square in SQUARES else -1 for square in range(CELLS)]
"""By square; -1 on the rim."""

UP: Final = -STRIDE
DOWN: Final = STRIDE
ORTHOGONAL: Final[list[int]] = [UP, -1, 1, DOWN]
DIAGONAL: Final[list[int]] = [UP - 1, UP + 1, DOWN - 1, DOWN + 1]
AROUND: Final[list[int]] = [UP - 1, UP, UP + 1, -1, 1, DOWN - 1, DOWN, DOWN + 1]
FORWARD: Final[list[list[int]]] = [[UP - 1, UP, UP + 1], [DOWN - 1, DOWN, DOWN + 1]]
"""By side."""
JUMPS: Final[list[int]] = [
    2 * UP - 1,
    2 * UP + 1,
    UP - 2,
    UP + 2,
    DOWN - 2,
    DOWN + 2,
    2 * DOWN - 1,
    2 * DOWN + 1,
]
SHOTS: Final[list[int]] = [3 * UP, -3, 3, 3 * DOWN, 2 * UP - 2, 2 * UP + 2, 2 * DOWN - 2, 2 * DOWN + 2]

SCAN: Final = 20
"""What a look over all squares counts for, in generated moves."""

MOVE: Final = 0
"""To an empty square, or onto what is captured there."""
BUILD: Final = 1
SHOOT: Final = 2
SWAP: Final = 3
CONVERT: Final = 4


def pack(what: int, origin: int, target: int) -> int:
    """A move: one of MOVE, BUILD, SHOOT, SWAP and CONVERT, done by the piece on ``origin`` to ``target``, both squares."""
    return what << 16 | origin << 8 | target


def _lines() -> list[bool]:
    """By ``CELLS * one square + another``: whether a Dragon could go from one to the other on an empty board."""
    lines = [False] * (CELLS * CELLS)
    for square in SQUARES:
        for step in AROUND:
            other = square + step
            while PLACES[other] >= 0:
                lines[CELLS * square + other] = True
                other += step
    return lines


LINES: Final[list[bool]] = _lines()


class Board:
    """The pieces on the board, with make and unmake. The caller knows whose turn it is."""

    def __init__(self, text: str) -> None:
        """``text``: 81 characters, line 1 first. Each side has one General."""
        self.squares: list[int] = [OUTSIDE] * CELLS
        self.generals: list[int] = [0, 0]
        """By side: the square of its General."""
        self.work: int = 0
        """Moves that were generated until now, and SCAN for each look over the board: how long it took, in a measure that is the
        same on any machine."""
        for place, character in enumerate(text):
            content = CONTENT[character]
            square = SQUARES[place]
            self.squares[square] = content
            if content == GENERAL:
                self.generals[WHITE] = square
            elif content == GENERAL + 8:
                self.generals[BLACK] = square

    def text(self) -> str:
        """The board as 81 characters."""
        squares = self.squares
        return "".join([CHARACTERS[squares[square]] for square in SQUARES])

    # Playing

    def make(self, move: int) -> int:
        """Play a move, which the caller knows to be legal. Returns what ``unmake`` needs to know."""
        squares = self.squares
        what, origin, target = move >> 16, move >> 8 & 255, move & 255
        content = squares[target]
        if what == MOVE:
            piece = squares[origin]
            squares[target] = piece
            squares[origin] = EMPTY
            if piece == GENERAL:
                self.generals[WHITE] = target
            elif piece == GENERAL + 8:
                self.generals[BLACK] = target
        elif what == BUILD:
            squares[target] = WALL
        elif what == SHOOT:
            squares[target] = EMPTY
        elif what == SWAP:
            squares[target] = squares[origin]
            squares[origin] = content
            if content == GENERAL:
                self.generals[WHITE] = origin
            elif content == GENERAL + 8:
                self.generals[BLACK] = origin
        else:
            squares[target] = content - 8 if content > GENERAL else content + 8
        return content

    def unmake(self, move: int, content: int) -> None:
        """Take back the last move played, with what ``make`` returned."""
        squares = self.squares
        what, origin, target = move >> 16, move >> 8 & 255, move & 255
        if what == MOVE:
            piece = squares[target]
            squares[origin] = piece
            squares[target] = content
            if piece == GENERAL:
                self.generals[WHITE] = origin
            elif piece == GENERAL + 8:
                self.generals[BLACK] = origin
        elif what == SWAP:
            squares[origin] = squares[target]
            squares[target] = content
            if content == GENERAL:
                self.generals[WHITE] = target
            elif content == GENERAL + 8:
                self.generals[BLACK] = target
        else:
            squares[target] = content

    def gain(self, move: int) -> int:
        """By how much a move that has not been played yet betters the mover's material difference."""
        what = move >> 16
        if what in (MOVE, SHOOT):
            return VALUES[self.squares[move & 255]]
        return 2 * VALUES[self.squares[move & 255]] if what == CONVERT else 0

    # Protection and danger

    def is_protected(self, square: int, side: int) -> bool:
        """Whether a Sentinel of ``side`` stands orthogonally beside the square."""
        squares = self.squares
        sentinel = SENTINEL + 8 * side
        return (
            squares[square + UP] == sentinel
            or squares[square - 1] == sentinel
            or squares[square + 1] == sentinel
            or squares[square + DOWN] == sentinel
        )

    def in_danger(self, side: int) -> bool:
        """Whether an enemy piece could capture on the square of the side's General."""
        return not self.is_protected(self.generals[side], side) and self.is_attacked(self.generals[side], side)

    def is_attacked(self, square: int, side: int) -> bool:
        """Whether an enemy of ``side`` could capture a piece of ``side`` on the square, were it not protected."""
        squares = self.squares
        enemy = 8 - 8 * side
        dragon = enemy + DRAGON
        miner = enemy + MINER
        for step in ORTHOGONAL:
            other = square + step
            content = squares[other]
            if content == miner:
                return True
            if content == EMPTY:
                other += step
                while squares[other] == EMPTY:
                    other += step
                content = squares[other]
                if content in (miner, dragon):
                    return True
        for step in DIAGONAL:
            other = square + step
            if squares[other] == EMPTY:
                other += step
                while squares[other] == EMPTY:
                    other += step
                if squares[other] == dragon:
                    return True
        builder = enemy + BUILDER
        general = enemy + GENERAL
        for step in AROUND:
            content = squares[square + step]
            if content in (builder, general):
                return True
        sentinel = enemy + SENTINEL
        for step in JUMPS:
            if squares[square + step] == sentinel:
                return True
        catapult = enemy + CATAPULT
        for step in SHOTS:
            if squares[square + step] == catapult:
                return True
        zombie = enemy + ZOMBIE
        # Enemy Zombies come from where the own ones go to.
        for step in FORWARD[side]:
            content = squares[square + step]
            if content == zombie or (content == EMPTY and squares[square + 2 * step] == zombie):
                return True
        return False

    # Moves

    def add_moves(self, square: int, moves: list[int]) -> None:
        """Append all moves of the piece on a square, also those that leave its General in danger."""
        squares = self.squares
        piece = squares[square]
        side = WHITE if piece <= GENERAL else BLACK
        kind = piece - 8 * side
        # The enemy's pieces but for its General, which cannot be captured.
        low, high = 9 - 8 * side, 15 - 8 * side
        origin = square << 8
        if kind == ZOMBIE:
            for step in FORWARD[side]:
                target = square + step
                content = squares[target]
                if content == EMPTY:
                    moves.append(origin | target)
                    target += step
                    content = squares[target]
                if low <= content <= high and not self.is_protected(target, 1 - side):
                    moves.append(origin | target)
        elif kind in (BUILDER, GENERAL):
            for step in AROUND:
                target = square + step
                content = squares[target]
                if content == EMPTY:
                    moves.append(origin | target)
                    if kind == BUILDER:
                        moves.append(BUILD << 16 | origin | target)
                elif low <= content <= high and not self.is_protected(target, 1 - side):
                    moves.append(origin | target)
        elif kind == JESTER:
            for step in AROUND:
                target = square + step
                content = squares[target]
                if content == EMPTY:
                    moves.append(origin | target)
                elif low <= content <= high:
                    moves.append(CONVERT << 16 | origin | target)
                elif content <= GENERAL + 8 and content != piece and content != GENERAL + 8 - 8 * side:
                    moves.append(SWAP << 16 | origin | target)
        elif kind == MINER:
            for step in ORTHOGONAL:
                target = square + step
                while squares[target] == EMPTY:
                    moves.append(origin | target)
                    target += step
                content = squares[target]
                if content == WALL or (low <= content <= high and not self.is_protected(target, 1 - side)):
                    moves.append(origin | target)
        elif kind == SENTINEL:
            for step in JUMPS:
                target = square + step
                content = squares[target]
                if content == EMPTY or (low <= content <= high and not self.is_protected(target, 1 - side)):
                    moves.append(origin | target)
        elif kind == CATAPULT:
            for step in ORTHOGONAL:
                target = square + step
                if squares[target] == EMPTY:
                    moves.append(origin | target)
            for step in SHOTS:
                target = square + step
                if low <= squares[target] <= high and not self.is_protected(target, 1 - side):
                    moves.append(SHOOT << 16 | origin | target)
        else:
            for step in AROUND:
                target = square + step
                if squares[target] != EMPTY:
                    continue
                while squares[target] == EMPTY:
                    moves.append(origin | target)
                    target += step
                if low <= squares[target] <= high and not self.is_protected(target, 1 - side):
                    moves.append(origin | target)

    def legal_moves(self, side: int) -> list[int]:
        """All moves of a side after which its General is not in danger. Different moves may lead to the same board."""
        squares = self.squares
        first, last = 1 + 8 * side, 8 + 8 * side
        moves: list[int] = []
        for square in SQUARES:
            if first <= squares[square] <= last:
                self.add_moves(square, moves)
        self.work += SCAN + len(moves)
        must_test = self.in_danger(side)
        return [move for move in moves if self.keeps_safe(move, side, must_test)]

    def has_legal_move(self, side: int) -> bool:
        """Whether ``legal_moves`` is not empty, in less time."""
        squares = self.squares
        first, last = 1 + 8 * side, 8 + 8 * side
        must_test = self.in_danger(side)
        self.work += SCAN
        moves: list[int] = []
        for square in SQUARES:
            if first <= squares[square] <= last:
                self.add_moves(square, moves)
                self.work += len(moves)
                for move in moves:
                    if self.keeps_safe(move, side, must_test):
                        return True
                moves.clear()
        return False

    def keeps_safe(self, move: int, side: int, must_test: bool) -> bool:
        """Whether the General of ``side`` is not in danger after its move.

        ``must_test``: whether it is now. If not, only those moves are tried out that move the General, take a Sentinel away from
        it, or empty a square on one of its lines: no other can bring it into danger.
        """
        if not must_test and not self._may_expose(move, side):
            return True
        content = self.make(move)
        is_safe = not self.in_danger(side)
        self.unmake(move, content)
        return is_safe

    def _may_expose(self, move: int, side: int) -> bool:
        what = move >> 16
        if what in (BUILD, CONVERT):
            return False
        origin, target = move >> 8 & 255, move & 255
        general = self.generals[side]
        if what == SHOOT:
            return LINES[CELLS * general + target]
        if what == SWAP:
            content = self.squares[target]
            return target == general or content == SENTINEL + 8 * side
        # A Sentinel that leaves the General's side also leaves one of its lines.
        return origin == general or LINES[CELLS * general + origin]


def perft(board: Board, side: int, depth: int) -> int:
    """The number of ways to make ``depth`` legal moves in turn."""
    moves = board.legal_moves(side)
    if depth <= 1:
        return len(moves) if depth == 1 else 1
    total = 0
    for move in moves:
        content = board.make(move)
        total += perft(board, 1 - side, depth - 1)
        board.unmake(move, content)
    return total
