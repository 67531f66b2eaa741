"""A person as a player: asked at a terminal for one placement or move at a time, and sure of it before it is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins import rules
from tiltyard_penguins.board_files import PlayerRow
from tiltyard_penguins.champion import create_champion
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, has_something_to_do
from tiltyard_penguins.rules import Board
from tiltyard_penguins.table.drawing import draw_board, draw_scores, read_square, square_name
from tiltyard_penguins.table.terminal import LeftError, Terminal

YES: Final = frozenset({"", "y", "yes", "ok"})
HELP: Final = """\
c4     a square, column c and row 4: place a penguin there; or choose the one
       that stands there, and then where it goes. 'c4 c7' says both at once
Enter  makes the move that is shown; until then nothing has happened
undo   takes back what you chose: the move that is shown, or the penguin
hint   what the champion would do
moves  all that you may do
board  draws the board again
quit   leaves
Floes are the number of their fish, penguins the letter of their player, . or ~
is water. What you may choose is in [brackets], who came lately in <these>."""


class _ChosenAgain(Exception):  # noqa: N818 -- no error: who was to confirm has typed another choice
    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line


class Person(TurnAlgorithm[PenguinsPosition, Move]):
    """Asks until a move is chosen and confirmed.

    Args:
        terminal: where.
        name: who is asked.
        names: all players by number, as far as they are known before they have a row.
        news: takes what is to be told first, such as what others did; what it gives is not told again.
    """

    def __init__(
        self,
        terminal: Terminal,
        name: str,
        names: Mapping[int, str] | None = None,
        news: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._terminal = terminal
        self._name = name
        self._names = dict(names or {})
        self._news = news
        self._last: bytes = b""
        """The cells after the own last move."""

    def choose(self, position: PenguinsPosition) -> Move:
        """Ask for one placement or move.

        Raises:
            LeftError: the person left.
            KeyboardInterrupt: Ctrl-C.
        """
        board = position.board()
        if not has_something_to_do(position, board):
            return PASS
        self._names[position.player] = self._name
        turn = _Turn(self._terminal, self._name, position, board, self._names, self._arrived(position))
        turn.show(self._news())
        move = turn.ask()
        self._last = _after(position, move).cells
        return move

    def _arrived(self, position: PenguinsPosition) -> set[int]:
        """Where others' penguins came since."""
        pairs = zip(self._last, position.cells)
        return {square for square, (was, now) in enumerate(pairs) if now % 10 and was != now}


