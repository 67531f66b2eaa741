"""What plugins that were handed in run is what is in their sources."""

from __future__ import annotations

import os
import py_compile
from pathlib import Path

import pytest
from tests.engine.making import project, reasons, team_source, unique, write

from tiltyard_engine.registry import Plugin, load_source, path_sources
from tiltyard_engine.registry.sources import Source

LIE = "TEAM = 'handed in'"
TRUTH = "TEAM = 'looked at'"


def team(folder: Path, kind: str, helper: str = "helper") -> tuple[Source, list[Path]]:
    """A team with the truth in all of its files, and these."""
    if kind == "file":
        file = write(folder / "bot.py", f"{TRUTH}\n{team_source('bot')}")
        return path_sources(file)[0], [file]
    name = unique("bot")
    package = folder / "src" / name if kind == "project" else folder / name
    files = [
        write(package / f"{helper}.py", f"{TRUTH}\n"),
        write(package / "__init__.py", f"from .{helper.replace('/', '.')} import TEAM\n{team_source('bot')}"),
    ]
    place = project(folder, name, {name: name}) if kind == "project" else package
    return path_sources(place)[0], files


def word_of(plugin: Plugin) -> object:
    """What it says about itself."""
    assert reasons(plugin) == []
    return plugin.object.TEAM


@pytest.mark.parametrize("kind", ["file", "package", "project"])
def test_byte_code_is_not_run_instead_of_a_source(tmp_path: Path, kind: str) -> None:
    source, (file, *_) = team(tmp_path, kind)
    text = file.read_text()
    file.write_text(text.replace(TRUTH, LIE))
    py_compile.compile(str(file), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH, doraise=True)
    file.write_text(text)
    assert word_of(load_source(source)) == "looked at"


@pytest.mark.parametrize("kind", ["file", "package", "project"])
def test_an_edit_that_keeps_time_and_size_is_seen(tmp_path: Path, kind: str) -> None:
    source, (file, *_) = team(tmp_path, kind)
    py_compile.compile(str(file), doraise=True)
    times = file.stat()
    file.write_text(file.read_text().replace(TRUTH, LIE))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert word_of(load_source(source)) == "handed in"


@pytest.mark.parametrize("kind", ["package", "project"])
@pytest.mark.parametrize("folder", ["build", "dist", "venv", "node_modules"])
def test_nothing_is_imported_from_a_folder_that_is_not_hashed(tmp_path: Path, kind: str, folder: str) -> None:
    source, _ = team(tmp_path, kind, f"{folder}/helper")
    (reason,) = reasons(load_source(source))
    said = f"/{folder}: a folder named '{folder}' doesn't count as code; give it another name (__init__.py, line 1)"
    assert reason.endswith(said)


def test_other_modules_are_imported_as_ever_and_no_byte_code_is_left(tmp_path: Path) -> None:
    source, (helper, _) = team(tmp_path, "package")
    other = write(tmp_path / "elsewhere" / f"{unique('other')}.py", "x = 1\n")
    helper.write_text(f"import sys\nsys.path.insert(0, {str(other.parent)!r})\nimport {other.stem}\nsys.path.pop(0)\n{TRUTH}\n")
    assert word_of(load_source(source)) == "looked at"
    assert [path.parent for path in tmp_path.rglob("*.pyc")] == [other.parent / "__pycache__"]
