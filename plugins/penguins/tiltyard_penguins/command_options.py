"""What ``penguins --interactive`` and ``penguins-master`` have in common: the board that is played on, and names of copies."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_penguins.map_files import MOST_PENGUINS, PenguinsMap, read_map
from tiltyard_penguins.map_generator import MapOptions, generate_board


def create_parser(command: str, description: str, examples: str, usual_size: str, usual_penguins: str) -> argparse.ArgumentParser:
    """The command's parser, with the options of the board."""
    parser = argparse.ArgumentParser(
        prog=command, description=description, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--board", metavar="FILE", help="board file without players (default: a new board)")
    parser.add_argument("--size", metavar="MxN", type=_board_size, help=f"size of a new board (default: {usual_size})")
    parser.add_argument("--seed", type=int, help="seed for a new board (default: random)")
    parser.add_argument("--penguins", type=_penguins_each, metavar="N", help=f"penguins per player (default: {usual_penguins})")
    return parser


def open_board(options: argparse.Namespace, players: int, size: tuple[int, int], penguins: int) -> tuple[PenguinsMap, str, str]:
    """The board, what it is called, and how a new one can be had again; ``size`` and ``penguins`` are those of a new board.

    Raises:
        UserError: there is no such board.
    """
    if options.board:
        if options.size or options.seed is not None:
            raise UserError("--size and --seed are for new boards; leave them out, or leave out --board")
        path = Path(options.board)
        with file_errors(path, "read"):
            board = read_map(str(path), path.read_bytes(), players)
        return replace(board, penguins=options.penguins or board.penguins), str(path), ""
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    rows, columns = options.size or size
    map_options = MapOptions(rows, columns, options.penguins or penguins)
    return generate_board(map_options, seed, players), "a new board", f", --seed {seed}"


def board_size(board: PenguinsMap) -> str:
    """Such as ``10 x 12``."""
    return f"{board.rows} x {board.columns}"


def penguins_each(board: PenguinsMap) -> str:
    """Such as ``3 penguins each``."""
    return f"{board.penguins} penguin{'s' * (board.penguins != 1)} each"


def numbered(names: Sequence[str]) -> list[str]:
    """The names, copies with a number behind them."""
    return [f"{name}#{names[:index].count(name) + 1}" if names.count(name) > 1 else name for index, name in enumerate(names)]


def _board_size(text: str) -> tuple[int, int]:
    rows, _, columns = text.partition("x")
    if not (rows.isdecimal() and columns.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected rows x columns, such as 15x18, got {text!r}")
    return int(rows), int(columns)


def _penguins_each(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= MOST_PENGUINS):
        raise argparse.ArgumentTypeError(f"expected 1 to {MOST_PENGUINS}, got {text!r}")
    return int(text)
