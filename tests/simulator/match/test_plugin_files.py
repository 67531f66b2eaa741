"""Which installed distributions are plugins whose files others must not read."""

from __future__ import annotations

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import RECIPE
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.plugin_files import installed_files, installed_plugins


def test_what_loads_teams_files_is_hidden_from_no_team_although_it_has_recipes() -> None:
    recipes = Registry.installed(own=OWN_DISTRIBUTIONS).all(RECIPE)
    assert "tiltyard-tanks-native" in {entry.reference.source.distribution for entry in recipes}
    assert "tiltyard-tanks-native" not in installed_plugins()
    assert installed_files("tiltyard-tanks-native") == []
    assert installed_files("tiltyard-tanks") != []
