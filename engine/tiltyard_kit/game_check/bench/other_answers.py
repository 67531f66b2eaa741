"""Other ways to play a match: algorithms in a seat that answer something else there."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from tiltyard_engine.records import Game, TankInterface, TurnInterface
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.value_types import same_value
from tiltyard_engine.tanks import ActionRequest
from tiltyard_kit.game_check.bench.inline_match import InlineRun, Question
from tiltyard_kit.game_check.bench.inputs import for_all, values_of
from tiltyard_kit.game_check.bench.meddling import meddling
from tiltyard_kit.game_check.bench.outcomes import NotApplicable
from tiltyard_kit.game_check.bench.parts import Team
from tiltyard_kit.game_check.bench.scripts import wanderer

MADE_UP: Final = 6
LONG_MATCH: Final = 100
"""From so many questions on, fewer answers are tried: each takes a match."""
MOST_CHANGES: Final = 12
FEWER_CHANGES: Final = 6
MOST_OWN: Final = 5


@dataclass(slots=True)
class Changed:
    """The results of matches in which one seat answered differently from the match before."""

    seat: int
    refused: int = 0
    """How many of them ended with a fault."""
    claims: list[GameResult] = field(default_factory=list)
    """Of all others."""
    traces: Counter[Influence] = field(default_factory=Counter)
    """How many of them differed from the match before in what."""

    @property
    def is_decided(self) -> bool:
        """Whether one of them put the seats into another order."""
        return self.traces[Influence.ORDER] > 0

    def add(self, before: InlineRun, after: InlineRun) -> None:
        """Add a match in which nobody failed."""
        self.claims.append(after.record.claim)
        self.traces[_trace(before, after)] += 1


class Influence(Enum):
    """In what two matches differ that had other answers; the first that is true."""

    ORDER = auto()
    """In who is better."""
    SCORES = auto()
    END = auto()
    """In the rest of the result."""
    SHOWN = auto()
    """Only in what seats were shown."""
    NOTHING = auto()


def _trace(one: InlineRun, other: InlineRun) -> Influence:
    first, second = one.record.claim, other.record.claim
    if one.record.ranks != other.record.ranks:
        return Influence.ORDER
    if first.scores != second.scores:
        return Influence.SCORES
    if replace(first, log="", message="") != replace(second, log="", message=""):
        return Influence.END
    return Influence.NOTHING if same_value(shown_in(one), shown_in(other)) else Influence.SHOWN


def shown_in(run: InlineRun) -> list[Any]:
    """All that seats were shown, in order."""
    return [question.view for question in run.questions]


def other_players(
    game: Game[Any], own: Team, algorithms: Iterable[Team], questions: Sequence[Question], seat: int
) -> Iterator[Team]:
    """Who may play in a seat, to answer differently from ``own``.

    First come other algorithms. Then follows the same one with another answer in one turn, mostly one that somebody gave.

    Args:
        game: the game.
        own: who played in the seat.
        algorithms: other algorithms.
        questions: all questions of that match, with the answers.
        seat: the seat.
    """
    yield from (team for team in algorithms if team != own)
    if isinstance(game.interface, TankInterface):
        yield wanderer(game.name)
    turns = turns_of(questions, seat)
    # What the same one would answer later is most likely to be legal, too.
    own_answers = answers_of(questions, seat)[1:MOST_OWN]
    answers = _answers(game, questions)
    changes = [(turn, answer) for turn in turns for answer in answers]
    random.Random(seat).shuffle(changes)
    changes = [*((turn, answer) for turn in turns[:2] for answer in own_answers), *changes]
    for turn, answer in changes[: FEWER_CHANGES if len(questions) >= LONG_MATCH else MOST_CHANGES]:
        yield meddling(own, turn, partial(_itself, answer))


def _itself(answer: Any) -> Any:
    return answer


def turns_of(questions: Sequence[Question], seat: int) -> list[int]:
    """The first, second and last turn of a seat, from 0: later ones take the same way as these."""
    count = len(answers_of(questions, seat))
    return [turn for turn in sorted({0, 1, count - 1}) if 0 <= turn < count]


def answers_of(questions: Sequence[Question], seat: int) -> list[Any]:
    """What a seat answered, in order."""
    return [question.answer for question in questions if question.seat == seat and question.answer is not None]


def _answers(game: Game[Any], questions: Sequence[Question]) -> list[Any]:
    """Different answers: those that were given, and some that are made up where that can be done."""
    if not isinstance(game.interface, TurnInterface):
        return list(ActionRequest)
    different: list[Any] = []
    for question in questions:
        if question.answer is not None and not any(same_value(question.answer, other) for other in different):
            different.append(question.answer)
    with contextlib.suppress(NotApplicable):
        for_all(values_of(game.interface.answer_type), lambda answer: different.append(answer), MADE_UP)
    return different
