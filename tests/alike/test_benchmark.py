"""The classes of ``benchmarks/alike.py``: what it calls a copy is one, and independent teams are drawn differently."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from tests.whatif.games import CONNECT_FOUR

from tiltyard_engine.registry import Trust
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import alike

    yield alike
    for name in ("alike", "measuring"):
        sys.modules.pop(name, None)


def test_copies_look_different_and_answer_the_same(script: Any, tmp_path: Path) -> None:
    game = script.GAMES[0]
    policy = IsolationPolicy(None, trust=Trust.from_environment([str(tmp_path), str(CONNECT_FOUR)]))
    pool = script.make_pool(game, tmp_path, Finder(open_registry(policy)), teams=5, copies=1, seed=1)
    assert [kind for kind, *_ in pool.copies.values()] == ["renamed", "reordered", "changed"]
    matches, seconds = script.asked_class(game, pool, tmp_path, policy, games=2, workers=1)
    assert seconds > 0
    for name, (kind, whose, _) in pool.copies.items():
        source, copy = ((tmp_path / f"{each}.py").read_text() for each in (whose, name))
        assert copy != source
        if kind != "changed":
            assert "def choose" in copy
            assert "columns" not in copy.replace("position.columns", "").replace(".columns", "")
            assert all(match.answers[name].answers == match.answers[whose].answers for match in matches)
    teams = sorted(pool.independent)
    assert len({tuple(match.answers[team].answers for match in matches) for team in teams}) == len(teams)
    rows = dict(script.figures(game, matches, pool, seed=1))
    assert rows["renamed: found"].endswith(" of 1")


def test_a_changed_team_has_one_other_number(script: Any) -> None:
    for game in script.GAMES:
        values = game.draw(Random(3))
        other = script.changed(values, Random(1))
        assert sum(values["NUMBERS"][name] != other["NUMBERS"][name] for name in values["NUMBERS"]) == 1
        assert {**other, "NUMBERS": values["NUMBERS"]} == values
