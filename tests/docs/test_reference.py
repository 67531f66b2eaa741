"""The reference pages say what the code says."""

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
from tests.docs.pages import blocks, frame, page, public_members, section, shown_classes
from tests.engine.making import load_text, reasons, write

import tiltyard_engine
from tiltyard_engine import GameResult, Termination
from tiltyard_engine.registry import Row
from tiltyard_engine.registry.checks import HOOK_KINDS
from tiltyard_intake.building.build import BUILD_LIMITS
from tiltyard_kit import testing
from tiltyard_kit.game_check.check import PROPERTIES
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, MANAGER_LIMITS, Limits

SHOWN = list(shown_classes(page("contract.md")))


@pytest.mark.parametrize("shown", SHOWN, ids=[node.name for node in SHOWN])
def test_a_class_on_the_page_is_the_one_in_the_source(shown: ast.ClassDef) -> None:
    source = textwrap.dedent(inspect.getsource(getattr(tiltyard_engine, shown.name)))
    (written,) = ast.parse(source).body
    assert isinstance(written, ast.ClassDef)
    assert frame(shown) == frame(written)
    assert public_members(shown) == public_members(written)


def test_results_and_terminations_are_told() -> None:
    """The other fields of records are in the reference of the Python packages, which is made from the code."""
    result = section(page("contract.md"), "GameManagers")
    assert [each.name for each in fields(GameResult) if f"`{each.name}`" not in result] == []
    verdicts = section(page("isolation.md"), "Verdicts")
    assert [
        each.value for each in Termination if each not in (Termination.NORMAL, Termination.VOID) and each.value not in verdicts
    ] == []


def test_the_page_on_testing_games_describes_every_property_in_order() -> None:
    text = page("testing-games.md")
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == [each.name for each in PROPERTIES]
    assert all(f"`{name}" in text for name in ("hides", *testing.__all__) if name.islower())


def test_limits_are_those_of_the_code() -> None:
    limits = section(page("isolation.md"), "Limits")
    rows = re.findall(r"^\| `(\w+)` \|[^|]+\|(.+)\|$", limits, re.MULTILINE)
    assert [name for name, _ in rows] == [each.name for each in fields(Limits)]
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "": 1}
    for name, cells in rows:
        for cell, of_whom in zip(cells.split("|"), (DEFAULT_LIMITS, MANAGER_LIMITS, BUILD_LIMITS), strict=True):
            number, _, unit = cell.strip().partition(" ")
            assert not number or int(number) * units[unit] == getattr(of_whom, name), name


def test_every_plugin_on_the_pages_loads(tmp_path: Path) -> None:
    examples = [block for name in ("contract.md", "hooks.md") for block in blocks(page(name)) if block.title]
    assert len(examples) >= 9
    for number, block in enumerate(examples):
        if "def commands" not in block.text and "plugin = " not in block.text:
            plugin = load_text(tmp_path / str(number), block.text, block.title)
            assert reasons(plugin) == []
            assert plugin.records


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
    for word in ("ok", "failed", "duplicate", "blocked", *HOOK_KINDS.values()):
        assert f"`{word}`" in text
