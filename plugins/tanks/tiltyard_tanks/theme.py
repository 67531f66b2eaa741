"""How the tank game's replay tokens look, and what they are called.

The seats' colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart, and grey;
every tank also carries its player's digit. Tanks bring their own background and the rest is in middle tones, so
that dark and light terminals show them equally well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiltyard_engine.replay import SquareStyle, Theme
from tiltyard_tanks.battle import GROUND_TOKENS, MINE, WALL, WEAK_WALL

SEAT_COLORS: Final = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # bluish green
    "#cc79a7",  # reddish purple
    "#56b4e9",  # sky blue
    "#d55e00",  # vermilion
    "#f0e442",  # yellow
    "#999999",  # grey
    "#000000",  # black
)
"""Seat 1 first. Neighbours in the order differ in brightness too: most matches have two players."""

DIGIT_COLORS: Final = ("#ffffff", "#000000", "#000000", "#000000", "#000000", "#000000", "#000000", "#000000", "#ffffff")
"""Whichever of black and white reads better on the seat's colour."""

ARROWS: Final = "↑↗→↘↓↙←↖"
ASCII_ARROWS: Final = "^'>.v,<`"
"""Diagonals sit in the corner that they point to: ' and ` at the top, . and , at the bottom; ` and , lean to the left."""

HEADINGS: Final = ("up", "up-right", "right", "down-right", "down", "down-left", "left", "up-left")

WALL_COLOR: Final = "#808080"
MINE_COLOR: Final = "#d55e00"


def _styles() -> Iterator[tuple[str, SquareStyle]]:
    """How each token of ``Battle.token`` is drawn."""
    yield " ", SquareStyle(glyph="  ", plain="  ", label="empty")
    yield GROUND_TOKENS[WALL], SquareStyle(glyph="██", plain="##", foreground=WALL_COLOR, label="wall", shape="block")
    yield (
        GROUND_TOKENS[WEAK_WALL],
        SquareStyle(glyph="░░", plain="::", foreground=WALL_COLOR, label="weakened wall", shape="broken block"),
    )
    yield GROUND_TOKENS[MINE], SquareStyle(glyph="@ ", plain="@ ", foreground=MINE_COLOR, label="mine", shape="mine")
    for heading, direction in enumerate(HEADINGS):
        yield (
            f"*{heading}",
            SquareStyle(
                glyph=f"*{ARROWS[heading]}",
                plain=f"*{ASCII_ARROWS[heading]}",
                label=f"shell flying {direction}",
                shape="shell",
                turn=heading,
            ),
        )
        for player, (color, digit_color) in enumerate(zip(SEAT_COLORS, DIGIT_COLORS, strict=True), start=1):
            yield (
                f"{player}{heading}",
                SquareStyle(
                    glyph=f"{player}{ARROWS[heading]}",
                    plain=f"{player}{ASCII_ARROWS[heading]}",
                    foreground=digit_color,
                    background=color,
                    label=f"tank of player {player} heading {direction}",
                    shape="tank",
                    turn=heading,
                    mark=str(player),
                    seat=player,
                ),
            )


def _marks() -> Iterator[tuple[str, SquareStyle]]:
    """The further tokens of GM_209277367_322542887: two shells in a square, and where a tank was lost this turn."""
    yield "*^", SquareStyle(glyph="**", plain="**", label="two shells", shape="shells")
    for token, glyph, plain, what in (
        ("1a", "1†", "1x", "ran onto a shell"),
        ("2b", "2†", "2x", "ran onto a shell"),
        ("1c", "1‡", "1+", "was shot at once"),
        ("2d", "2‡", "2+", "was shot at once"),
    ):
        player = int(token[0])
        yield (
            token,
            SquareStyle(
                glyph=glyph,
                plain=plain,
                foreground=SEAT_COLORS[player - 1],
                label=f"tank of player {player} that {what}",
                shape="wreck",
                mark=token[0],
                seat=player,
            ),
        )


THEME: Final = Theme(styles=dict([*_styles(), *_marks()]), seat_colors=SEAT_COLORS)
