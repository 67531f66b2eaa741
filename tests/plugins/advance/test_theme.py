"""Everything that a recording can hold has a look."""

from __future__ import annotations

from hypothesis import given, settings
from tests.plugins.advance.boards import played, sparse

from tiltyard_advance.recording import tokens_of
from tiltyard_advance.rules import Board
from tiltyard_advance.theme import THEME


@given(played())
@settings(max_examples=30)
def test_every_token_has_a_style(position: tuple[Board, int]) -> None:
    board, _ = position
    text = board.text()
    for just_played in (False, True):
        tokens = tokens_of(board, range(81) if just_played else ())
        assert [token[0] for token in tokens] == list(text)
        assert set(tokens) <= set(THEME.styles)


def test_marks() -> None:
    board = Board(sparse("Ga9", "ma1", "Se5", "Ze6", "gi1", "#i9", "Md3", "zd5", "jb7", "Bb8", "Sb9", "Mh5"))
    tokens = tokens_of(board, [40])
    shown = [token for token in tokens if token not in (".", "#")]
    assert shown == ["m", "g", "M", "z!", "S+", "M", "Z^", "j!", "B^!", "G^", "S"]
    in_danger = tokens_of(Board(sparse("Ga9", "ma1", "gi1")), [0])
    assert (in_danger[0], in_danger[72]) == ("m+", "G!")
    assert THEME.styles["G!"].label == "white General, in danger"
    assert THEME.styles["B^!+"].label == "white Builder, protected, in danger, just played"
    assert THEME.styles["S+"].label == "white Sentinel, just played"
    assert THEME.styles["Z^"].label == "white Zombie, protected"


def test_looks_can_be_told_apart() -> None:
    looks = [
        (style.glyph, style.background, style.foreground, style.floor, style.ring, style.dot) for style in THEME.styles.values()
    ]
    assert len(set(looks)) == len(looks)
    assert all(len(style.glyph) == 2 == len(style.plain) and style.plain.isascii() for style in THEME.styles.values())
