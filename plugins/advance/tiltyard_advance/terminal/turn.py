"""The talk about one move: shows the board, takes words, and ends with a confirmed move or with a wish of another kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiltyard_advance.choosing import CHAMPION, choose_board
from tiltyard_advance.moves import boards_after, describe_move, place_name
from tiltyard_advance.rules import PLACES, Board
from tiltyard_advance.start import SIDES
from tiltyard_advance.terminal.console import Console
from tiltyard_advance.terminal.drawing import View, changed_places, draw_board, targets_of
from tiltyard_advance.terminal.move_words import (
    ACTION_WORDS,
    ACTIONS,
    NoMoveError,
    explain_refusal,
    list_moves,
    moves_between,
    parse_squares,
    words_of,
)

HELP: Final = (
    "c8 c7     the piece on c8 acts on c7: goes, takes, shoots, converts, swaps",
    "b8 b7 b   a letter where it can do two things: m move, b build a wall",
    "c8        show what the piece on c8 can do",
    "moves     list all your moves",
    "hint      what the champion would play",
    "board     show the board again",
    "flip      turn the board round",
)
CONFIRM: Final = "Enter plays it, undo takes it back"
SHORT: Final = {"?": "help", "m": "moves", "h": "hint", "b": "board", "f": "flip", "u": "undo", "s": "save", "q": "quit"}
OWN_WORDS: Final = ("help", "moves", "hint", "board", "flip", "undo")


@dataclass(slots=True)
class Scene:
    """What a move is asked for."""

    board: Board
    side: int
    changed: Collection[int] = ()
    """Places that the last move changed."""
    beside: Sequence[str] = ()
    """What stands beside the board."""
    turned: bool = False
    extra: Mapping[str, str] = field(default_factory=dict)
    """Further words that end the talk, with what they do."""
    confirms: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """A move, or one of the scene's further words with what stood behind it."""

    move: int = 0
    word: str = ""
    rest: str = ""


def ask_move(console: Console, scene: Scene) -> Decision:
    """Talk until a move is confirmed, or a further word is typed.

    Raises:
        InputEndedError: there will be no more words.
        KeyboardInterrupt: Ctrl-C. The board is as it was in both cases.
    """
    return _Talk(console, scene).run()


class _Talk:
    def __init__(self, console: Console, scene: Scene) -> None:
        self._console = console
        self._scene = scene
        self._board = scene.board
        self._moves = scene.board.legal_moves(scene.side)
        self._chosen = -1
        """The place of a piece that was typed alone."""
        self._words: Mapping[str, Callable[[], None]] = {
            "help": self._help,
            "moves": lambda: self._console.say(*list_moves(self._board, self._moves)),
            "hint": self._hint,
            "board": self._show,
            "flip": self._flip,
            "undo": self._undo_nothing,
        }

    def run(self) -> Decision:
        self._show()
        prompt = f"{SIDES[self._scene.side]}> "
        waiting = ""
        while True:
            text = waiting or self._console.ask(prompt)
            waiting = ""
            head, _, rest = text.partition(" ")
            word = SHORT.get(head.lower(), head.lower())
            if word in self._scene.extra:
                return Decision(word=word, rest=rest.strip())
            if not text:
                if self._chosen >= 0:
                    self._chosen = -1
                    self._show()
                continue
            if word in self._words and not rest:
                self._words[word]()
                continue
            try:
                move = self._find(text)
            except NoMoveError as error:
                self._console.say(str(error))
                continue
            if move:
                self._chosen = -1
                if not self._scene.confirms:
                    return Decision(move)
                waiting = self._confirm(move)
                if not waiting:
                    return Decision(move)
                if SHORT.get(waiting, waiting) in ("undo", "no", "n"):
                    waiting = ""
                    self._show()

    # Moves

    def _find(self, text: str) -> int:
        """The move that is meant; 0 where a piece was only looked at.

        Raises:
            NoMoveError: it is none.
        """
        squares = parse_squares(text)
        if squares is None:
            raise NoMoveError(f"'{text:.40}' is not understood: type a move as c8 c7, or ? for help")
        origin, target, letter = squares
        if target < 0:
            # With a piece chosen, one square is where it is to act; its own square puts it back.
            if self._chosen >= 0 and moves_between(self._moves, self._chosen, origin):
                origin, target = self._chosen, origin
            else:
                self._choose(origin)
                return 0
        found = moves_between(self._moves, origin, target, letter)
        if not found:
            raise NoMoveError(explain_refusal(self._board, self._scene.side, self._moves, origin, target, letter))
        return found[0] if len(found) == 1 else self._which(found)

    def _choose(self, place: int) -> None:
        """Show what a piece can do."""
        if not targets_of(self._moves, place):
            raise NoMoveError(explain_refusal(self._board, self._scene.side, self._moves, place, -1))
        self._chosen = place
        self._show()
        own = [move for move in self._moves if PLACES[move >> 8 & 255] == place]
        self._console.say(*list_moves(self._board, own), "where to? (Enter goes back)")

    def _which(self, found: Sequence[int]) -> int:
        """Ask which of several actions on one square is meant; 0: none."""
        choices = {ACTIONS[move >> 16]: move for move in found}
        where = place_name(PLACES[found[0] & 255])
        offer = ", ".join(f"{letter} {ACTION_WORDS[move >> 16]}" for letter, move in choices.items())
        typed = self._console.ask(f"{where}: {offer}> ").lower()
        if typed not in choices:
            self._console.say("nothing chosen")
            return 0
        return choices[typed]

    def _confirm(self, move: int) -> str:
        """Show the board after a move and let it be confirmed; what was typed instead of Enter."""
        board, before = self._board, self._board.text()
        did = describe_move(board, move)
        content = board.make(move)
        try:
            view = View(changed_places(before, board.text()), turned=self._scene.turned)
            self._console.show(draw_board(board, view, self._console.look))
            notes = f"; {SIDES[1 - self._scene.side]}'s General is in danger" if board.in_danger(1 - self._scene.side) else ""
            self._console.say(f"{did}{notes}")
            typed = self._console.ask(f"{CONFIRM}> ")
        finally:
            board.unmake(move, content)
        return "" if typed.lower() in ("", "y", "yes", "ok") else typed

    # Words

    def _show(self) -> None:
        scene = self._scene
        targets = targets_of(self._moves, self._chosen) if self._chosen >= 0 else []
        view = View(scene.changed, targets, self._chosen, scene.turned)
        self._console.show(draw_board(self._board, view, self._console.look, scene.beside))
        if self._board.in_danger(scene.side):
            self._console.say(self._console.look.paint("Your General is in danger.", "alarm"))

    def _help(self) -> None:
        further = [f"{word:9} {what}" for word, what in self._scene.extra.items()]
        letters = [letter for letter, word in SHORT.items() if word in (*OWN_WORDS, *self._scene.extra)]
        self._console.say(*HELP, *further, f"The first letter of a word is enough for: {' '.join(letters)}")

    def _hint(self) -> None:
        chosen = choose_board(self._board.text(), self._scene.side, CHAMPION, random.Random(0))
        move = boards_after(self._board, self._moves)[chosen]
        self._console.say(f"the champion would play {words_of(move)}: {describe_move(self._board, move)}")

    def _flip(self) -> None:
        self._scene.turned = not self._scene.turned
        self._show()

    def _undo_nothing(self) -> None:
        self._console.say("there is nothing to take back")
