from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.errors import MapError
from tiltyard_tanks.maps import MAX_SQUARES, TankMap, count_players, read_map, truncate, write_map

HEADER = b"Yard\nMaxSteps = 100\nNumShells = 5\nRows = 3\nCols = 4\n"


def test_a_proper_file_is_read_without_notes() -> None:
    assert read_map("yard.txt", HEADER + b"1  #\n    \n@  2\n") == TankMap(
        title="Yard", max_steps=100, num_shells=5, grid=("1  #", "    ", "@  2")
    )


@pytest.mark.parametrize("line", ["MaxSteps=100", "MaxSteps =100", "  MaxSteps   =   100  ", "MaxSteps\t=\t100"])
def test_spaces_around_the_equals_sign_are_free(line: str) -> None:
    assert read_map("yard.txt", HEADER.replace(b"MaxSteps = 100", line.encode())).max_steps == 100


def test_windows_line_ends_change_nothing() -> None:
    data = HEADER + b"1  #\n    \n@  2\n"
    assert read_map("yard.txt", data.replace(b"\n", b"\r\n")) == read_map("yard.txt", data)


def test_a_missing_last_line_end_changes_nothing() -> None:
    assert read_map("yard.txt", HEADER + b"1  #\n    \n@  2") == read_map("yard.txt", HEADER + b"1  #\n    \n@  2\n")


RECOVERIES = [
    (b"1\n    \n@  2\n", ("1   ", "    ", "@  2"), ("line 6: line has 1 of 4 columns; filled with spaces",)),
    (b"1   2 2\n    \n@  2\n", ("1   ", "    ", "@  2"), ("line 6: ignored 3 characters after column 4",)),
    (b"1  x\n    \n@  2\n", ("1   ", "    ", "@  2"), ("line 6, column 4: unknown character 'x' read as a space",)),
    (b"1 3\t\n    \n@  2\n", ("1   ", "    ", "@  2"), ("line 6, column 3: unknown character '3' and 1 more read as a space",)),
    (b"1  \xe9\n    \n@  2\n", ("1   ", "    ", "@  2"), ("line 6, column 4: unknown character byte 0xe9 read as a space",)),
    (b"1  #\n    \n@  2\n  22\n", ("1  #", "    ", "@  2"), ("ignored 1 line after row 3",)),
    (b"1  2\n", ("1  2", "    ", "    "), ("the file has 1 of 3 rows; filled with spaces",)),
    (b"", ("    ", "    ", "    "), ("the file has 0 of 3 rows; filled with spaces",)),
]


@pytest.mark.parametrize(("rows", "grid", "recovered"), RECOVERIES)
def test_oddities_are_put_right_and_told(rows: bytes, grid: tuple[str, ...], recovered: tuple[str, ...]) -> None:
    tank_map = read_map("yard.txt", HEADER + rows)
    assert tank_map.grid == grid
    assert tank_map.recovered == recovered


def test_several_oddities_are_told_in_the_order_of_the_file() -> None:
    recovered = read_map("yard.txt", HEADER + b"x\n1    2\n").recovered
    assert [note.split(":")[0] for note in recovered] == [
        "line 6",
        "line 6, column 1",
        "line 7",
        "the file has 2 of 3 rows; filled with spaces",
    ]


HEADER_ERRORS = [
    (b"", "yard.txt, line 2: expected 'MaxSteps = <number>', but the file ends after line 0"),
    (b"Yard\nMaxSteps = 1\n", "yard.txt, line 3: expected 'NumShells = <number>', but the file ends after line 2"),
    (HEADER.replace(b"MaxSteps", b"Steps"), "yard.txt, line 2: expected 'MaxSteps = <number>', got 'Steps = 100'"),
    (
        HEADER.replace(b"NumShells = 5", b"NumShells = five"),
        "yard.txt, line 3: expected 'NumShells = <number>', got 'NumShells = five'",
    ),
    (HEADER.replace(b"Rows = 3", b"Rows = 0"), "yard.txt, line 4: Rows must be at least 1, got 0"),
    (HEADER.replace(b"Cols = 4", b"Cols = -4"), "yard.txt, line 5: Cols must be at least 1, got -4"),
    (HEADER.replace(b"Cols = 4", b"Cols = 4 #"), "yard.txt, line 5: expected 'Cols = <number>', got 'Cols = 4 #'"),
    (HEADER.replace(b"NumShells = 5", b"NumShells = -1"), "yard.txt, line 3: NumShells must be at least 0, got -1"),
    (
        HEADER.replace(b"NumShells = 5", b"NumShells = 18446744073709551616"),
        "yard.txt, line 3: NumShells is too large: 18446744073709551616; the limit is 999,999,999,999",
    ),
    (
        HEADER.replace(b"MaxSteps = 100", b"MaxSteps = " + b"9" * 10_000),
        f"yard.txt, line 2: MaxSteps is too large: {'9' * 60}...; the limit is 999,999,999,999",
    ),
    (
        HEADER.replace(b"Rows = 3", b"Rows = -" + b"9" * 10_000),
        f"yard.txt, line 4: Rows must be at least 1, got -{'9' * 60}...",
    ),
    (HEADER.replace(b"Cols = 4", b"Cols = " + b"0" * 9_000), "yard.txt, line 5: Cols must be at least 1, got 0"),
    (
        HEADER.replace(b"Cols = 4", b"Cols = " + b"0" * 200_000 + b"x"),
        f"yard.txt, line 5: expected 'Cols = <number>', got 'Cols = {'0' * 53}...'",
    ),
]


