"""A plugin may state the version of the API that it was written for: another one is said before anything of it is used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.engine.making import install, installed, load_text, project, reasons, row_of, team_source, unique, write

import tiltyard_engine
from tiltyard_engine.hooks import API_STATEMENT, API_VERSION, COMMANDS_GROUP
from tiltyard_engine.registry import Registry, Selection, checks, installed_sources, load_source
from tiltyard_engine.registry.commands import command_plugins
from tiltyard_engine.registry.trust import Trust
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

TOO_NEW = "written for version 2 of the plugin API, but this is version 1: update tiltyard-engine"
TOO_OLD = "written for version 1 of the plugin API, but this is version 2: update the plugin"


def stating(version: object) -> str:
    return f"{team_source()}\n{API_STATEMENT} = {version}\n"


def test_a_plugin_of_this_version_loads(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, stating("1"))
    assert reasons(plugin) == []
    assert [record.name for record in plugin.records] == ["bot"]


def test_the_statement_may_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "API_VERSION", 2)
    assert reasons(load_text(tmp_path, team_source())) == []


def test_a_plugin_of_a_newer_version_asks_for_a_newer_engine(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, stating("2"))
    assert reasons(plugin) == [TOO_NEW]
    assert plugin.records == []


def test_a_plugin_of_an_older_version_is_to_be_updated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "API_VERSION", 2)
    plugin = load_text(tmp_path, stating("1"))
    assert reasons(plugin) == [TOO_OLD]
    assert plugin.records == []


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("'1'", "a string ('1')"),
        ("1.0", "a number (1.0)"),
        ("True", "a boolean (True)"),
        ("0", "an integer (0)"),
        ("-1", "an integer (-1)"),
    ],
)
def test_what_is_no_version_is_said(stated: str, shown: str, tmp_path: Path) -> None:
    plugin = load_text(tmp_path, stating(stated))
    assert reasons(plugin) == [f"TILTYARD_API is {shown}, expected a version of the plugin API, such as 1"]
    assert plugin.records == []


def test_none_of_its_hooks_is_called(tmp_path: Path) -> None:
    called = tmp_path / "called"
    hook = f"@hookimpl\ndef maps():\n    open({str(called)!r}, 'w').close()\n    return []\n"
    plugin = load_text(tmp_path, f"from tiltyard_engine import hookimpl\n\n{API_STATEMENT} = 2\n\n\n{hook}")
    assert reasons(plugin) == [TOO_NEW]
    assert not called.exists()


@pytest.mark.parametrize("statement", ["TILTYARD_API = 2", "TILTYARD_API: Final = 2", "TILTYARD_API=2  # the newest"])
def test_an_import_that_fails_for_it_says_so(statement: str, tmp_path: Path) -> None:
    """What a newer engine has stands at the top of the file, so the statement below it is never reached."""
    plugin = load_text(tmp_path, f"from tiltyard_engine import Weather\n\n{statement}\n")
    (reason,) = reasons(plugin)
    assert reason.startswith(f"{TOO_NEW}; cannot be imported: ImportError: cannot import name 'Weather'")


def test_an_import_that_fails_in_another_file_of_the_plugin_says_so_too(tmp_path: Path) -> None:
    package = unique("weather")
    write(tmp_path / package / "__init__.py", f"from .deep import x\n\n{API_STATEMENT} = 2\n")
    write(tmp_path / package / "deep.py", "from tiltyard_engine import Weather\n")
    registry = Registry.from_paths([project(tmp_path, "weather", {"weather": package})])
    assert row_of(registry, "weather").reason.startswith(f"{TOO_NEW}; cannot be imported: ImportError: ")


def test_an_import_that_fails_for_another_reason_says_that_alone(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, f"{API_STATEMENT} = 1\n1 / 0\n")
    assert reasons(plugin) == ["cannot be imported: ZeroDivisionError: division by zero (bot.py, line 2)"]


def test_a_statement_that_cannot_be_read_costs_that_plugin_alone(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, "def __getattr__(name):\n    raise RuntimeError('a trap')\n")
    assert reasons(plugin) == ["cannot be imported: RuntimeError: a trap (bot.py, line 2)"]


def test_an_object_states_it_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = unique("shelf")
    text = f"class Shelf:\n    {API_STATEMENT} = 2\n\n\nplugin = Shelf()\n"
    write(tmp_path / f"{module}.py", text)
    install(tmp_path, "shelves", "3.0", {"shelf": f"{module}:plugin"})
    monkeypatch.syspath_prepend(tmp_path)
    row = row_of(installed("shelves"), "shelf")
    assert (row.status, row.distribution, row.version, row.reason) == ("failed", "shelves", "3.0", TOO_NEW)


def test_subcommands_are_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = unique("commands")
    write(tmp_path / f"{module}.py", f"{API_STATEMENT} = 2\n")
    install(tmp_path, "shelves", "3.0", {"shelf": module}, group=COMMANDS_GROUP)
    monkeypatch.syspath_prepend(tmp_path)
    (plugin,) = command_plugins(Selection(only=frozenset(["shelf"])), Trust.of(["shelves"]))
    assert reasons(plugin) == [TOO_NEW]


def test_the_projects_own_plugins_state_it() -> None:
    """Each distribution of the project can be upgraded without the others."""
    own = [
        source
        for group in ("tiltyard", COMMANDS_GROUP)
        for source in installed_sources(group)
        if source.distribution in OWN_DISTRIBUTIONS
    ]
    assert len(own) >= 10
    for source in own:
        load_source(source, ())
        assert getattr(sys.modules[source.value], API_STATEMENT, None) == API_VERSION, source


def test_the_version_is_public() -> None:
    assert tiltyard_engine.API_VERSION == API_VERSION == 1
