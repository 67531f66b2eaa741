"""A few of each game's generated class are where their work says, so that the classes themselves stay right."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.classes.accounts import read_back, told_of_everybody, told_of_files
from tests.classes.downloads import write_download
from tests.classes.handed_in import a_class
from tests.intake.making import pool_of_builds, pool_of_smoke_matches

from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.smoke import smoke_match
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


@pytest.mark.parametrize("game", ["penguins", "advance", "filler"])
def test_everybody_of_a_small_class_is_accounted_for(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_any_test: tuple[str, ...]
) -> None:
    policy = IsolationPolicy()
    if policy.refusal():
        pytest.skip("this machine cannot confine builds")
    students = a_class(game=game, sound=2, broken=1, hostile=1, seed=3, is_cheap=True)
    write_download(students, tmp_path / "moodle.zip")
    into, reports = tmp_path / "teams", tmp_path / "reports"
    options = IntakeOptions(
        handed_in=tmp_path / "moodle.zip", into=into, reports=reports, game=game, policy=policy, cells=pool_of_builds()
    )
    monkeypatch.setattr(smoke_match, "CellPool", lambda **_: pool_of_smoke_matches(in_any_test))
    take_in(options, open_registry(policy), lambda *_: None)
    accounts = read_back(reports)
    assert len(accounts) == len(students) == 4
    assert [*told_of_everybody(students, accounts), *told_of_files(reports, into, accounts)] == []
