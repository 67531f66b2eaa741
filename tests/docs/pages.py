"""The blocks of a reference page: code to run, and code that shows what the source says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?P<language>\w*)(?: title=(?P<title>\S+))?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block; ``title`` is the name of the file that it is, if it is one."""

    language: str
    title: str
    text: str


def page(name: str) -> str:
    """A page of docs/reference."""
    return (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """All fenced blocks, in order."""
    return [Block(match["language"], match["title"] or "", match["text"]) for match in BLOCK.finditer(text)]


def section(text: str, heading: str) -> str:
    """The text below a heading of the second level, up to the next one."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"there is no section '{heading}'"
    return found[1]


def shown_classes(text: str) -> Iterator[ast.ClassDef]:
    """The classes in blocks that are no files: those that show what the source says."""
    for block in blocks(text):
        if block.language == "python" and not block.title and "class " in block.text:
            for node in ast.parse(block.text).body:
                assert isinstance(node, ast.ClassDef)
                yield node


def public_members(node: ast.ClassDef) -> dict[str, str]:
    """What a class has for others, by name: signatures with their decorators, fields with types and defaults."""
    members: dict[str, str] = {}
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and (part.name in ("__init__", "__call__") or not part.name.startswith("_")):
            part.body = [ast.Pass()]
            members[part.name] = ast.unparse(part)
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            members[part.target.id] = ast.unparse(part)
        elif isinstance(part, ast.Assign):
            members[ast.unparse(part.targets[0])] = ast.unparse(part)
    return {name: text for name, text in members.items() if not name.startswith("_") or name in ("__init__", "__call__")}


def frame(node: ast.ClassDef) -> str:
    """The class's own line, with its decorators and bases."""
    return ast.unparse(ast.ClassDef(node.name, node.bases, node.keywords, [ast.Pass()], node.decorator_list))
