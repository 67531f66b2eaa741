"""Whose code runs in the runner's own process."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.engine.making import install, unique, write

from tiltyard_engine.registry import Reference, Selection, Source, Trust, installed_sources
from tiltyard_engine.registry.commands import command_plugins
from tiltyard_engine.registry.file_loaders import FILES_GROUP
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, own_entry_points, path_sources
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


def installed(distribution: str) -> Source:
    return Source(name="bot", origin=Origin.INSTALLED, value="bot", distribution=distribution, version="1.0")


def test_the_projects_own_are_all_plugins_of_this_repository() -> None:
    root = Path(__file__).parents[3]
    files = [root / "pyproject.toml", *root.glob("plugins/*/pyproject.toml")]
    projects = [tomllib.loads(file.read_text())["project"] for file in files]
    assert {project["name"] for project in projects if "entry-points" in project} == OWN_DISTRIBUTIONS


def test_the_projects_own_are_trusted_and_whom_the_user_names() -> None:
    policy = IsolationPolicy(trust=Trust.of(["Thunder_Team"]))
    assert [policy.trusts(installed(name)) for name in ("tiltyard-acorn", "thunder-team", "other-team")] == [True, True, False]


def test_a_project_folder_of_a_name_of_the_projects_own_is_a_strangers() -> None:
    source = Source(
        name="acorn",
        origin=Origin.PROJECT,
        value="acorn",
        distribution="tiltyard-acorn",
        version="1.0",
        folder="/submissions/acorn",
    )
    assert not IsolationPolicy().trusts(source)


CLAIMS = {
    "tiltyard.trusted": {"thunder": "thunder", "tiltyard-thunder": "thunder"},
    "tiltyard.own": {"thunder": "thunder"},
    "tiltyard.host": {"guard": "thunder:Host"},
    "tiltyard.executors": {"cluster": "thunder:Options"},
}
"""Entry points by which a distribution could try to say that it is part of the project."""


@pytest.mark.parametrize("name", ["tiltyard-thunder", "tiltyard.acorn.two", "tiltyard-acorns", "tiltyard-acorn-", "tilt-yard"])
def test_a_strangers_distribution_cannot_claim_to_be_the_projects_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder = install(tmp_path, name, "1.0", {"thunder": "thunder"})
    groups = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items()) for group, entries in CLAIMS.items()
    )
    with (folder / "entry_points.txt").open("a", encoding="utf-8") as file:
        file.write(groups)
    with (folder / "METADATA").open("a", encoding="utf-8") as file:
        file.write("Provides-Dist: tiltyard-acorn\nObsoletes-Dist: tiltyard-acorn\nAuthor: the tiltyard maintainers\n")
    (source,) = [source for source in installed_sources(own=OWN_DISTRIBUTIONS) if source.name == "thunder"]
    policy = IsolationPolicy()
    assert not policy.trusts(source)
    assert not policy.imports_here(source)
    for group in ("tiltyard.host", "tiltyard.executors"):
        (entry,) = own_entry_points(group, OWN_DISTRIBUTIONS)
        assert "thunder" not in entry.value
    ordered = [policy.trusts(other) for other in installed_sources(own=OWN_DISTRIBUTIONS)]
    assert ordered == sorted(ordered, reverse=True)


@pytest.mark.parametrize("name", ["Tiltyard_Acorn", "tiltyard.acorn", "TILTYARD"])
def test_a_name_of_the_projects_own_in_another_spelling_is_a_strangers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, name, "9.0", {"thunder": "thunder"})
    sources = installed_sources(own=OWN_DISTRIBUTIONS)
    (source,) = [source for source in sources if source.distribution == name]
    assert not IsolationPolicy(trust=Trust.of([name])).trusts(source)
    assert source.error.endswith(" in another spelling")
    assert "acorn" in [source.name for source in sources if IsolationPolicy().trusts(source)], "the real one is still there"


def test_a_stranger_cannot_take_the_name_of_a_game_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = unique("thief")
    text = "from tiltyard_engine import *\n@hookimpl\ndef maps():\n    yield MapFile('narrow-pass', 'tanks', b'stolen')\n"
    write(tmp_path / f"{module}.py", text)
    install(tmp_path, "aaa-team", "1.0", {"aaa": module})
    policy = IsolationPolicy(trust=Trust.of(["aaa-team"]))
    registry = open_registry(policy, Selection(only=frozenset(["aaa", "tanks"])))
    (row,) = [row for row in registry.failures() if row.name == "narrow-pass"]
    assert (row.status, row.distribution) == ("duplicate", "aaa-team")


def test_a_user_who_trusts_a_loader_of_files_does_not_make_it_the_projects_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTYARD_TRUST", "aaa-team")
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "aaa-team", "1.0", {"so": "aaa:LOADER"}, group=FILES_GROUP)
    (source,) = path_sources(write(tmp_path / "team.so", ""), OWN_DISTRIBUTIONS)
    assert source.loader == "tiltyard_tanks_native.files:LOADER"


def test_commands_of_the_projects_own_need_no_trust() -> None:
    plugins = {plugin.source.distribution: plugin for plugin in command_plugins(Selection(), Trust(), OWN_DISTRIBUTIONS)}
    assert plugins["tiltyard-filler"].commands
    assert all(plugin.commands == [] for plugin in command_plugins(Selection(), Trust()))


def test_how_code_is_held_follows_from_whose_it_is() -> None:
    policy = IsolationPolicy(trust=Trust.of(["thunder-team"]))
    names = ("tiltyard-acorn", "thunder-team", "other-team")
    teams = [Reference(kind=ALGORITHM, name="bot", game="tanks", source=installed(name)) for name in names]
    assert [policy.of(team) for team in teams] == [Isolation.INLINE, Isolation.INLINE, Isolation.SANDBOX]
