"""Tests that pages name are there: what a page promises is held by them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from tests.docs.console import ROOT

NAMED = re.compile(r"`(tests/[\w/.]*)::(\w+)`")
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "`tests/" in page.read_text(encoding="utf-8")]
TABLES = {"promises.md": ("## Results are kept", 30), "league-safety.md": ("## What protects it", 12)}
"""Pages on which each line of a table has tests: where the tables begin, and how many lines there are at least."""
MOST_WORDS = 700


@cache
def collected(file: Path) -> frozenset[str]:
    """The names that pytest finds in a file: functions of the module, and none of them twice."""
    if not (file.name.startswith("test_") and file.is_file()):
        return frozenset()
    names = [node.name for node in ast.parse(file.read_bytes()).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(name for name in names if name.startswith("test_") and names.count(name) == 1)


def missing(text: str) -> list[str]:
    """The tests that a text names and that there aren't."""
    return [f"{file}::{name}" for file, name in NAMED.findall(text) if name not in collected(ROOT / file)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_test_that_a_page_names_is_there(page: Path) -> None:
    assert missing(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", TABLES)
def test_each_line_of_a_table_has_tests(name: str) -> None:
    begin, least = TABLES[name]
    _, there, section = (ROOT / "docs/reference" / name).read_text(encoding="utf-8").partition(begin)
    # Not the head of a table, and not the addresses, which are made.
    lines = re.findall(r"^\| (?!`).*$(?!\n\|--)", section, re.MULTILINE)
    assert there
    assert len(lines) >= least
    assert [line for line in lines if not NAMED.search(line)] == []


def test_promises_can_be_read_at_once() -> None:
    assert len((ROOT / "docs/reference/promises.md").read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_a_test_that_is_not_there_is_found() -> None:
    here = "tests/docs/test_named_tests.py"
    assert missing(f"`{here}::test_a_test_that_is_not_there_is_found`") == []
    wrong = [f"{here}::test_nothing", f"{here}::missing", "tests/docs/console.py::run", "tests/nowhere/test_x.py::test_x"]
    assert missing(" ".join(f"`{name}`" for name in wrong)) == wrong
