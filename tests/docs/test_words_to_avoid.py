"""No page, template, script or message has a phrase of docs/words-to-avoid.txt; docstrings and names have fewer and fewer."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs/words-to-avoid.txt"
FOLDERS = ("engine", "simulator", "tournaments", "plugins")

LINES = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
INSTEAD = dict(line.split("\t") for line in LINES if line and not line.startswith("#"))
PHRASES = "|".join(r"\s+".join(map(re.escape, phrase.lower().split())) for phrase in INSTEAD)
PHRASE = re.compile(rf"(?<!\w)(?:{PHRASES or '(?!)'})(?!\w)")
"""Any of them, also over the end of a line, in a text of small letters: to look for both takes six times as long."""
WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
"""A word of a name such as ``is_given_up`` or ``SlowImports``."""
COMMENT: Final = re.compile(r"\{#.*?#\}|<!--.*?-->|/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
TAG: Final = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", re.DOTALL)
STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
MOST_IN_DOCSTRINGS: Final = 48
MOST_IN_NAMES: Final = 0
"""How many there still are: whoever makes a number smaller writes the new one down here. They may only fall."""


@functools.cache
def pages() -> Sequence[Path]:
    first = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "engine/README.md")]
    return [*first, *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "plugins").glob("*/README.md"))]


@functools.cache
def files(*endings: str) -> Sequence[Path]:
    """Those of the code, but not when these tests are only collected: to look for them takes a while."""
    return sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.suffix in endings)


def in_words(name: str) -> str:
    return " ".join(WORD.findall(name))


def replacements(text: str) -> Iterator[str]:
    """What to write instead of each phrase in a text."""
    for match in PHRASE.finditer(text.lower()):
        phrase = " ".join(match[0].split())
        yield f"'{phrase}': write {INSTEAD[phrase]}"


@functools.cache
def sources_with_one() -> Sequence[Path]:
    """The modules that have a phrase anywhere: few of them, so few have to be parsed."""
    return [file for file in files(".py") if PHRASE.search(file.read_text(encoding="utf-8").lower())]


def sources_that_may_name_one() -> Iterator[Path]:
    """The modules with a word that would be a phrase as a name, wherever it stands: few of them have to be parsed."""
    is_one: dict[str, bool] = {}
    for file in files(".py"):
        found = set(re.findall(r"\w+", file.read_text(encoding="utf-8")))
        is_one |= {name: PHRASE.search(in_words(name).lower()) is not None for name in found - is_one.keys()}
        if any(is_one[name] for name in found):
            yield file


def parsed(file: Path) -> ast.Module:
    # Never all of them at once: each later garbage collection would walk over millions of nodes.
    return ast.parse(file.read_bytes())


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The strings of a module with their lines, but no docstrings: those are for its readers."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value and id(node) not in docstrings:
            yield node.lineno, node.value


def shown(file: Path) -> str:
    """What readers see of a template or a script: the text outside of tags, and all strings."""
    text = COMMENT.sub(" ", file.read_text(encoding="utf-8"))
    outside = TAG.sub(" ", text) if file.suffix == ".html" else ""
    return "\n".join([outside, *(match[0].strip('"`') for match in STRING.finditer(text))])


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings of a module with their lines, those of values too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The names that a module gives, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


@pytest.mark.skipif(not INSTEAD, reason="docs/words-to-avoid.txt is not there")
def test_no_page_has_one() -> None:
    wrong = [f"{page.relative_to(ROOT)}: {what}" for page in pages() for what in replacements(page.read_text(encoding="utf-8"))]
    assert wrong == []


@pytest.mark.skipif(not INSTEAD, reason="docs/words-to-avoid.txt is not there")
def test_no_template_and_no_script_has_one() -> None:
    assert len(files(".html", ".js")) > 50
    wrong = [f"{file.relative_to(ROOT)}: {what}" for file in files(".html", ".js") for what in replacements(shown(file))]
    assert wrong == []


def test_what_is_looked_at(tmp_path: Path) -> None:
    tree = ast.parse('"""One anew."""\nis_anew = 1\n"""Two anew."""\ndef seedAnew(anew):\n    return "in order to"\n')
    assert [text for _, text in messages(tree)] == ["in order to"]
    assert [text for _, text in docstrings(tree)] == ["One anew.", "Two anew."]
    assert sorted(in_words(name) for _, name in names(tree)) == ["anew", "is anew", "seed Anew"]
    page, script = tmp_path / "page.html", tmp_path / "script.js"
    page.write_text('{# one #}<p title="two">three {% if four %}{{ "five" }}<b>six</b>{% endif %}</p><!-- seven -->')
    script.write_text('// "one"\nsay("two", `three ${four}`); /* "five" */\n')
    assert shown(page).split() == ["three", "six", "two", "five"]
    assert shown(script).split() == ["two", "three", "${four}"]


@pytest.mark.skipif(not INSTEAD, reason="docs/words-to-avoid.txt is not there")
@pytest.mark.parametrize(("texts", "most"), [(messages, 0), (docstrings, MOST_IN_DOCSTRINGS)], ids=["messages", "docstrings"])
def test_few_texts_have_one(texts: Callable[[ast.Module], Iterator[tuple[int, str]]], most: int) -> None:
    wrong = [
        f"{file.relative_to(ROOT)}, line {line}: {what}"
        for file in sources_with_one()
        for line, text in texts(parsed(file))
        for what in replacements(text)
    ]
    assert len(wrong) <= most, "\n".join(wrong)


@pytest.mark.skipif(not INSTEAD, reason="docs/words-to-avoid.txt is not there")
def test_few_names_have_one() -> None:
    lines = {
        name: f"{file.relative_to(ROOT)}, line {line}" for file in sources_that_may_name_one() for line, name in names(parsed(file))
    }
    wrong = [f"{lines[name]}: {what}" for name in lines for what in replacements(in_words(name))]
    assert len(wrong) <= MOST_IN_NAMES, "\n".join(wrong)
