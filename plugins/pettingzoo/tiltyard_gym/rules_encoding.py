"""Observations and actions of a game that states its rules: what it says itself, or what games at random show of it."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from random import Random
from typing import Any, Final

import numpy as np

from tiltyard_engine.errors import UserError, show
from tiltyard_engine.learning import Observation, Spaces, TurnEncoding
from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.sparring import mark

GAMES: Final = 200
"""Games at random that are played at most to see what there is."""
MOVES: Final = 2_000
"""Moves of all these games together."""
MOST_ACTIONS: Final = 20_000


class RulesEncoding:
    """The encoding of a game by its rules, on one map. It is the same each time for the same rules and map.

    Args:
        rules: the game's.
        board: the map, as the game's ``maps.read`` returned it.
        seats: how many players there are.

    Raises:
        UserError: it doesn't follow from the rules; says which methods to write.
    """

    def __init__(self, rules: Rules[Any, Any], board: Any, seats: int) -> None:
        self._rules = rules
        self._name = type(rules).__name__
        if not rules.can_guess:
            raise UserError(f"{self._name} hides something: write guess(view, seat, chance), from which legal actions follow")
        start = rules.start(board, seats, Random(0))
        features = rules.features(rules.view(start, 1), 1)
        answers = rules.answers(board)
        if not answers and not rules.lists_answers:
            needed = "answers(board)" if features is not None else "answers(board) and features(view, seat)"
            raise UserError(f"{self._name} has no legal(), so agents need a list of what they can answer: write {needed}")
        views: list[Any] = []
        if features is None or not answers:
            views, legal = _at_random(rules, board, seats)
            answers = answers or _completed(legal)
        self._answers = list(answers)
        self._numbers = {mark(answer): number for number, answer in enumerate(self._answers)}
        self._alphabet: Mapping[str, int] = {}
        self._layout: _Layout | None = None
        if features is None:
            letters = sorted({letter for view in views for letter in _letters(view)})
            self._alphabet = {letter: number for number, letter in enumerate(letters, start=1)}
            self._layout = _Layout([self._plain(view) for view in views])
            self._shape: tuple[int, ...] = (self._layout.size,)
        else:
            self._shape = np.asarray(features, np.float32).shape

    def at(self, seat: int) -> TurnEncoding[Any, Any, Any]:
        """What an agent on this seat sees and does."""
        return TurnEncoding(
            spaces=lambda board: Spaces(
                shape=self._shape, actions=len(self._answers), low=-math.inf, high=math.inf, fractions=True
            ),
            observe=lambda view: self._observe(view, seat),
            answer=lambda view, action: self._answers[action],
        )

    def _observe(self, view: Any, seat: int) -> Observation:
        features = self._rules.features(view, seat)
        if features is not None:
            array = np.asarray(features, np.float32)
            if array.shape != self._shape:
                raise UserError(f"{self._name}.features() has the shape {array.shape}, and before {self._shape}: all must be equal")
            values: list[float] = array.ravel().tolist()
        else:
            assert self._layout is not None
            values = []
            if not self._layout.fill(self._plain(view), values):
                warnings.warn(
                    f"a view of {self._name} is longer than in games at random, and the observation leaves out what is too long:"
                    " write features(view, seat)",
                    stacklevel=2,
                )
        return Observation(self._shape, values, len(self._answers), self._legal(view, seat))

    def _legal(self, view: Any, seat: int) -> list[int]:
        rules = self._rules
        position = rules.guess(view, seat, Random(0))
        if rules.outcome(position) is not None or seat not in rules.to_move(position):
            return []
        if not rules.lists_answers:
            return [number for number, answer in enumerate(self._answers) if rules.is_legal(position, seat, answer)]
        legal = rules.legal(position, seat)
        unknown = [answer for answer in legal if mark(answer) not in self._numbers]
        if unknown:
            raise UserError(f"{show(unknown[0])} is legal, but no action stands for it: {self._name}.answers(board) must list it")
        return sorted(self._numbers[mark(answer)] for answer in legal)

    def _plain(self, value: Any) -> Any:
        """A view as numbers and lists. A text is its characters, a member of an enum its number."""
        if isinstance(value, Enum):
            return float(list(type(value)).index(value))
        if isinstance(value, str):
            return [float(self._alphabet.get(letter, 0)) for letter in value]
        inner = _parts(value)
        return [self._plain(each) for each in inner] if inner is not None else _number(value)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise UserError(f"a view has {show(value)} in it, which is no number: write features(view, seat)") from error


def _parts(value: Any) -> Sequence[Any] | None:
    """What a value consists of; None: it is one thing. ``None`` consists of nothing."""
    if value is None:
        return ()
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, Mapping):
        return [part for pair in sorted(value.items(), key=repr) for part in pair]
    if isinstance(value, Set):
        return sorted(value, key=repr)
    if isinstance(value, np.ndarray):
        return list(value)
    return value if isinstance(value, Sequence) and not isinstance(value, str) else None


def _letters(value: Any) -> Iterator[str]:
    if isinstance(value, str) and not isinstance(value, Enum):
        yield from value
    for part in _parts(value) or ():
        yield from _letters(part)


class _Layout:
    """Where the numbers of nested lists stand in one list: each list has room for the longest of its kind.

    Args:
        values: all that is known of them: numbers, and lists of such values.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        lists = [value for value in values if isinstance(value, list)]
        self._inner: list[_Layout] | None = None
        """None: it is always a number."""
        if lists:
            rows = [value if isinstance(value, list) else [value] for value in values]
            self._inner = [_Layout(list(each)) for each in _columns(rows)]
        self.size: int = 1 if self._inner is None else sum(inner.size for inner in self._inner)

    def fill(self, value: Any, numbers: list[float]) -> bool:
        """Append a value's numbers, and 0 where there is room for more. Whether there was room for all."""
        if self._inner is None:
            numbers.append(0.0 if isinstance(value, list) else value)
            return not isinstance(value, list)
        row = value if isinstance(value, list) else [value]
        fits = [inner.fill(each, numbers) for inner, each in zip(self._inner, row)]
        numbers += [0.0] * sum(inner.size for inner in self._inner[len(row) :])
        return len(row) <= len(self._inner) and all(fits)


