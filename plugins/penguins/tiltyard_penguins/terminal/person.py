"""A person as a player: asked at a terminal for one placement or move at a time, and sure of it before it is made."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import ClassVar, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.terminal.console import Console, LeftError, NoTerminalError, open_console
from tiltyard_kit.terminal.move_prompt import Command, MovePrompt, NoMoveError
from tiltyard_kit.terminal.squares import read_square, square_name
from tiltyard_penguins import rules
from tiltyard_penguins.board_files import PlayerRow
from tiltyard_penguins.champion import Champion
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, file_after, has_something_to_do
from tiltyard_penguins.rules import Board
from tiltyard_penguins.terminal.drawing import draw_board, draw_scores

SEPARATORS: Final = re.compile(r"[\s,;:>-]+|(?<=\d)(?=[a-z])")


@contextlib.contextmanager
def person_console() -> Iterator[Console]:
    """The terminal of the person, also under a game master that took the standard streams away.

    Raises:
        UserError: there is no terminal.
    """
    try:
        with open_console() as console:
            yield console
    except NoTerminalError as error:
        raise UserError(
            f"there is no terminal: standard input is not a terminal, and {error}; "
            "start the game master in a terminal, and make sure that it runs its programs in the same session"
        ) from error


class Person(TurnAlgorithm[PenguinsPosition, Move]):
    """Asks until a move is chosen and confirmed.

    Args:
        console: where.
        name: who is asked.
        names: all players by number, as far as they are known before they have a row.
        news: takes what is to be told first, such as what others did; what it gives is not told again.
    """

    def __init__(
        self,
        console: Console,
        name: str,
        names: Mapping[int, str] | None = None,
        news: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self.console = console
        self.name = name
        self.names = dict(names or {})
        self.news = news
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
        self.names[position.player] = self.name
        move = _Prompt(self, position, board, self._arrived(position)).ask()
        self._last = _after(position, move).cells
        return move

    def _arrived(self, position: PenguinsPosition) -> set[int]:
        """Where others' penguins came since."""
        pairs = zip(self._last, position.cells)
        return {square for square, (was, now) in enumerate(pairs) if now % 10 and was != now}


