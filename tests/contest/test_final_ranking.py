"""Finalists are ranked by the finals, all others by the stage before."""

from __future__ import annotations

import pytest

from tiltyard_contest.final_ranking import RankedStage, final_ranking
from tiltyard_tournaments.standings import Standing
from tiltyard_tournaments.standings.tally import Score


def stage(name: str, *teams: str) -> RankedStage:
    """Teams by their places; those of one word such as ``c=d`` share one, and ``-x`` has none."""
    lines: list[Standing] = []
    for word in teams:
        place = 0 if word.startswith("-") else len(lines) + 1
        lines += [Standing(place, team, Score(), {}) for team in word.lstrip("-").split("=")]
    return RankedStage(name, lines)


@pytest.mark.parametrize(
    ("stages", "places"),
    [
        ([stage("groups", "a", "b=c", "d", "-x")], "1a 2b 2c 4d DSQx"),
        ([stage("groups", "a", "b", "c", "d", "e"), stage("finals", "c", "b", "a")], "1c 2b 3a 4d 5e"),
        ([stage("groups", "a", "b", "c", "d"), stage("finals", "b", "-a")], "1b 2c 3d DSQa"),
        # Lots decided that a and not b goes on, and c did because b's group is another one.
        ([stage("groups", "b=a", "c"), stage("finals", "a", "c")], "1a 2c 3b"),
        # A team that left made room for the fourth, who stands above it now.
        ([stage("groups", "a", "b", "c", "d"), stage("finals", "d", "a", "b")], "1d 2a 3b 4c"),
        ([stage("groups", "a", "b", "c", "d"), stage("finals", "b", "a"), stage("lower", "d", "c")], "1b 2a 3d 4c"),
        ([stage("groups", "a", "b", "c", "d"), stage("lower", "d", "c"), stage("finals", "b", "a")], "1b 2a 3d 4c"),
        ([stage("one", "a", "b", "c"), stage("two", "x", "y", "z"), stage("finals", "x=a", "y", "b")], "1x 1a 3y 4b 5c 6z"),
    ],
)
def test_the_last_stage_that_a_team_played_decides(stages: list[RankedStage], places: str) -> None:
    assert " ".join(f"{place}{team}" for place, team, _, _ in final_ranking(stages).rows) == places


def test_the_title_says_whether_it_is_over() -> None:
    groups = stage("groups", "a", "b", "c")
    assert final_ranking([groups, stage("finals", "b", "a")]).title == "Final ranking"
    assert final_ranking([groups, stage("finals", "b", "a")], is_over=False).title == "Final ranking, so far"
