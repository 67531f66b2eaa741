"""Limits: the defaults, then the game's, then the run's for all teams, then the run's for one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, MANAGER_LIMITS, LimitChanges, Limits


def test_the_narrower_goes_before_the_wider() -> None:
    game = {"move_seconds": 30, "memory_bytes": 1e9, "processes": 8}
    changes = LimitChanges({"memory_bytes": 2e9, "output_bytes": 10}, {"ann": {"output_bytes": 20}})
    assert changes.of("bob", game) == Limits(move_seconds=30.0, memory_bytes=2_000_000_000, processes=8, output_bytes=10)
    assert changes.of("ann", game) == Limits(move_seconds=30.0, memory_bytes=2_000_000_000, processes=8, output_bytes=20)
    assert LimitChanges().of("bob", {}) == DEFAULT_LIMITS


@pytest.mark.parametrize("changes", [({"speed": 1.0}, {}), ({}, {"ann": {"speed": 1.0}})])
def test_wrong_names_are_refused_at_once(changes: tuple[dict[str, float], dict[str, dict[str, float]]]) -> None:
    with pytest.raises(NotFoundError, match=r"limit in cup\.yaml is called 'speed'"):
        LimitChanges(*changes, "cup.yaml")


def test_wrong_values_are_refused_at_once() -> None:
    with pytest.raises(UserError, match="--limit: move_seconds must be a number above 0, found 0"):
        LimitChanges({"move_seconds": 0}, where="--limit")


def test_limits_of_a_team_that_does_not_play() -> None:
    changes = LimitChanges({}, {"anne": {"move_seconds": 1}}, "--limit")
    changes.check_teams(["bob", "anne"])
    with pytest.raises(NotFoundError, match="no team in --limit is called 'anne'; did you mean ann"):
        changes.check_teams(["bob", "ann", "bob"])


def test_managers_have_limits_of_their_own() -> None:
    changes = LimitChanges({"move_seconds": 2}, {}, "--limit", {"match_seconds": 9})
    assert changes.of_managers() == replace(MANAGER_LIMITS, match_seconds=9.0)
    assert changes.of("bob", {}).match_seconds == DEFAULT_LIMITS.match_seconds
    with pytest.raises(NotFoundError, match="limit in --limit is called 'speed'"):
        LimitChanges(where="--limit", for_managers={"speed": 1})
