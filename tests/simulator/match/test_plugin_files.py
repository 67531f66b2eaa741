"""Which installed distributions are plugins whose files others must not read."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import RECIPE
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.plugin_files import files_by_metadata, installed_files, installed_plugins


def test_what_loads_teams_files_is_hidden_from_no_team_although_it_has_recipes() -> None:
    recipes = Registry.installed(own=OWN_DISTRIBUTIONS).all(RECIPE)
    assert "tiltyard-tanks-native" in {entry.reference.source.distribution for entry in recipes}
    assert "tiltyard-tanks-native" not in installed_plugins()
    assert installed_files("tiltyard-tanks-native") == []
    assert installed_files("tiltyard-tanks") != []


def test_the_projects_own_files_are_those_that_are_found_with_a_look_at_what_all_others_claim() -> None:
    own = installed_plugins().keys() & OWN_DISTRIBUTIONS
    assert len(own) > 3
    for name in own:
        assert files_by_metadata(name) == [Path(path) for path in installed_files(name)] != []
