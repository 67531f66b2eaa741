"""What a team's cell may read: the host's code and its own, not that of other teams."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tests.engine.making import install, write

from tiltyard_engine.registry import Source, installed_sources
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.confinement import readable_paths
from tiltyard_simulator.guard.confinement.kernel.landlock import READ, Access, rules_for
from tiltyard_simulator.guard.confinement.readable_paths import Paths, paths_for
from tiltyard_simulator.match.plugin_files import installed_files

ROOT = Path(__file__).parents[4]


def test_the_hosts_own_code_is_hidden_from_nobody_although_it_contributes() -> None:
    (host,) = {source.distribution for source in installed_sources() if source.distribution == "tiltyard"}
    hidden = paths_for([]).hidden
    assert host == "tiltyard"
    assert not any(ROOT.is_relative_to(path) for path in hidden)
    assert not any("tiltyard-0" in path for path in hidden)


def test_other_teams_are_hidden_and_the_own_is_not() -> None:
    acorn = [source for source in installed_sources() if source.distribution == "tiltyard-acorn"]
    hidden = paths_for(acorn).hidden
    assert str(ROOT / "plugins" / "bramble") in hidden
    assert str(ROOT / "plugins" / "acorn") not in hidden


class Site:
    """A folder of installed distributions. Each has a RECORD as pip writes it, and more lines if somebody wrote them there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, files: dict[str, str], claims: Iterable[str] = (), plugin: bool = True, requires: str = "") -> None:
        information = install(self.folder, name, "1.0", {name: name} if plugin else {})
        if requires:
            with (information / "METADATA").open("a") as metadata:
                metadata.write(f"Requires-Dist: {requires}\n")
        for path, text in files.items():
            write(self.folder / path, text)
        listed = [*files, f"{information.name}/METADATA", f"{information.name}/entry_points.txt"]
        lines = [f"{path},sha256={digest((self.folder / path).read_bytes())},1" for path in listed]
        write(information / "RECORD", "\n".join([*lines, f"{information.name}/RECORD,,", *claims]) + "\n")

    def readable(self, own: Paths) -> set[str]:
        """The files below the site that a cell with these paths could open, by the rules that it would get."""
        rules = rules_for(own.readable, own.hidden, READ)
        opened = [Path(path) for path, access in rules.items() if access & Access.READ_FILE]
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return {str(file.relative_to(self.folder)) for file in files if any(file.is_relative_to(root) for root in opened)}


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def installed(name: str) -> Source:
    return Source(name=name, origin=Origin.INSTALLED, value=name, distribution=name, version="1.0")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    place = Site(tmp_path / "site")
    place.add("victim", {"victim/__init__.py": "", "victim/plan.py": "secret = 1\n"})
    write(place.folder / "victim" / "__pycache__" / "plan.cpython-311.pyc", "secret")
    place.add("library", {"library/__init__.py": "", "library/core.py": "x = 1\n"}, plugin=False)
    monkeypatch.syspath_prepend(str(place.folder))
    readable_paths.forget()
    yield place
    readable_paths.forget()


VICTIMS = {"victim/plan.py", "victim/__pycache__/plan.cpython-311.pyc"}


def read_by(site: Site, name: str) -> set[str]:
    readable_paths.forget()
    return site.readable(paths_for([installed(name)]))


def test_a_requirement_opens_no_other_plugin(site: Site) -> None:
    site.add("evil", {"evil/__init__.py": ""}, requires="victim")
    read = read_by(site, "evil")
    assert "evil/__init__.py" in read
    assert "library/core.py" in read
    assert not any(path.startswith("victim") for path in read)
    assert "victim/plan.py" in site.readable(paths_for([installed("evil")], [installed("victim")]))


@pytest.mark.parametrize(
    ("requires", "is_opened"),
    [
        ("victim", True),
        ("victim>=1.0; python_version > '3'", True),
        ("victim ; extra == 'samples'", False),
        ("victim>=1.0; python_version > '3' and (extra == \"dev\" or 'samples' == extra)", False),
        ("victim[samples]; extra=='samples'", False),
    ],
)
def test_a_games_extra_opens_what_it_names_only_to_those_who_ask_for_it(site: Site, requires: str, is_opened: bool) -> None:
    site.add("evil", {"evil/__init__.py": ""})
    site.add("league", {"league/__init__.py": ""}, requires=requires)
    site.add("cup", {"cup/__init__.py": ""}, requires="league[other, Samples]")
    for game, opened in (("league", is_opened), ("cup", True)):
        readable_paths.forget()
        read = site.readable(paths_for([installed("evil")], [installed(game)]))
        assert ("victim/plan.py" in read) is opened, game
        assert {"league/__init__.py", "library/core.py"} <= read


