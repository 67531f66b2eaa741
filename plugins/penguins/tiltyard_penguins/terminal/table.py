"""Penguins as people play it: a square is a placement, two squares are a move, and what can be chosen stands in brackets."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import ClassVar, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.results import GameResult
from tiltyard_kit.terminal.console import Console, NoTerminalError, open_console
from tiltyard_kit.terminal.playable_game import QUESTION_COMMANDS, PastMove, PlayableGame, TableScene, Words
from tiltyard_kit.terminal.squares import read_square, square_name
from tiltyard_kit.terminal.table_game import TableGame, TableSeat
from tiltyard_penguins import rules
from tiltyard_penguins.board_files import BoardFile, PlayerRow
from tiltyard_penguins.champion import Champion
from tiltyard_penguins.positions import (
    MOVEMENT,
    PASS,
    PLACEMENT,
    Move,
    PenguinsPosition,
    file_after,
    has_something_to_do,
    position_of,
)
from tiltyard_penguins.recording import cells_of
from tiltyard_penguins.terminal.drawing import draw_board, draw_scores, player_mark

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


def person_seat(console: Console, name: str) -> TableSeat[PenguinsPosition, Move]:
    """Somebody who plays alone at a console, under a game master."""
    return TableGame(console, PenguinsTable(), [(name, None)]).seats[0]


class PenguinsTable(PlayableGame[PenguinsPosition, Move]):
    """The board with what can be chosen, and the scores above it."""

    ways = """\
c4        a square, column c and row 4: place a penguin there; or choose the
          penguin there, and then its target
c4 c7     choose a penguin and its target at once
Enter     make the move that is shown"""
    legend = """\
