"""What a person may answer, in words, and the squares that stand for an answer on the board.

A game says nothing of squares. They follow from its rules: an answer stands for the squares that it changes. In chess these are
where the piece came from and where it goes, in connect four where the disc comes to lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from tiltyard_engine.rules import Rules

MOST_CHOICES: Final = 400
"""Answers that are listed. Where there are more, a person types."""
EXAMPLES: Final = 5
"""Answers that are shown where a game can't list all."""
GUESSES: Final = 4
"""Of what a person can't see: if all are the same position, the person sees all of it."""


@dataclass(frozen=True, slots=True)
class LegalAnswer:
    """An answer that is legal now."""

    text: str
    """As the game writes it, and as a person may type it."""
    squares: tuple[int, ...] = ()
    """``y * width + x`` of those that it changes; empty: no square stands for it."""


@dataclass(frozen=True, slots=True)
class LegalAnswers:
    """What a seat may answer to a position."""

    choices: tuple[LegalAnswer, ...]
    is_all: bool = True
    """Whether these are all; else they are examples."""
    position: Any = None
    """One that the seat may be in."""
    is_certain: bool = True
    """Whether it is the only one: then nothing is hidden from the seat now."""


def position_of(rules: Rules[Any, Any], view: Any, seat: int) -> tuple[Any, bool]:
    """A position that looks so to a seat, and whether it is the only one: then nothing is hidden from the seat now."""
    position, *others = [rules.guess(view, seat, Random(number)) for number in range(GUESSES if rules.hides else 1)]
    return position, all(other == position for other in others)


def choices_of(rules: Rules[Any, Any], view: Any, seat: int, names: Sequence[str]) -> LegalAnswers:
    """The answers of a seat.

    Args:
        rules: the game's.
        view: what the seat is shown.
        seat: the seat.
        names: the players', seat 1 first.
    """
    position, is_certain = position_of(rules, view, seat)
    if not rules.lists_answers:
        chance = Random(0)
        examples = dict.fromkeys(_text(rules, rules.sample(position, seat, chance), position, seat) for _ in range(EXAMPLES))
        return LegalAnswers(tuple(map(LegalAnswer, examples)), False, position, is_certain)
    answers = rules.legal(position, seat)
    # Where several decide at once, nobody knows what one answer alone comes to.
    moves_alone = set(rules.to_move(position)) == {seat}
    before = _squares(rules, position, names) if moves_alone and is_certain and len(answers) <= MOST_CHOICES else ()

    def squares(answer: Any) -> tuple[int, ...]:
        """Those whose first character changes: colours of the last move change as well, and stand for nothing."""
        after = _squares(rules, rules.play(position, {seat: answer}, Random(0)), names)
        return tuple(at for at, pair in enumerate(zip(before, after)) if pair[0][0] != pair[1][0])

    choices = [
        LegalAnswer(_text(rules, answer, position, seat), squares(answer) if before else ()) for answer in answers[:MOST_CHOICES]
    ]
    return LegalAnswers(tuple(_told_apart(choices)), len(answers) <= MOST_CHOICES, position, is_certain)


def answer_of(rules: Rules[Any, Any], text: str, position: Any, seat: int) -> Any:
    """The legal answer with exactly this text, or the one that a person meant by it.

    Raises:
        ValueError: there is none, or there are several; the message says so.
    """
    if rules.lists_answers:
        for answer in rules.legal(position, seat):
            if _text(rules, answer, position, seat) == text:
                return answer
    answer = rules.from_text(text, position, seat)
    if not rules.is_legal(position, seat, answer):
        raise ValueError(rules.refusal(position, seat, answer))
    return answer


def _text(rules: Rules[Any, Any], answer: Any, position: Any, seat: int) -> str:
    return rules.to_text(answer, position, seat)


def _squares(rules: Rules[Any, Any], position: Any, names: Sequence[str]) -> Sequence[str]:
    picture = rules.draw(position, names)
    return [token for row in picture.rows for token in row] if picture is not None else ()


def _told_apart(choices: Sequence[LegalAnswer]) -> list[LegalAnswer]:
    """The choices without the squares that all of them change."""
    if len(choices) < 2:
        return list(choices)
    shared = frozenset.intersection(*(frozenset(choice.squares) for choice in choices))
    own = [tuple(square for square in choice.squares if square not in shared) for choice in choices]
    return [LegalAnswer(choice.text, squares) for choice, squares in zip(choices, own)]
