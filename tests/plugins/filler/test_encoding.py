"""Placements as numbers."""

from __future__ import annotations

from tiltyard_filler.encoding import ENCODING
from tiltyard_filler.map_files import read_map
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.rules import legal_placements

BOARD = b"....\n.@a.\n...$\n"


def position(player: int, piece: Piece) -> FillerPosition:
    return FillerPosition(width=4, height=3, board=BOARD.replace(b"\n", b""), piece=piece, player=player)


def test_planes_are_those_of_the_player() -> None:
    piece = Piece(3, 2, b"..O.OO")
    first, second = (ENCODING.observe(position(player, piece)) for player in (1, 2))
    assert first.shape == ENCODING.spaces(read_map("a map", BOARD, 2)).shape == (5, 3, 4)
    planes = [[first.values[start : start + 12] for start in range(0, 60, 12)] for first in (first, second)]
    own, own_last = bytes([0] * 5 + [1, 1] + [0] * 5), bytes([0] * 6 + [1] + [0] * 5)
    enemy, enemy_last = bytes([0] * 11 + [1]), bytes(12)
    # The piece is moved into the corner.
    corner = bytes([0, 1, 0, 0, 1, 1] + [0] * 6)
    assert planes[0] == [own, enemy, own_last, enemy_last, corner]
    assert planes[1] == [enemy, own, enemy_last, own_last, corner]


def test_actions_and_placements_are_the_same() -> None:
    here = position(1, Piece(3, 2, b".O..O."))
    legal = ENCODING.observe(here).legal
    assert legal is not None
    placements = [(placement.x, placement.y) for placement in (ENCODING.answer(here, action) for action in legal)]
    assert placements == legal_placements(here.board, 4, 3, 1, here.piece.offsets)
    assert len(placements) > 2


def test_whoever_can_place_nothing_gives_up() -> None:
    here = position(2, Piece(4, 3, b"O" * 12))
    observation = ENCODING.observe(here)
    assert observation.legal == (12,)
    assert observation.actions == 13
    assert ENCODING.answer(here, 12) == Placement(4, 3)
