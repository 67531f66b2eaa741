"""Which tanks were destroyed in a match, when and where, by its replay: a round's notes name them, and its board loses them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.replay import Replay

_NOTE: Final = re.compile(r"tank (\d+) of player (\d+) lost")


@dataclass(frozen=True, slots=True)
class Destruction:
    """A tank that was destroyed."""

    turn: int
    """The round of the replay."""
    tank: int
    """Its number among all tanks of the match, as the replay counts them."""
    seat: int
    square: int | None
    """Where it stood before that round; None if the board doesn't tell."""


def destructions(replay: Replay) -> Iterator[Destruction]:
    """All of a match, in order; none in games without tanks."""
    squares = list(replay.squares)
    for turn, frame in enumerate(replay.frames, start=1):
        before = {square: squares[square] for square, _ in frame.changes}
        for square, token in frame.changes:
            squares[square] = token
        for seat in range(1, len(replay.seats) + 1):
            tanks = [int(note[1]) for text in frame.notes if (note := _NOTE.fullmatch(text)) and int(note[2]) == seat]
            if tanks:
                wrecks = _wrecks(before, squares, str(seat), replay.width)
                places: Sequence[int | None] = wrecks if len(wrecks) == len(tanks) else [None] * len(tanks)
                yield from (Destruction(turn, tank, seat, place) for tank, place in zip(tanks, places))


def lost_tanks(replay: Replay, seat: int) -> tuple[tuple[int, int], ...]:
    """Columns and rows, from 0, at which tanks of a seat were destroyed, as far as the board tells."""
    squares = [each.square for each in destructions(replay) if each.seat == seat]
    return tuple((square % replay.width, square // replay.width) for square in squares if square is not None)


def tank_numbers(replay: Replay, seat: int) -> list[int]:
    """The numbers of a seat's tanks among all tanks of the match, as the replay counts them; its own first tank first."""
    tanks = [token for token in replay.squares if len(token) == len("1N") and token[0].isdigit()]
    return [number for number, token in enumerate(tanks, start=1) if _is_tank(token, str(seat))]


def _wrecks(before: dict[int, str], squares: Sequence[str], seat: str, width: int) -> list[int]:
    """Squares that a seat's tank left in a round and that none of its tanks beside them came from."""
    origins = [square for square, token in before.items() if _is_tank(token, seat) and not _is_tank(squares[square], seat)]
    for square, token in before.items():
        if _is_tank(squares[square], seat) and not _is_tank(token, seat):
            origin = next((each for each in origins if _is_beside(square, each, width, len(squares) // width)), None)
            if origin is not None:
                origins.remove(origin)
    return origins


def _is_tank(token: str, seat: str) -> bool:
    """A tank's token is its player and its heading."""
    return len(token) == 2 and token[0] == seat


def _is_beside(one: int, other: int, width: int, height: int) -> bool:
    """The board's edges meet."""
    columns, rows = abs(one % width - other % width), abs(one // width - other // width)
    return min(columns, width - columns) <= 1 and min(rows, height - rows) <= 1


def difference(recorded: Replay, other: Replay, seat: int, names: Sequence[str]) -> str:
    """Which tanks make another course of a match better for a seat, in words: who was destroyed, and who was not any more."""
    then, now = ({each.tank: each for each in destructions(replay)} for replay in (recorded, other))
    hit = next((each for tank, each in now.items() if tank not in then and each.seat != seat), None)
    spared = next((each for tank, each in then.items() if tank not in now and each.seat == seat), None)
    parts = [
        f"tank {each.tank} of {names[each.seat - 1]} is {how}destroyed in turn {each.turn}"
        for each, how in ((hit, ""), (spared, "not "))
        if each is not None
    ]
    return ", and ".join(parts)
