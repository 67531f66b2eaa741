"""Board files: what programs read and write. Reads all that real programs write, writes one canonical form.

Line 1 ``rows columns``; a line a row of cells, each of two digits, fish and player; then a line a player: ``ID number score``.
Read are any spaces and tabs between and around fields, CR LF, a missing last newline, and empty lines behind the board.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_penguins.rules import MOST_FISH, MOST_PLAYERS

MOST_SQUARES: Final = 1_000_000
"""A larger board is a slip or an attack."""
ENCODING: Final = "utf-8"
KEEP_BYTES: Final = "surrogateescape"
"""IDs of any encoding come out as they went in."""

FIELD: Final = re.compile(r"\S+", re.ASCII)
NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
CELLS: Final = {f"{fish}{player}": 10 * fish + player for fish in range(MOST_FISH + 1) for player in range(MOST_PLAYERS + 1)}
"""Every cell that there is, by its two digits."""
TEXTS: Final = {value: text for text, value in CELLS.items()}

TAKEN: Final = bytes(cell % 10 or cell for cell in range(256))
"""By cell: the same without fish under a penguin."""


class Problem(Enum):
    """What can be wrong with a file, in the classes of the course's own game master."""

    CANNOT_OPEN = "cannot open the file"
    NO_SIZE = "no m n line"
    INVALID_SIZE_LINE = "invalid m n line"
    INVALID_SIZE = "invalid board size"
    BOARD_LINE_EXPECTED = "board line expected"
    INVALID_COLUMNS = "invalid number of board columns"
    INVALID_FIELD = "invalid description of the field of the board"
    INVALID_PLAYER_LINE = "invalid player line"
    INVALID_PLAYER_NUMBER = "invalid player number"
    INVALID_SCORE = "invalid score"
    PLAYER_NOT_DEFINED = "player number not defined"
    TOO_MANY_PENGUINS = "too many penguins"


class BoardFileError(UserError):
    """A file that is no state of the game; names the line and the column, both from 1."""

    def __init__(self, problem: Problem, line: int, column: int, details: str) -> None:
        super().__init__(f"line {line}, column {column}: {problem.value}: {details}")
        self.problem = problem
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player's row in the file."""

    name: str
    """The ID: no spaces, no quotation marks."""
    number: int
    """1 to 9, as in the cells of the player's penguins."""
    score: int
    """Fish collected."""


@dataclass(frozen=True, slots=True)
class BoardFile:
    """The state that a file describes: the board and a row for each player."""

    rows: int
    columns: int
    cells: bytes
    """A byte a square, row by row: ten times the fish plus the player."""
    players: tuple[PlayerRow, ...] = ()

    def canonical(self) -> BoardFile:
        """This state without fish under penguins: they are taken when a penguin arrives, but many programs leave the digit."""
        return replace(self, cells=self.cells.translate(TAKEN))


def read_board_file(data: bytes) -> BoardFile:
    """What is written in a file, fish under penguins included.

    Raises:
        BoardFileError: the first thing that is wrong.
    """
    lines = _lines(data)
    rows, columns = _read_size(lines)
    cells = b"".join(_read_row(lines, 1 + row, columns) for row in range(rows))
    players: list[PlayerRow] = []
    for index in range(1 + rows, len(lines)):
        if FIELD.search(lines[index]):
            players.append(_read_player(lines[index], index + 1, players))
    return BoardFile(rows, columns, cells, tuple(players))


def write_board_file(file: BoardFile) -> bytes:
    """The canonical form: single spaces, no fish under penguins, every line with a line feed."""
    cells = [TEXTS[cell] for cell in file.canonical().cells]
    starts = range(0, len(cells), file.columns)
    lines = [f"{file.rows} {file.columns}", *(" ".join(cells[start : start + file.columns]) for start in starts)]
    lines += [f"{player.name} {player.number} {player.score}" for player in file.players]
    return "".join(f"{line}\n" for line in lines).encode(ENCODING, KEEP_BYTES)


def check_players(file: BoardFile, penguins: int = 0) -> None:
    """Every penguin's player has a row, and nobody more than ``penguins`` of them (0: any number).

    Raises:
        BoardFileError: names the first penguin that should not be there.
    """
    numbers = {player.number for player in file.players}
    counts = [0] * (MOST_PLAYERS + 1)
    for square, cell in enumerate(file.cells):
        player = cell % 10
        if not player:
            continue
        line, column = 2 + square // file.columns, 1 + 3 * (square % file.columns)
        if player not in numbers:
            raise BoardFileError(Problem.PLAYER_NOT_DEFINED, line, column, f"player {player} has no row")
        counts[player] += 1
        if penguins and counts[player] > penguins:
            details = f"player {player} has more than {penguins}"
            raise BoardFileError(Problem.TOO_MANY_PENGUINS, line, column, details)


