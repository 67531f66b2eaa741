from __future__ import annotations

import io

import pytest
from hypothesis import given
from tests.plugins.filler.boards import positions

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.anfield import ProtocolError, read_hello, read_position, write_board, write_hello, write_position
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.standalone import play

POSITION = FillerPosition(width=3, height=2, board=b"@...$.", piece=Piece(2, 1, b"OO"), player=2)


@given(positions())
def test_a_turn_written_is_read_back(position: FillerPosition) -> None:
    text = io.BytesIO(write_position(position))
    assert read_position(text.readline, position.player) == position
    assert read_position(text.readline, position.player) is None


def test_rows_and_columns_are_numbered() -> None:
    lines = write_board(12, 1002, b"." * 12 * 1002).split(b"\n")
    assert lines[:3] == [b"Anfield 12 1002:", b"    012345678901", b"000 ............"]
    assert lines[1001].startswith(b"999 ")
    assert lines[1003].startswith(b"001 ")


class Corner(TurnAlgorithm[FillerPosition, Placement]):
    def __init__(self, player: int) -> None:
        self.player = player
        self.started = 0

    def start(self, position: FillerPosition) -> None:
        assert position == POSITION
        self.started += 1

    def choose(self, position: FillerPosition) -> Placement:
        assert position == POSITION
        return Placement(self.player, -self.started)


def test_an_algorithm_plays_as_a_program() -> None:
    source = io.BytesIO(write_hello(2, b"./bot [1] : p1") + write_position(POSITION) * 2)
    target = io.BytesIO()
    play(Corner, source, target)
    assert target.getvalue() == b"2 -1\n2 -1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"Anfield 3 2:\n", "expected the line"),
        (write_hello(1, b"x") + b"Plateau 2 3:\n", "expected 'Anfield <width> <height>:'"),
        (write_hello(1, b"x") + write_position(POSITION).replace(b"000 @..", b"000 @."), "expected a row of 3 squares"),
    ],
)
def test_what_is_not_the_protocol(text: bytes, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        play(Corner, io.BytesIO(text), io.BytesIO())


def test_the_end_of_the_input_is_the_end_of_the_game_wherever_it_comes() -> None:
    target = io.BytesIO()
    play(Corner, io.BytesIO(write_hello(2, b"x") + write_position(POSITION) + write_position(POSITION)[:-20]), target)
    assert target.getvalue() == b"2 -1\n"


def test_players() -> None:
    assert [read_hello(write_hello(player, b"robots/a b")) for player in (1, 2)] == [1, 2]
