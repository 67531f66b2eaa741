"""Which environment a team runs on: what the organiser wrote down beside it, and nothing that a team brings."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.engine.environments import make_environment
from tests.engine.making import team_source, write

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Source, path_sources
from tiltyard_engine.registry.environments import ENVIRONMENTS, TEAMS_FILE, environment_of

PROJECT = '[project]\nname = "p"\n[project.entry-points.tiltyard]\np = "p"\n'


def source_at(path: Path) -> Source:
    (source,) = path_sources(path)
    return source


@pytest.fixture
def team(tmp_path: Path) -> Path:
    return write(tmp_path / "teams" / "ann.py", team_source("ann"))


def test_a_team_without_one_runs_on_the_runners_own(team: Path) -> None:
    make_environment(team.with_name("ben.py"), {"shared": ""})
    assert source_at(team).environment == ""


def test_it_is_found_from_the_team_and_from_its_folder(team: Path) -> None:
    folder = make_environment(team, {"shared": ""})
    assert source_at(team).environment == source_at(team.parent).environment == str(folder)


@pytest.mark.parametrize("inner", ["", "src/"])
def test_that_of_a_project_is_named_by_its_folder(inner: str, tmp_path: Path) -> None:
    project = tmp_path / "teams" / "cem"
    write(project / "pyproject.toml", PROJECT)
    write(project / f"{inner}p.py", team_source("p"))
    folder = make_environment(project, {"shared": ""})
    # What the project brings below itself is not asked.
    make_environment(project / "src", {"shared": "forged"})
    assert source_at(project).environment == str(folder)


def test_one_that_is_gone_or_was_changed_is_an_error(team: Path) -> None:
    folder = make_environment(team, {"shared": ""})
    (folder / "lock.txt").write_text("# another\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"was changed after it was made; run 'tiltyard intake' again"):
        environment_of(team)
    shutil.rmtree(folder)
    assert "is not on this machine; run 'tiltyard intake' again, or copy" in source_at(team).error
    other = make_environment(team.parent / "inner" / "ann.py", {"other": ""})
    folder.symlink_to(other)
    assert f"is a link to {other}, which isn't the same; run 'tiltyard intake' again" in source_at(team).error
    folder.unlink()
    folder.symlink_to(folder)
    assert "is not on this machine" in source_at(team).error


def test_a_link_leads_to_one_that_others_share(team: Path) -> None:
    folder = make_environment(team, {"shared": ""})
    shared = make_environment(team.parent / "elsewhere" / "ben.py", {"shared": ""})
    shutil.rmtree(folder)
    folder.symlink_to(shared)
    assert source_at(team).environment == str(shared)


def test_one_for_another_python_is_an_error(team: Path) -> None:
    make_environment(team, {"shared": ""}, python="# CPython 2.7, beos")
    assert "is for CPython 2.7, beos, but this is" in source_at(team).error


@pytest.mark.parametrize("text", ["[1]", '{"ann.py": "../../etc"}', "{", "\ufeff" * 3])
def test_a_damaged_list_is_an_error_and_names_the_file(text: str, team: Path) -> None:
    path = write(team.parent / ENVIRONMENTS / TEAMS_FILE, text)
    error = source_at(team).error
    assert str(path) in error
    assert "run 'tiltyard intake' again" in error
