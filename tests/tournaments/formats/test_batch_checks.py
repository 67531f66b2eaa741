"""A batch of anybody's format is looked at before it is played."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tournaments.formats.playing import field_of, result_of

from tiltyard_engine.errors import ContractError
from tiltyard_engine.formats import Fixture
from tiltyard_tournaments.formats.batch_checks import check_batch, check_groups

FIELD = field_of(3, 2)


def test_a_sound_batch() -> None:
    batch = [Fixture((0, 1), 0), Fixture((1, 0), 0), Fixture((0, 1), 1), Fixture((0, 1), 0, 1)]
    assert check_batch("mine", FIELD, tuple(batch)) == batch


@pytest.mark.parametrize(
    ("fixture", "problem"),
    [
        (Fixture((0, 0), 0), "a team would play against itself"),
        (Fixture((0, 3), 0), "expected teams from 0 to 2"),
        (Fixture((0, -1), 0), "expected teams from 0 to 2"),
        (Fixture((0, True), 0), "expected teams from 0 to 2"),
        (Fixture((0, 1, 2), 0), "expected a tuple of 2 seats"),
        (Fixture([0, 1], 0), "expected a tuple of 2 seats"),  # type: ignore[arg-type]
        (Fixture((0, 1), 2), "expected a map from 0 to 1"),
        (Fixture((0, 1), 0, -1), "expected a game from 0"),
        (Fixture((0, 1), 0, 0, None), "expected text as its stage"),  # type: ignore[arg-type]
        (Fixture((0, 2), 1), "is a duplicate: another fixture has the same seats, map and game"),
        ((0, 1), "expected a Fixture"),
    ],
)
def test_what_cannot_be_played(fixture: Any, problem: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_batch("mine", FIELD, [Fixture((1, 2), 1), Fixture((0, 2), 1), fixture])
    assert str(caught.value).startswith("the format mine returned an invalid fixture, number 3 of its batch: ")
    assert str(caught.value).endswith(problem)


def test_what_was_played_before_is_not_played_again() -> None:
    fixture = Fixture((0, 1), 0)
    with pytest.raises(ContractError, match="is a duplicate"):
        check_batch("mine", FIELD, [fixture], [result_of(fixture, 1)])


@pytest.mark.parametrize("groups", [[[0], [1]], [[0, 1], [1, 2]], [[0, 1, 2, 3]], []])
def test_placings_that_do_not_hold_every_team_once(groups: list[list[int]]) -> None:
    with pytest.raises(ContractError, match="the format mine returned placings that don't contain every team once"):
        check_groups("mine", FIELD, groups)
