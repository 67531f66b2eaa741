"""Loading one plugin: what it does wrong is a problem of its own, and nothing else suffers."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.making import load_text, project, reasons, row_of, team_source, unique, write

from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Plugin, Registry, Source, load_source, path_sources
from tiltyard_engine.registry.loading import NOTHING, own_folder
from tiltyard_engine.registry.sources import Origin


def only_reason(plugin: Plugin) -> str:
    (reason,) = reasons(plugin)
    return reason


def test_a_sound_file_yields_its_records(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, team_source("calm"))
    assert reasons(plugin) == []
    assert plugin.file == str(tmp_path / "bot.py")
    (record,) = plugin.records
    assert isinstance(record, TankTeam)
    assert record.name == "calm"


def test_a_source_is_loaded_once_a_process(tmp_path: Path) -> None:
    (source,) = path_sources(write(tmp_path / "bot.py", team_source()))
    assert load_source(source) is load_source(source)


# Imports


def test_an_import_error_names_file_and_line(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, "x = 1\nimport there_is_no_such_module\n")
    assert only_reason(plugin) == (
        "cannot be imported: ModuleNotFoundError: No module named 'there_is_no_such_module' (bot.py, line 2)"
    )
    assert plugin.problems[0].detail.startswith("Traceback (most recent call last):")
    assert plugin.object is None
    assert plugin.file == str(tmp_path / "bot.py")


def test_the_line_is_that_of_the_deepest_file_of_the_team(tmp_path: Path) -> None:
    write(tmp_path / "bot" / "__init__.py", "from . import deep\n")
    write(tmp_path / "bot" / "deep.py", "\n\n1 / 0\n")
    (source,) = path_sources(tmp_path / "bot")
    assert only_reason(load_source(source)) == "cannot be imported: ZeroDivisionError: division by zero (deep.py, line 3)"


def test_the_line_is_the_teams_own_if_a_library_raised_the_error(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, "import json\njson.loads('{')\n")
    assert only_reason(plugin).endswith(" (bot.py, line 2)")


def test_where_a_plugins_code_is(tmp_path: Path) -> None:
    installed = Source(name="x", origin=Origin.INSTALLED, value="json.decoder:JSONDecoder")
    assert own_folder(installed) == str(Path(json.__file__).parent)
    assert own_folder(replace(installed, value="textwrap")) == textwrap.__file__
    assert own_folder(replace(installed, value="there_is_no_such_module")) == own_folder(replace(installed, value="")) == ""
    assert own_folder(Source(name="x", origin=Origin.FILE, value="/teams/x.py")) == "/teams/x.py"


def test_a_team_may_lie_in_a_folder_called_importlib(tmp_path: Path) -> None:
    plugin = load_text(tmp_path / "importlib", "1 / 0\n")
    assert only_reason(plugin) == "cannot be imported: ZeroDivisionError: division by zero (bot.py, line 1)"


def test_a_syntax_error_names_file_and_line(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, "x = 1\ndef broken(:\n")
    assert only_reason(plugin) == f"cannot be imported: SyntaxError: invalid syntax ({tmp_path / 'bot.py'}, line 2)"


def test_a_file_of_other_bytes_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_bytes(b"\x00\xff\xfe")
    (source,) = path_sources(tmp_path / "bot.py")
    assert only_reason(load_source(source)).startswith("cannot be imported: ")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import sys\nsys.exit()", "SystemExit"),
        ("class Quit(BaseException): pass\nraise Quit('enough')", "Quit: enough"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("class Mute(Exception):\n    def __str__(self): return 1 / 0\nraise Mute", "Mute"),
    ],
)
def test_whatever_is_raised_at_import_is_a_problem(tmp_path: Path, text: str, name: str) -> None:
    assert only_reason(load_text(tmp_path, text)).startswith(f"cannot be imported: {name} (bot.py, line ")


def test_an_interruption_at_import_stays_one(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_text(tmp_path, "raise KeyboardInterrupt")


def test_what_is_printed_while_loading_does_not_reach_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """\
        print("at import")
        from tiltyard_engine import MapFile, hookimpl
        @hookimpl
        def maps():
            print("in the hook")
            yield MapFile("field", "tanks", b"")
        """
    assert reasons(load_text(tmp_path, text)) == []
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "at import\nin the hook\n"


def test_one_file_among_others_is_told_to_have_a_folder(tmp_path: Path) -> None:
    helper = unique("helper")
    write(tmp_path / f"{helper}.py", "")
    plugin = load_text(tmp_path, f"from {helper} import something\n")
    assert only_reason(plugin).endswith(
        f"(bot.py, line 1); {helper}.py is in the same folder, but that may be many teams': "
        "put both files into a folder of their own"
    )


def test_a_package_may_import_its_parts(tmp_path: Path) -> None:
    write(tmp_path / "bot" / "__init__.py", "from .parts.team import algorithms\n")
    write(tmp_path / "bot" / "parts" / "team.py", team_source("parted"))
    (source,) = path_sources(tmp_path / "bot")
    plugin = load_source(source)
    assert reasons(plugin) == []
    assert [record.name for record in plugin.records] == ["parted"]


def test_the_same_stem_in_two_folders(tmp_path: Path) -> None:
    write(tmp_path / "one" / "bot.py", team_source("first"))
    write(tmp_path / "two" / "bot.py", team_source("second"))
    registry = Registry.from_paths([tmp_path / "one", tmp_path / "two"])
    assert [(row.name, row.status) for row in registry.rows] == [("first", "ok"), ("second", "ok")]


def test_modules_of_the_same_name_in_two_projects_do_not_meet(tmp_path: Path) -> None:
    module = unique("shared")
    for name in ("alice", "bob"):
        write(project(tmp_path / name, f"{name}-team", {name: module}) / f"{module}.py", team_source(name))
    registry = Registry.from_paths([tmp_path])
    assert [row_of(registry, name).status for name in ("alice", "bob")] == ["ok", "ok"]


def test_an_entry_point_may_name_an_object_in_a_module(tmp_path: Path) -> None:
    module = unique("objects")
    text = """\
        from tiltyard_engine import MapFile, hookimpl
        class Shipped:
            def __init__(self, name):
                self.name = name
            @hookimpl
            def maps(self):
                yield MapFile(self.name, "tanks", b"")
        class shelf:
            plugin = Shipped("field")
            nothing = None
        """
    write(project(tmp_path, "objects", {"b": f"{module}:shelf.plugin", "c": f"{module}:shelf.absent"}) / f"{module}.py", text)
    registry = Registry.from_paths([tmp_path])
    assert [(row.name, row.status) for row in registry.rows] == [("field", "ok"), ("c", "failed")]
    assert row_of(registry, "field").file == str(tmp_path / f"{module}.py")
    assert registry.rows[1].reason == "cannot be imported: AttributeError: type object 'shelf' has no attribute 'absent'"


def test_an_entry_point_without_a_module(tmp_path: Path) -> None:
    project(tmp_path, "empty", {"empty": ""})
    assert Registry.from_paths([tmp_path]).rows[0].reason == "cannot be imported: ValueError: Empty module name"


def test_an_installed_plugin_that_is_not_there_any_more() -> None:
    plugin = load_source(
        Source(name="gone", origin=Origin.INSTALLED, value=unique("gone"), distribution="gone-team", version="1.0")
    )
    assert only_reason(plugin).startswith("cannot be imported: ModuleNotFoundError: No module named 'gone_")
    assert plugin.file == ""


# Hooks


def test_a_wrong_signature(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import hookimpl
        @hookimpl
        def algorithms(registry):
            return []
        """
    reason = only_reason(load_text(tmp_path, text))
    assert reason.startswith("wrong hook signature: ")
    assert "algorithms(registry)" in reason


