from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from tiltyard_engine.seat_kinds.author_mistakes import differing_maps, unnamed_position
from tiltyard_engine.seat_kinds.value_types import class_of, same_value, value_type_problem


class Side(Enum):
    LEFT = 1


class Plain:
    pass


class Pair(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True)
class Inner:
    where: tuple[int, ...]
    other: Inner | None = None


@dataclass(frozen=True)
class Position:
    squares: str
    side: Side
    inner: Inner
    field: npt.NDArray[np.float64]
    held: dict[str, list[Pair]]
    what: Any = None


@dataclass
class Changeable:
    x: int


@dataclass(frozen=True)
class Deep:
    good: int
    bad: list[Plain | None]


@dataclass(frozen=True)
class Unknown:
    x: NoSuchType  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    "kind",
    [None, int, str, Any, Position, Inner, np.ndarray, tuple[int, int], Literal["a", "b"], int | None, Side, Pair, list[float]],
)
def test_values_that_can_be_rebuilt(kind: Any) -> None:
    assert value_type_problem("interface.answer_type", kind) == ""


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (Plain, r"at is the class Plain \(test_value_types.py, line \d+\), which can't be sent to a team: expected numbers, .*"),
        (Changeable, r"at: Changeable \(test_value_types.py, line \d+\) can be changed by .*: write @dataclass\(frozen=True\)"),
        (Deep, r"at: Deep.bad \(test_value_types.py, line \d+\) is the class Plain .*"),
        (Unknown, r"at: the types of Unknown \(.*\) can't be found: NameError: name 'NoSuchType' is not defined"),
        (complex, "at is the class complex, which can't be sent to a team: .*"),
        (type[int], r"at is type\[int\]: expected .*"),
        ("Position", "at is Position, which is not a type: expected .*"),
    ],
)
def test_what_cannot_be_sent_is_named_with_its_place(kind: Any, problem: str) -> None:
    assert re.fullmatch(problem, value_type_problem("at", kind))


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (int, 3, "3"),
        (tuple[int, int], (1, 2), [1, 2]),
        (Literal["up", "down"], "up", 1),
        (int | None, None, "x"),
        (npt.NDArray[np.float64], np.zeros(2), [0.0, 0.0]),
        (Position, Position("", Side.LEFT, Inner(()), np.zeros(1), {}), Inner(())),
    ],
)
def test_answers_are_checked_as_far_as_their_class_goes(kind: Any, good: object, bad: object) -> None:
    assert isinstance(good, class_of(kind))
    assert not isinstance(bad, class_of(kind))
    assert isinstance(bad, class_of(None))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Position("a", Side.LEFT, Inner((1,)), np.zeros(1), {"x": [Pair(1, 2)]}), ("a", 1)),
        ((np.zeros(2), [1]), (np.zeros(2), [2])),
        ({"a": np.zeros(2)}, {"a": np.zeros((2, 1))}),
        (np.zeros(2), np.zeros(2, "f4")),
    ],
)
def test_values_with_arrays_are_compared_in_all_that_they_hold(one: object, other: object) -> None:
    assert same_value(one, copy.deepcopy(one))
    assert not same_value(one, other)


def test_where_maps_are_generated_is_said() -> None:
    assert " (test_value_types.py, line " in differing_maps("mazes", test_where_maps_are_generated_is_said)


def test_a_position_whose_type_the_game_keeps_to_itself() -> None:
    assert "write interface=TurnInterface(Inner, ...)" in unnamed_position(Inner(()))
