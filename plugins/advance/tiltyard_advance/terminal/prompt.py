"""The question for one move, and what may be typed as an answer."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tiltyard_advance.algorithms import CHAMPION, choose_board
from tiltyard_advance.moves import boards_after, changed_places, describe_move, place_name
from tiltyard_advance.positions import SIDES
from tiltyard_advance.rules import PLACES, Board
from tiltyard_advance.terminal.drawing import ALARM, LEGEND, View, draw_board, targets_of
from tiltyard_advance.terminal.move_words import (
    ACTION_WORDS,
    ACTIONS,
    explain_refusal,
    list_moves,
    moves_between,
    parse_squares,
    words_of,
)
from tiltyard_kit.terminal.console import Console
from tiltyard_kit.terminal.move_prompt import Command, MovePrompt, NoMoveError


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
    """Whether black sits below."""


class AdvancePrompt(MovePrompt[int]):
    """Asks for a move; the scene's board is as it was afterwards, whatever happens."""

    ways = """\
c8 c7     the piece on c8 acts on c7: moves, takes, shoots, converts, swaps
b8 b7 b   add a letter if it can do two things: m move, b build a wall
c8        show what the piece on c8 can do"""
    legend = LEGEND
    confirm_question = "Enter plays it, undo cancels it>"
    nothing_to_undo = "there is no move to take back"
    short: ClassVar[Mapping[str, str]] = {
        **MovePrompt.short,
        "m": "moves",
        "h": "hint",
        "b": "board",
        "f": "flip",
        "s": "save",
    }

    def __init__(self, console: Console, scene: Scene, commands: Mapping[str, Command], confirms: bool = True) -> None:
        super().__init__(console, {"flip": Command("turn the board around", self._flip), **commands}, confirms)
        self._scene = scene
        self._board = scene.board
        self._moves = scene.board.legal_moves(scene.side)

    # Showing

    def question(self) -> str:
        """Whose move it is."""
        return f"{SIDES[self._scene.side]}>"

    def show(self) -> None:
        """The board, and what the chosen piece can do."""
        scene, palette = self._scene, self.console.palette
        targets = targets_of(self._moves, self.chosen) if self.chosen >= 0 else []
        view = View(scene.changed, targets, self.chosen, scene.turned)
        self.console.show(*draw_board(self._board, view, palette, scene.beside))
        if self._board.in_danger(scene.side):
            self.console.say(palette.paint("Your General is in danger.", ALARM))
        if self.chosen >= 0:
            self.list_moves()
            self.console.say("where to? (Enter goes back)")

    def preview(self, move: int) -> None:
        """The board after the move."""
        before = self._board.text()
        content = self._board.make(move)
        try:
            view = View(changed_places(before, self._board.text()), turned=self._scene.turned)
            self.console.show(*draw_board(self._board, view, self.console.palette))
        finally:
            self._board.unmake(move, content)

    def describe(self, move: int) -> str:
        """A move in words, and whether it is a check."""
        did, rival = describe_move(self._board, move), 1 - self._scene.side
        content = self._board.make(move)
        is_danger = self._board.in_danger(rival)
        self._board.unmake(move, content)
        return f"{did}; {SIDES[rival]}'s General is in danger" if is_danger else did

    # Understanding

    def find(self, text: str) -> int | None:
        """The move that squares and a letter mean."""
        squares = parse_squares(text)
        if squares is None:
            raise NoMoveError(f"cannot understand '{text:.40}'; type a move as c8 c7, or ? for help")
        origin, target, letter = squares
        if target < 0:
            # With a piece chosen, one square is where it is to act; another own piece is chosen instead.
            if self.chosen < 0 or not moves_between(self._moves, self.chosen, origin):
                self._choose(origin)
                return None
            origin, target = self.chosen, origin
        found = moves_between(self._moves, origin, target, letter)
        if not found:
            raise NoMoveError(explain_refusal(self._board, self._scene.side, self._moves, origin, target, letter=letter))
        return found[0] if len(found) == 1 else self._which(found)

    def _choose(self, place: int) -> None:
        if not targets_of(self._moves, place):
            raise NoMoveError(explain_refusal(self._board, self._scene.side, self._moves, place, -1))
        self.chosen = place
        self.show()

    def _which(self, found: Sequence[int]) -> int | None:
        """Ask which of several actions on one square is meant."""
        choices = {ACTIONS[move >> 16]: move for move in found}
        where = place_name(PLACES[found[0] & 255])
        offer = ", ".join(f"{letter} {ACTION_WORDS[move >> 16]}" for letter, move in choices.items())
        typed = self.console.ask(f"{where}: {offer}>").lower()
        if typed not in choices:
            self.console.say("no move chosen")
        return choices.get(typed)

    # Commands

    def list_moves(self) -> None:
        """A line for each piece that can move."""
        shown = [move for move in self._moves if self.chosen in (-1, PLACES[move >> 8 & 255])]
        self.console.say(*list_moves(self._board, shown))

    def hint(self) -> None:
        """What the champion would play."""
        chosen = choose_board(self._board.text(), self._scene.side, CHAMPION, random.Random(0))
        move = boards_after(self._board, self._moves)[chosen]
        self.console.say(f"the champion would play {words_of(move)}: {describe_move(self._board, move)}")

    def _flip(self, _: str) -> None:
        self._scene.turned = not self._scene.turned
        self.show()
