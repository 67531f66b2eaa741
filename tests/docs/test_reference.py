"""The reference pages say what the code says, and the reports that they show are the registry's own."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
import textwrap
from dataclasses import fields
from pathlib import Path

import pytest
from tests.docs.pages import Block, blocks, frame, page, public_members, section, shown_classes
from tests.engine.making import load_text, project, reasons, write

import tiltyard_engine
from tiltyard_engine.registry import Registry, Row
from tiltyard_kit import testing
from tiltyard_kit.game_check.check import PROPERTIES

SHOWN = [(name, node) for name in ("contract.md", "hooks.md") for node in shown_classes(page(name))]


@pytest.mark.parametrize(("name", "shown"), SHOWN, ids=[f"{name}-{node.name}" for name, node in SHOWN])
def test_a_class_on_a_page_is_the_one_in_the_source(name: str, shown: ast.ClassDef) -> None:
    source = textwrap.dedent(inspect.getsource(getattr(tiltyard_engine, shown.name)))
    (written,) = ast.parse(source).body
    assert isinstance(written, ast.ClassDef)
    assert frame(shown) == frame(written)
    assert public_members(shown) == public_members(written)


def test_the_pages_show_everything_that_is_public() -> None:
    """Errors, what holds a team's code and what marks hooks are told in words; encodings are on a page of their own."""
    in_words = {
        "API_VERSION",
        "Algorithm",
        "ContractError",
        "Event",
        "Hooks",
        "MapError",
        "NotFoundError",
        "NullRecorder",
        "ReplayRecorder",
        "UserError",
    }
    in_words |= {"Event", "ViewExpiredError", "hides", "hookimpl", "hookspec", "option"}
    in_words |= {"choose_all", "start_all", "ranks_of", "winner_of"}
    in_words |= {"GameEncoding", "Observation", "Spaces", "TankEncoding", "TankMemory", "TurnEncoding"}
    assert {node.name for _, node in SHOWN} == set(tiltyard_engine.__all__) - in_words


def test_the_page_on_testing_games_describes_every_property_in_order() -> None:
    text = page("testing-games.md")
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == [each.name for each in PROPERTIES]
    assert all(f"`{name}" in text for name in ("hides", *testing.__all__) if name.islower())


def test_every_plugin_on_the_page_of_hooks_loads(tmp_path: Path) -> None:
    examples = [block for block in blocks(page("hooks.md")) if block.title]
    assert len(examples) >= 6
    for number, block in enumerate(examples):
        if "def commands" not in block.text and "plugin = " not in block.text:
            plugin = load_text(tmp_path / str(number), block.text, block.title)
            assert reasons(plugin) == []
            assert plugin.records


def test_the_object_on_the_page_of_hooks_is_a_plugin_by_its_entry_point(tmp_path: Path) -> None:
    (block,) = [block for block in blocks(section(page("hooks.md"), "Entry points")) if block.title]
    package = f"shelves_{tmp_path.name}"
    write(tmp_path / package / "__init__.py", "")
    write(tmp_path / package / "shelf.py", block.text)
    registry = Registry.from_paths([project(tmp_path, "thunder-team", {"thunder-maps": f"{package}.shelf:plugin"})])
    assert [(row.name, row.status) for row in registry.rows] == [("wall-3", "ok"), ("wall-4", "ok"), ("wall-5", "ok")]


def reports() -> list[tuple[str, list[Block], str]]:
    """From the page of plugins: a heading, the files below it, and the report that they are said to give."""
    found: list[tuple[str, list[Block], str]] = []
    for part in re.split(r"^### ", section(page("plugins.md"), "What is reported"), flags=re.MULTILINE)[1:]:
        files: list[Block] = []
        for block in blocks(part):
            if block.language == "text":
                found.append((part.partition("\n")[0], files, block.text))
                files = []
            else:
                files.append(block)
    return found


@pytest.mark.parametrize(("heading", "files", "report"), reports(), ids=[heading for heading, _, _ in reports()])
def test_a_report_is_the_registrys_own(heading: str, files: list[Block], report: str, tmp_path: Path) -> None:
    for block in files:
        write(tmp_path / block.title, block.text)
    registry = Registry.from_paths([tmp_path / "teams"])
    lines = [f"{row.name}: {row.status}: {row.reason}".replace(f"{tmp_path}/", "") for row in registry.failures()]
    assert lines == report.splitlines()
    assert all(row.file.startswith(str(tmp_path)) for row in registry.failures())


def test_columns_are_named_as_they_are(tmp_path: Path) -> None:
    team = next(block for block in blocks(page("hooks.md")) if block.title == "spinner.py")
    write(tmp_path / "teams" / "spinner.py", team.text)
    write(tmp_path / "teams" / "broken.py", "1 / 0\n")
    text = section(page("plugins.md"), "tiltyard plugins")
    command = [str(Path(sys.executable).with_name("tiltyard")), "plugins", "--json", "teams"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows] == ["broken", "spinner"]
    names = [field.name for field in fields(Row)]
    assert list(rows[0]) == names
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == names
    for status in ("ok", "failed", "duplicate", "blocked"):
        assert f"`{status}`" in text
