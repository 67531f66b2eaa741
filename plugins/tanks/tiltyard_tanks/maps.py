"""The map file of assignment 2: read with all its recoveries, and written."""

from __future__ import annotations

import re
from typing import Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import MapError
from tiltyard_engine.records import PlayerArguments
from tiltyard_engine.texts.quantities import counted

MAX_SQUARES: Final = 4_000_000
"""A header that asks for more is refused: it is a mistake or an attack, and would exhaust the memory."""

MAX_HEADER_VALUE: Final = 999_999_999_999
"""Of every number in the header; far more rounds or shells than a match could ever use."""

LONGEST_QUOTE: Final = 60
"""Characters of the file that a message repeats."""

HEADER: Final = (("MaxSteps", 0), ("NumShells", 0), ("Rows", 1), ("Cols", 1))
"""Lines 2 to 5: the key and its smallest value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TankMap:
    """A start position. ``grid`` holds ``height`` rows of ``width`` characters: space, ``#``, ``@`` and digits."""

    title: str
    max_steps: int
    num_shells: int
    grid: tuple[str, ...]
    players: int = 2
    recovered: tuple[str, ...] = ()
    """Errors of the file that were repaired: the lines of ``input_errors.txt``."""

    @property
    def width(self) -> int:
        """The number of columns of the board."""
        return len(self.grid[0])

    @property
    def height(self) -> int:
        """The number of rows of the board."""
        return len(self.grid)


def player_arguments(tank_map: TankMap) -> PlayerArguments:
    """What each Player's constructor is told."""
    return tank_map.width, tank_map.height, tank_map.max_steps, tank_map.num_shells


def truncate(tank_map: TankMap, rounds: int) -> TankMap:
    """A map's file changed so that a match on it ends after ``rounds`` rounds."""
    return replace(tank_map, max_steps=min(rounds, tank_map.max_steps))


def read_map(name: str, data: bytes, players: int = 2) -> TankMap:
    """Read a map file; ``name`` is for messages.

    Digits up to ``players`` are tanks, every other unknown character is a space. One byte of a row is one column.

    Raises:
        MapError: the header is not what assignment 2 says; names file, line and what was expected.
    """
    lines = [line.removesuffix("\r") for line in data.decode("latin-1").split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    values = [_header_value(name, lines, number, key, least) for number, (key, least) in enumerate(HEADER, start=2)]
    max_steps, num_shells, height, width = values
    if height * width > MAX_SQUARES:
        raise MapError(f"{name}: a board of {height} x {width} squares is too large; the limit is {MAX_SQUARES:,} squares")
    grid, recovered = _read_grid(lines[5:], width, height, players)
    return TankMap(
        title=_title(lines[0]), max_steps=max_steps, num_shells=num_shells, grid=grid, players=players, recovered=recovered
    )


def _title(line: str) -> str:
    """The first line is free text: UTF-8 if it is valid UTF-8, without the byte order mark that some editors write."""
    try:
        return line.encode("latin-1").decode("utf-8-sig")
    except UnicodeDecodeError:
        return line


def _header_value(name: str, lines: list[str], number: int, key: str, least: int) -> int:
    expected = f"expected '{key} = <number>'"
    if len(lines) < number:
        raise MapError(f"{name}, line {number}: {expected}, but the file ends after line {len(lines)}")
    match = re.fullmatch(rf"\s*{key}\s*=\s*(-?)([0-9]+)\s*", lines[number - 1])
    if match is None:
        raise MapError(f"{name}, line {number}: {expected}, got '{_short(lines[number - 1].strip())}'")
    sign, digits = match[1], match[2].lstrip("0") or "0"
    # A number of thousands of digits is compared by its length: int() refuses it.
    is_large = len(digits) > len(str(MAX_HEADER_VALUE))
    if is_large and not sign:
        raise MapError(f"{name}, line {number}: {key} is too large: {_short(digits)}; the limit is {MAX_HEADER_VALUE:,}")
    if is_large or int(sign + digits) < least:
        raise MapError(f"{name}, line {number}: {key} must be at least {least}, got {sign}{_short(digits)}")
    return int(digits)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _read_grid(lines: list[str], width: int, height: int, players: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The board, and what had to be repaired: at most one note of a kind for each line, so that they stay readable."""
    alphabet = frozenset([*" #@", *map(str, range(1, players + 1))])
    recovered: list[str] = []
    rows: list[str] = []
    for number, line in enumerate(lines[:height], start=6):
        if len(line) < width:
            recovered.append(f"line {number}: line has {len(line)} of {width} columns; filled with spaces")
        elif len(line) > width:
            recovered.append(f"line {number}: ignored {counted(len(line) - width, 'character')} after column {width}")
        row = line[:width].ljust(width)
        if not alphabet.issuperset(row):
            unknown = [(x, character) for x, character in enumerate(row) if character not in alphabet]
            x, character = unknown[0]
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            recovered.append(f"line {number}, column {x + 1}: unknown character {_show(character)}{more} read as a space")
            row = "".join(character if character in alphabet else " " for character in row)
        rows.append(row)
    if len(rows) < height:
        recovered.append(f"the file has {len(rows)} of {height} rows; filled with spaces")
        rows.extend([" " * width] * (height - len(rows)))
    elif len(lines) > height:
        recovered.append(f"ignored {counted(len(lines) - height, 'line')} after row {height}")
    return tuple(rows), tuple(recovered)


def _show(character: str) -> str:
    return f"'{character}'" if character.isascii() and character.isprintable() else f"byte 0x{ord(character):02x}"


def count_players(name: str, data: bytes) -> int:
    """The players that a map was made for: the largest N such that each of the digits 1 to N is on it; at least 2."""
    digits = set("".join(read_map(name, data, 9).grid))
    players = 2
    while players < 9 and all(str(player) in digits for player in range(1, players + 2)):
        players += 1
    return players


def write_map(tank_map: TankMap) -> str:
    """The canonical text of a map; encoded in UTF-8 and read back it gives the same map."""
    header = [
        tank_map.title,
        f"MaxSteps = {tank_map.max_steps}",
        f"NumShells = {tank_map.num_shells}",
        f"Rows = {tank_map.height}",
        f"Cols = {tank_map.width}",
    ]
    return "\n".join([*header, *tank_map.grid]) + "\n"
