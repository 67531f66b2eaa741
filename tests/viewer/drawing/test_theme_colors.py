"""A piece without a colour of its own has its player's, in every viewer."""

from __future__ import annotations

import pytest

from tiltyard_engine.replay import SHAPES, Replay, SquareStyle, Theme
from tiltyard_pictures.marks import DARK, LIGHT, Disc, Letters
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.shapes import token_marks
from tiltyard_viewer.drawing.colors import ColorDepth, parse
from tiltyard_viewer.drawing.draw import draw_board
from tiltyard_viewer.drawing.options import DrawOptions
from tiltyard_viewer.drawing.theme_colors import drawn_colors, owned_colors

RED, BLUE, OWN, GROUND = "#cc0000", "#000088", "#00cc00", "#887700"


def theme(foreground: str = "", background: str = "") -> Theme:
    pieces = {
        name: SquareStyle(glyph=name, plain=name, shape="disc", mark=name, seat=seat, foreground=foreground, background=background)
        for seat, name in enumerate(("a", "b"), start=1)
    }
    return Theme(styles={**pieces, " ": SquareStyle(glyph="  ", plain="  ")}, seat_colors=(RED, BLUE))


def fills(shown: Theme) -> list[tuple[str, str]]:
    """Disc and letter of each player's piece, as a picture draws them."""
    replay = Replay(game="g", width=2, height=1, squares=("a", "b"), seats=("one", "two"), title="t", message="", frames=[])
    picture = MatchPicture(replay, shown, scale=4)
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


COLORED = ("foreground", "seat", "seat on a ground")


def colored(shape: str, how: str) -> tuple[Theme, str]:
    """A theme with a piece ``x`` of this shape, and the colour that it has to have where it is drawn."""
    given = {"foreground": {"foreground": OWN}, "seat": {"seat": 1}, "seat on a ground": {"seat": 1, "background": GROUND}}[how]
    style = SquareStyle(glyph="x ", plain="x ", shape=shape, **given)  # type: ignore[arg-type]
    filled = shape in ("disc", "tank")
    expected = {"foreground": OWN, "seat": RED, "seat on a ground": GROUND if filled else RED}[how]
    return Theme(styles={"x": style}, seat_colors=(RED, BLUE)), expected


@pytest.mark.parametrize("how", COLORED)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "nothing"])
def test_every_shape_has_its_own_colour_or_its_seats(shape: str, how: str) -> None:
    theme, expected = colored(shape, how)
    drawn = drawn_colors(theme).styles["x"]
    for scheme in (LIGHT, DARK):
        for size in (4, 12, 32):
            assert expected in {mark.color for mark in token_marks("x", drawn, scheme, size)}
    (line,) = draw_board(["x"], 1, owned_colors(theme), DrawOptions(ColorDepth.TRUECOLOR))[1:2]
    told = GROUND if how == "seat on a ground" else expected
    assert ";".join(map(str, parse(told) or ())) in line


def test_players_of_a_game_without_colours_can_be_told_apart() -> None:
    pieces = {name: SquareStyle(glyph=name, plain=name, shape="disc", seat=seat) for seat, name in enumerate("ab", start=1)}
    for theme in (Theme(styles=pieces), None):
        one, other = (drawn_colors(theme).seat_colors[seat] for seat in (0, 1))
        assert parse(one) != parse(other)
    styles = drawn_colors(Theme(styles=pieces)).styles
    assert styles["a"].background != styles["b"].background


def test_characters_have_their_players_colour_on_no_ground() -> None:
    written = owned_colors(theme()).styles
    assert [(written[token].foreground, written[token].background) for token in ("a", "b")] == [(RED, ""), (BLUE, "")]
    assert owned_colors(theme(background=OWN)) == theme(background=OWN)


def test_what_belongs_to_nobody_stays_as_it_is() -> None:
    nobody = Theme(styles={"x": SquareStyle(glyph="x", plain="x", shape="disc", seat=3)}, seat_colors=(RED, BLUE))
    assert drawn_colors(nobody) == owned_colors(nobody) == nobody
