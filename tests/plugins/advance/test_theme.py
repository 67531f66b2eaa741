"""Everything that a recording can hold has a look."""

from __future__ import annotations

from hypothesis import given, settings
from tests.plugins.advance.boards import played, sparse

from tiltyard_advance.recording import token_of
from tiltyard_advance.rules import Board
from tiltyard_advance.theme import THEME


@given(played())
@settings(max_examples=30)
def test_every_token_has_a_style(position: tuple[Board, int]) -> None:
    board, _ = position
    text = board.text()
    for just_played in (False, True):
        tokens = [token_of(board, place, just_played) for place in range(81)]
        assert [token[0] for token in tokens] == list(text)
        assert set(tokens) <= set(THEME.styles)


def test_marks() -> None:
    board = Board(sparse("Ga9", "ma1", "Se5", "Ze6", "gi1", "#i9"))
    shown = {token_of(board, place, place == 40): place for place in range(81)}
    assert {"G!", "m", "S+", "Z^", "g", "#", "."} == set(shown)
    assert THEME.styles["G!"].label == "white General, in danger"
    assert THEME.styles["S+"].label == "white Sentinel, just played"
    assert THEME.styles["Z^"].label == "white Zombie, protected"


def test_looks_can_be_told_apart() -> None:
    looks = [(style.glyph, style.background, style.foreground) for style in THEME.styles.values()]
    assert len(set(looks)) == len(looks) - 2, "all but a General in danger, which cannot have been just played"
    assert all(len(style.glyph) == 2 == len(style.plain) and style.plain.isascii() for style in THEME.styles.values())
