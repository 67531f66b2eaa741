"""No page and no message has a phrase of docs/words-to-avoid.txt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs/words-to-avoid.txt"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "engine/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "plugins").glob("*/README.md")),
]
SOURCES = [file for folder in ("engine", "simulator", "tournaments", "plugins") for file in sorted((ROOT / folder).rglob("*.py"))]

LINES = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
INSTEAD = dict(line.split("\t") for line in LINES if line and not line.startswith("#"))
PHRASES = "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in INSTEAD)
PHRASE = re.compile(rf"(?<!\w)(?:{PHRASES or '(?!)'})(?!\w)", re.IGNORECASE)
"""Any of them, also over the end of a line."""


def found(text: str) -> Iterator[str]:
    """What to write instead of each phrase in a text."""
    for match in PHRASE.finditer(text):
        phrase = " ".join(match[0].split())
        yield f"'{phrase}': write {INSTEAD[phrase.lower()]}"


def messages(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a module with their lines, but no docstrings: those are for its readers."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value and id(node) not in docstrings:
            yield node.lineno, node.value


@pytest.mark.skipif(not INSTEAD, reason="docs/words-to-avoid.txt is not there")
def test_no_page_has_one() -> None:
    wrong = [f"{page.relative_to(ROOT)}: {what}" for page in PAGES for what in found(page.read_text(encoding="utf-8"))]
    assert wrong == []


@pytest.mark.skipif(not INSTEAD, reason="docs/words-to-avoid.txt is not there")
def test_no_message_has_one() -> None:
    wrong: list[str] = []
    for file in SOURCES:
        text = file.read_text(encoding="utf-8")
        # Most modules have none anywhere; only the others are parsed.
        if next(found(text), None):
            wrong += [
                f"{file.relative_to(ROOT)}, line {line}: {what}" for line, message in messages(text) for what in found(message)
            ]
    assert wrong == []
