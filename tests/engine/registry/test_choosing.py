"""What people write on a command line, and the plugin that they mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import project, team_source, unique, write

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.choosing import choose
from tiltyard_engine.registry.registry import ALGORITHM, MAP


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


def test_a_bare_word_that_is_neither(registry: Registry, here: Path) -> None:
    with pytest.raises(NotFoundError, match="no algorithm is called 'thunders'; did you mean thunder"):
        chosen("thunders", registry)


def test_a_python_file_is_a_path_even_if_a_name_is_like_it(registry: Registry, here: Path) -> None:
    write(here / "thunder.py", team_source("filed"))
    assert chosen("thunder.py", registry).name == "filed"


def test_a_project_folder(registry: Registry, here: Path) -> None:
    module = unique("chosen")
    write(project(here / "hail", "hail-team", {"hail": module}) / f"{module}.py", team_source("hail"))
    assert chosen("hail/", registry).name == "hail"


def test_one_of_several_in_a_file(registry: Registry, here: Path) -> None:
    write(here / "twins.py", two_teams("twin"))
    assert chosen("twins.py:twin2", registry).name == "twin2"
    assert chosen(f"{here}/twins.py:twin", registry).name == "twin"
    with pytest.raises(
        UserError, match=r"twins\.py: registers several of kind algorithm; choose one of twins\.py:twin, twins\.py:twin2"
    ):
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
