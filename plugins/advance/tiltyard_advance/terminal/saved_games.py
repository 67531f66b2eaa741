"""The file of an unfinished game: who plays, where it began, and its moves as they would be typed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of
from tiltyard_advance.map_files import PLIES, read_map
from tiltyard_advance.positions import START
from tiltyard_advance.rules import Board
from tiltyard_advance.terminal.move_words import moves_between, parse_squares, words_of
from tiltyard_engine.errors import MapError, UserError
from tiltyard_kit.terminal.saved_game import read_saved_game, write_saved_game

FORMAT: Final = "tiltyard advance game"
VERSION: Final = 1


@dataclass(slots=True)
class SavedGame:
    """A game as it stands."""

    players: tuple[str, str]
    """White's and black's, as on the command line."""
    start: str = START
    """81 characters."""
    plies: int = PLIES
    """Moves of both together; then material decides."""
    seed: int = 0
    moves: list[int] = field(default_factory=list)

    def board(self, moves: int | None = None) -> Board:
        """As it is after all moves, or after the first few."""
        board = Board(self.start)
        for move in self.moves[:moves]:
            board.make(move)
        return board

    def write(self, path: Path) -> None:
        """Replace the file.

        Raises:
            UserError: it cannot be written.
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            "white": self.players[0],
            "black": self.players[1],
            "start": rows_of(self.start),
            "plies": self.plies,
            "seed": self.seed,
            "moves": [words_of(move) for move in self.moves],
        }
        write_saved_game(path, content)


def read_game(path: Path) -> SavedGame:
    """The game of a file, with every move played by the rules.

    Raises:
        UserError: it cannot be read, or is no such game; says where.
    """
    kinds = {"version": int, "white": str, "black": str, "start": list, "plies": int, "seed": int, "moves": list}
    content = read_saved_game(path, ("format", FORMAT), kinds)
    if content["version"] != VERSION:
        raise UserError(f"{path}: the version is {content['version']!r:.20}, but this tiltyard reads version {VERSION}")
    try:
        start = read_board_file("\n".join(map(str, content["start"])).encode("utf-8", "replace"))
        read_map(str(path), "\n".join(rows_of(start)).encode("ascii"))
    except (BoardFileError, MapError) as error:
        raise UserError(f'{path}: "start": {error}') from error
    game = SavedGame((content["white"], content["black"]), start, content["plies"], content["seed"])
    _play_moves(path, game, content["moves"])
    return game


def _play_moves(path: Path, game: SavedGame, typed: list[Any]) -> None:
    board = Board(game.start)
    for number, text in enumerate(typed, start=1):
        squares = parse_squares(str(text))
        origin, target, letter = squares or (-1, -1, "")
        found = moves_between(board.legal_moves((number - 1) % 2), origin, target, letter)
        # A Builder's step is written without a letter, its wall with one.
        found = [move for move in found if words_of(move) == str(text)] or found
        if len(found) != 1 or number > game.plies:
            raise UserError(f"{path}: move {number} is {text!r:.40}, which is not a legal move there")
        board.make(found[0])
        game.moves.append(found[0])
