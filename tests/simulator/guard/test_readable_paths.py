"""What a team's cell may read: the host's code and its own, not that of other teams."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.registry import installed_sources
from tiltyard_simulator.guard.readable_paths import paths_for

ROOT = Path(__file__).parents[3]


def test_the_hosts_own_code_is_hidden_from_nobody_although_it_contributes() -> None:
    (host,) = {source.distribution for source in installed_sources() if source.distribution == "tiltyard"}
    hidden = paths_for([]).hidden
    assert host == "tiltyard"
    assert not any(ROOT.is_relative_to(path) for path in hidden)
    assert not any("tiltyard-0" in path for path in hidden)


def test_other_teams_are_hidden_and_the_own_is_not() -> None:
    acorn = [source for source in installed_sources() if source.distribution == "tiltyard-acorn"]
    hidden = paths_for(acorn).hidden
    assert str(ROOT / "plugins" / "bramble") in hidden
    assert str(ROOT / "plugins" / "acorn") not in hidden
