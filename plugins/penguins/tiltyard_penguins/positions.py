"""What an algorithm is shown and what it answers: plain values. A square is ``row * columns + column``, from 0."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Final

from tiltyard_penguins.board_files import BoardFile, PlayerRow
from tiltyard_penguins.rules import MOST_PLAYERS, Board

PLACEMENT: Final = "placement"
MOVEMENT: Final = "movement"


@dataclass(frozen=True, slots=True, kw_only=True)
class PenguinsPosition:
    """One turn as its player sees it."""

    rows: int
    columns: int
    cells: bytes
    """A byte a square, row by row: ten times the fish on a free floe, or the number of the player whose penguin stands there; 0 is
    water."""
    phase: str
    """``placement`` or ``movement``."""
    penguins: int
    """How many penguins each player places; 0 where a file does not say."""
    player: int
    """The number of the player whose turn it is, as in the cells."""
    order: tuple[int, ...]
    """The numbers of all who still play, as they take their turns from now on; the first one is ``player``."""
    players: tuple[PlayerRow, ...]
    """Names, numbers and scores of those who have placed a penguin, in the order of their first one."""
    said_names: tuple[str, ...] = ()
    """For each of ``players``, what the program printed when it was asked for its name; empty for others."""

    def board(self) -> Board:
        """The rules' board of this position, with the scores."""
        board = Board(self.rows, self.columns, self.cells)
        for row in self.players:
            board.scores[row.number] = row.score
        return board

    def file(self) -> BoardFile:
        """The position as a board file says it."""
        return BoardFile(self.rows, self.columns, self.cells, self.players)


@dataclass(frozen=True, slots=True)
class Move:
    """An answer: a placement where ``origin`` is -1, else a slide; ``PASS`` where nothing can be done.

    The rest is of programs, which choose an ID and a number when they place their first penguin.
    """

    target: int
    origin: int = -1
    _: KW_ONLY
    name: str = ""
    """With the first penguin: the ID; empty: the name of the algorithm."""
    number: int = 0
    """With the first penguin: a number that nobody has yet; 0: the next one."""
    said_name: str = ""
    """With the first penguin: what the program printed when it was asked for its name."""
    remarks: tuple[str, ...] = ()
    """Slips that are not punished."""


PASS: Final = Move(-1)
"""The answer of who has nothing to do: all penguins placed, no floe left for them, or all of them blocked."""


def position_of(file: BoardFile, phase: str, penguins: int, player: int) -> PenguinsPosition:
    """The turn of ``player`` as a file shows it: whoever has a row plays on, in the order of the rows."""
    numbers = [row.number for row in file.players]
    if player not in numbers:
        numbers.append(player)
    first = numbers.index(player)
    order = tuple(numbers[first:] + numbers[:first])
    return PenguinsPosition(
        rows=file.rows,
        columns=file.columns,
        cells=file.canonical().cells,
        phase=phase,
        penguins=penguins,
        player=player,
        order=order,
        players=file.players,
        said_names=("",) * len(file.players),
    )


def file_after(file: BoardFile, move: Move, own: PlayerRow) -> BoardFile:
    """The state after a legal move; the player's row is added where it is new."""
    cells = bytearray(file.cells)
    fish = cells[move.target] // 10
    cells[move.target] = own.number
    if move.origin >= 0:
        cells[move.origin] = 0
    scored = replace(own, score=own.score + fish)
    players = tuple(scored if row.number == own.number else row for row in file.players)
    return replace(file, cells=bytes(cells), players=players if own in file.players else (*players, scored))


def next_number(players: tuple[PlayerRow, ...]) -> int:
    """The number of a new player: how many there are and one more, or the first one that is free; 0 where none is."""
    numbers = {row.number for row in players}
    following = len(players) + 1
    if following <= MOST_PLAYERS and following not in numbers:
        return following
    return next((number for number in range(1, MOST_PLAYERS + 1) if number not in numbers), 0)


def has_something_to_do(position: PenguinsPosition, board: Board) -> bool:
    """Whether the player can place another penguin, or move one."""
    return can_play(board, position.player, position.phase, position.penguins)


def can_play(board: Board, player: int, phase: str, penguins: int) -> bool:
    """Whether a player can place or move a penguin on the rules' board; ``penguins`` is how many each player places."""
    if phase == MOVEMENT:
        return board.can_move(player)
    return board.one_fish > 0 and len(board.penguins[player]) < penguins


def place_name(square: int, columns: int) -> str:
    """A square for people: row and column from 1."""
    return f"row {square // columns + 1}, column {square % columns + 1}"