@pytest.mark.parametrize(("data", "message"), HEADER_ERRORS)
def test_a_bad_header_names_file_line_and_what_was_expected(data: bytes, message: str) -> None:
    with pytest.raises(MapError) as caught:
        read_map("yard.txt", data)
    assert str(caught.value) == message


def test_swapped_header_lines_are_refused() -> None:
    with pytest.raises(MapError, match="line 4: expected 'Rows"):
        read_map("yard.txt", b"Yard\nMaxSteps = 1\nNumShells = 1\nCols = 4\nRows = 3\n")


def test_a_board_too_large_for_the_memory_is_refused() -> None:
    data = HEADER.replace(b"Rows = 3", b"Rows = 999999999999")
    with pytest.raises(MapError, match=f"the limit is {MAX_SQUARES:,} squares"):
        read_map("yard.txt", data)


def test_leading_zeros_and_the_largest_number_are_read() -> None:
    data = HEADER.replace(b"MaxSteps = 100", b"MaxSteps = " + b"0" * 9_000 + b"7").replace(
        b"NumShells = 5", b"NumShells = 999999999999"
    )
    tank_map = read_map("yard.txt", data)
    assert (tank_map.max_steps, tank_map.num_shells) == (7, 999_999_999_999)


def test_zero_steps_and_zero_shells_are_allowed() -> None:
    tank_map = read_map("yard.txt", HEADER.replace(b"100", b"0").replace(b"Shells = 5", b"Shells = 0"))
    assert (tank_map.max_steps, tank_map.num_shells) == (0, 0)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Höhle".encode(), "Höhle"),
        ("Höhle".encode("latin-1"), "Höhle"),
        (b"\xef\xbb\xbfYard", "Yard"),
        ("מבוך".encode(), "מבוך"),
        (b"", ""),
    ],
)
def test_titles_are_read_in_any_usual_encoding(line: bytes, title: str) -> None:
    assert read_map("yard.txt", line + HEADER.removeprefix(b"Yard")).title == title


@pytest.mark.parametrize(
    ("rows", "players"), [(b"1  2", 2), (b"123 ", 3), (b"1234", 4), (b"12 4", 2), (b"1   ", 2), (b"    3", 2), (b"", 2)]
)
def test_a_map_is_made_for_as_many_players_as_have_tanks_without_a_gap(rows: bytes, players: int) -> None:
    assert count_players("yard.txt", HEADER + rows + b"\n") == players


def test_truncating_only_shortens() -> None:
    tank_map = read_map("yard.txt", HEADER)
    assert truncate(tank_map, 7).max_steps == 7
    assert truncate(tank_map, 700) == tank_map


TITLES = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufeff"), max_size=20)


@st.composite
def tank_maps(draw: st.DrawFn) -> TankMap:
    players = draw(st.integers(2, 9))
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    row = st.text(" #@" + "123456789"[:players], min_size=width, max_size=width)
    grid = draw(st.lists(row, min_size=height, max_size=height))
    return TankMap(
        title=draw(TITLES),
        max_steps=draw(st.integers(0, 10**12 - 1)),
        num_shells=draw(st.integers(0, 10**12 - 1)),
        grid=tuple(grid),
        players=players,
    )


@given(tank_maps())
def test_what_is_written_reads_back_the_same(tank_map: TankMap) -> None:
    assert read_map("any", write_map(tank_map).encode(), tank_map.players) == tank_map


@given(st.binary(max_size=60), st.integers(1, 6), st.integers(1, 6))
def test_any_bytes_below_a_header_make_a_board_of_the_right_size(rows: bytes, height: int, width: int) -> None:
    tank_map = read_map("any", f"t\nMaxSteps=1\nNumShells=1\nRows={height}\nCols={width}\n".encode() + rows)
    assert (tank_map.height, tank_map.width) == (height, width)
    assert set("".join(tank_map.grid)) <= set(" #@12")