A number is a floe with its fish, a letter is a player's penguin, and . or ~ is
water. [Brackets] mark what you can choose, <these> mark what has just moved."""
    commands: ClassVar[Mapping[str, str]] = {**QUESTION_COMMANDS, "quit": "quit the game"}
    short: ClassVar[Mapping[str, str]] = {**PlayableGame.short, "h": "help"}
    confirm_question = "Enter: make this move; undo: choose again"
    nothing_to_undo = "nothing is chosen yet; finished moves cannot be undone"
    takes_back = False
    farewell = "{name} left"
    tells_with_board = True

    # Words

    def moves(self, scene: TableScene[PenguinsPosition]) -> Mapping[Words, Move]:
        position, board = scene.position, scene.position.board()
        if not has_something_to_do(position, board):
            return {(): PASS}
        if position.phase == PLACEMENT:
            answers = [Move(square) for square in board.placements()]
        else:
            answers = [Move(target, origin) for origin, target in board.moves(position.player)]
        return {self.words_of(scene, answer): answer for answer in answers}

    def words_of(self, scene: TableScene[PenguinsPosition], answer: Move) -> Words:
        return tuple(square_name(square, scene.position.columns) for square in (answer.origin, answer.target) if square >= 0)

    def split(self, text: str) -> Words:
        return tuple(word for word in SEPARATORS.split(text.lower()) if word and word != "to")

    def join(self, words: Words) -> str:
        return "-".join(words)

    def explain(self, scene: TableScene[PenguinsPosition], words: Words) -> str:
        position, own = scene.position, self._own(scene.position)
        if unknown := [word for word in words if _square(position, word) < 0]:
            last = square_name(position.rows * position.columns - 1, position.columns)
            typed = " ".join(words) if len(words) > 2 else unknown[0]
            return f"'{typed[:30]}' is not a square (a1 to {last}) and not a command (help, hint, undo, quit)"
        if position.phase == PLACEMENT:
            if len(words) > 1:
                return "give one square: penguins are placed one at a time"
        elif len(words) > 2:
            return "give two squares: from where, and to where"
        elif len(words) == 1 and words[0] in own:
            return f"{words[0]}: this penguin is blocked"
        elif len(words) == 1 and not scene.prefix:
            return f"{words[0]}: none of your penguins is there; they are at {' '.join(own)}"
        elif len(words) == 1:
            words = scene.prefix + words
        return f"{' to '.join(words)}: {self._verdict(position, words)}"

    def explain_saved(self, scene: TableScene[PenguinsPosition], path: Path, text: object) -> str:
        number = 1 + sum(step.seat == scene.seat for step in scene.steps)
        why = self._verdict(scene.position, self.split(str(text)))
        return f"the saved game is not possible: {scene.names[scene.seat]}'s move {number}: {why}"

    # What is shown

    def draw(self, scene: TableScene[PenguinsPosition], console: Console) -> Sequence[str]:
        position, palette, width = scene.position, console.palette, console.width
        if scene.moment == "end":
            return draw_board(position, width, palette)
        choices: set[int] = set()
        new_squares: set[int] = set()
        if scene.moment == "preview":
            new_squares = {_square(position, scene.steps[-1].words[-1])}
        else:
            choices = {_square(position, word) for word in self._choices(scene)}
            last = next((step for step in reversed(scene.steps) if step.seat == scene.seat and step.words), None)
            if last is not None:
                before = self.after(replace(scene, position=last.position), last.words).cells
                new_squares = {square for square, (was, now) in enumerate(zip(before, position.cells)) if now % 10 and was != now}
        # Under a game master nobody knows the others' names before they have a row.
        names = scene.names if len(scene.names) > 1 else {position.player: scene.names[scene.seat]}
        return [*draw_scores(position, names, width, palette), *draw_board(position, width, palette, choices, new_squares)]

    def after(self, scene: TableScene[PenguinsPosition], words: Words) -> PenguinsPosition:
        position, number = scene.position, scene.position.player
        own = next((row for row in position.players if row.number == number), PlayerRow("", number, 0))
        file = file_after(position.file(), self.answer(scene, words), own)
        return replace(position, cells=file.cells, players=file.players)

    def last_position(self, result: GameResult) -> PenguinsPosition:
        state = result.final_state
        return position_of(BoardFile(len(state), len(state[0]), cells_of(state)), MOVEMENT, 0, player=1)

    def question(self, scene: TableScene[PenguinsPosition]) -> str:
        name, position = scene.names[scene.seat], scene.position
        if position.phase == PLACEMENT:
            return f"{name}, where to place penguin {len(self._own(position)) + 1} of {position.penguins}? (help)"
        if scene.prefix:
            return f"{name}, from {scene.prefix[0]} to where? (undo, help)"
        return f"{name}, which penguin moves: {' '.join(self._choices(scene))}? (help)"

    def describe(self, position: PenguinsPosition, words: Words) -> str:
        return f"{' to '.join(words)}, {position.cells[_square(position, words[-1])] // 10} fish"

    def list_moves(self, scene: TableScene[PenguinsPosition], moves: Sequence[Words]) -> Sequence[str]:
        position = scene.position
        if position.phase == PLACEMENT:
            return [f"floes with one fish: {' '.join(move[0] for move in moves)}"]

        def direction(move: Words) -> str:
            origin, target = (_square(position, word) for word in move)
            if target // position.columns == origin // position.columns:
                return "left" if target < origin else "right"
            return "up" if target < origin else "down"

        lines = []
        for origin in self._choices(scene) if not scene.prefix else scene.prefix:
            parts = []
            for way, targets in groupby((move for move in moves if move[0] == origin), direction):
                fish = [f"{word}({position.cells[_square(position, word)] // 10})" for _, word in targets]
                parts.append(f"{way} {' '.join(fish)}")
            lines.append(f"{origin} can go to (fish in brackets): {', '.join(parts)}")
        return lines

    def hint(self, scene: TableScene[PenguinsPosition]) -> str:
        move = self.words_of(scene, Champion().choose(scene.position))
        return f"the champion: {self.describe(scene.position, move)}"

    def tell(self, step: PastMove[PenguinsPosition], name: str, console: Console) -> str:
        places = "places at " if len(step.words) == 1 else ""
        return f"{player_mark(step.seat, console.palette)} {name}: {places}{self.describe(step.position, step.words)}"

    def _own(self, position: PenguinsPosition) -> list[str]:
        """The squares of the own penguins, in their order on the board."""
        return [square_name(square, position.columns) for square in sorted(position.board().penguins[position.player])]

    def _choices(self, scene: TableScene[PenguinsPosition]) -> list[str]:
        """The squares that can be typed next, in their order on the board."""
        words = {move[len(scene.prefix)] for move in self.fitting_moves(scene, scene.prefix)}
        return sorted(words, key=lambda word: _square(scene.position, word))

    def _verdict(self, position: PenguinsPosition, words: Words) -> str:
        """Why a placement or a move is not legal."""
        board, squares = position.board(), [_square(position, word) for word in words]
        if position.phase == PLACEMENT:
            return rules.WHY[board.placement_verdict(squares[0]) if len(squares) == 1 else rules.NOT_OWN]
        return rules.WHY[board.move_verdict(position.player, squares[0] if len(squares) > 1 else -1, squares[-1])]


def _square(position: PenguinsPosition, word: str) -> int:
    return read_square(word, position.rows, position.columns)
