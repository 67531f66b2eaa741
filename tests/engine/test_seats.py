"""Asking all seats at once: an answer is found by the seat that gave it, and by its number."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tiltyard_engine import ContractError, TurnSeat, choose_all, start_all
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, ObservedTurnSeat
from tiltyard_engine.seats import Answers
from tiltyard_kit.testing import scripted


def seats_that_answer(*answers: Any) -> list[TurnSeat[Any, Any]]:
    """Seats with an algorithm that gives one answer; one of None crashes."""
    teams = [scripted() if answer is None else scripted(answer) for answer in answers]
    return [ObservedTurnSeat(number, "", InlineTurnPort(number, team, object)) for number, team in enumerate(teams, start=1)]


def asked(*answers: Any) -> tuple[list[TurnSeat[Any, Any]], Answers[Any]]:
    seats = seats_that_answer(*answers)
    start_all(dict.fromkeys(seats, "go"))
    return seats, choose_all(dict.fromkeys(seats, "go"))


def test_an_answer_is_found_by_its_seat_and_by_its_number() -> None:
    (first, second, third), answers = asked("left", None, "right")
    assert [answers[first], answers[1], answers[third], answers[3]] == ["left", "left", "right", "right"]
    assert (
        [seat in answers for seat in (first, second, third)] == [number in answers for number in (1, 2, 3)] == [True, False, True]
    )
    assert (answers.get(third), answers.get(second), answers.get(second, "none"), answers.get(2, "none")) == (
        "right",
        None,
        "none",
        "none",
    )
    assert second.fault is not None


def test_to_change_answers_by_seat_or_number_is_the_same() -> None:
    (first, second, third), answers = asked("left", None, "right")
    answers[first] = "up"
    assert answers.setdefault(second, "stay") == "stay"
    assert answers.pop(third) == "right"
    assert answers.pop(third, "gone") == "gone"
    assert answers == {1: "up", 2: "stay"}
    del answers[first]
    assert list(answers) == [2]


def test_what_was_written_for_numbers_alone_still_works() -> None:
    _, answers = asked("left", "right")
    assert isinstance(answers, dict)
    assert list(answers.items()) == [(1, "left"), (2, "right")]
    assert pickle.loads(pickle.dumps(answers)) == {**answers} == {1: "left", 2: "right"}


@pytest.mark.parametrize("key", ["1", "left", None])
def test_a_lookup_by_anything_else_is_a_mistake_of_the_referee(key: Any) -> None:
    _, answers = asked("left", "right")
    with pytest.raises(
        ContractError, match=r"an answer was looked up by .*: look it up by the seat, or by its number, seat\.index"
    ):
        answers.get(key)