class _Turn:
    """One question with all that belongs to it."""

    def __init__(
        self,
        terminal: Terminal,
        name: str,
        position: PenguinsPosition,
        board: Board,
        names: Mapping[int, str],
        arrived: Collection[int],
    ) -> None:
        self._terminal, self._name, self._position, self._board = terminal, name, position, board
        self._names, self._arrived = names, arrived
        self._places = position.phase == PLACEMENT
        self._origin = -1
        """The penguin that is chosen."""

    # Showing

    def show(self, news: Iterable[str] = ()) -> None:
        """The board with what can be chosen, and what was told."""
        self._draw(self._position, self._choices(), self._arrived)
        for line in news:
            self._terminal.say_wrapped(line)

    def _draw(self, position: PenguinsPosition, choices: Collection[int], arrived: Collection[int]) -> None:
        terminal = self._terminal
        terminal.new_picture()
        for line in draw_scores(position, self._names, terminal.width, terminal.color):
            terminal.say(line)
        for line in draw_board(position, terminal.width, terminal.color, choices, arrived):
            terminal.say(line)

    def _choices(self) -> set[int]:
        if self._places:
            return set(self._board.placements())
        if self._origin >= 0:
            return set(self._board.targets(self._origin))
        return {origin for origin, _ in self._board.moves(self._position.player)}

    # Asking

    def ask(self) -> Move:
        """Until a move is confirmed."""
        line = self._terminal.ask(self._question())
        while True:
            move = self._understand(line)
            if move is not None:
                try:
                    if self._confirms(move):
                        return move
                except _ChosenAgain as again:
                    self._origin = -1
                    line = again.line
                    continue
                self._origin = -1
                self.show()
            line = self._terminal.ask(self._question())

    def _question(self) -> str:
        if self._places:
            placed = len(self._board.penguins[self._position.player])
            return f"{self._name}, where to place penguin {placed + 1} of {self._position.penguins}? (help)"
        if self._origin >= 0:
            return f"{self._name}, from {self._square(self._origin)} to where? (undo, help)"
        return f"{self._name}, which penguin moves: {' '.join(map(self._square, sorted(self._choices())))}? (help)"

    def _understand(self, line: str) -> Move | None:
        """What a line means: a move, or None after it was dealt with."""
        if self._commanded(line.lower()):
            return None
        words = [word for word in re.split(r"[\s,;:>-]+|(?<=\d)(?=[a-z])", line.lower()) if word and word != "to"]
        squares = [read_square(word, self._position.rows, self._position.columns) for word in words]
        if not squares:
            return None
        if -1 in squares:
            wrong = line if len(squares) > 2 else words[squares.index(-1)]
            last = self._square(self._position.rows * self._position.columns - 1)
            self._terminal.say_wrapped(
                f"'{wrong[:30]}' is no square of this board, a1 to {last}, and no command: help, hint, undo, quit"
            )
            return None
        if self._places:
            return self._placement(squares)
        return self._movement(squares)

    def _commanded(self, line: str) -> bool:
        """Deal with a command; False where it is none."""
        if line in ("quit", "q", "exit"):
            raise LeftError(f"{self._name} left")
        if line in ("help", "h", "?"):
            for text in HELP.splitlines():
                self._terminal.say(text)
        elif line == "hint":
            self._terminal.say(f"the champion: {self.describe(create_champion(self._position.player).choose(self._position))}")
        elif line in ("undo", "u", "no", "n"):
            if self._origin < 0:
                self._terminal.say("nothing is chosen yet; moves that were made stay")
            else:
                self._origin = -1
                self.show()
        elif line == "moves":
            self._list_moves()
        elif line == "board":
            self.show()
        else:
            return False
        return True

    def _placement(self, squares: list[int]) -> Move | None:
        if len(squares) > 1:
            self._terminal.say("one square, please: penguins are placed one at a time")
            return None
        verdict = self._board.placement_verdict(squares[0])
        if verdict != rules.LEGAL:
            self._terminal.say(f"{self._square(squares[0])}: {rules.WHY[verdict]}")
            return None
        return Move(squares[0])

    def _movement(self, squares: list[int]) -> Move | None:
        if len(squares) > 2:
            self._terminal.say("two squares, please: from where, and to where")
            return None
        own = self._board.penguins[self._position.player]
        if len(squares) == 1 and (self._origin < 0 or squares[0] in own):
            self._choose_penguin(squares[0])
            return None
        origin, target = squares if len(squares) == 2 else (self._origin, squares[0])
        verdict = self._board.move_verdict(self._position.player, origin, target)
        if verdict != rules.LEGAL:
            self._terminal.say(f"{self._square(origin)} to {self._square(target)}: {rules.WHY[verdict]}")
            return None
        return Move(target, origin)

    def _choose_penguin(self, square: int) -> None:
        own = self._board.penguins[self._position.player]
        if square not in own:
            mine = " ".join(self._square(each) for each in sorted(own))
            self._terminal.say_wrapped(f"{self._square(square)}: none of your penguins stands there; they are at {mine}")
        elif not self._board.targets(square):
            self._terminal.say(f"{self._square(square)}: this penguin is blocked")
        else:
            self._origin = square
            self.show()
            self._list_targets(square)

    def _confirms(self, move: Move) -> bool:
        """Show what it would be like; whether it shall be so."""
        self._draw(_after(self._position, move), (), {move.target})
        while True:
            self._terminal.say(self.describe(move))
            line = self._terminal.ask("Enter: do it; undo: choose again")
            if line.lower() in YES:
                return True
            if line.lower() in ("undo", "u", "no", "n"):
                return False
            if not self._commanded(line.lower()):
                raise _ChosenAgain(line)

    # Words

    def describe(self, move: Move) -> str:
        """A legal move, and what it brings."""
        fish = self._board.squares[move.target]
        way = f"{self._square(move.origin)} to " if move.origin >= 0 else ""
        return f"{way}{self._square(move.target)}, {fish} fish"

    def _list_moves(self) -> None:
        if self._places:
            names = [self._square(square) for square in self._board.placements()]
            self._terminal.say_wrapped(f"floes with one fish: {' '.join(names)}")
            return
        for origin in sorted(self._choices()) if self._origin < 0 else [self._origin]:
            self._list_targets(origin)

    def _list_targets(self, origin: int) -> None:
        columns = self._position.columns

        def direction(target: int) -> str:
            if target // columns == origin // columns:
                return "left" if target < origin else "right"
            return "up" if target < origin else "down"

        parts = [
            f"{way} {' '.join(f'{self._square(target)}({self._board.squares[target]})' for target in targets)}"
            for way, targets in groupby(self._board.targets(origin), direction)
        ]
        self._terminal.say_wrapped(f"{self._square(origin)} may go, with (fish): {', '.join(parts)}")

    def _square(self, square: int) -> str:
        return square_name(square, self._position.columns)


def _after(position: PenguinsPosition, move: Move) -> PenguinsPosition:
    """What it looks like after a legal move."""
    cells = bytearray(position.cells)
    fish = cells[move.target] // 10
    cells[move.target] = position.player
    if move.origin >= 0:
        cells[move.origin] = 0
    rows = position.players
    if all(row.number != position.player for row in rows):
        rows = (*rows, PlayerRow("", position.player, 0))
    players = tuple(replace(row, score=row.score + fish) if row.number == position.player else row for row in rows)
    return replace(position, cells=bytes(cells), players=players)
