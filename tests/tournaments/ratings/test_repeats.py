"""Games that only repeat others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_tournaments.ratings.repeats import GameDigest, repeats_itself, without_repeats


def digests_of(*digests: str) -> list[GameDigest]:
    return [GameDigest(("ant", "bee"), "m", digest) for digest in digests]


@pytest.mark.parametrize(
    ("digests", "repeats"), [("a", False), ("aa", True), ("ab", False), ("aab", False), (["", ""], False), ("", False)]
)
def test_games_that_repeat_are_seen_by_their_digests(digests: str, repeats: bool) -> None:
    found = digests_of(*digests)
    assert repeats_itself(found) is repeats
    assert len(without_repeats(found, lambda course: course)) == (1 if repeats else len(digests))


def test_different_maps_and_seats_are_no_repetition() -> None:
    found = [
        GameDigest(("ant", "bee"), "m", "same"),
        GameDigest(("bee", "ant"), "m", "same"),
        GameDigest(("ant", "bee"), "n", "same"),
    ]
    assert not repeats_itself(found)
    assert without_repeats(found, lambda course: course) == found


def test_the_first_of_equals_stays_in_its_place() -> None:
    games = [
        ("x", GameDigest((1, 2), "m", "a")),
        ("y", GameDigest((3, 4), "m", "b")),
        ("z", GameDigest((1, 2), "m", "a")),
        ("w", GameDigest((3, 4), "m", "c")),
    ]
    assert [name for name, _ in without_repeats(games, lambda game: game[1])] == ["x", "y", "w"]


seatings = st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 1)])


@given(st.lists(st.builds(GameDigest, seatings, st.sampled_from("mn"), st.sampled_from("ab"))))
def test_what_is_left_repeats_nothing(found: list[GameDigest]) -> None:
    once = without_repeats(found, lambda course: course)
    assert without_repeats(once, lambda course: course) == once
    assert {(course.seats, course.map) for course in once} == {(course.seats, course.map) for course in found}
