"""Where each of a player's tanks stands, followed through a replay: squares say whose a tank is, and not which."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.replay import Replay, Theme


def tank_squares(replay: Replay, theme: Theme, seat: int) -> dict[int, int]:
    """The square of each tank of a seat that is left after the last frame, by the tank's index.

    Tanks have their indexes in the order in which the map is read, and move one square a frame at most, also across an edge. Where
    two that touch move at once, they may be taken for each other.
    """
    squares = list(replay.squares)
    places = dict(enumerate(square for square, token in enumerate(squares) if _is_own(token, theme, seat)))
    for frame in replay.frames:
        for square, token in frame.changes:
            squares[square] = token
        stayed = {number: square for number, square in places.items() if _is_own(squares[square], theme, seat)}
        for number in sorted(places.keys() - stayed.keys()):
            for near in _around(places[number], replay.width, replay.height):
                if near not in stayed.values() and _is_own(squares[near], theme, seat):
                    stayed[number] = near
                    break
        places = stayed
    return places


def _is_own(token: str, theme: Theme, seat: int) -> bool:
    style = theme.styles.get(token)
    return style is not None and style.seat == seat and style.shape == "tank"


def _around(square: int, width: int, height: int) -> Sequence[int]:
    """The eight squares around one; the board has no edges."""
    row, column = divmod(square, width)
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    return [(row + down) % height * width + (column + right) % width for down, right in steps]
