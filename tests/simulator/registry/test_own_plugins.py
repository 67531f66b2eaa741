"""What our own plugins contribute is found out once, and again after anything that it follows from has changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tiltyard_engine.registry import Description, Source, installed_sources
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.registry.loading import Problem
from tiltyard_simulator.match import own_cache
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry import own_plugins
from tiltyard_simulator.registry.own_plugins import describe_imported

OWN = [source for source in installed_sources() if source.distribution in OWN_DISTRIBUTIONS]


class Commands:
    """Commands one after the other, and the plugins that they looked at themselves."""

    def __init__(self) -> None:
        self.looked_at: list[str] = []
        self.problem = ""

    def describe(self, source: Source) -> Description:
        self.looked_at.append(source.name)
        description = describe_source(source)
        return replace(description, problems=[Problem(self.problem)]) if self.problem else description

    def next(self, sources: list[Source] = OWN) -> list[Description]:
        """What the next command finds, which has nothing in its memory."""
        self.looked_at.clear()
        own_plugins._descriptions.cache_clear()
        own_cache._state_of.cache_clear()
        return describe_imported(sources)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv(own_cache.FRESH_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tiltyard"


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[Commands]:
    for source in OWN:
        describe_source(source)
        monkeypatch.delitem(sys.modules, source.value.partition(":")[0], raising=False)
    made = Commands()
    monkeypatch.setattr(own_plugins, "describe_source", made.describe)
    yield made
    own_plugins._descriptions.cache_clear()


def test_the_next_command_imports_none_of_them(commands: Commands, cache: Path) -> None:
    first = commands.next()
    assert commands.looked_at == [source.name for source in OWN]
    assert commands.next() == first == [describe_source(source) for source in OWN]
    assert commands.looked_at == []
    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_change_is_seen(commands: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "site-packages"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "module.py").write_text("A = 1\n")
    monkeypatch.setattr(own_cache, "find_spec", lambda name: type("Spec", (), {"submodule_search_locations": [str(folder)]}))
    commands.next()
    # As editors have them: nothing is there.
    (folder / "inner" / ".#module.py").symlink_to("nobody@nowhere")
    commands.next()
    assert commands.looked_at
    (folder / "inner" / "module.py").write_text("A = 1 + 1\n")
    commands.next()
    assert commands.looked_at
    monkeypatch.syspath_prepend(str(folder))
    commands.next()
    assert commands.looked_at
    commands.next()
    assert not commands.looked_at


def test_problems_are_not_kept(commands: Commands, cache: Path) -> None:
    commands.problem = "the disk is full"
    commands.next()
    assert not cache.exists()


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x91" * 1000, b"\x82"], ids=["empty", "no-messagepack", "deep", "cut"])
def test_a_damaged_file_is_replaced(commands: Commands, cache: Path, data: bytes) -> None:
    commands.next()
    next(cache.iterdir()).write_bytes(data)
    commands.next()
    assert commands.looked_at
    commands.next()
    assert not commands.looked_at


def test_a_file_that_others_may_write_is_not_read(commands: Commands, cache: Path) -> None:
    commands.next()
    next(cache.iterdir()).chmod(0o666)
    commands.next()
    assert commands.looked_at


def test_others_plugins_are_looked_at_each_time(commands: Commands) -> None:
    others = [replace(OWN[0], distribution="somebody-elses"), replace(OWN[0], distribution="")]
    for _ in range(2):
        commands.next(others)
        assert commands.looked_at == [OWN[0].name] * 2


def test_what_is_imported_already_is_asked(commands: Commands, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in OWN:
        monkeypatch.setitem(sys.modules, source.value.partition(":")[0], sys)
    commands.next()
    assert commands.looked_at
    assert not cache.exists()
