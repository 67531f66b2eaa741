"""Pages as the tests run them, made ready for Sphinx: GitHub shows the same files, so they have no directives.

- Comments are left out: hidden files and preparations of the tests.
- ``console background`` is a console; a block with ``title=NAME`` gets that name above it, one with ``into=NAME`` too.
- After ``<!-- toctree: CAPTION -->``, the pages that the next list links to go into the sidebar, below that caption.
  ``<!-- toctree glob: CAPTION: PATTERN -->`` does so with all pages that fit, and lists them; the caption may be left out.
  ``<!-- class: NAME -->`` gives the next block a class.
- A picture with a twin, such as ``site.png`` with ``site-dark.png``, follows the reader's look.
- ``<!-- api: MODULE: NAME NAME -->`` becomes the reference of these names: see ``api_reference``.
- A page that begins with ``<!-- include: FILE -->`` shows that file, which is outside the folder. What else is on it is for GitHub.
- A page with ``<!-- not searched -->`` is not found by the search: the list of changes has every word, and explains none.
- Links to files outside the pages lead to the repository, if pyproject.toml names one; files can be downloaded otherwise.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import api_reference
from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
with (ROOT / "pyproject.toml").open("rb") as file:
    SOURCE: str = tomllib.load(file)["project"].get("urls", {}).get("Source", "").rstrip("/")
if ".invalid" in SOURCE:  # It stands for an address that is not known yet.
    SOURCE = ""

PART = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w+-]*)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=indent)(?P=ticks) *$"
    r"|(?<!`)<!--(?P<comment>.*?)-->\n?",
    re.DOTALL | re.MULTILINE,
)
"""A fenced block or a comment, whichever begins first. One that a page shows as code is neither."""
LINK = re.compile(r"(?P<image>!?)\[(?P<words>[^][]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
NAMES = {
    "README.md": "index.md",
    "docs/README.md": "index.md",
    "docs/decisions": "decisions/index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
"""Pages outside the site, and those that stand for them."""
LEXERS = {"": "text", "csv": "text"}
INCLUDE = re.compile(r"<!-- include: (?P<file>\S+) -->")
UNSEARCHED = "<!-- not searched -->"
UNSEARCHED_HEAD = "---\nnosearch: true\n---\n\n"
LIST = re.compile(r"\s*(?P<items>(?:^(?:- |  )[^\n]*\n?)+)", re.MULTILINE)


def prepared(text: str, page: Path) -> str:
    """The Markdown that Sphinx gets for the text of a page."""
    shown = INCLUDE.match(text)
    if shown:
        file = page.parent / shown["file"]
        return prepared(file.read_text(encoding="utf-8"), file.resolve())
    parts: list[str] = []
    end = 0
    for match in PART.finditer(text):
        parts.append(_with_links(text[end : match.start()], page))
        parts.append(_block(match) if match["ticks"] else _comment(match["comment"].strip(), text[match.end() :], page))
        end = match.end()
    return "".join([*parts, _with_links(text[end:], page)])


def _block(match: re.Match[str]) -> str:
    indent, ticks, language = match["indent"], match["ticks"], LEXERS.get(match["language"], match["language"])
    kind, _, name = match["rest"].strip().partition("=")
    caption = {"title": name, "into": f"into {name}"}.get(kind, "")
    if not caption:
        return f"{indent}{ticks}{language}\n{match['text']}{indent}{ticks}"
    return f"{indent}{ticks}{{code-block}} {language}\n{indent}:caption: {caption}\n\n{match['text']}{indent}{ticks}"


def _comment(comment: str, after: str, page: Path) -> str:
    word, _, value = comment.partition(":")
    value = value.strip()
    if word == "toctree":
        # A page outside the folder, which one of the folder includes, names pages from where it lies.
        return _toctree(value, [entry.replace("<docs/", "</") for entry in listed(after)])
    if word == "toctree glob":
        caption, _, patterns = value.rpartition(":")
        return _matching(caption.strip(), patterns.split(), page)
    if word == "api":
        return api_reference.directives(f"<!-- {comment} -->")
    if word == "class":
        return f"{{.{value}}}\n"
    return ""


def _toctree(caption: str, pages: list[str]) -> str:
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *pages, "```", "", ""]
    return "\n".join(lines)


def _matching(caption: str, patterns: list[str], page: Path) -> str:
    """All pages that fit, as a list that is seen on the page, and in the sidebar below the caption."""
    found = [pattern for pattern in patterns if any(page.parent.glob(f"{pattern}.md"))]
    options = [":maxdepth: 1", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["```{toctree}", ":glob:", *options, "", *found, "```", "", ""]) if found else ""


def listed(text: str) -> list[str]:
    """The pages that the list at the start of ``text`` links to, with the words of the links: the first link of each item."""
    found = LIST.match(re.sub(r"\A(\s*<!--[^>]*-->)*", "", text))
    items = re.split(r"^- ", found["items"], flags=re.MULTILINE)[1:] if found else []
    links = [LINK.search(item) for item in items]
    return [
        f"{' '.join(link['words'].split())} <{link['target'].removesuffix('.md')}>"
        for link in links
        if link and link["target"].endswith(".md")
    ]


def _with_links(text: str, page: Path) -> str:
    return LINK.sub(lambda match: _link(match, page), text)


def _link(match: re.Match[str], page: Path) -> str:
    """A link that Sphinx can follow, or its text alone where there is nothing to follow to."""
    words, target = match["words"], match["target"]
    path = (page.parent / target).resolve()
    if "://" in target or not path.is_relative_to(ROOT) or not path.exists():
        return match[0]  # If it leads nowhere, Sphinx says so.
    name = path.relative_to(ROOT).as_posix()
    if name in NAMES:
        return f"[{words}](/{NAMES[name]}{match['anchor'] or ''})"
    if match["image"] and path.is_relative_to(DOCS):
        return _picture(path, words)
    if path.is_file() and path.is_relative_to(DOCS):
        return f"{match['image']}[{words}](/{path.relative_to(DOCS).as_posix()}{match['anchor'] or ''})"
    if path.is_file() and path.suffix != ".md" and page.is_relative_to(DOCS):
        return match[0]
    return f"[{words}]({SOURCE}/tree/main/{name})" if SOURCE else words


def _picture(path: Path, words: str) -> str:
    """A picture; if one of the name with ``-dark`` stands beside it, that one is for the dark look."""
    dark = path.with_stem(f"{path.stem}-dark")
    if not dark.exists():
        return f"![{words}](/{path.relative_to(DOCS).as_posix()})"
    alt = " ".join(words.split())
    return "\n".join(
        f"```{{image}} /{file.relative_to(DOCS).as_posix()}\n:alt: {alt}\n:class: only-{look}\n```"
        for look, file in (("light", path), ("dark", dark))
    )


def read_source(app: Sphinx, document: str, source: list[str]) -> None:
    """Called by Sphinx for each page."""
    head = UNSEARCHED_HEAD if UNSEARCHED in source[0] else ""
    source[0] = head + prepared(source[0], Path(app.env.doc2path(document)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