class _Prompt(MovePrompt[Move]):
    """One question with all that belongs to it."""

    ways = """\
c4        a square, column c and row 4: place a penguin there; or choose the
          penguin there, and then its target
c4 c7     choose a penguin and its target at once
Enter     make the move that is shown"""
    legend = """\
A number is a floe with its fish, a letter is a player's penguin, and . or ~ is
water. [Brackets] mark what you can choose, <these> mark what has just moved."""
    confirm_question = "Enter: make this move; undo: choose again"
    nothing_to_undo = "nothing is chosen yet; finished moves cannot be undone"
    short: ClassVar[Mapping[str, str]] = {**MovePrompt.short, "h": "help"}

    def __init__(self, person: Person, position: PenguinsPosition, board: Board, arrived: Collection[int]) -> None:
        super().__init__(person.console, {"quit": Command("quit the game", self._leave)})
        self._name, self._names, self._news = person.name, person.names, person.news()
        self._position, self._board, self._arrived = position, board, arrived
        self._places = position.phase == PLACEMENT
        self._own = board.penguins[position.player]

    # Showing

    def show(self) -> None:
        """The board with what can be chosen, and what was told."""
        self._draw(self._position, self._choices(), self._arrived)
        for line in self._news:
            self.console.say_wrapped(line)
        self._news = ()
        if self.chosen >= 0:
            self._list_targets(self.chosen)

    def preview(self, move: Move) -> None:
        """The board as it would be."""
        self._draw(_after(self._position, move), (), {move.target})

    def _draw(self, position: PenguinsPosition, choices: Collection[int], arrived: Collection[int]) -> None:
        width, palette = self.console.width, self.console.palette
        board = draw_board(position, width, palette, choices, arrived)
        self.console.show(*draw_scores(position, self._names, width, palette), *board)

    def _choices(self) -> set[int]:
        if self._places:
            return set(self._board.placements())
        if self.chosen >= 0:
            return set(self._board.targets(self.chosen))
        return {origin for origin, _ in self._board.moves(self._position.player)}

    def describe(self, move: Move) -> str:
        """A legal move, and what it brings."""
        way = f"{self._square(move.origin)} to " if move.origin >= 0 else ""
        return f"{way}{self._square(move.target)}, {self._board.squares[move.target]} fish"

    # Understanding

    def question(self) -> str:
        """What is asked now."""
        if self._places:
            return f"{self._name}, where to place penguin {len(self._own) + 1} of {self._position.penguins}? (help)"
        if self.chosen >= 0:
            return f"{self._name}, from {self._square(self.chosen)} to where? (undo, help)"
        return f"{self._name}, which penguin moves: {' '.join(map(self._square, sorted(self._choices())))}? (help)"

    def find(self, text: str) -> Move | None:
        """The move that squares mean."""
        words = [word for word in SEPARATORS.split(text.lower()) if word and word != "to"]
        squares = [read_square(word, self._position.rows, self._position.columns) for word in words]
        if not squares:
            return None
        if -1 in squares:
            wrong = text if len(squares) > 2 else words[squares.index(-1)]
            last = self._square(self._position.rows * self._position.columns - 1)
            raise NoMoveError(f"'{wrong[:30]}' is not a square (a1 to {last}) and not a command (help, hint, undo, quit)")
        return self._placement(squares) if self._places else self._movement(squares)

    def _placement(self, squares: list[int]) -> Move:
        if len(squares) > 1:
            raise NoMoveError("give one square: penguins are placed one at a time")
        verdict = self._board.placement_verdict(squares[0])
        if verdict != rules.LEGAL:
            raise NoMoveError(f"{self._square(squares[0])}: {rules.WHY[verdict]}")
        return Move(squares[0])

    def _movement(self, squares: list[int]) -> Move | None:
        if len(squares) > 2:
            raise NoMoveError("give two squares: from where, and to where")
        if len(squares) == 1 and (self.chosen < 0 or squares[0] in self._own):
            self._choose_penguin(squares[0])
            return None
        origin, target = squares if len(squares) == 2 else (self.chosen, squares[0])
        verdict = self._board.move_verdict(self._position.player, origin, target)
        if verdict != rules.LEGAL:
            raise NoMoveError(f"{self._square(origin)} to {self._square(target)}: {rules.WHY[verdict]}")
        return Move(target, origin)

    def _choose_penguin(self, square: int) -> None:
        if square not in self._own:
            mine = " ".join(self._square(each) for each in sorted(self._own))
            raise NoMoveError(f"{self._square(square)}: none of your penguins is there; they are at {mine}")
        if not self._board.targets(square):
            raise NoMoveError(f"{self._square(square)}: this penguin is blocked")
        self.chosen = square
        self.show()

    # Commands

    def hint(self) -> None:
        """What the champion would do."""
        self.console.say(f"the champion: {self.describe(Champion().choose(self._position))}")

    def list_moves(self) -> None:
        """All that can be done."""
        if self._places:
            names = [self._square(square) for square in self._board.placements()]
            self.console.say_wrapped(f"floes with one fish: {' '.join(names)}")
            return
        for origin in sorted(self._choices()) if self.chosen < 0 else [self.chosen]:
            self._list_targets(origin)

    def _leave(self, _: str) -> None:
        raise LeftError(f"{self._name} left")

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
        self.console.say_wrapped(f"{self._square(origin)} can go to (fish in brackets): {', '.join(parts)}")

    def _square(self, square: int) -> str:
        return square_name(square, self._position.columns)


def _after(position: PenguinsPosition, move: Move) -> PenguinsPosition:
    """What it looks like after a legal move."""
    number = position.player
    own = next((row for row in position.players if row.number == number), PlayerRow("", number, 0))
    file = file_after(position.file(), move, own)
    return replace(position, cells=file.cells, players=file.players)
