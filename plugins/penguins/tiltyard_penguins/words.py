"""Words of the command line that several commands understand alike."""

from __future__ import annotations

import argparse

from tiltyard_penguins.map_files import MOST_PENGUINS


def board_size(text: str) -> tuple[int, int]:
    """``MxN``: rows and columns.

    Raises:
        ArgumentTypeError: it is something else.
    """
    rows, _, columns = text.partition("x")
    if not (rows.isdecimal() and columns.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected rows x columns, such as 15x18, found {text!r}")
    return int(rows), int(columns)


def penguins_text(number: int) -> str:
    """So many penguins."""
    return "1 penguin" if number == 1 else f"{number} penguins"


def penguins_each(text: str) -> int:
    """How many penguins each player has.

    Raises:
        ArgumentTypeError: it is no number, or none that is played with.
    """
    if not (text.isdecimal() and 1 <= int(text) <= MOST_PENGUINS):
        raise argparse.ArgumentTypeError(f"expected 1 to {MOST_PENGUINS}, found {text!r}")
    return int(text)
