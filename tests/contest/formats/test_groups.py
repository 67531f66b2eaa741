"""One team of each pot is drawn into each group, and there everybody meets everybody."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import field_of, only_batch

from tiltyard_contest.formats.groups import DrawnGroups, GroupsOptions
from tiltyard_engine.errors import UserError


@pytest.mark.parametrize("pots", ["seeds", "drawn"])
@given(st.integers(2, 6), st.integers(0, 13), st.integers(1, 2), st.integers(0, 2**32))
def test_everybody_meets_all_of_a_group_with_one_of_each_pot(
    pots: Literal["seeds", "drawn"], count: int, more: int, boards: int, seed: int
) -> None:
    field = field_of(2 * count + more, boards, seed=seed)
    form = DrawnGroups(field, GroupsOptions(count, pots))
    groups = [teams for _, teams in form.groups]
    assert [name for name, _ in form.groups] == list("ABCDEF")[:count]
    assert sorted(team for teams in groups for team in teams) == list(range(len(field.teams)))
    for pot in form.pots:
        assert all(len(set(teams) & set(pot)) <= 1 for teams in groups)
        assert pots == "drawn" or pot == list(range(pot[0], pot[-1] + 1))
    met = Counter(frozenset(fixture.seats) for fixture in only_batch(form, field))
    assert met == {frozenset(pair): 2 * boards for teams in groups for pair in combinations(teams, 2)}


def test_lots_are_drawn_by_the_seed() -> None:
    draws = [DrawnGroups(field_of(8, seed=seed), GroupsOptions(4)).groups for seed in range(40)]
    assert len(set(map(str, draws))) > 30
    assert draws[5] == DrawnGroups(field_of(8, seed=5), GroupsOptions(4)).groups
    # Of eleven, the last pot has three: each group may be the one that is short.
    draws = [DrawnGroups(field_of(11, seed=seed), GroupsOptions(4)).groups for seed in range(200)]
    short = Counter(min(groups, key=lambda each: len(each[1]))[0] for groups in draws)
    assert min(short[name] for name in "ABCD") > 20


def test_all_groups_play_a_round_at_the_same_time() -> None:
    field = field_of(7)
    fixtures = only_batch(DrawnGroups(field, GroupsOptions(2, seats="single")), field)
    assert [fixture.stage for fixture in fixtures] == [f"round {number}" for number in (1, 1, 1, 2, 2, 2, 3, 3, 3)]


def test_the_draw_is_told() -> None:
    field = replace(field_of(4), teams=("ann", "bob", "cat", "dan"))
    assert DrawnGroups(field, GroupsOptions(2)).notes(()) == (
        "The groups were drawn by lot, one team from each pot. Pot 1: ann, bob; pot 2: cat, dan.",
    )
    assert DrawnGroups(field, GroupsOptions(2, "drawn")).notes(()) == ("The groups were drawn by lot.",)


def test_games_of_three_are_played_in_groups_too() -> None:
    field = field_of(7, seats=3)
    met = Counter(frozenset(fixture.seats) for fixture in only_batch(DrawnGroups(field, GroupsOptions(2)), field))
    assert sorted(met.values()) == [3] * 5


@pytest.mark.parametrize(("teams", "seats", "least"), [(3, 2, 4), (5, 3, 6)])
def test_groups_that_nobody_can_play_in_are_refused(teams: int, seats: int, least: int) -> None:
    with pytest.raises(UserError, match=f"so at least {least} teams"):
        DrawnGroups(field_of(teams, seats=seats), GroupsOptions(2))
