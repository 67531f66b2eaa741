"""Where each of a player's tanks stands, followed through a replay: squares say whose a tank is, and not which."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.replay import Replay, Theme


def tank_squares(replay: Replay, theme: Theme, seat: int) -> list[int | None]:
    """The square of each tank of a seat after the last frame, by its index; None: it is lost.

    Tanks have their indexes in the order in which the map is read, and move one square a frame at most, also across an edge. Where
    two that touch move at once, they may be taken for each other.
    """
    squares = list(replay.squares)
    places: list[int | None] = []
    places += [square for square in range(len(squares)) if _is_own(squares[square], theme, seat)]
    for frame in replay.frames:
        for square, token in frame.changes:
            squares[square] = token
        taken = {square for square in places if square is not None and _is_own(squares[square], theme, seat)}
        for number, square in enumerate(places):
            if square is None or square in taken:
                continue
            near = [each for each in _around(square, replay.width, replay.height) if each not in taken]
            places[number] = next((each for each in near if _is_own(squares[each], theme, seat)), None)
            if (now := places[number]) is not None:
                taken.add(now)
    return places


def _is_own(token: str, theme: Theme, seat: int) -> bool:
    style = theme.styles.get(token)
    return style is not None and style.seat == seat and style.shape == "tank"


def _around(square: int, width: int, height: int) -> Sequence[int]:
    """The eight squares around one; the board has no edges."""
    row, column = divmod(square, width)
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    return [(row + down) % height * width + (column + right) % width for down, right in steps]
