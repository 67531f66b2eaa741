"""Asking one person for one move: a scene is shown, commands are obeyed, and a move is made when it has been confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic, TypeAlias

from tiltyard_engine.turns import P
from tiltyard_kit.terminal.console import Console
from tiltyard_kit.terminal.playable_game import UNDO, NoMoveError, PastMove, PlayableGame, TableScene, Words

Command: TypeAlias = Callable[[str], object]
YES: Final = frozenset({"", "y", "yes", "ok"})
NO: Final = frozenset({"n", "no"})
WITH_WORDS: Final = frozenset({"save"})
"""Commands behind which more may stand."""
ENOUGH_WORDS: Final = 2
"""With fewer, only what is to be moved has been chosen, even if it has a single move."""


def whole_moves(game: PlayableGame[P, Any], scene: TableScene[P], words: Words) -> list[Words]:
    """The legal moves that these words may be; none where they are too few to be a move."""
    return [move for move in game.fitting_moves(scene, words) if len(words) >= min(ENOUGH_WORDS, len(move))]


class MovePrompt(Generic[P]):
    """One question for a move.

    Args:
        console: where the person sits.
        game: the words and the drawing.
        scene: what is asked.
        commands: what the table does at a word; each gets what stands behind it.
        confirms: whether a move is shown before it is made.
    """

    def __init__(
        self,
        console: Console,
        game: PlayableGame[P, Any],
        scene: TableScene[P],
        commands: Mapping[str, Command],
        *,
        confirms: bool = True,
    ) -> None:
        self._console, self._game, self._scene, self._confirms = console, game, scene, confirms
        self._commands: dict[str, Command] = {
            "moves": lambda _: self._list_moves(),
            "hint": lambda _: console.say(game.hint(self._scene)),
            "board": lambda _: self._show(),
            UNDO: lambda _: console.say(game.nothing_to_undo),
            "help": lambda _: self._help(),
            **commands,
        }

    def ask(self, news: Sequence[str] = ()) -> Words:
        """Ask until a move is confirmed. The news are told below the first drawing.

        Raises:
            LeftError: by a command, or because the input has ended.
            KeyboardInterrupt: Ctrl-C.
        """
        self._show(news)
        text = self._console.ask(self._game.question(self._scene))
        while True:
            move = self._understand(text)
            if move is not None:
                text = self._confirm(move) if self._confirms else ""
                if not text:
                    return move
                self._choose(())
                if not self._is_no(text):
                    continue
                self._show()
            text = self._console.ask(self._game.question(self._scene))

    # Showing

    def _show(self, news: Sequence[str] = ()) -> None:
        """The scene, what there is to tell, and what the chosen piece can do."""
        self._console.show(*self._game.draw(self._scene, self._console))
        for line in news:
            self._console.say_wrapped(line)
        if self._scene.prefix:
            self._list_moves()
            if self._game.choice_help:
                self._console.say(self._game.choice_help)

    def _list_moves(self) -> None:
        for line in self._game.list_moves(self._scene, self._game.fitting_moves(self._scene, self._scene.prefix)):
            self._console.say_wrapped(line)

    def _help(self) -> None:
        game = self._game
        commands = [f"{word:9} {about}" for word, about in game.commands.items()]
        letters = [letter for letter, word in game.short.items() if len(letter) == 1 and word in game.commands]
        self._console.say(*filter(None, (game.ways, *commands, f"Short forms: {' '.join(letters)}", game.legend)))

    # Understanding

    def _choose(self, words: Words) -> None:
        self._scene = replace(self._scene, prefix=words)

    def _understand(self, text: str) -> Words | None:
        """The move that was typed; None where it was something else, which has been answered."""
        if self._scene.prefix and (not text or self._is_no(text)):
            self._choose(())
            self._show()
            return None
        if not text or self._obeys(text):
            return None
        try:
            return self._find(self._game.split(text))
        except NoMoveError as error:
            self._console.say_wrapped(str(error))
            return None

    def _find(self, words: Words) -> Words | None:
        """The move that words are, after the chosen ones or alone; None where they only choose, or nothing was chosen."""
        game, scene = self._game, self._scene
        if not words:
            return None
        for begin in (scene.prefix + words, words):
            if moves := whole_moves(game, scene, begin):
                return moves[0] if len(moves) == 1 else self._choose_among(moves, len(begin))
            if game.fitting_moves(scene, begin):
                self._choose(begin)
                self._show()
                return None
        raise NoMoveError(game.explain(scene, words))

    def _choose_among(self, moves: Sequence[Words], number: int) -> Words | None:
        """Which of the moves is meant whose first ``number`` words were typed."""
        rests = {" ".join(move[number:]): move for move in moves}
        offer = ", ".join(f"{rest} {self._game.meanings.get(rest, '')}".strip() for rest in rests)
        move = rests.get(self._console.ask(f"{moves[0][number - 1]}: {offer}>").lower())
        if move is None:
            self._console.say("no move chosen")
        return move

    def _confirm(self, move: Words) -> str:
        """What was typed in place of a confirmation; empty: the move is confirmed."""
        console, game, scene = self._console, self._game, self._scene
        if (position := game.after(scene, move)) is not None:
            steps = (*scene.steps, PastMove(scene.seat, scene.position, move))
            console.show(*game.draw(replace(scene, position=position, steps=steps, prefix=(), moment="preview"), console))
        while True:
            console.say(game.describe(scene.position, move))
            text = console.ask(game.confirm_question)
            if text.lower() in YES:
                return ""
            if self._word(text) == UNDO or not self._obeys(text):
                return text

    def _obeys(self, text: str) -> bool:
        """Whether it was a command, which has been obeyed."""
        word, rest = self._word(text), text.partition(" ")[2].strip()
        if word not in self._game.commands or (rest and word not in WITH_WORDS):
            return False
        if word in self._commands:
            self._commands[word](rest)
        else:
            self._game.obey(word)
            self._show()
        return True

    def _is_no(self, text: str) -> bool:
        return self._word(text) == UNDO or text.lower() in NO

    def _word(self, text: str) -> str:
        word = text.partition(" ")[0].lower()
        return self._game.short.get(word, word)
