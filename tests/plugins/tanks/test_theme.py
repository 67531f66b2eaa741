from __future__ import annotations

import re

from tiltyard_tanks.battle import GROUND_TOKENS
from tiltyard_tanks.theme import DIGIT_COLORS, SEAT_COLORS, THEME

MARKS = {"*^", "1a", "2b", "1c", "2d"}
"""Of GM_209277367_322542887."""
EVERY_TOKEN = {*GROUND_TOKENS, *MARKS, *[f"{thing}{heading}" for thing in "123456789*" for heading in range(8)]}


def test_every_token_has_a_style() -> None:
    assert set(THEME.styles) == EVERY_TOKEN


def test_no_two_tokens_look_or_read_the_same() -> None:
    for attribute in ("glyph", "plain", "label"):
        assert len({getattr(style, attribute) for style in THEME.styles.values()}) == len(EVERY_TOKEN)


def test_drawings_are_two_columns_and_plain_ones_ascii() -> None:
    for style in THEME.styles.values():
        assert len(style.glyph) == 2
        assert len(style.plain) == 2
        assert style.plain.isascii()


def test_tanks_show_their_player_and_heading() -> None:
    assert (THEME.styles["10"].glyph, THEME.styles["10"].plain) == ("1↑", "1^")
    assert (THEME.styles["93"].glyph, THEME.styles["93"].plain) == ("9↘", "9.")
    assert THEME.styles["26"].label == "tank of player 2 heading left"
    assert THEME.styles["*1"].label == "shell flying up-right"
    for player, color in enumerate(THEME.seat_colors, start=1):
        assert THEME.styles[f"{player}4"].background == color


def test_colors_are_well_formed_and_digits_read_on_them() -> None:
    for style in THEME.styles.values():
        for color in (style.foreground, style.background):
            assert re.fullmatch(r"(#[0-9a-f]{6})?", color)
    for color, digit_color in zip(SEAT_COLORS, DIGIT_COLORS, strict=True):
        lighter, darker = sorted((luminance(color), luminance(digit_color)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, color


def test_seats_differ_in_color() -> None:
    assert len(set(SEAT_COLORS)) == 9


def luminance(color: str) -> float:
    """Relative luminance after WCAG 2."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels)
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)
