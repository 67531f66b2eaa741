from __future__ import annotations

import pytest
from tests.simulator.pictures.samples import march

from tiltyard_engine.errors import UserError
from tiltyard_simulator.pictures import FilmPlan, film_rounds
from tiltyard_simulator.pictures.thinning import MOST_FRAMES


def test_a_short_game_is_shown_whole() -> None:
    assert film_rounds(march(5), 8) == FilmPlan((0, 1, 2, 3, 4, 5), 0.125, 1, True)


def test_a_part_of_a_game_does_not_tell_the_result() -> None:
    assert film_rounds(march(9), 4, 2, 5) == FilmPlan((2, 3, 4, 5), 0.25, 1, False)
    assert film_rounds(march(9), 4, 8).whole


@pytest.mark.parametrize("rounds", [MOST_FRAMES - 1, MOST_FRAMES, 1000, 1999, 5000])
def test_a_long_game_is_thinned_and_keeps_its_end(rounds: int) -> None:
    plan = film_rounds(march(rounds), 8)
    assert len(plan.rounds) <= MOST_FRAMES + 1
    assert (plan.rounds[0], plan.rounds[-1]) == (0, rounds)
    assert (plan.every == 1) == (rounds < MOST_FRAMES)
    assert {after - before for before, after in zip(plan.rounds, plan.rounds[1:-1])} == {plan.every}


def test_what_is_too_quick_to_be_seen_leaves_rounds_out() -> None:
    plan = film_rounds(march(100), 50)
    assert (plan.every, plan.seconds) == (2, 0.04)


@pytest.mark.parametrize(
    ("speed", "first", "last", "message"),
    [
        (0, 0, None, "a film of 0 rounds a second"),
        (float("nan"), 0, None, "a film of nan"),
        (8, 0, 6, "no rounds 0 to 6: the game has rounds 0, its start, to 5"),
        (8, -1, None, "no rounds -1 to 5"),
        (8, 4, 3, "no rounds 4 to 3"),
    ],
)
def test_mistakes(speed: float, first: int, last: int | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        film_rounds(march(5), speed, first, last)
