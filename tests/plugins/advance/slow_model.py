"""The rules once more: slow, literal, a grid of characters copied for every move; shares no code with the fast ones."""

from __future__ import annotations

from collections.abc import Iterator

Rows = tuple[str, ...]
Square = tuple[int, int]

VALUES = dict(zip("ZBJMSCDG", (1, 2, 3, 4, 5, 6, 7, 0)))
STRAIGHT = [(-1, 0), (1, 0), (0, -1), (0, 1)]
SLANTED = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
EIGHT = STRAIGHT + SLANTED
JUMPS = [(y, x) for y in (-2, -1, 1, 2) for x in (-2, -1, 1, 2) if abs(y) != abs(x)]
SHOTS = [(3, 0), (-3, 0), (0, 3), (0, -3), (2, 2), (2, -2), (-2, 2), (-2, -2)]


def rows_of(text: str) -> Rows:
    return tuple(text[start : start + 9] for start in range(0, 81, 9))


def at(rows: Rows, square: Square) -> str:
    y, x = square
    return rows[y][x] if 0 <= y < 9 and 0 <= x < 9 else ""


def put(rows: Rows, *changes: tuple[Square, str]) -> Rows:
    grid = [list(row) for row in rows]
    for (y, x), character in changes:
        grid[y][x] = character
    return tuple("".join(row) for row in grid)


def step(square: Square, direction: tuple[int, int], times: int = 1) -> Square:
    return square[0] + times * direction[0], square[1] + times * direction[1]


def is_own(character: str, white: bool) -> bool:
    return character.isalpha() and character.isupper() == white


def is_enemy(character: str, white: bool) -> bool:
    return character.isalpha() and character.isupper() != white


def protected(rows: Rows, square: Square) -> bool:
    sentinel = "S" if at(rows, square).isupper() else "s"
    return any(at(rows, step(square, direction)) == sentinel for direction in STRAIGHT)


def capturable(rows: Rows, square: Square, white: bool, *, general: bool = False) -> bool:
    """By ``white``; with ``general``, as if the enemy General were a piece like others."""
    character = at(rows, square)
    if not is_enemy(character, white) or protected(rows, square):
        return False
    return general or character not in "Gg"


def captures(rows: Rows, square: Square, *, general: bool = False) -> Iterator[tuple[Square, bool]]:
    """What the piece can capture, and whether it goes there."""
    character = at(rows, square)
    white = character.isupper()
    kind = character.upper()
    if kind == "Z":
        for direction in [(-1 if white else 1, x) for x in (-1, 0, 1)]:
            near, far = step(square, direction), step(square, direction, 2)
            if capturable(rows, near, white, general=general):
                yield near, True
            if at(rows, near) == "." and capturable(rows, far, white, general=general):
                yield far, True
    elif kind in "BG":
        yield from ((near, True) for near in (step(square, d) for d in EIGHT) if capturable(rows, near, white, general=general))
    elif kind == "S":
        yield from ((far, True) for far in (step(square, d) for d in JUMPS) if capturable(rows, far, white, general=general))
    elif kind == "C":
        yield from ((far, False) for far in (step(square, d) for d in SHOTS) if capturable(rows, far, white, general=general))
    elif kind in "MD":
        for direction in STRAIGHT if kind == "M" else EIGHT:
            distance = 1
            while at(rows, step(square, direction, distance)) == ".":
                distance += 1
            met = step(square, direction, distance)
            if capturable(rows, met, white, general=general) and (kind == "M" or distance > 1):
                yield met, True


def quiet(rows: Rows, square: Square) -> Iterator[Rows]:
    """Boards after the piece's moves that capture nobody."""
    character = at(rows, square)
    white = character.isupper()
    kind = character.upper()

    def go(target: Square) -> Rows:
        return put(rows, (square, "."), (target, character))

    if kind in "MD":
        for direction in STRAIGHT if kind == "M" else EIGHT:
            distance = 1
            while at(rows, step(square, direction, distance)) == ".":
                yield go(step(square, direction, distance))
                distance += 1
            if kind == "M" and at(rows, step(square, direction, distance)) == "#":
                yield go(step(square, direction, distance))
        return
    forward = [(-1 if white else 1, x) for x in (-1, 0, 1)]
    for direction in {"Z": forward, "C": STRAIGHT, "S": JUMPS}.get(kind, EIGHT):
        near = step(square, direction)
        found = at(rows, near)
        if found == ".":
            yield go(near)
            if kind == "B":
                yield put(rows, (near, "#"))
        elif kind == "J" and is_own(found, white) and found not in "Jj":
            yield put(rows, (square, found), (near, character))
        elif kind == "J" and is_enemy(found, white) and found not in "Gg":
            yield put(rows, (near, found.swapcase()))


def in_danger(rows: Rows, white: bool) -> bool:
    for y in range(9):
        for x in range(9):
            if is_enemy(rows[y][x], white):
                for target, _ in captures(rows, (y, x), general=True):
                    if at(rows, target) == ("G" if white else "g"):
                        return True
    return False


def legal_boards(text: str, white: bool) -> Iterator[str]:
    """All boards after legal moves of a side, one for each move."""
    rows = rows_of(text)
    for y in range(9):
        for x in range(9):
            character = rows[y][x]
            if is_own(character, white):
                boards = list(quiet(rows, (y, x)))
                for target, goes in captures(rows, (y, x)):
                    boards.append(put(rows, ((y, x), "."), (target, character)) if goes else put(rows, (target, ".")))
                yield from ("".join(board) for board in boards if not in_danger(board, white))


def can_move(text: str, white: bool) -> bool:
    return next(legal_boards(text, white), None) is not None


def balance(text: str, white: bool) -> int:
    """The side's material less the other's."""
    return sum(VALUES[piece.upper()] * (1 if piece.isupper() == white else -1) for piece in text if piece.isalpha())


def best_boards(text: str, white: bool, level: int) -> set[str]:
    """What a level holds for equally good."""
    boards = set(legal_boards(text, white))
    if level == 4:
        return boards
    winning = {board for board in boards if not can_move(board, not white)}
    if winning or not boards or level == 5:
        return winning or boards
    most = max(balance(board, white) for board in boards)
    best = {board for board in boards if balance(board, white) == most}
    if level == 6:
        return best
    values = {board: value_for(board, white) for board in best}
    return {board for board in best if values[board] == max(values.values())}


def value_for(board: str, white: bool) -> float:
    """Of a position in which the other side moves, to ``white``, by level 7's reckoning."""
    answers = best_boards(board, not white, 6)
    values: list[float] = []
    for answer in answers:
        own = best_boards(answer, white, 6)
        if not own:
            return -1000
        after = next(iter(own))
        values.append(1000 if not can_move(after, not white) else balance(after, white))
    return min(values)
