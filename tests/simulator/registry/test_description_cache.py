"""What is known of files and folders is not found out again, as long as they stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.intake.making import tank_plugin

from tiltyard_engine.registry import Contribution, Description, Registry, Source
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.registry.loading import Problem
from tiltyard_engine.registry.sources import path_sources
from tiltyard_simulator.registry import description_cache as known_descriptions
from tiltyard_simulator.registry import plugin_inspection
from tiltyard_simulator.registry.description_cache import DescriptionCache
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


def written(path: Path, name: str) -> Source:
    """A team of that name in a file."""
    path.write_text(tank_plugin(name), encoding="utf-8")
    (source,) = path_sources(path)
    return source


class Asked:
    """Describes sources, and remembers which."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, sources: Sequence[Source]) -> list[Description]:
        self.names += [source.name for source in sources]
        return [describe_source(source) for source in sources]


def test_only_what_is_new_is_described(tmp_path: Path) -> None:
    one, other = (written(tmp_path / f"{name}.py", name) for name in ("one", "other"))
    known, asked = DescriptionCache(), Asked()
    first = known.describe([one], asked)
    # Whoever gets a description may add to it.
    first[0].problems.append(Problem("somebody's note"))
    both = known.describe([other, one], asked)
    assert asked.names == ["one", "other"]
    assert [told.contributions[0].name for told in both] == ["other", "one"]
    assert both[1].problems == []


def test_a_changed_file_is_described_again(tmp_path: Path) -> None:
    known, asked = DescriptionCache(), Asked()
    known.describe([written(tmp_path / "team.py", "one")], asked)
    changed = written(tmp_path / "team.py", "longer")
    known.describe([changed], asked)
    (tmp_path / "team.py").unlink()
    known.describe([changed], asked)
    assert asked.names == ["team"] * 3


@pytest.mark.parametrize(
    "description",
    [
        Description(problems=[Problem("the machine was busy")]),
        Description(contributions=[Contribution(kind="map", name="large", game="tanks", data=b"x")]),
    ],
    ids=["failed", "large"],
)
def test_what_is_not_kept(description: Description, tmp_path: Path) -> None:
    source = written(tmp_path / "team.py", "one")
    known = DescriptionCache()
    known.describe([source], lambda _: [description])
    asked = Asked()
    known.describe([source], asked)
    assert asked.names == ["team"]


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_descriptions, "MOST", 2)
    sources = [written(tmp_path / f"{name}.py", name) for name in ("one", "two", "three")]
    known, asked = DescriptionCache(), Asked()
    for source in (*sources, sources[1], sources[0]):
        known.describe([source], asked)
    assert asked.names == ["one", "two", "three", "one"]


def test_teams_that_are_named_one_by_one_are_inspected_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    inspect = plugin_inspection.describe_in_cells

    def noted(sources: Sequence[Source], *rest: object) -> list[Description]:
        started.append(len(sources))
        return inspect(sources, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(plugin_inspection, "describe_in_cells", noted)
    for name in ("one", "two"):
        written(tmp_path / f"{name}.py", name)
    registry: Registry = open_registry(IsolationPolicy(unconfined=True))
    named = [f"first={tmp_path / 'one.py'}", f"{tmp_path / 'two.py'}:two"]
    assert Finder(registry).referee(algorithms=named).game.name == "tanks"
    assert started == [2]