def test_a_misspelt_hook_is_reported_with_a_hint_and_the_others_count(tmp_path: Path) -> None:
    text = team_source("good") + "\n@hookimpl\ndef map():\n    return []\n"
    plugin = load_text(tmp_path, text)
    assert only_reason(plugin) == "unknown hook 'map'; did you mean maps?"
    assert [record.name for record in plugin.records] == ["good"]


def test_an_unknown_hook_far_from_all_others_has_no_hint(tmp_path: Path) -> None:
    text = "from tiltyard_engine import hookimpl\n@hookimpl\ndef qqq():\n    return []\n"
    assert only_reason(load_text(tmp_path, text)) == "unknown hook 'qqq'"


def test_a_hook_of_a_later_version_may_be_optional(tmp_path: Path) -> None:
    text = team_source() + "\n@hookimpl(optionalhook=True)\ndef publishers():\n    return []\n"
    assert reasons(load_text(tmp_path, text)) == []


MAPS = """\
from tiltyard_engine import MapFile, hookimpl
@hookimpl
def maps():
    """

HALF_WAY = """\
    from tiltyard_engine import MapFile, hookimpl
    @hookimpl
    def maps():
        yield MapFile("one", "tanks", b"")
        raise {error}
    """


@pytest.mark.parametrize(
    ("error", "shown"),
    [("KeyError('two')", "KeyError: 'two'"), ("SystemExit(2)", "SystemExit: 2"), ("BaseException('odd')", "BaseException: odd")],
)
def test_a_hook_that_raises_half_way_keeps_what_came_before(tmp_path: Path, error: str, shown: str) -> None:
    plugin = load_text(tmp_path, HALF_WAY.format(error=error))
    assert [record.name for record in plugin.records] == ["one"]
    (problem,) = plugin.problems
    assert (problem.reason, problem.kind) == (f"maps() raised {shown}", "map")
    assert "bot.py" in problem.detail


