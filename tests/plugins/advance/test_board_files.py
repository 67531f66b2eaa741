"""Reading board files as programs write them, and writing them in one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.advance.boards import played

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of, write_board_file
from tiltyard_advance.positions import START
from tiltyard_advance.rules import CHARACTERS, Board

LINES = rows_of(START)


@pytest.mark.parametrize(
    "data",
    [
        "\n".join(LINES) + "\n",
        "\n".join(LINES),
        "\r\n".join(LINES) + "\r\n",
        "\r".join(LINES),
        "\n\n" + " \t\n".join(LINES) + "\n\n  ",
        START,
        " ".join(START),
        "\ufeff" + "\n".join(LINES),
    ],
    ids=["canonical", "no last newline", "CR LF", "CR", "blanks", "one line", "spread", "byte order mark"],
)
def test_whatever_stands_between_the_characters(data: str) -> None:
    assert read_board_file(data.encode()) == START


def test_what_is_written() -> None:
    data = write_board_file(START)
    assert data.splitlines() == [line.encode() for line in LINES]
    assert (len(data), data[-1:]) == (90, b"\n")


@given(played())
def test_what_is_written_is_read(position: tuple[Board, int]) -> None:
    text = position[0].text()
    assert read_board_file(write_board_file(text)) == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "wrong number of characters: expected 9 lines of 9 characters, 81 in all, got 0"),
        (START[:-1].encode(), "wrong number of characters: expected 9 lines of 9 characters, 81 in all, got 80"),
        (START.encode() + b".", "wrong number of characters: expected 9 lines of 9 characters, 81 in all, got 82"),
        (b"mjdsgscjm\nbzzzXzzzb\n", "line 2, column 5: bad character 'X'; expected a piece (ZBMJSDCG white, zbmjsdcg black), ."),
        (b"\x00", "line 1, column 1: bad character 0x00"),
        ("mjdsgscjm\r\n\u00e9".encode(), "line 2, column 1: bad character 0xc3"),
        (START.replace("g", ".").encode(), "expected one black General (g), got 0"),
        (START.replace("D", "G").encode(), "expected one white General (G), got 2"),
    ],
)
def test_what_is_no_board(data: bytes, message: str) -> None:
    with pytest.raises(BoardFileError) as caught:
        read_board_file(data)
    assert str(caught.value).startswith(message)


@given(st.binary(max_size=200) | st.text(CHARACTERS + "\r\n", max_size=120).map(str.encode))
def test_any_bytes_are_a_board_or_an_error(data: bytes) -> None:
    try:
        text = read_board_file(data)
    except BoardFileError:
        return
    assert len(text) == 81
    assert set(text) <= set(CHARACTERS)
