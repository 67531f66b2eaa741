"""The files that programs read and write: nine lines of nine characters, line 1 first, which is black's back row.

``ZBMJSDCG`` are white's pieces, ``zbmjsdcg`` black's, ``.`` is an empty square and ``#`` a wall. White space is
ignored in reading, so files of any system will do; what is written ends every line with a line feed.
"""

from __future__ import annotations

from typing import Final

from tiltyard_advance.rules import CHARACTERS, SIZE

PLACES_IN_ALL: Final = SIZE * SIZE
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
BLANKS: Final = b" \t\r\n\v\f"


class BoardFileError(ValueError):
    """A file that is no board; the message says what is wrong and where."""


def read_board_file(data: bytes) -> str:
    """The board as 81 characters.

    Raises:
        BoardFileError: what was expected and what was found.
    """
    text = data.removeprefix(BYTE_ORDER_MARK)
    board: list[str] = []
    line = column = 1
    for byte in text:
        character = chr(byte)
        if byte not in BLANKS:
            if character not in CHARACTERS:
                raise BoardFileError(
                    f"line {line}, column {column}: bad character {_show(byte)}; "
                    "expected a piece (ZBMJSDCG white, zbmjsdcg black), . for an empty square or # for a wall"
                )
            board.append(character)
        line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    if len(board) != PLACES_IN_ALL:
        size = f"{SIZE} lines of {SIZE} characters"
        raise BoardFileError(f"wrong number of characters: expected {size}, {PLACES_IN_ALL} in all, got {len(board)}")
    for general, side in (("G", "white"), ("g", "black")):
        if board.count(general) != 1:
            raise BoardFileError(f"expected one {side} General ({general}), got {board.count(general)}")
    return "".join(board)


def write_board_file(board: str) -> bytes:
    """The file of 81 characters: nine lines, each ended by a line feed."""
    return "".join(f"{row}\n" for row in rows_of(board)).encode("ascii")


def rows_of(board: str) -> tuple[str, ...]:
    """The nine lines of 81 characters."""
    return tuple(board[start : start + SIZE] for start in range(0, len(board), SIZE))


def _show(byte: int) -> str:
    return f"'{chr(byte)}'" if 0x20 < byte < 0x7F else f"0x{byte:02x}"
