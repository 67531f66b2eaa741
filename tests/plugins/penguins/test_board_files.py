"""Board files: everything that programs write is read, one form is written, errors name their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_penguins.board_files import (
    BoardFile,
    BoardFileError,
    PlayerRow,
    Problem,
    check_players,
    read_board_file,
    write_board_file,
)

CELLS = [10 * fish + player for fish in range(4) for player in range(10)]
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=12)


@st.composite
def board_files(draw: st.DrawFn) -> BoardFile:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cells = bytes(draw(st.lists(st.sampled_from(CELLS), min_size=rows * columns, max_size=rows * columns)))
    numbers = draw(st.lists(st.integers(1, 9), unique=True))
    players = tuple(PlayerRow(draw(NAMES), number, draw(st.integers(0, 999))) for number in numbers)
    return BoardFile(rows, columns, cells, players)


@st.composite
def sloppy_texts(draw: st.DrawFn) -> tuple[BoardFile, bytes]:
    """A state, and a file that says the same as programs would write it."""
    file = draw(board_files())
    blank = st.sampled_from([" ", "  ", "\t"])
    end = st.sampled_from(["", " ", "   ", "\r", " \r"])
    cells = [f"{cell // 10}{cell % 10}" for cell in file.cells]
    rows = [cells[start : start + file.columns] for start in range(0, len(cells), file.columns)]
    fields = [[str(file.rows), str(file.columns)], *rows]
    fields += [[player.name, str(player.number), str(player.score)] for player in file.players]
    lines = [draw(blank).join(words) + draw(end) for words in fields]
    lines += draw(st.lists(st.sampled_from(["", " ", "\r"]), max_size=3))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n"]))
    return file, text.encode()


@given(board_files())
def test_what_is_written_is_read_again(file: BoardFile) -> None:
    state = file.canonical()
    written = write_board_file(file)
    assert read_board_file(written) == state
    assert write_board_file(state) == written


@given(sloppy_texts())
def test_all_that_programs_write_is_read(written: tuple[BoardFile, bytes]) -> None:
    file, text = written
    assert read_board_file(text) == file


@given(st.binary(max_size=60))
def test_anything_else_is_an_error_with_a_place(data: bytes) -> None:
    try:
        read_board_file(data)
    except BoardFileError as error:
        place = (error.line, error.column)
        message = str(error)
    else:
        return
    assert min(place) >= 1
    assert message.startswith(f"line {place[0]}, column {place[1]}: ")


def test_the_canonical_form() -> None:
    file = read_board_file(b"2 3 \r\n 10\t21 00 \r\n00 03 30 \r\nA 1 5 \r\nB 3 7 \r\n\r\n")
    assert file.cells == bytes([10, 21, 0, 0, 3, 30])
    assert write_board_file(file) == b"2 3\n10 01 00\n00 03 30\nA 1 5\nB 3 7\n"


def test_an_id_of_another_encoding_comes_back_as_it_was() -> None:
    data = b"1 1\n01\n\xb3\xf3d\xbc 1 1\n"
    assert write_board_file(read_board_file(data)) == data


def test_a_lone_carriage_return_ends_lines_where_nothing_else_does() -> None:
    assert read_board_file(b"1 2\r10 00\rA 1 0\r").players == (PlayerRow("A", 1, 0),)


BAD = [
    (b"", Problem.NO_SIZE, 1, 1),
    (b"  \n10\n", Problem.NO_SIZE, 1, 1),
    (b"2 x\n", Problem.INVALID_SIZE_LINE, 1, 3),
    (b"2\n", Problem.INVALID_SIZE_LINE, 1, 2),
    (b"1 1 1\n10\n", Problem.INVALID_SIZE_LINE, 1, 5),
    (b"-1 2\n", Problem.INVALID_SIZE_LINE, 1, 1),
    (b"0 5\n", Problem.INVALID_SIZE, 1, 1),
    (b"99999 99999\n", Problem.INVALID_SIZE, 1, 1),
    (b"2 2\n10 10", Problem.BOARD_LINE_EXPECTED, 3, 1),
    (b"2 2\n10 10\n\n10 10\n", Problem.BOARD_LINE_EXPECTED, 3, 1),
    (b"1 2\n10\n", Problem.INVALID_COLUMNS, 2, 3),
    (b"1 2\n10 10 10\n", Problem.INVALID_COLUMNS, 2, 7),
    (b"1 2\n10 40\n", Problem.INVALID_FIELD, 2, 4),
    (b"1 2\n1 10\n", Problem.INVALID_FIELD, 2, 1),
    (b"1 2\n1010\n", Problem.INVALID_FIELD, 2, 1),
    (b"1 1\n10\nA 1\n", Problem.INVALID_PLAYER_LINE, 3, 4),
    (b"1 1\n10\nA B 1 0\n", Problem.INVALID_PLAYER_LINE, 3, 7),
    (b"1 1\n10\nA 0 0\n", Problem.INVALID_PLAYER_NUMBER, 3, 3),
    (b"1 1\n10\nA 10 0\n", Problem.INVALID_PLAYER_NUMBER, 3, 3),
    (b"1 1\n10\nA 1 0\nB 1 0\n", Problem.INVALID_PLAYER_NUMBER, 4, 3),
    (b"1 1\n10\nA 1 -1\n", Problem.INVALID_SCORE, 3, 5),
    (b"1 1\n10\nA 1 1.5\n", Problem.INVALID_SCORE, 3, 5),
]


@pytest.mark.parametrize(("data", "problem", "line", "column"), BAD)
def test_errors_name_class_line_and_column(data: bytes, problem: Problem, line: int, column: int) -> None:
    with pytest.raises(BoardFileError) as caught:
        read_board_file(data)
    assert (caught.value.problem, caught.value.line, caught.value.column) == (problem, line, column)


def test_penguins_need_a_row_and_are_counted() -> None:
    with pytest.raises(BoardFileError, match="line 2, column 4: player number not defined: player 2 has no row"):
        check_players(read_board_file(b"1 2\n10 02\nA 1 1\n"))
    full = read_board_file(b"2 2\n01 10\n00 01\nA 1 2\n")
    check_players(full, 2)
    with pytest.raises(BoardFileError, match="line 3, column 4: too many penguins: player 1 has more than 1"):
        check_players(full, 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"3 2\n10 10\n", "line 3, column 1: board line expected: expected 2 cells, but the file ends after line 2"),
        (b"3 2\n10 10\r\n\r\n\n", "line 3, column 1: board line expected: expected 2 cells, but the file ends after line 2"),
        (b"3 2\n10 10\n10 10", "line 4, column 1: board line expected: expected 2 cells, but the file ends after line 3"),
        (b"2 2\n10 10\n\n10 10\n", "line 3, column 1: board line expected: expected 2 cells, but the line is empty"),
        (b"", "line 1, column 1: no m n line: expected the numbers of rows and columns, got an empty file"),
    ],
)
def test_a_file_that_ends_early_names_the_line_where_it_ends(data: bytes, message: str) -> None:
    with pytest.raises(BoardFileError) as caught:
        read_board_file(data)
    assert str(caught.value) == message
