from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.made_matches import NAMES, duel, duels, fault

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.standings import TIE_BREAKS, Rules, Scoring, rank

CHOSEN = st.lists(st.sampled_from(sorted(TIE_BREAKS)), unique=True).map(tuple)


def places(matches: list[Outcome], *tie_breaks: str, scoring: Scoring = Scoring()) -> list[tuple[int, str]]:  # noqa: B008
    return [(line.place, line.team) for line in rank(NAMES, matches, Rules(scoring, tie_breaks))]


@given(duels(), CHOSEN)
@settings(deadline=None)
def test_points_go_before_all_and_every_team_stands_once(matches: list[Outcome], chosen: tuple[str, ...]) -> None:
    lines = rank(NAMES, matches, Rules(tie_breaks=chosen))
    assert sorted(line.team for line in lines) == sorted(NAMES)
    points = [line.score.points for line in lines]
    assert points == sorted(points, reverse=True)
    assert all(line.place == 1 + sum(other.place < line.place for other in lines) for line in lines)
    assert all(set(line.tie_breaks) == set(chosen) for line in lines)


@given(duels(), CHOSEN, st.sampled_from(sorted(TIE_BREAKS)))
@settings(deadline=None)
def test_one_more_tie_break_only_splits(matches: list[Outcome], chosen: tuple[str, ...], added: str) -> None:
    before = {line.team: line.place for line in rank(NAMES, matches, Rules(tie_breaks=chosen))}
    after = {line.team: line.place for line in rank(NAMES, matches, Rules(tie_breaks=(*chosen, added)))}
    for one in NAMES:
        for other in NAMES:
            if before[one] < before[other]:
                assert after[one] < after[other]


def test_without_tie_breaks_equal_points_share_a_place() -> None:
    matches = [duel("ant", "bee", 1), duel("cat", "dog", 0), duel("dog", "cat", 0), duel("cat", "dog", 0)]
    assert places(matches) == [(1, "ant"), (1, "cat"), (1, "dog"), (4, "bee")]
    assert places(matches, "wins") == [(1, "ant"), (2, "cat"), (2, "dog"), (4, "bee")]


CHESS = Scoring(1, 0.5, 0)
# All but dog have 2.5 points. Among ant, bee and cat it is 2.5, 2.5 and 1; between ant and bee 1.5 and 0.5.
LEVELS = [
    *[duel("ant", "bee", 1), duel("bee", "ant", 0), duel("bee", "cat", 1), duel("cat", "bee", 2), duel("ant", "cat", 0)],
    *[duel("cat", "ant", 0), duel("dog", "ant", 1), duel("ant", "dog", 2), duel("dog", "bee", 1), duel("bee", "dog", 2)],
    *[duel("dog", "cat", 0), duel("cat", "dog", 1)],
]


def test_head_to_head_is_asked_again_about_what_it_leaves() -> None:
    assert places(LEVELS, scoring=CHESS) == [(1, "dog"), (2, "ant"), (2, "bee"), (2, "cat")]
    assert places(LEVELS, "head-to-head", scoring=CHESS) == [(1, "dog"), (2, "ant"), (3, "bee"), (4, "cat")]
    shown = {line.team: line.tie_breaks["head-to-head"] for line in rank(NAMES, LEVELS, Rules(CHESS, ("head-to-head",)))}
    assert shown == {"dog": None, "ant": 2.5, "bee": 2.5, "cat": 1}


def test_tie_breaks_decide_in_their_order() -> None:
    assert [team for _, team in places(LEVELS, "wins", "head-to-head", scoring=CHESS)] == ["dog", "bee", "ant", "cat"]


def test_what_head_to_head_leaves_goes_to_the_next() -> None:
    circle = [duel("ant", "bee", 1), duel("bee", "cat", 1), duel("cat", "ant", 1)]
    faulty = [replace(circle[0], faults=(fault(2),)), *circle[1:]]
    assert places(circle, "head-to-head", "faults")[:3] == [(1, "ant"), (1, "bee"), (1, "cat")]
    assert places(faulty, "head-to-head", "faults")[:3] == [(1, "ant"), (1, "cat"), (3, "bee")]


def test_a_wrong_tie_break_is_named() -> None:
    with pytest.raises(NotFoundError, match="no tie-break is called 'bucholz'; did you mean buchholz"):
        Rules(tie_breaks=("bucholz",))
