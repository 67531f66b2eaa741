"""Boards, pieces and positions to try: strategies of hypothesis, and the rules written the slow and obvious way."""

from __future__ import annotations

from hypothesis import strategies as st

from tiltyard_filler.positions import OWN_CELLS, FillerPosition, Piece

CELLS = st.sampled_from(b"....@@a$$s")


@st.composite
def pieces(draw: st.DrawFn, largest: int = 5) -> Piece:
    width, height = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    cells = draw(st.lists(st.sampled_from(b".O"), min_size=width * height, max_size=width * height))
    return Piece(width, height, bytes(cells))


@st.composite
def positions(draw: st.DrawFn, largest: int = 9) -> FillerPosition:
    width, height = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    board = bytes(draw(st.lists(CELLS, min_size=width * height, max_size=width * height)))
    return FillerPosition(width=width, height=height, board=board, piece=draw(pieces()), player=draw(st.integers(1, 2)))


def is_legal(position: FillerPosition, x: int, y: int) -> bool:
    """Word for word: exactly one cell of the shape on the own territory, all others on free squares, none outside."""
    on_own = 0
    for column, row in position.piece.offsets:
        if not (0 <= x + column < position.width and 0 <= y + row < position.height):
            return False
        cell = position.rows[y + row][x + column].encode()
        if cell in (OWN_CELLS[position.player][:1], OWN_CELLS[position.player][1:]):
            on_own += 1
        elif cell != b".":
            return False
    return on_own == 1
