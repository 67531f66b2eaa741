"""Moves as numbers."""

from __future__ import annotations

from dataclasses import replace

from tiltyard_penguins.board_files import PlayerRow
from tiltyard_penguins.encoding import ENCODING
from tiltyard_penguins.map_files import PenguinsMap
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition

CELLS = bytes([10, 20, 30, 1, 2, 10, 0, 3, 10])
POSITION = PenguinsPosition(
    rows=3,
    columns=3,
    cells=CELLS,
    phase=MOVEMENT,
    penguins=1,
    player=2,
    order=(2, 3, 1),
    players=tuple(PlayerRow(f"p{number}", number, 1) for number in (1, 2, 3)),
)


def test_planes_are_those_of_the_player() -> None:
    observation = ENCODING.observe(POSITION)
    assert observation.shape == ENCODING.spaces(PenguinsMap(3, 3, CELLS)).shape == (7, 3, 3)
    squares = [{square for square in range(9) if observation.values[9 * plane + square]} for plane in range(7)]
    # One, two and three fish; the own penguin, that of the next player, those of the others; the phase.
    assert squares == [{0, 5, 8}, {1}, {2}, {4}, {7}, {3}, set(range(9))]


def test_actions_and_moves_are_the_same() -> None:
    legal = ENCODING.observe(POSITION).legal
    assert legal is not None
    moves = {ENCODING.answer(POSITION, action) for action in legal}
    assert moves == {Move(target, origin) for origin, target in POSITION.board().moves(2)} == {Move(1, 4), Move(5, 4)}
    placing = replace(POSITION, phase=PLACEMENT, penguins=2)
    legal = ENCODING.observe(placing).legal
    assert legal is not None
    assert [ENCODING.answer(placing, action) for action in legal] == [Move(0), Move(5), Move(8)]


def test_whoever_can_do_nothing_passes() -> None:
    observation = ENCODING.observe(replace(POSITION, phase=PLACEMENT))
    assert observation.actions == ENCODING.spaces(PenguinsMap(3, 3, CELLS)).actions == 64
    assert observation.legal == [63]
    assert ENCODING.answer(POSITION, 63) == PASS
