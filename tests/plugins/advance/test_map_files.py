"""Maps and openings."""

from __future__ import annotations

import pytest
from tests.plugins.advance.boards import sparse

from tiltyard_advance.board_files import read_board_file, write_board_file
from tiltyard_advance.manager import material
from tiltyard_advance.map_files import PLIES, AdvanceMap, MapOptions, generate_map, generate_opening, read_map, truncate
from tiltyard_advance.positions import START
from tiltyard_advance.rules import BLACK, WHITE, Board
from tiltyard_engine.errors import MapError


def test_a_map_is_a_board_file() -> None:
    assert read_map("start", write_board_file(START)) == AdvanceMap(START, PLIES)
    assert truncate(AdvanceMap(START), 7) == AdvanceMap(START, 7)
    assert truncate(AdvanceMap(START), 1000) == AdvanceMap(START)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (START[1:], "cup: wrong number of characters: expected 9 lines of 9 characters, 81 in all, got 80"),
        (sparse("Ga9", "gi1", "Mi9"), "cup: black's General is in danger although white moves first"),
        (sparse("Ga1", "gi9", "mb9", "mi2", "mc1", "#b1"), "cup: white moves first, but has no legal move"),
    ],
)
def test_what_is_no_start_position(text: str, message: str) -> None:
    with pytest.raises(MapError) as caught:
        read_map("cup", text.encode())
    assert str(caught.value) == message


def test_openings_are_of_legal_moves_and_always_the_same() -> None:
    openings = {seed: generate_opening(6, seed) for seed in range(20)}
    assert openings == {seed: generate_opening(6, seed) for seed in range(20)}
    assert len(set(openings.values())) == 20
    for text in openings.values():
        board = Board(text)
        assert material(board, WHITE) == material(board, BLACK)
        assert text.replace("#", ".").upper().count(".") >= 81 - 36
        assert read_map("opening", write_board_file(text)).board == text
        assert not board.in_danger(BLACK)
        assert board.has_legal_move(WHITE)


def test_generated_maps_are_openings() -> None:
    assert read_board_file(generate_map(MapOptions(), 3, 2)) == generate_opening(6, 3)
    assert generate_opening(0, 1) == START
    for plies in (-2, 3, 62):
        with pytest.raises(MapError, match=rf"plies is {plies}, expected an even number from 0 to 60"):
            generate_opening(plies, 1)
