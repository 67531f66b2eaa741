"""Hints lead where their readers can go: nobody who plays or hands in has a checkout."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tiltyard_checks.command.explain import PAGES as EXPLANATIONS
from tiltyard_checks.command.explain import read_sections

ROOT = Path(__file__).resolve().parents[2]
ROOMS = [ROOT / room for room in ("engine", "simulator", "tournaments", "plugins")]
PAGES = "reference|how-to|explanation|decisions|tutorial"
CHECKOUT = re.compile(rf"docs/[\w-]|(?:{PAGES})/[\w-]+\.md|(?:CONTRIBUTING|SECURITY|RELEASING)\.md")
IN_HINTS = ("docs/", ".md", "explain ")
"""A file with none of these needn't be parsed: none of its texts is looked at any further."""
EXPLAINED = re.compile(r"tiltyard explain ([a-z][\w-]+)")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What code may say: its strings without documentation, but with the help of commands; of other files each line."""
    if path.suffix != ".py":
        yield from enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        return
    code = path.read_text(encoding="utf-8")
    if not any(word in code for word in IN_HINTS):
        return
    tree = ast.parse(code)
    silent: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_command = any("command(" in ast.unparse(each) for each in getattr(node, "decorator_list", ()))
        if not is_command:
            silent |= {id(each.value) for each in node.body if isinstance(each, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


@cache
def all_texts() -> tuple[tuple[str, str], ...]:
    """What all code may say, with its place."""
    return tuple(_all_texts())


def _all_texts() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for pattern in ("*.py", "*.html", "*.toml"):
            for path in sorted(room.rglob(pattern)):
                # What is installed for a build, and metadata, are no hints. Templates of new packages have docs of their own.
                if path.name != "pyproject.toml" and "__pycache__" not in path.parts:
                    yield from ((f"{path.relative_to(ROOT)}:{line}", text) for line, text in texts(path))


def test_no_hint_names_a_file_of_the_checkout() -> None:
    assert [(place, text[:80]) for place, text in all_texts() if CHECKOUT.search(text)] == []


def test_every_explanation_that_a_hint_names_is_there() -> None:
    pages = [ROOT / "simulator/tiltyard_checks/command" / name for name in EXPLANATIONS]
    names = {section.name for page in pages for section in read_sections(page.read_text(encoding="utf-8"))}
    hints = [(place, name) for place, text in all_texts() for name in EXPLAINED.findall(text)]
    assert {name for _, name in hints} >= {"in-the-sandbox", "wrong-answer"}
    assert [(place, name) for place, name in hints if name not in names] == []


@pytest.mark.parametrize("text", ["see docs/reference/programs.md", "reference/contract.md says it", "read SECURITY.md"])
def test_such_a_hint_is_seen(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f'"""Says docs/x."""\nHINT = f" ({{x}}: {text})"\n')
    ((_, said),) = [each for each in texts(tmp_path / "a.py") if CHECKOUT.search(each[1])]
    assert text in said