@pytest.mark.parametrize(
    "claims",
    [
        ["victim/plan.py,,"],
        ["victim/plan.py,sha256=AAAA,9"],
        ["victim/nothing.py,,"],
        ["victim/__pycache__/plan.cpython-311.pyc,,"],
        [f"victim/__init__.py,sha256={digest(b'')},0"],
        [f"victim/__init__.py,sha256={digest(b'')},0", "victim/plan.py,,", "victim/__pycache__/plan.cpython-311.pyc,,"],
        ["victim/plan.py,no-such-algorithm=AAAA,9"],
        ["library/../victim/plan.py,,"],
    ],
)
def test_whoever_lists_anothers_files_gains_nothing_and_does_no_harm(site: Site, claims: list[str]) -> None:
    site.add("evil", {"evil/__init__.py": ""}, claims)
    evils, victims = read_by(site, "evil"), read_by(site, "victim")
    assert not VICTIMS & evils
    assert "evil/__init__.py" in evils
    assert {"victim/__init__.py", "victim/plan.py"} <= victims
    assert "evil/__init__.py" not in victims


def test_a_distribution_that_contributes_nothing_opens_nothing_either(site: Site) -> None:
    site.add("helper", {"helper.py": ""}, [f"victim/__init__.py,sha256={digest(b'')},0", "victim/plan.py,,"], plugin=False)
    site.add("evil", {"evil/__init__.py": ""}, requires="helper")
    assert not VICTIMS & read_by(site, "evil")
    assert "helper.py" in read_by(site, "evil")
    assert "victim/plan.py" in read_by(site, "victim")


@pytest.mark.parametrize("claims", [["library/core.py,,"], [f"library/__init__.py,sha256={digest(b'')},0", "library/core.py,,"]])
def test_nobody_hides_a_library_from_the_others(site: Site, claims: list[str]) -> None:
    site.add("evil", {"evil/__init__.py": ""}, claims)
    assert {"library/__init__.py", "library/core.py"} <= read_by(site, "victim")


def test_two_teams_of_one_namespace_keep_their_own(site: Site) -> None:
    for name in ("east", "west"):
        site.add(name, {f"league/{name}/__init__.py": f"{name} = 1\n", f"league/{name}_plan.py": f"{name} = 2\n"})
    read = {path for path in read_by(site, "east") if path.startswith("league")}
    assert read == {"league/east/__init__.py", "league/east_plan.py"}


@pytest.mark.parametrize("folder", [sys.base_prefix, "team"])
def test_an_editable_folder_is_of_the_project_that_lies_there(site: Site, tmp_path: Path, folder: str) -> None:
    project = tmp_path / "team"
    write(project / "pyproject.toml", '[project]\nname = "team"\n')
    write(project / "team.py", "secret = 1\n")
    url = f'{{"url": "file://{tmp_path / folder}", "dir_info": {{"editable": true}}}}'
    site.add("evil", {"evil/__init__.py": "", "evil-1.0.dist-info/direct_url.json": url})
    readable_paths.forget()
    assert str(tmp_path / folder) not in installed_files("evil")
    assert not any(Path(sys.base_prefix).is_relative_to(path) for path in paths_for([installed("victim")]).hidden)


IN_A_STRING = 'a = {0}\n[project]\nname = "evil"\n{0}\n[project]\nname = "team"\n'


@pytest.mark.parametrize(
    "text",
    [
        *("\xff", "a = ", f"{'a.' * 50_000}a = 1", "[project]\nname = 1\n", "project = 1\n"),
        *(IN_A_STRING.format(quotes) for quotes in ('"""', "'''")),
        '[project]\nname = "evil',
    ],
)
def test_a_project_file_that_does_not_say_its_name_gives_nobody_a_folder(site: Site, tmp_path: Path, text: str) -> None:
    project = tmp_path / "evil"
    write(project / "pyproject.toml", "")
    (project / "pyproject.toml").write_bytes(text.encode("latin-1"))
    url = f'{{"url": "file://{project}", "dir_info": {{"editable": true}}}}'
    site.add("evil", {"evil/__init__.py": "", "evil-1.0.dist-info/direct_url.json": url})
    readable_paths.forget()
    assert str(project) not in installed_files("evil")


@pytest.mark.parametrize("path", ["a" * 300 + "/b.py", "evil/" + "a" * 300 + ".py", "a\0b.py"])
def test_a_record_of_files_that_cannot_be_harms_nobody_else(site: Site, path: str) -> None:
    site.add("evil", {"evil/__init__.py": ""}, [f"{path},,"])
    assert "victim/plan.py" in read_by(site, "victim")


def test_a_broken_record_harms_nobody_else(site: Site) -> None:
    site.add("evil", {"evil/__init__.py": ""})
    (site.folder / "evil-1.0.dist-info" / "RECORD").write_bytes(b'\xff"\0,' + b"[" * 10_000)
    assert "victim/plan.py" in read_by(site, "victim")
