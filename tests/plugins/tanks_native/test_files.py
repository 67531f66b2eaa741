from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import Files

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.checks import problem_of
from tiltyard_tanks_native.files import LOADER, NativeFile, examine_file, name_of


def test_an_algorithms_file(files: Files) -> None:
    path = files.algorithm("script_1")
    plugin = NativeFile(path)
    (team,) = plugin.algorithms()
    assert list(plugin.game_managers()) == []
    assert (team.name, team.game) == ("Algorithm_script_1", "tanks")
    assert team.description == "a compiled algorithm, Algorithm_script_1.so"
    assert problem_of("algorithms", team) == ""
    examine_file(path)


def test_a_managers_file(files: Files) -> None:
    path = files.manager("good")
    plugin = NativeFile(path)
    (manager,) = plugin.game_managers()
    assert list(plugin.algorithms()) == []
    assert (manager.name, manager.game, manager.on_fault) == ("GameManager_good", "tanks", "idle")
    assert problem_of("game_managers", manager) == ""
    examine_file(path)


def test_the_hooks_are_marked(files: Files) -> None:
    plugin = NativeFile(files.manager("good"))
    assert hasattr(plugin.algorithms, f"{PROJECT}_impl")
    assert hasattr(plugin.game_managers, f"{PROJECT}_impl")


def test_nothing_of_a_file_runs_when_it_is_described(files: Files) -> None:
    """It would take this process with it."""
    path = files.algorithm("load_segv")
    examine_file(path)
    assert next(NativeFile(path).algorithms()).name == "Algorithm_load_segv"


def test_the_loader(files: Files, library: Path) -> None:
    assert [Path(path) for path in LOADER.needs()] == [library]
    plugin = LOADER.plugin_of(files.algorithm("script_1"), [str(library)])
    assert isinstance(plugin, NativeFile)
    assert LOADER.examine is examine_file


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Algorithm_1_2.so", "Algorithm_1_2"),
        ("Algorithm_1 (2).so", "Algorithm_1-2"),
        ("Algorithm_müller.so", "Algorithm_müller"),
        ("%%%.so", "plugin"),
    ],
)
def test_names(file: str, name: str) -> None:
    assert name_of(Path(file)) == name
    assert len(name_of(Path("x" * 200 + ".so"))) == 64


def test_a_file_that_cannot_be_loaded(files: Files) -> None:
    with pytest.raises(UserError, match=r"^cannot be loaded: undefined symbol"):
        examine_file(files.named("Algorithm_1.so", "missing_source"))
    with pytest.raises(UserError, match=r"^cannot be loaded: cannot be read: No such file"):
        examine_file(files.folder / "none.so")


def test_the_entry_point() -> None:
    (entry,) = metadata.entry_points(group="tiltyard.files", name="so")
    assert entry.load() is LOADER
