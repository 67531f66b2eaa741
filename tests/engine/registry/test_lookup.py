"""What people write on a command line, and the plugins that they mean by it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from tests.engine.making import project, team_source, unique, write

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER, MAP


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Stands for what is installed: one team, ``thunder``."""
    return Registry.from_paths([write(tmp_path / "site" / "thunder.py", team_source("thunder"))])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def chosen(text: str, registry: Registry, kind: str = ALGORITHM) -> Reference:
    return choose(text, kind, registry, "tanks")


def two_teams(name: str) -> str:
    return team_source(name) + f"    yield TankTeam('{name}2', player=Commander, tank=Tank)\n"


def test_a_bare_word_is_an_installed_name_first(registry: Registry, here: Path) -> None:
    write(here / "thunder" / "__init__.py", team_source("another"))
    assert chosen("thunder", registry).name == "thunder"
    assert chosen("./thunder", registry).name == "another"


def test_a_bare_word_that_nobody_installed_is_a_path(registry: Registry, here: Path) -> None:
    write(here / "lightning" / "__init__.py", team_source("flash"))
    assert chosen("lightning", registry).name == "flash"


def test_a_name_is_found_in_each_form(registry: Registry, here: Path) -> None:
    """macOS writes an accent as a sign of its own, in names of files too."""
    apart, together = (unicodedata.normalize(form, "Zo\u00eb") for form in ("NFD", "NFC"))
    write(here / f"{apart}.py", two_teams(apart))
    for text in (f"{together}.py:{together}", f"{together}.py:{apart}", f"{apart}.py:{together}2"):
        assert chosen(text, registry).name in (apart, f"{apart}2")
    assert Registry.from_paths([here]).find(ALGORITHM, together).name == apart


def test_a_bare_word_that_is_neither(registry: Registry, here: Path) -> None:
    with pytest.raises(NotFoundError, match="no algorithm is called 'thunders'; did you mean thunder"):
        chosen("thunders", registry)


def test_a_python_file_is_a_path_even_if_a_name_is_like_it(registry: Registry, here: Path) -> None:
    write(here / "thunder.py", team_source("filed"))
    assert chosen("thunder.py", registry).name == "filed"


@pytest.mark.parametrize("name", ["v2", "Team Rocket", "müller"])
def test_a_name_of_its_own(registry: Registry, here: Path, name: str) -> None:
    write(here / "flash.py", team_source("flash"))
    for text, declared in (("./flash.py", "flash"), ("flash.py:flash", "flash"), ("thunder", "thunder")):
        reference = chosen(f"{name}={text}", registry)
        assert (reference.label, reference.name) == (name, declared)
        assert reference == chosen(text, registry)


def test_a_game_manager_under_a_name_of_its_own(registry: Registry, here: Path) -> None:
    text = """\
        from tiltyard_engine import Manager, hookimpl
        @hookimpl
        def game_managers():
            yield Manager(name="strict", game="tanks", create=lambda: None)
        """
    write(here / "strict.py", text)
    reference = chosen("ours=strict.py", registry, MANAGER)
    assert (reference.label, reference.name) == ("ours", "strict")


def test_an_equals_sign_that_belongs_to_something_else(registry: Registry, here: Path) -> None:
    write(here / "a=b.py", team_source("odd"))
    assert chosen("a=b.py", registry).label == "odd"
    write(here / "bot", "#!/bin/sh\n").chmod(0o755)
    assert chosen("sh ./bot --depth=3", registry).label == "bot"
    assert chosen("v2=./bot --depth=3", registry).label == "v2"
    with pytest.raises(UserError, match=r"^missing\.py: no such file or folder$"):
        chosen("v2=missing.py", registry)


def test_a_name_that_several_files_of_a_folder_declare(registry: Registry, here: Path) -> None:
    for name in ("one", "two"):
        write(here / "teams" / f"{name}.py", team_source("same"))
    with pytest.raises(
        UserError, match=r"teams:same: 2 algorithms in it are called 'same'; name the file instead: .*one\.py, .*two\.py"
    ):
        chosen("teams:same", registry)
    assert chosen("teams/two.py:same", registry).source.value == str(here / "teams" / "two.py")


def test_a_project_folder(registry: Registry, here: Path) -> None:
    module = unique("chosen")
    write(project(here / "hail", "hail-team", {"hail": module}) / f"{module}.py", team_source("hail"))
    assert chosen("hail/", registry).name == "hail"


def test_one_of_several_in_a_file(registry: Registry, here: Path) -> None:
    write(here / "twins.py", two_teams("twin"))
    assert chosen("twins.py:twin2", registry).name == "twin2"
    assert chosen(f"{here}/twins.py:twin", registry).name == "twin"
    with pytest.raises(UserError, match=r"twins\.py: contains several algorithms; choose one of twins\.py:twin, twins\.py:twin2"):
        chosen("twins.py", registry)
    with pytest.raises(NotFoundError, match="no algorithm is called 'twin3'; did you mean twin"):
        chosen("twins.py:twin3", registry)


def test_a_path_may_hold_a_colon(registry: Registry, here: Path) -> None:
    write(here / "odd:name" / "__init__.py", team_source("odd"))
    assert chosen("./odd:name", registry).name == "odd"


def test_a_file_that_fails_says_why(registry: Registry, here: Path) -> None:
    write(here / "bad.py", "1 / 0\n")
    for text in ("bad.py", "bad.py:somebody"):
        with pytest.raises(UserError, match=r"cannot be imported: ZeroDivisionError: division by zero \(bad\.py, line 1\)"):
            chosen(text, registry)


def test_a_file_with_other_things(registry: Registry, here: Path) -> None:
    write(here / "team.py", team_source("team"))
    with pytest.raises(UserError, match=r"team\.py: contributes no map for tanks"):
        chosen("team.py", registry, MAP)


def test_a_path_that_is_missing(registry: Registry, here: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.py: no such file or folder"):
        chosen("nowhere.py", registry)
