"""Tests of the course's levels: a position, whose move it is, and the one board that is right. Files of them, for people to read.

    level: 4
    side: white

    board:
    (nine lines of nine characters)

    expected:
    (nine lines)

A file holds one test, or several one below the other, each of which begins with ``level:``. ``name: TEXT`` may stand with level and
side. Empty lines, blanks at a line's end and CR LF are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tiltyard_advance.board_files import BYTE_ORDER_MARK, rows_of
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import SIDES
from tiltyard_advance.rules import CHARACTERS, SIZE, Board
from tiltyard_engine.errors import MapError

LONGEST_NAME: Final = 80
BLOCKS: Final = ("board", "expected")
"""Keys that nine lines follow; the others have their value behind them."""
WORDS: Final = ("level", "side", "name")


class LevelTestError(MapError):
    """A text that is no test; the message says in which line, what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class LevelTest:
    """A test of a level: a board, who is to move, and the only right answer."""

    level: int
    """4 to 7."""
    side: int
    """Who is to move: 0 white, 1 black."""
    board: str
    """81 characters, line 1 first."""
    expected: str
    """The only right board after the move, in the same form."""
    name: str = field(default="", compare=False)
    """What reports call it; unique in a pack."""


def write_test(test: LevelTest) -> str:
    """The text of a test."""
    head = [f"level: {test.level}", f"side: {SIDES[test.side]}", *([f"name: {test.name}"] if test.name else [])]
    return "\n".join([*head, "", "board:", *rows_of(test.board), "", "expected:", *rows_of(test.expected), ""])


def read_tests(name: str, data: bytes) -> list[LevelTest]:
    """The tests of a file, at least one. Those without a name are called after the file, with their number if there are several.

    Raises:
        LevelTestError: what is wrong, as ``NAME:LINE: found, expected``.
    """
    reader = _Reader(name)
    lines = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").splitlines()
    tests = list(reader.tests(lines))
    stem = name.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or name
    for number, test in enumerate(tests, start=1):
        own = test.name or (stem if len(tests) == 1 else f"{stem}-{number:02}")
        tests[number - 1] = LevelTest(test.level, test.side, test.board, test.expected, own)
    return tests


def unreachable(test: LevelTest) -> str:
    """Why the expected board cannot be right: no legal move leads to it; empty where one does."""
    board = Board(test.board)
    if test.expected in boards_after(board, board.legal_moves(test.side)):
        return ""
    return f"no legal move of {SIDES[test.side]} leads to this board"


class _Reader:
    """Reads line by line; a test is complete with the last line of its second block."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._begin()

    def _begin(self) -> None:
        self._values: dict[str, str] = {}
        self._lines: dict[str, int] = {}
        self._block = ""
        """The one whose lines come now."""

    def tests(self, lines: list[str]) -> Iterator[LevelTest]:
        """All tests of the lines."""
        some = False
        for number, line in enumerate((line.rstrip() for line in lines), start=1):
            if not line:
                continue
            if self._block:
                self._row(number, line)
            else:
                if line.startswith("level:") and self._is_complete():
                    yield self._finish()
                    some = True
                self._key(number, line)
        end = len(lines) + 1
        if self._block:
            rows = len(self._values[self._block]) // SIZE
            raise self._error(end, f"the file ends after {rows} lines of '{self._block}:', expected {SIZE}")
        if self._values or not some:
            keys = BLOCKS if self._values else WORDS[:1]
            missing = next((key for key in keys if key not in self._values), "")
            if missing:
                raise self._error(end, f"the file ends, expected '{missing}:'")
            yield self._finish()

    def _is_complete(self) -> bool:
        return all(key in self._values for key in BLOCKS)

    def _key(self, number: int, line: str) -> None:
        key, colon, value = line.partition(":")
        value = value.strip()
        if not colon or key not in (*WORDS, *BLOCKS):
            choices = ", ".join(f"{word}:" for word in (*WORDS, *BLOCKS))
            raise self._error(number, f"expected one of {choices}, got '{line:.40}'")
        if key in self._values:
            first = self._lines[key]
            raise self._error(number, f"duplicate key '{key}:', first used in line {first}; start a new test with 'level:'")
        if key in BLOCKS:
            if value:
                raise self._error(number, f"expected the board on the {SIZE} lines below '{key}:', got '{value:.40}'")
            self._block = key
        elif key == "level" and value not in map(str, LEVELS):
            raise self._error(number, f"the level is '{value:.40}', expected one of {', '.join(map(str, LEVELS))}")
        elif key == "side" and value not in SIDES:
            raise self._error(number, f"the side is '{value:.40}', expected {' or '.join(SIDES)}")
        elif key == "name" and not (0 < len(value) <= LONGEST_NAME and value.isprintable()):
            raise self._error(number, f"expected a name of 1 to {LONGEST_NAME} printable characters")
        self._values[key], self._lines[key] = value, number

    def _row(self, number: int, line: str) -> None:
        row = line.strip()
        bad = next((character for character in row if character not in CHARACTERS), "")
        if bad or len(row) != SIZE:
            what = f"the character {bad!r}" if bad else f"{len(row)} characters"
            raise self._error(
                number, f"expected a line of the {self._block} with {SIZE} of .#ZBMJSCDGzbmjscdg, got {what} in '{row:.40}'"
            )
        self._values[self._block] += row
        if len(self._values[self._block]) == SIZE * SIZE:
            self._block = ""

    def _finish(self) -> LevelTest:
        values, lines = self._values, self._lines
        missing = next((key for key in ("level", "side") if key not in values), "")
        if missing:
            raise self._error(lines["board"], f"the key '{missing}:' is missing")
        for key in BLOCKS:
            for general, owner in (("G", "white"), ("g", "black")):
                if (count := values[key].count(general)) != 1:
                    raise self._error(lines[key], f"expected one {owner} General ({general}) in '{key}:', got {count}")
        side = SIDES.index(values["side"])
        test = LevelTest(int(values["level"]), side, values["board"], values["expected"], values.get("name", ""))
        if message := unreachable(test):
            raise self._error(lines["expected"], message)
        self._begin()
        return test

    def _error(self, line: int, message: str) -> LevelTestError:
        return LevelTestError(f"{self._file}:{line}: {message}")