def test_a_failing_hook_does_not_keep_others_from_being_asked(tmp_path: Path) -> None:
    text = team_source("good") + "\n@hookimpl\ndef games():\n    raise ValueError\n"
    plugin = load_text(tmp_path, text)
    assert reasons(plugin) == ["games() raised ValueError"]
    assert [record.name for record in plugin.records] == ["good"]


@pytest.mark.parametrize(
    ("body", "returned"),
    [
        ("return 3", "an integer"),
        ("return MapFile('one', 'tanks', b'')", "a value of type MapFile"),
        ("MapFile", "nothing"),
    ],
)
def test_a_hook_that_returns_no_records_to_iterate_over(tmp_path: Path, body: str, returned: str) -> None:
    text = team_source() + f"\nfrom tiltyard_engine import MapFile\n@hookimpl\ndef maps():\n    {body}\n"
    plugin = load_text(tmp_path, text)
    assert reasons(plugin) == [f"maps() returned {returned}, expected records to iterate over"]
    assert len(plugin.records) == 1


def test_a_hook_may_return_a_list(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, MAPS + "return [MapFile(name, 'tanks', b'') for name in 'ab']")
    assert [record.name for record in plugin.records] == ["a", "b"]


def test_a_hook_that_yields_something_else(tmp_path: Path) -> None:
    plugin = load_text(tmp_path, MAPS + "yield 'x' * 99\n    yield MapFile('b', 't', b'')")
    assert reasons(plugin) == [f"maps() yielded a string ('{'x' * 56}...), expected MapFile"]
    assert [record.name for record in plugin.records] == ["b"]


def test_a_record_that_cannot_even_be_looked_at(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import MapFile, hookimpl
        class Hostile:
            @property
            def __class__(self):
                raise RuntimeError("boo")
        @hookimpl
        def maps():
            yield Hostile()
            yield MapFile("good", "tanks", b"")
        """
    plugin = load_text(tmp_path, text)
    assert reasons(plugin) == ["maps() yielded a record that cannot be checked: RuntimeError: boo"]
    assert [record.name for record in plugin.records] == ["good"]


def test_a_hook_wrapper_is_not_a_hook(tmp_path: Path) -> None:
    text = team_source("good") + "\n@hookimpl(wrapper=True)\ndef maps():\n    return (yield)\n"
    plugin = load_text(tmp_path, text)
    assert reasons(plugin) == ["maps() is a hook wrapper, expected a plain function"]
    assert [record.name for record in plugin.records] == ["good"]


@pytest.mark.parametrize("text", ["", "def algorithms():\n    yield 1\n", MAPS + "yield from ()"])
def test_a_plugin_that_contributes_nothing_is_reported(tmp_path: Path, text: str) -> None:
    assert only_reason(load_text(tmp_path, text)) == NOTHING


def test_a_team_that_could_not_be_loaded_does_not_keep_its_neighbours_from_it(tmp_path: Path) -> None:
    broken = ["1 / 0", "raise SystemExit", "def (", "", "from tiltyard_engine import hookimpl\n@hookimpl\ndef games(x): ..."]
    for number, text in enumerate(broken):
        write(tmp_path / f"broken_{number}.py", text)
    write(tmp_path / "zebra.py", team_source("zebra"))
    registry = Registry.from_paths([tmp_path])
    assert [row.status for row in registry.rows] == [*["failed"] * len(broken), "ok"]
    assert all(row.reason for row in registry.failures())
