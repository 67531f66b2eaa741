from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_tanks.map_drawing import draw_board, draw_map
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.svg import SQUARE, draw_svg

YARD = TankMap(title="Yard", max_steps=100, num_shells=5, grid=("1 #", "@ 2"))
SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def tank_maps(draw: st.DrawFn) -> TankMap:
    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    grid = draw(st.lists(st.text(" #@123456789", min_size=width, max_size=width), min_size=height, max_size=height))
    return TankMap(title=draw(st.text(max_size=30)), max_steps=10, num_shells=1, grid=tuple(grid), players=9)


def test_a_drawing_has_title_board_limits_and_legend() -> None:
    assert draw_map(YARD) == (
        "Yard\n┌──────┐\n│1←  ▒▒│\n│◆◆  2→│\n└──────┘\n2 x 3, MaxSteps 100, NumShells 5\n1← tank, ▒▒ wall, ◆◆ mine\n"
    )


def test_ascii_only_is_ascii_only() -> None:
    assert draw_map(YARD, ascii_only=True) == (
        "Yard\n+------+\n|1<  ##|\n|@@  2>|\n+------+\n2 x 3, MaxSteps 100, NumShells 5\n1< tank, ## wall, @@ mine\n"
    )


def test_every_player_shows_its_start_heading() -> None:
    drawn = draw_board(TankMap(title="All", max_steps=1, num_shells=1, grid=("123456789",), players=9))
    assert drawn.splitlines()[1] == "│1←2→3↑4↓5↖6↘7↗8↙9←│"


def test_colour_changes_nothing_but_the_colours() -> None:
    coloured = draw_map(YARD, colour=True)
    assert "\x1b[1;94m1←\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_map(YARD)


@pytest.mark.parametrize("title", ["\x1b]0;owned\x07", "two\nlines", "\x9b31m"])
def test_a_title_cannot_command_the_terminal(title: str) -> None:
    first, rest = draw_map(TankMap(title=title, max_steps=1, num_shells=1, grid=("1 2",))).split("\n", 1)
    assert first.isprintable()
    assert rest.startswith("┌")


@given(tank_maps(), st.booleans())
def test_the_board_is_two_columns_a_square_in_a_frame(tank_map: TankMap, ascii_only: bool) -> None:
    lines = draw_board(tank_map, ascii_only=ascii_only).splitlines()
    assert len(lines) == tank_map.height + 2
    assert {len(line) for line in lines} == {2 * tank_map.width + 2}


@given(tank_maps())
def test_a_picture_is_well_formed_and_shows_everything(tank_map: TankMap) -> None:
    root = ElementTree.fromstring(draw_svg(tank_map))
    cells = "".join(tank_map.grid)
    tanks = [use for use in root.iter(f"{SVG}use") if use.get("href") == "#tank"]
    mines = [use for use in root.iter(f"{SVG}use") if use.get("href") == "#mine"]
    assert len(tanks) == sum(character.isdigit() for character in cells)
    assert len(mines) == cells.count("@")
    walls = [path for path in root.iter(f"{SVG}path") if path.get("class") == "wall"]
    lengths = [int(length) for path in walls for length in re.findall(r"h(\d+)v", path.get("d", ""))]
    assert sum(lengths) == SQUARE * cells.count("#")
    assert int(root.get("width", "0")) >= SQUARE * tank_map.width
    assert int(root.get("height", "0")) >= SQUARE * tank_map.height


def test_a_picture_needs_nothing_else_and_serves_dark_pages() -> None:
    picture = draw_svg(YARD)
    assert "prefers-color-scheme:dark" in picture
    assert re.findall(r"https?://[^\"]+", picture) == ["http://www.w3.org/2000/svg"]


def test_a_picture_tells_whose_tanks_stand_where_and_turns_them() -> None:
    picture = draw_svg(YARD)
    assert "<title>player 1, row 1, column 1</title>" in picture
    assert 'transform="rotate(270 8 8)"' in picture
    assert 'transform="rotate(90 8 8)"' in picture


def test_a_long_title_is_cut_where_it_would_leave_the_picture() -> None:
    picture = draw_svg(TankMap(title="<Yard> " * 30, max_steps=1, num_shells=1, grid=("1 2",)))
    captions = [text.text or "" for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    assert captions[-2].startswith("<Yard> ")
    assert captions[-2].endswith("…")
    assert len(captions[-2]) < 40
