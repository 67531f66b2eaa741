from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.filler.boards import positions

from tiltyard_engine.errors import MapError
from tiltyard_engine.records import MapFile
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import MAP
from tiltyard_filler.map_files import FillerMap, MapOptions, generate_map, read_board, read_map, write_map
from tiltyard_filler.positions import FillerPosition

SUBJECTS = {"map00": (20, 15, (9, 2), (9, 12)), "map01": (40, 30, (4, 3), (32, 26)), "map02": (99, 100, (70, 71), (25, 25))}


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_subjects_maps(name: str, registry: Registry) -> None:
    width, height, first, second = SUBJECTS[name]
    record = registry.find(MAP, name, game="filler").reference.load()
    assert isinstance(record, MapFile)
    board = read_map(name, record.data)
    assert (board.width, board.height) == (width, height)
    assert {(square % width, square // width): chr(cell) for square, cell in enumerate(board.cells) if cell != ord(".")} == {
        first: "@",
        second: "$",
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"..@\r\n..$\r\n", "line 1, column 4: expected one of . @ a $ s, got a carriage return"),
        (b"..@\n..$.\n", "line 2: expected 3 columns as in line 1, got 4"),
        (b"..@\n..x\n", "line 2, column 3: expected one of . @ a $ s, got 'x'"),
        (b"..@\n..\xff\n", "line 2, column 3: expected one of . @ a $ s, got byte 0xff"),
        (b"\n..@\n..$\n", "line 2: expected 0 columns as in line 1, got 3"),
        (b"..@\n", "player 2 has no start cell; put $ or s"),
        (b"..s\n", "player 1 has no start cell; put @ or a"),
        (b"", "player 1 has no start cell"),
        (b"." * 1001 + b"\n" + (b"." * 1001 + b"\n") * 999, "a board of 1001 x 1000 is too large"),
    ],
)
def test_a_bad_map_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(MapError) as caught:
        read_map("m", data)
    assert str(caught.value).startswith("m")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "size", "cells"),
    [
        (b"@.\n.$\n", (2, 2), b"@..$"),
        (b"@.\n\n.$", (2, 2), b"@..$"),
        (b"a.\ns.\n\n\n", (2, 2), b"a.s."),
        (b"", (0, 0), b""),
        (b"\n\n", (0, 0), b""),
        (b"...\n", (3, 1), b"..."),
    ],
)
def test_what_the_subjects_engine_takes(data: bytes, size: tuple[int, int], cells: bytes) -> None:
    assert read_board("m", data) == FillerMap(*size, cells)


@given(positions())
def test_a_board_written_is_read_back(position: FillerPosition) -> None:
    board = FillerMap(position.width, position.height, position.board)
    assert read_board("m", write_map(board)) == board


@given(st.integers(1, 30), st.integers(2, 30), st.integers(1, 5), st.integers(0, 1000))
def test_generated_boards_are_fair_and_always_the_same(rows: int, cols: int, starts: int, seed: int) -> None:
    wishes = MapOptions(rows, cols, min(starts, rows * cols // 2))
    data = generate_map(wishes, seed, 2)
    assert data == generate_map(wishes, seed, 2)
    board = read_map("m", data)
    assert (board.width, board.height) == (cols, rows)
    assert board.cells.count(b"@") == wishes.starts
    assert board.cells[::-1].translate(bytes.maketrans(b"@$", b"$@")) == board.cells


@pytest.mark.parametrize(
    ("wishes", "message"),
    [(MapOptions(0, 5), "at least one row"), (MapOptions(3, 3, 5), "room for 1 to 4"), (MapOptions(3, 3, 0), "room")],
)
def test_boards_that_cannot_be(wishes: MapOptions, message: str) -> None:
    with pytest.raises(MapError, match=message):
        generate_map(wishes, 1, 2)
