"""A game that states its rules, at the terminal: its legal answers in words, and a drawing of what a player sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from random import Random
from typing import Any, ClassVar, Final

from tiltyard_engine.replay import Replay
from tiltyard_engine.results import GameResult
from tiltyard_engine.rules import Picture, Rules
from tiltyard_engine.rules.sparring import GreedyPlayer
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_kit.terminal.console import Console
from tiltyard_kit.terminal.playable_game import PlayableGame, TableScene, Words

EXAMPLES: Final = 5
"""Answers that are named where there are too many to list."""


class RulesGame(PlayableGame[Any, Any]):
    """A table at which a view is shown, and an answer's text is typed.

    Args:
        rules: the game's.
        draw_picture: the lines of a picture, for players of these names.
    """

    commands: ClassVar[Mapping[str, str]] = {
        **PlayableGame.commands,
        "moves": "list your legal answers",
        "hint": "show the move of the player greedy, which looks one move ahead",
    }
    ways = "Type a move as 'moves' lists it; its last word is enough if no other move ends with it."
    farewell = "{name} left"

    def __init__(self, rules: Rules[Any, Any], draw_picture: Callable[[Picture, Sequence[str], Console], Sequence[str]]) -> None:
        self._rules, self._draw_picture = rules, draw_picture
        self.replay: Replay | None = None
        """Of the match at the table: its last board is shown at the end."""

    def _position(self, scene: TableScene[Any]) -> Any:
        """A position that looks so to the seat: its legal answers are the same in each of them."""
        return self._rules.guess(scene.position, scene.seat, Random(0))

    def _words(self, position: Any, seat: int, answer: Any) -> Words:
        return (self._rules.to_text(answer, position, seat).lower(),)

    def split(self, text: str) -> Words:
        return (" ".join(text.lower().split()),)

    def moves(self, scene: TableScene[Any]) -> Mapping[Words, Any]:
        rules, position = self._rules, self._position(scene)
        if rules.lists_answers:
            answers = rules.legal(position, scene.seat)
        else:
            chance = Random(0)
            answers = [rules.sample(position, scene.seat, chance) for _ in range(EXAMPLES)]
        return {self._words(position, scene.seat, answer): answer for answer in answers}

    def fitting_moves(self, scene: TableScene[Any], words: Words) -> list[Words]:
        if not words:
            return list(self.moves(scene))
        position = self._position(scene)
        try:
            answer = self._rules.from_text(words[0], position, scene.seat)
        except ValueError:
            return []
        return [self._words(position, scene.seat, answer)] if self._rules.is_legal(position, scene.seat, answer) else []

    def answer(self, scene: TableScene[Any], words: Words) -> Any:
        return self._rules.from_text(words[0], self._position(scene), scene.seat)

    def words_of(self, scene: TableScene[Any], answer: Any) -> Words | None:
        position = self._position(scene)
        return self._words(position, scene.seat, answer) if self._rules.is_legal(position, scene.seat, answer) else None

    def explain(self, scene: TableScene[Any], words: Words) -> str:
        rules, position = self._rules, self._position(scene)
        try:
            answer = rules.from_text(words[0], position, scene.seat)
        except ValueError as error:
            # Only the game's own reason says more than the list of what is legal.
            is_own = rules.lists_answers and type(rules).refusal is not Rules.refusal
            answer = _as_typed(words[0], next(iter(rules.legal(position, scene.seat)), None)) if is_own else None
            if answer is None or rules.is_legal(position, scene.seat, answer):
                return str(error)
        return rules.refusal(position, scene.seat, answer)

    def draw(self, scene: TableScene[Any], console: Console) -> Sequence[str]:
        names = [scene.names[seat] for seat in sorted(scene.names)]
        if scene.moment == "end":
            frames = self.replay.frames if self.replay is not None else ()
            notes = frames[-1].notes if frames else ()
            picture: Picture | None = Picture(scene.position, notes=notes)
        else:
            picture = self._rules.draw_view(scene.position, scene.seat, names)
        if picture is None:
            return view_lines(scene.position)
        return [*self._draw_picture(picture, names, console), *map(one_line, picture.notes)]

    def last_position(self, result: GameResult) -> list[list[str]] | None:
        if self.replay is None or not self.replay.squares:
            return None
        tokens, width = self.replay.squares_after(len(self.replay.frames)), self.replay.width
        return [tokens[start : start + width] for start in range(0, len(tokens), width)]

    def list_moves(self, scene: TableScene[Any], moves: Sequence[Words]) -> Sequence[str]:
        legal, position = self.moves(scene), self._position(scene)
        return [", ".join(self._rules.to_text(legal[move], position, scene.seat) for move in moves if move in legal)]

    def hint(self, scene: TableScene[Any]) -> str:
        if not self._rules.can_look_ahead:
            return "nobody can look ahead here: what is hidden can't be made up"
        answer = GreedyPlayer(self._rules, scene.seat).choose(scene.position)
        return f"who looks one move ahead: {self._rules.to_text(answer, self._position(scene), scene.seat)}"


def _as_typed(text: str, example: Any) -> Any:
    """The answer that a text is, read as one of the same kind as the example; None if it can't be."""
    parts = example if isinstance(example, tuple) else (example,)
    words = text.split()[-len(parts) :] if parts else []
    with suppress(ValueError, KeyError):
        if isinstance(example, Enum):
            return type(example)[text.upper().replace(" ", "_")]
        if words and all(type(part) in (int, float, str) for part in parts):
            read = tuple(type(part)(word) for part, word in zip(parts, words, strict=True))
            return read if isinstance(example, tuple) else read[0]
    return None


def view_lines(view: Any) -> list[str]:
    """What a player sees, a line for each part."""
    if not is_dataclass(view):
        return [str(view)]
    return [f"{field.name}: {_plain(getattr(view, field.name))}" for field in fields(view)]


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
