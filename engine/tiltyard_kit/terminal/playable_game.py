"""What a game gives so that people can play it: its legal moves in words, and a drawing. All else has a usual form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Generic, Literal, TypeAlias

from tiltyard_engine.results import GameResult
from tiltyard_engine.turns import A, P
from tiltyard_kit.terminal.console import Console

Words: TypeAlias = tuple[str, ...]
"""A move as people type it, such as ``("c8", "c7")``. The first words of several moves choose among them, as a piece does."""
UNDO: Final = "undo"
QUESTION_COMMANDS: Final[Mapping[str, str]] = {
    "moves": "list all your moves",
    "hint": "show what the champion would play",
    "board": "show the board again",
    UNDO: "undo your choice",
    "help": "show this help",
}
"""What can be typed wherever somebody is asked for a move, and what it does."""
TABLE_COMMANDS: Final[Mapping[str, str]] = {
    "resign": "give up the game",
    "save": "save the game, or save a copy with: save FILE",
    "quit": "quit; the game is saved, and you can resume it",
}
"""What can be typed besides in a whole game."""


class NoMoveError(ValueError):
    """What was typed is no move; the message says why, and what would be one."""


@dataclass(frozen=True, slots=True)
class PastMove(Generic[P]):
    """A move that somebody at the table has made, and the position that the seat was asked."""

    seat: int
    position: P
    words: Words


@dataclass(frozen=True, slots=True)
class TableScene(Generic[P]):
    """What somebody at the table is shown."""

    position: P
    seat: int
    """Whose question it is, from 1."""
    names: Mapping[int, str]
    """All players by their seats."""
    steps: Sequence[PastMove[P]] = ()
    """All moves until now. Where several decide at once, those who were asked before have theirs here already."""
    prefix: Words = ()
    """The first words of a move, where they were typed alone."""
    moment: Literal["question", "preview", "end"] = "question"


class PlayableGame(ABC, Generic[P, A]):
    """A game in which each seat answers ``P`` with ``A``. An object of it is for one table and may remember how it is shown.

    ``moves`` and ``draw`` are enough. Where the legal answers are too many to be listed, ``moves`` gives some of them, and
    ``fitting_moves``, ``answer`` and ``words_of`` know the others as well.
    """

    ways: ClassVar[str] = ""
    """How moves are typed, for the help."""
    legend: ClassVar[str] = ""
    """What the signs of the drawing are, for the help."""
    commands: ClassVar[Mapping[str, str]] = {**QUESTION_COMMANDS, UNDO: "take back your last move", **TABLE_COMMANDS}
    """The commands that there are, and what each does. ``obey`` is called for those that the table does not know."""
    short: ClassVar[Mapping[str, str]] = {"?": "help", "u": UNDO, "q": "quit", "exit": "quit"}
    """Other words for commands."""
    meanings: ClassVar[Mapping[str, str]] = {}
    """What the last words of moves mean, for the question that is asked where several moves begin with what was typed."""
    confirm_question: ClassVar[str] = "Enter plays it, undo cancels it>"
    nothing_to_undo: ClassVar[str] = "there is no move to take back"
    takes_back: ClassVar[bool] = True
    """Whether moves that were made can be taken back."""
    choice_help: ClassVar[str] = ""
    """What is said below the moves of a chosen piece."""
    farewell: ClassVar[str] = "left"
    """Why a game ends when somebody called ``{name}`` quits."""
    thinking: ClassVar[str] = ""
    """What is said while ``{name}``, who is no person, is asked."""
    tells_with_board: ClassVar[bool] = False
    """Whether people read with the next drawing what all did, and not at once what those who are no persons did."""

    @abstractmethod
    def moves(self, scene: TableScene[P]) -> Mapping[Words, A]:
        """The legal answers by their words. A move without words is made without a question: there is no other, as with a pass."""

    @abstractmethod
    def draw(self, scene: TableScene[P], console: Console) -> Sequence[str]:
        """The lines that show a scene in the console's width and colours."""

    # Words

    def split(self, text: str) -> Words:
        """The words of what was typed, or of a move in a saved game.

        Raises:
            NoMoveError: it is none, whatever the position.
        """
        return tuple(text.lower().split())

    def join(self, words: Words) -> str:
        """A move as saved games have it."""
        return " ".join(words)

    def fitting_moves(self, scene: TableScene[P], words: Words) -> list[Words]:
        """The legal moves that begin with these words."""
        return [move for move in self.moves(scene) if move[: len(words)] == words]

    def answer(self, scene: TableScene[P], words: Words) -> A:
        """The answer that a legal move is."""
        return self.moves(scene)[words]

    def words_of(self, scene: TableScene[P], answer: A) -> Words | None:
        """The words of an answer; None: it is not legal, and what follows is the referee's."""
        return next((words for words, move in self.moves(scene).items() if move == answer), None)

    def explain(self, scene: TableScene[P], words: Words) -> str:
        """Why no legal move begins with these words, alone or after the chosen ones."""
        return f"'{' '.join(words):.40}' is not a legal move; type moves for a list, or ? for help"

    def explain_saved(self, scene: TableScene[P], path: Path, text: object) -> str:
        """Why a saved game cannot be played on: a move of it is not legal."""
        return f"{path}: move {len(scene.steps) + 1} is {text!r:.40}, which is not a legal move there"

    # What is shown

    def after(self, scene: TableScene[P], words: Words) -> P | None:
        """The position after a legal move, which is shown before it is made; None: nobody can know."""
        return None

    def last_position(self, result: GameResult) -> P | None:
        """The position at the end, to be drawn; None: the result says all."""
        return None

    def question(self, scene: TableScene[P]) -> str:
        """What somebody is asked."""
        return f"{scene.names[scene.seat]}>"

    def describe(self, position: P, words: Words) -> str:
        """A legal move, and what it brings."""
        return " ".join(words)

    def list_moves(self, scene: TableScene[P], moves: Sequence[Words]) -> Sequence[str]:
        """Lines that list some of the legal moves."""
        ends: dict[Words, list[str]] = {}
        for move in moves:
            ends.setdefault(move[:-1], []).append(move[-1])
        return [f"{' '.join(begin)}{': ' if begin else ''}{', '.join(words)}" for begin, words in ends.items()]

    def hint(self, scene: TableScene[P]) -> str:
        """What a good player would do."""
        return "there are no hints in this game"

    def tell(self, step: PastMove[P], name: str, console: Console) -> str:
        """What everybody may hear of a move at once; empty: nothing, as where several decide at the same time."""
        return f"{name}: {self.describe(step.position, step.words)}"

    def obey(self, command: str) -> None:
        """Do what one of the game's own commands says. The drawing is shown after it."""
        raise NotImplementedError(command)
