"""Plugins that are compiled files: who makes them known, and what becomes of those that nobody can load."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import install, write

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Registry, Trust, path_sources, sources
from tiltyard_engine.registry.file_loaders import FILES_GROUP, get_loader, needs_of
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin

LOADER = """
from pathlib import Path
from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import FileLoader
from tiltyard_engine.tanks import Player, TankAlgorithm

class Team:
    def __init__(self, path, needs):
        self.name, self.needs = path.stem, needs

    @hookimpl
    def algorithms(self):
        yield TankTeam(self.name, lambda *_: None, lambda *_: None, description=" ".join(self.needs))

def examine(path):
    if path.read_bytes() == b"broken":
        raise UserError("undefined symbol: Foo::bar()")

LOADER = FileLoader(
    Team, examine, lambda: ["/cache/library.so"], *[lambda start: None] * 4)
def no_compiler():
    raise UserError("no C++ compiler: install g++")

NO_COMPILER = FileLoader(Team, examine, no_compiler, *[lambda start: None] * 4)
"""


@pytest.fixture
def loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for compiled files, which a loader of the project's own knows."""
    write(tmp_path / "modules" / "libraries_for_tests.py", LOADER)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    monkeypatch.setattr(sources, "_loaders", lambda own: {".so": "libraries_for_tests:LOADER"})
    folder = tmp_path / "submissions"
    folder.mkdir()
    return folder


def test_a_compiled_file_is_a_plugin(loader: Path) -> None:
    path = write(loader / "Algorithm_1.so", "good")
    path.chmod(0o755)
    reference = choose(str(path), ALGORITHM, Registry(), "tanks")
    assert (reference.source.origin, reference.source.needs) == (Origin.LIBRARY, ("/cache/library.so",))
    record = reference.load()
    assert isinstance(record, TankTeam)
    assert (record.name, record.description) == ("Algorithm_1", "/cache/library.so")


def test_those_of_a_folder_stand_among_others(loader: Path) -> None:
    write(loader / "b.so", "good")
    write(loader / "a.so", "broken")
    write(loader / "notes.txt", "")
    rows = Registry.from_paths([loader]).rows
    assert [(row.name, row.status, row.reason) for row in rows] == [
        ("a", "failed", "undefined symbol: Foo::bar()"),
        ("b", "ok", ""),
    ]


def test_what_running_them_takes_cannot_be_made(loader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_loaders", lambda own: {".so": "libraries_for_tests:NO_COMPILER"})
    write(loader / "b.so", "good")
    assert [(row.status, row.reason) for row in Registry.from_paths([loader]).rows] == [("failed", "no C++ compiler: install g++")]


def test_nothing_is_installed_that_loads_them(loader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_loaders", lambda own: {})
    path = write(loader / "b.so", "good")
    with pytest.raises(UserError, match=r"cannot load \.so files: no installed plugin loads them$"):
        choose(str(path), ALGORITHM, Registry(), "tanks")


def test_only_the_hosts_own_may_load_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loader runs in the runner's own process."""
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "aaa-team", "1.0", {"so": "aaa:LOADER", "jar": "aaa:LOADER"}, group=FILES_GROUP)
    own = frozenset(["tiltyard-tanks-native", "zeta-team"])
    assert sources._loaders(own) == {".so": "tiltyard_tanks_native.files:LOADER"}
    assert sources._loaders(frozenset()) == {}
    assert sources._loaders(frozenset(["aaa-team"])) == {".so": "aaa:LOADER", ".jar": "aaa:LOADER"}


def test_a_loader_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "no_loader_here.py", "LOADER = 3")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match="no_loader_here:LOADER, which should load such files, is not a FileLoader"):
        needs_of("no_loader_here:LOADER")
    with pytest.raises(UserError, match="no_loader_here:GONE, which loads such files, cannot be imported: AttributeError"):
        get_loader("no_loader_here:GONE")


def test_a_compiled_file_is_trusted_by_its_path(loader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(loader / "b.so", "good")
    monkeypatch.chdir(loader)
    [source] = path_sources(loader)
    assert not Trust.of(["b"]).covers(source)
    assert Trust.of(["b.so"]).covers(source)
