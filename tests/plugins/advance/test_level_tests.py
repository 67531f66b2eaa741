"""Files of tests: what is written is read again, and everything wrong is told by file and line."""

from __future__ import annotations

import pytest
from tests.plugins.advance.boards import sparse, turned

from tiltyard_advance.level_tests import LevelTest, LevelTestError, read_tests, write_test

BOARD = sparse("Ge9", "ge1", "Za5")
FORWARD = sparse("Ge9", "ge1", "Za4")
TEST = LevelTest(6, 0, BOARD, FORWARD)
OTHER = LevelTest(4, 1, turned(BOARD), turned(FORWARD), "black/other")


def test_what_is_written_is_read_again() -> None:
    assert read_tests("here/one.txt", write_test(TEST).encode()) == [TEST]
    found = read_tests("here/both.txt", f"{write_test(TEST)}\n{write_test(OTHER)}".encode())
    assert found == [TEST, OTHER]
    assert [test.name for test in found] == ["both-01", "black/other"]
    assert read_tests("here/one.txt", write_test(TEST).encode())[0].name == "one"


def test_ends_of_lines_blanks_and_a_mark_of_byte_order_are_of_no_account() -> None:
    text = f"{write_test(TEST)}\n{write_test(OTHER)}".rstrip("\n").replace("\n", "  \r\n\r\n")
    assert read_tests("x.txt", b"\xef\xbb\xbf" + text.encode()) == [TEST, OTHER]


def lines_of(test: LevelTest) -> list[str]:
    return write_test(test).splitlines()


def changed(line: int, text: str | None) -> str:
    """The file of TEST with a line, counted from 1, written otherwise, or left out."""
    lines = lines_of(TEST)
    lines[line - 1 : line] = [] if text is None else [text]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.txt:1: the file ends, expected 'level:'"),
        ("mjdsgscjm\n", "x.txt:1: expected one of level:, side:, name:, board:, expected:, got 'mjdsgscjm'"),
        (changed(1, "level: 8"), "x.txt:1: the level is '8', expected one of 4, 5, 6, 7"),
        (changed(2, "side: red"), "x.txt:2: the side is 'red', expected white or black"),
        (changed(2, "level: 5"), "x.txt:2: duplicate key 'level:', first used in line 1; start a new test with 'level:'"),
        (changed(1, None), "x.txt:3: the key 'level:' is missing"),
        (changed(4, "board: mjdsgscjm"), "x.txt:4: expected the board on the 9 lines below 'board:', got 'mjdsgscjm'"),
        (
            changed(5, "....g..."),
            "x.txt:5: expected a line of the board with 9 of .#ZBMJSCDGzbmjscdg, got 8 characters in '....g...'",
        ),
        (
            changed(5, "....x...."),
            "x.txt:5: expected a line of the board with 9 of .#ZBMJSCDGzbmjscdg, got the character 'x' in '....x....'",
        ),
        (changed(5, "........."), "x.txt:4: expected one black General (g) in 'board:', got 0"),
        (changed(13, None), "x.txt:14: expected a line of the board with 9 of .#ZBMJSCDGzbmjscdg, got the character 'e'"),
        ("\n".join(lines_of(TEST)[:-1]), "x.txt:24: the file ends after 8 lines of 'expected:', expected 9"),
        ("\n".join(lines_of(TEST)[:14]), "x.txt:14: the file ends, expected 'expected:'"),
        (changed(24, "....G...Z"), "x.txt:15: no legal move of white leads to this board"),
        (changed(3, "name: " + "x" * 81), "x.txt:3: expected a name of 1 to 80 printable characters"),
    ],
)
def test_what_is_wrong_is_told_by_file_and_line(text: str, message: str) -> None:
    with pytest.raises(LevelTestError) as caught:
        read_tests("x.txt", text.encode())
    assert any(str(caught.value).startswith(part) for part in message.split("|")), caught.value


def test_a_name_does_not_make_another_test() -> None:
    assert LevelTest(6, 0, BOARD, FORWARD, "a") == LevelTest(6, 0, BOARD, FORWARD, "b")