def _columns(rows: Sequence[list[Any]]) -> Iterator[list[Any]]:
    """The first values of all lists, then the second ones of those that have one, and so on."""
    for place in range(max(map(len, rows))):
        yield [row[place] for row in rows if len(row) > place]


def _at_random(rules: Rules[Any, Any], board: Any, seats: int) -> tuple[list[Any], list[Any]]:
    """What all seats see in games at random, and all answers that are legal there, each once."""
    chance, views, answers, moves = Random(0), [], {}, 0
    for _ in range(GAMES):
        position = rules.start(board, seats, chance)
        for _ in range(rules.most_moves):
            views += [rules.view(position, seat) for seat in range(1, seats + 1)]
            if rules.outcome(position) is not None:
                break
            movers = rules.to_move(position)
            if rules.lists_answers:
                answers.update({mark(answer): answer for mover in movers for answer in rules.legal(position, mover)})
            position = rules.play(position, {mover: rules.sample(position, mover, chance) for mover in movers}, chance)
            moves += 1
        if moves > MOVES:
            break
    return views, list(answers.values())


def _completed(answers: Sequence[Any]) -> list[Any]:
    """Answers in order, with those between them: all members of an enum, whole numbers without gaps, tuples of all such parts."""
    kinds: dict[Any, list[Any]] = {}
    for answer in answers:
        kinds.setdefault((type(answer).__name__, len(answer) if isinstance(answer, tuple) else 0), []).append(answer)
    completed: list[Any] = []
    for _, alike in sorted(kinds.items()):
        completed += _all_of(alike)
    return completed if len(completed) <= MOST_ACTIONS else sorted(answers, key=repr)


def _all_of(alike: Sequence[Any]) -> list[Any]:
    first = alike[0]
    if isinstance(first, Enum):
        return list(type(first))
    if type(first) is int:
        return list(range(min(alike), max(alike) + 1)) if max(alike) - min(alike) < MOST_ACTIONS else sorted(set(alike))
    if isinstance(first, tuple) and len({type(part) for answer in alike for part in answer}) == 1:
        columns = [_all_of(column) for column in zip(*alike, strict=True)]
        if math.prod(map(len, columns)) <= MOST_ACTIONS:
            return [type(first)(parts) if type(first) is tuple else type(first)(*parts) for parts in itertools.product(*columns)]
    unique = {mark(answer): answer for answer in alike}
    return sorted(unique.values(), key=repr)
