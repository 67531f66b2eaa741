"""A piece without a colour of its own has its player's, in every viewer."""

from __future__ import annotations

import pytest

from tiltyard_engine.replay import Replay, SquareStyle, Theme
from tiltyard_simulator.replays.pictures.marks import Disc, Letters
from tiltyard_simulator.replays.pictures.picture import Picture
from tiltyard_simulator.replays.viewer.theme_colors import drawn_colors, owned_colors

RED, BLUE, OWN = "#cc0000", "#000088", "#00cc00"


def theme(foreground: str = "", background: str = "") -> Theme:
    pieces = {
        name: SquareStyle(glyph=name, plain=name, shape="disc", mark=name, seat=seat, foreground=foreground, background=background)
        for seat, name in enumerate(("a", "b"), start=1)
    }
    return Theme(styles={**pieces, " ": SquareStyle(glyph="  ", plain="  ")}, seat_colors=(RED, BLUE))


def fills(shown: Theme) -> list[tuple[str, str]]:
    """Disc and letter of each player's piece, as a picture draws them."""
    replay = Replay(game="g", width=2, height=1, squares=("a", "b"), seats=("one", "two"), title="t", message="", frames=[])
    picture = Picture(replay, shown, scale=4)
    found = []
    for token in ("a", "b"):
        marks = picture.marks(token)
        (disc,) = [mark.color for mark in marks if isinstance(mark, Disc)]
        (letter,) = [mark.color for mark in marks if isinstance(mark, Letters)]
        found.append((disc, letter))
    return found


@pytest.mark.parametrize(
    ("colors", "first", "second"),
    [
        ({}, (RED, "#ffffff"), (BLUE, "#ffffff")),
        ({"foreground": OWN}, (OWN, "#000000"), (OWN, "#000000")),
        ({"background": OWN, "foreground": "#111111"}, (OWN, "#111111"), (OWN, "#111111")),
        ({"foreground": "no colour"}, (RED, "#ffffff"), (BLUE, "#ffffff")),
    ],
)
def test_a_disc_has_its_players_colour_unless_the_theme_gives_one(
    colors: dict[str, str], first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert fills(theme(**colors)) == [first, second]


def test_characters_have_their_players_colour_on_no_ground() -> None:
    written = owned_colors(theme()).styles
    assert [(written[token].foreground, written[token].background) for token in ("a", "b")] == [(RED, ""), (BLUE, "")]
    assert owned_colors(theme(background=OWN)) == theme(background=OWN)


def test_what_belongs_to_nobody_stays_as_it_is() -> None:
    nobody = Theme(styles={"x": SquareStyle(glyph="x", plain="x", shape="disc", seat=3)}, seat_colors=(RED, BLUE))
    assert drawn_colors(nobody) == owned_colors(nobody) == nobody
