"""Asking one person for one move: a board is shown, commands are obeyed, and a move is made when it has been confirmed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Generic, TypeVar

from tiltyard_kit.terminal.console import Console

M = TypeVar("M")

YES: Final = frozenset({"", "y", "yes", "ok"})
NO: Final = frozenset({"n", "no"})
UNDO: Final = "undo"


class NoMoveError(ValueError):
    """What was typed is no move; the message says why, and what would be one."""


@dataclass(frozen=True, slots=True)
class Command:
    """What can be typed in place of a move."""

    about: str
    """What it does, for the help."""
    run: Callable[[str], object]
    """Given what stands behind the word."""
    takes_words: bool = False
    """Whether anything may stand behind the word."""


class MovePrompt(ABC, Generic[M]):
    """One question for a move.

    Args:
        console: where the person sits.
        commands: the game's own, beside those that all games have.
        confirms: whether a move is shown before it is made.
    """

    ways: ClassVar[str]
    """How moves are typed, for the help."""
    legend: ClassVar[str]
    """What the signs on the board are, likewise."""
    confirm_question: ClassVar[str]
    short: ClassVar[Mapping[str, str]] = {"?": "help", "u": UNDO, "q": "quit", "exit": "quit"}
    """Other words for commands."""
    nothing_to_undo: ClassVar[str]

    def __init__(self, console: Console, commands: Mapping[str, Command], confirms: bool = True) -> None:
        self.console = console
        self.confirms = confirms
        self.chosen = -1
        """The square of a piece that was chosen first; -1: none."""
        self.commands: dict[str, Command] = {
            "moves": Command("list all your moves", lambda _: self.list_moves()),
            "hint": Command("show what the champion would play", lambda _: self.hint()),
            "board": Command("show the board again", lambda _: self.show()),
            UNDO: Command("undo your choice", lambda _: console.say(self.nothing_to_undo)),
            "help": Command("show this help", lambda _: self.help()),
            **commands,
        }

    # What a game says

    @abstractmethod
    def question(self) -> str:
        """What is asked now."""

    @abstractmethod
    def show(self) -> None:
        """Show the board, and what the chosen piece can do."""

    @abstractmethod
    def find(self, text: str) -> M | None:
        """The legal move that was typed; None where only a piece was chosen.

        Raises:
            NoMoveError: it is none.
        """

    @abstractmethod
    def preview(self, move: M) -> None:
        """Show the board as the move would leave it."""

    @abstractmethod
    def describe(self, move: M) -> str:
        """A legal move in words, with what it brings."""

    @abstractmethod
    def list_moves(self) -> None:
        """List what can be done, by the chosen piece if there is one."""

    @abstractmethod
    def hint(self) -> None:
        """Say what the champion would do."""

    # Asking

    def ask(self) -> M:
        """Ask until a move is confirmed.

        Raises:
            LeftError: by a command, or because the input has ended.
            KeyboardInterrupt: Ctrl-C.
        """
        self.show()
        waiting: str | None = None
        while True:
            text = self.console.ask(self.question()) if waiting is None else waiting
            waiting = None
            move = self._understand(text)
            if move is None:
                continue
            waiting = self._confirm(move) if self.confirms else ""
            if not waiting:
                return move
            self.chosen = -1
            if self._word(waiting) == UNDO or waiting.lower() in NO:
                waiting = None
                self.show()

    def help(self) -> None:
        """Say what can be typed."""
        words = [f"{word:9} {command.about}" for word, command in self.commands.items()]
        letters = [letter for letter, word in self.short.items() if len(letter) == 1 and word in self.commands]
        self.console.say(self.ways, *words, f"Short forms: {' '.join(letters)}", self.legend)

    def _understand(self, text: str) -> M | None:
        if self.chosen >= 0 and (not text or self._word(text) == UNDO or text.lower() in NO):
            self.chosen = -1
            self.show()
            return None
        if not text or self._obeys(text):
            return None
        try:
            return self.find(text)
        except NoMoveError as error:
            self.console.say_wrapped(str(error))
            return None

    def _confirm(self, move: M) -> str:
        """What was typed in place of a confirmation; empty: the move is confirmed."""
        self.preview(move)
        while True:
            self.console.say(self.describe(move))
            text = self.console.ask(self.confirm_question)
            if text.lower() in YES:
                return ""
            if self._word(text) == UNDO or not self._obeys(text):
                return text

    def _obeys(self, text: str) -> bool:
        """Whether it was a command, which has been obeyed."""
        command = self.commands.get(self._word(text))
        rest = text.partition(" ")[2].strip()
        if command is None or (rest and not command.takes_words):
            return False
        command.run(rest)
        return True

    def _word(self, text: str) -> str:
        word = text.partition(" ")[0].lower()
        return self.short.get(word, word)
