"""Subcommands of plugins: from a group of entry points of their own, so that help imports no team."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.engine.making import install, project, reasons, unique, write

from tiltyard_engine.hooks import COMMANDS_GROUP
from tiltyard_engine.records import Command
from tiltyard_engine.registry import Plugin
from tiltyard_engine.registry.commands import command_plugins, contributed_commands
from tiltyard_engine.registry.trust import TRUST_VARIABLE, Trust


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("TILTYARD_BLOCK", raising=False)
    monkeypatch.delenv("TILTYARD_ONLY", raising=False)
    return tmp_path


@pytest.fixture(autouse=True)
def _trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("a-team", *(f"{word}-tools" for word in ("bad", "first", "good", "quiet", "second", "two", "vague")))
    monkeypatch.setenv(TRUST_VARIABLE, ",".join(names))


def put(site: Path, distribution: str, body: str, group: str = COMMANDS_GROUP) -> str:
    module = unique("commanding")
    write(site / f"{module}.py", f"from tiltyard_engine import Command, hookimpl\n@hookimpl\ndef commands():\n    {body}\n")
    install(site, distribution, "1.0", {module: module}, group)
    return module


def plugin_of(distribution: str) -> Plugin:
    (plugin,) = [plugin for plugin in command_plugins() if plugin.source.distribution == distribution]
    return plugin


def contributed(*names: str) -> list[Command]:
    return [command for command in contributed_commands() if command.name in names]


def test_commands_are_sorted_and_their_targets_are_not_imported(site: Path) -> None:
    put(site, "two-tools", "yield Command('zz-tool', 'Z', 'absent:app'); yield Command('aa-tool', 'A', 'absent.too:app')")
    assert contributed("aa-tool", "zz-tool") == [Command("aa-tool", "A", "absent.too:app"), Command("zz-tool", "Z", "absent:app")]


def test_plugins_of_the_other_group_are_not_even_imported(site: Path) -> None:
    put(site, "a-team", "raise SystemExit('asked')", group="tiltyard")
    assert [plugin for plugin in command_plugins() if plugin.source.distribution == "a-team"] == []


def test_a_plugin_that_fails_is_reported_and_the_others_count(site: Path) -> None:
    module = put(site, "bad-tools", "1 / 0")
    put(site, "good-tools", "yield Command('good-tool', 'G', 'a:b')")
    assert reasons(plugin_of("bad-tools")) == ["commands() raised ZeroDivisionError: division by zero"]
    assert f"{module}.py" in plugin_of("bad-tools").problems[0].detail
    assert len(contributed("good-tool")) == 1


def test_a_name_may_have_the_word_of_a_group_in_front(site: Path) -> None:
    put(site, "two-tools", "yield Command('new aa-tool', 'A', 'absent:app'); yield Command('new aa tool', 'A', 'absent:app')")
    assert contributed("new aa-tool") == [Command("new aa-tool", "A", "absent:app")]
    (reason,) = reasons(plugin_of("two-tools"))
    assert reason.startswith("the name 'new aa tool' is not a valid name: use 1 to 64 letters, digits, ")


def test_a_command_that_cannot_be_used_is_reported(site: Path) -> None:
    put(site, "vague-tools", "yield Command('vague-tool', 'V', 'no_attribute')")
    assert reasons(plugin_of("vague-tools")) == ["target is a string ('no_attribute'), expected module:attribute"]
    assert contributed("vague-tool") == []


def test_the_first_of_two_commands_with_one_name_counts_and_the_other_is_reported(site: Path) -> None:
    put(site, "first-tools", "yield Command('shared-tool', 'first', 'a:b')")
    put(site, "second-tools", "yield Command('shared-tool', 'second', 'a:b')")
    assert [command.help for command in contributed("shared-tool")] == ["first"]
    first, second = plugin_of("first-tools"), plugin_of("second-tools")
    assert reasons(first) == []
    assert reasons(second) == [f"the command 'shared-tool' is already contributed by {first.source}"]
    assert reasons(plugin_of("second-tools")) == reasons(second), "asking again reports nothing new"


@pytest.mark.parametrize(("variable", "value"), [("TILTYARD_BLOCK", "quiet-tools"), ("TILTYARD_ONLY", "")])
def test_the_environment_blocks_commands_too(site: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    put(site, "quiet-tools", "yield Command('quiet-tool', 'Q', 'a:b')")
    assert len(contributed("quiet-tool")) == 1
    monkeypatch.setenv(variable, value)
    assert contributed("quiet-tool") == []


def test_a_strangers_command_is_not_even_imported(site: Path) -> None:
    module = put(site, "strange-tools", "yield Command('strange-tool', 'S', 'a:b')")
    assert reasons(plugin_of("strange-tools")) == [
        "not loaded: commands run in the runner's own process; if you trust it, set TILTYARD_TRUST=strange-tools"
    ]
    assert contributed("strange-tool") == []
    assert module not in sys.modules
    (plugin,) = [plugin for plugin in command_plugins(trust=Trust.of(["Strange_Tools"])) if plugin.source.name == module]
    assert [command.name for command in plugin.commands] == ["strange-tool"]


OWN_COMMAND = """\
from tiltyard_engine import Command, hookimpl
app = "the application"
@hookimpl
def commands():
    yield Command('{name}', 'help', ':app')
"""


def test_a_trusted_file_may_have_commands_and_their_application(tmp_path: Path) -> None:
    file = write(tmp_path / "solving.py", OWN_COMMAND.format(name="solve-tool"))
    (plugin,) = [plugin for plugin in command_plugins(trust=Trust.of([str(file)])) if plugin.source.value == str(file)]
    (command,) = plugin.commands
    module, _, attribute = command.target.partition(":")
    assert getattr(sys.modules[module], attribute) == "the application"
    assert [each for each in command_plugins(trust=Trust.of([])) if each.source.value == str(file)] == []


def test_commands_of_a_trusted_project_are_in_their_own_group(tmp_path: Path) -> None:
    module = unique("solving")
    entry = f"[project]\nname = 'solver'\nversion = '1'\n[project.entry-points.'{COMMANDS_GROUP}']\nsolve = '{module}'\n"
    write(tmp_path / "pyproject.toml", entry)
    write(tmp_path / f"{module}.py", OWN_COMMAND.format(name="solve-tool"))
    found = [plugin for plugin in command_plugins(trust=Trust.of([f"{tmp_path}/"])) if plugin.source.folder == str(tmp_path)]
    assert [command.target for plugin in found for command in plugin.commands] == [f"{module}:app"]


def test_a_trusted_file_without_commands_is_not_reported(tmp_path: Path) -> None:
    file = write(tmp_path / "quiet.py", "from tiltyard_engine import hookimpl\n@hookimpl\ndef maps():\n    return []\n")
    assert [plugin for plugin in command_plugins(trust=Trust.of([str(file)])) if plugin.source.value == str(file)] == []


@pytest.mark.parametrize("trusted", ["games", "games/mine"])
def test_what_lies_in_a_trusted_project_without_commands_is_no_failure(tmp_path: Path, trusted: str) -> None:
    root = project(tmp_path / "games" / "mine", "mine", {"mine": "mine.game"})
    write(root / "src" / "mine" / "game.py", "from tiltyard_engine import hookimpl\n")
    write(root / "tests" / "test_game.py", "x = 1\n")
    trust = Trust.of([str(tmp_path / trusted)])
    assert [source.error for source in trust.sources(group=COMMANDS_GROUP)] == []
    assert [source.name for source in trust.sources()] == ["mine"]