def _lines(data: bytes) -> list[str]:
    text = data.removeprefix(b"\xef\xbb\xbf").decode(ENCODING, KEEP_BYTES)
    # A CR before a line feed is blank to every pattern here; alone it ends lines only where nothing else does.
    return text.split("\n" if "\n" in text else "\r")


def _last_line(lines: Sequence[str]) -> int:
    """The number of the last line that is not empty; 0: there is none."""
    return next((number for number in range(len(lines), 0, -1) if FIELD.search(lines[number - 1])), 0)


def _read_size(lines: Sequence[str]) -> tuple[int, int]:
    first = lines[0] if lines else ""
    fields = list(FIELD.finditer(first))
    if not fields:
        problem = "an empty line" if _last_line(lines) else "an empty file"
        raise BoardFileError(Problem.NO_SIZE, 1, 1, f"expected the numbers of rows and columns, got {problem}")
    numbers: list[int] = []
    for field in fields[:2]:
        if NUMBER.fullmatch(field[0]) is None:
            raise BoardFileError(Problem.INVALID_SIZE_LINE, 1, field.start() + 1, f"expected a number, got {_show(field[0])}")
        numbers.append(int(field[0]))
    if len(fields) != 2:
        column = fields[2].start() + 1 if len(fields) > 2 else len(first.rstrip()) + 1
        raise BoardFileError(Problem.INVALID_SIZE_LINE, 1, column, f"expected two numbers, got {len(fields)} fields")
    rows, columns = numbers
    if not (rows and columns and rows * columns <= MOST_SQUARES):
        details = f"{rows} x {columns}; expected 1 to {MOST_SQUARES} squares"
        raise BoardFileError(Problem.INVALID_SIZE, 1, fields[0].start() + 1, details)
    return rows, columns


def _read_row(lines: Sequence[str], index: int, columns: int) -> bytes:
    fields = lines[index].split() if index < len(lines) else []
    row = [CELLS.get(field, -1) for field in fields]
    if len(row) == columns and min(row) >= 0:
        return bytes(row)
    line = index + 1
    if not fields:
        last = _last_line(lines)
        problem = f"the file ends after line {last}" if index >= last else "the line is empty"
        raise BoardFileError(Problem.BOARD_LINE_EXPECTED, line, 1, f"expected {columns} cells, but {problem}")
    text = lines[index]
    for field in list(FIELD.finditer(text))[:columns]:
        if field[0] not in CELLS:
            details = f"expected a digit from 0 to {MOST_FISH} and one from 0 to 9, got {_show(field[0])}"
            raise BoardFileError(Problem.INVALID_FIELD, line, field.start() + 1, details)
    column = [field.start() + 1 for field in FIELD.finditer(text)][columns] if len(row) > columns else len(text.rstrip()) + 1
    raise BoardFileError(Problem.INVALID_COLUMNS, line, column, f"expected {columns} cells, got {len(row)}")


def _read_player(text: str, line: int, players: Sequence[PlayerRow]) -> PlayerRow:
    fields = list(FIELD.finditer(text))
    if len(fields) != 3:
        column = fields[3].start() + 1 if len(fields) > 3 else len(text.rstrip()) + 1
        details = f"expected ID, number and score, got {len(fields)} field{'s' * (len(fields) > 1)}"
        raise BoardFileError(Problem.INVALID_PLAYER_LINE, line, column, details)
    name, number, score = fields
    if not (NUMBER.fullmatch(number[0]) and 1 <= int(number[0]) <= MOST_PLAYERS):
        details = f"expected 1 to {MOST_PLAYERS}, got {_show(number[0])}"
        raise BoardFileError(Problem.INVALID_PLAYER_NUMBER, line, number.start() + 1, details)
    if any(player.number == int(number[0]) for player in players):
        details = f"{int(number[0])} is already the number of another player"
        raise BoardFileError(Problem.INVALID_PLAYER_NUMBER, line, number.start() + 1, details)
    if NUMBER.fullmatch(score[0]) is None:
        details = f"expected 0 or a positive number, got {_show(score[0])}"
        raise BoardFileError(Problem.INVALID_SCORE, line, score.start() + 1, details)
    return PlayerRow(name[0], int(number[0]), int(score[0]))


def _show(text: str) -> str:
    return f"'{text[:20].encode('ascii', 'backslashreplace').decode()}{'...' if len(text) > 20 else ''}'"
