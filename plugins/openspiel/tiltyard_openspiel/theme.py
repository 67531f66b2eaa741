"""How boards look: characters as they are, and in board games the players' pieces in their colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from tiltyard_engine.replay import SquareStyle, Theme
from tiltyard_openspiel.boards import PROMOTED

SEAT_COLORS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999", "#8c6d31")
"""Okabe and Ito's, which people with any kind of colour vision can tell apart, and two more for games with many players."""
RING: Final = "#d55e00"
"""Around pieces that were promoted."""
CHESS: Final = "kqrbnp", "KQRBNP"
"""In games like chess, OpenSpiel's player 0 has the black pieces, in small letters; the white ones move first."""
NOUGHTS: Final = "xX", "oO"
STONES: Final = "O", "@"
PIECES: Final[Mapping[str, tuple[str, ...]]] = {
    "amazons": ("X", "O"),
    "antichess": CHESS,
    "checkers": ("o", "+*"),
    "chess": CHESS,
    "clobber": ("o", "x"),
    "connect_four": ("x", "o"),
    "crazyhouse": CHESS,
    "dark_chess": CHESS,
    "dark_hex": ("xyzX", "opqO"),
    "dark_hex_ir": ("xyzX", "opqO"),
    "gomoku": ("b", "w"),
    "havannah": STONES,
    "hex": ("xyzX", "opqO"),
    "kriegspiel": CHESS,
    "laser_tag": ("A", "B"),
    "latent_ttt": NOUGHTS,
    "lines_of_action": NOUGHTS,
    "markov_soccer": ("Aa", "Bb"),
    "mnk": NOUGHTS,
    "nine_mens_morris": ("W", "B"),
    "pentago": STONES,
    "phantom_ttt": NOUGHTS,
    "phantom_ttt_ir": NOUGHTS,
    "rbc": CHESS,
    "shogi": ("KRBGSNLP", "krbgsnlp"),
    "tic_tac_toe": NOUGHTS,
    "twixt": NOUGHTS,
    "xiangqi": ("GAEHRCS", "gaehrcs"),
    "y": STONES,
}
"""By game: the characters of each player's pieces. In all others, letters belong to words as well, or players to no pieces."""


@cache
def theme_of(game: str) -> Theme:
    """The theme of a game, by OpenSpiel's short name."""
    styles: dict[str, SquareStyle] = {}
    for seat, pieces in enumerate(PIECES.get(game, ()), start=1):
        for piece in pieces:
            label = f"player {seat}'s {piece}"
            style = SquareStyle(glyph=f"{piece} ", plain=f"{piece} ", label=label, shape="disc", mark=piece, seat=seat)
            styles[piece] = style
            if game == "shogi":
                promoted = piece + PROMOTED
                styles[promoted] = replace(style, glyph=promoted, plain=promoted, label=f"{label}, promoted", ring=RING)
    return Theme(styles=styles, seat_colors=SEAT_COLORS)
