"""Maps of matches, generated boards, and what the plugin brings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.errors import MapError
from tiltyard_engine.records import Game
from tiltyard_penguins import plugin
from tiltyard_penguins.map_files import PenguinsMap, read_map, write_map
from tiltyard_penguins.map_generator import MapOptions, generate_board, generate_map
from tiltyard_penguins.recording import FLOES, OUT, PENGUINS
from tiltyard_penguins.territory import region

WISHES = st.builds(MapOptions, st.integers(6, 20), st.integers(6, 20), st.integers(1, 3))


def is_one_island(board: PenguinsMap) -> bool:
    stride = board.columns + 1
    floes = sum(1 << (index // board.columns * stride + index % board.columns) for index, cell in enumerate(board.cells) if cell)
    first = floes & -floes
    return region(first, floes ^ first, stride) == floes ^ first


@given(WISHES, st.integers(0, 1000), st.integers(1, 4))
def test_generated_boards_are_islands_with_room(wishes: MapOptions, seed: int, players: int) -> None:
    board = generate_board(wishes, seed, players)
    floes = sum(cell > 0 for cell in board.cells)
    assert (board.rows, board.columns, floes) == (wishes.rows, wishes.columns, 2 * wishes.rows * wishes.columns // 3)
    assert is_one_island(board)
    assert board.cells.count(10) >= players * wishes.penguins
    assert generate_board(wishes, seed, players) == board
    assert read_map("again", write_map(board), players) == board


def test_usual_boards_are_like_the_courses() -> None:
    boards = [generate_board(MapOptions(), seed, 2) for seed in range(40)]
    assert {side for board in boards for side in (board.rows, board.columns)} == set(range(14, 21))
    assert len({board.cells for board in boards}) == 40
    assert all(board.cells.count(10) >= 3 * 2 * 3 for board in boards)
    floes = sum(len(board.cells) - board.cells.count(0) for board in boards)
    shares = [100 * sum(board.cells.count(fish) for board in boards) / floes for fish in (10, 20, 30)]
    assert 48 <= shares[0] <= 52
    assert 31 <= shares[1] <= 35
    assert 15 <= shares[2] <= 19


def test_many_players_get_room() -> None:
    assert generate_board(MapOptions(14, 14, 3), 1, 9).cells.count(10) >= 0.55 * (2 * 14 * 14 // 3)


@pytest.mark.parametrize(
    ("wishes", "players", "message"),
    [
        (MapOptions(3, 3, 3), 3, "a board of 3 x 3 has 6 floes, too few for 9 penguins; ask for a larger one"),
        (MapOptions(200, 200), 2, "a board of 200 x 200: expected 1 to 10,000 squares"),
        (MapOptions(-1, 10), 2, "a board of -1 x 10: expected"),
        (MapOptions(10, 10, 0), 2, "penguins is 0, expected 1 to 99"),
    ],
)
def test_impossible_wishes(wishes: MapOptions, players: int, message: str) -> None:
    with pytest.raises(MapError, match=message):
        generate_board(wishes, 1, players)


def test_a_map_may_say_how_many_penguins() -> None:
    board = b"1 2\n10 20\n"
    assert read_map("m", board).penguins == 3
    assert read_map("m", board + b"penguins=2\n").penguins == 2
    assert read_map("m", b"1 2\r\n10 20 \r\npenguins=4").penguins == 4
    assert write_map(read_map("m", board + b" penguins=2 \n\n")) == board + b"penguins=2\n"
    assert generate_map(MapOptions(6, 6, 3), 1, 2).count(b"penguins") == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1 2\n10 2x\n", "m, line 2, column 4: invalid description of the field of the board: .* got '2x'"),
        (b"1 2\n10 02\nB 2 1\n", "m, line 2, column 4: a match starts without penguins, but player 2 has one here"),
        (b"1 1\n10\nA 1 0\n", "m, line 3: a match starts without players, but 'A' is here"),
        (b"1 2\n20 00\n", "m: no floe has exactly one fish"),
        (b"1 1\n10\npenguins=0\n", "m: expected penguins=1 to penguins=99, got 'penguins=0'"),
        (b"1 1\n10\npenguins=\n", "m: expected penguins=1 to penguins=99, got 'penguins='"),
        (b"1 1\n10\npenguins=" + b"9" * 5000, "m: expected penguins=1 to penguins=99, got 'penguins=999999999999999999999'"),
        (b"1 1\n10\n" + b"penguins=1" + b"\n " * 100_000 + b"x", "m, line 3, column 11: invalid player line"),
        (b"1 20000\n" + b"10 " * 20000, "m: a board of 1 x 20000 is too large"),
    ],
)
def test_maps_on_which_no_match_begins(data: bytes, message: str) -> None:
    with pytest.raises(MapError, match=message):
        read_map("m", data)


def test_shipped_maps_can_be_played() -> None:
    for shipped in plugin.maps():
        board = read_map(shipped.name, shipped.data, 2)
        assert is_one_island(board)
        assert write_map(board) == shipped.data


def test_every_token_has_a_look() -> None:
    (game,) = plugin.games()
    assert isinstance(game, Game)
    assert game.display.theme is not None
    assert set(game.display.theme.styles) == {*FLOES, *PENGUINS[1:], *OUT[1:]}
    assert len({style.plain for style in game.display.theme.styles.values()}) == len(game.display.theme.styles)
    assert game.teams.limits["move_seconds"] == 5.0
