"""The reference of what can be imported: ``<!-- api: MODULE: NAME NAME -->`` on a page becomes the docstrings of these names.

Each gets links to pages whose code uses it: the tests run that code. ``docs/api`` has the pages, and
``tests/docs/test_api_reference.py`` holds them to what the modules export.
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

DOCS = Path(__file__).resolve().parents[1]
MODULES = ("tiltyard_engine", "tiltyard_kit.testing", "tiltyard_tournaments", "tiltyard_gym")
"""Under whose names people import what is documented."""

ENTRY = re.compile(r"<!-- api: (?P<module>[\w.]+): (?P<names>[\w ]+) -->")
PYTHON = re.compile(r"^```python(?P<rest>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
PLAYED = ("how-to/use-from-python", "how-to/use-in-notebooks", "api/")
"""Pages whose Python is run from top to bottom. On others, files and edits are run: blocks with a name."""
GAMES = "start/authors-of-games"
"""The page that leads to the example games."""
FOLDERS = ("how-to", "tutorial", "start", "reference")
"""Where examples are best looked at, the best first."""
MOST_LINKS = 3


def entries(text: str) -> Iterator[tuple[str, str]]:
    """The modules and names that a page documents, in order."""
    for match in ENTRY.finditer(text):
        for name in match["names"].split():
            yield match["module"], name


def directives(text: str) -> str:
    """What Sphinx makes the reference of: the directives for a comment of this kind."""
    lines: list[str] = []
    for module, name in entries(text):
        try:
            found = getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as error:
            return f"This build of the pages has no reference of `{module}`: {error} where it was built.\n"
        lines += ["", f".. {_directive(found)}:: {module}.{name}"]
        if _directive(found) == "autodata":
            lines.append("   :no-value:")
        if inspect.isclass(found):
            lines.append("   :members:")
            # Members of other classes are shown where they have something to say. Those of an enumeration are what it is.
            if issubclass(found, enum.Enum):
                lines.append("   :undoc-members:")
    return "\n".join(["```{eval-rst}", *lines, "```", ""])


def _directive(found: Any) -> str:
    if inspect.isclass(found):
        return "autoexception" if issubclass(found, BaseException) else "autoclass"
    return "autofunction" if inspect.isroutine(found) or hasattr(found, "__wrapped__") else "autodata"


@functools.cache
def examples() -> dict[str, list[str]]:
    """Pages with code that the tests run, by the names that the code uses; guides first."""
    found: dict[str, list[str]] = {}
    pages = [(page.relative_to(DOCS).with_suffix("").as_posix(), _code_of(page)) for page in DOCS.rglob("*.md")]
    games = "\n".join(file.read_text(encoding="utf-8") for file in sorted((DOCS / "examples" / "games").glob("*.py")))
    for page, code in sorted([*pages, (GAMES, games)], key=lambda each: (_rank(each[0]), each[0])):
        for name in _names(code):
            found.setdefault(name, []).append(page)
    return found


def _rank(page: str) -> int:
    folder = page.partition("/")[0]
    return FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS)


def _code_of(page: Path) -> str:
    name = page.relative_to(DOCS).as_posix()
    is_played = name.startswith(PLAYED)
    blocks = PYTHON.finditer(page.read_text(encoding="utf-8"))
    return "\n".join(block["text"] for block in blocks if is_played or "title=" in block["rest"] or "into=" in block["rest"])


def _names(code: str) -> set[str]:
    """What code imports, calls and takes."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        # Pages show code with mistakes too.
        return set(re.findall(r"\b[A-Z]\w+", code))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(node.attr)
    return found


def words_of_value(module: str, name: str) -> str:
    """What stands below a module's value, in the module that it comes from."""
    tree = ast.parse(Path(inspect.getfile(importlib.import_module(module))).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        # Also what is imported late at run time, and stands below ``if TYPE_CHECKING``.
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == name for alias in node.names):
            return words_of_value(node.module, name)
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            said = after.value if isinstance(after, ast.Expr) else None
            return inspect.cleandoc(said.value) if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
    return ""


class Docstrings:
    """Makes each docstring ready, around napoleon, which reads the sections of Google's style."""

    def __init__(self) -> None:
        self.field: list[str] = []

    def before(self, app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
        """Called by Sphinx first. Of a field's docstring, napoleon would take what stands before a colon for a type."""
        if what == "attribute":
            self.field = lines[:]
            lines.clear()

    def after(self, app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
        """Called by Sphinx last."""
        module, _, own_name = name.rpartition(".")
        if what == "attribute":
            lines[:] = self.field
        if what == "data":
            lines[:] = words_of_value(module, own_name).splitlines()
        if what in ("class", "exception", "function", "data"):
            here = app.env.current_document.docname
            pages = [page for page in examples().get(own_name, ()) if page != here][:MOST_LINKS]
            lines += ["", f"Used in {', '.join(f':doc:`/{page}`' for page in pages)}.", ""] if pages else [""]


def clean_signature(
    app: Sphinx, what: str, name: str, found: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Called by Sphinx for each signature: nobody calls a protocol or an enumeration."""
    if inspect.isclass(found) and (issubclass(found, enum.Enum) or Protocol in found.__bases__):
        return "", ""
    return None


class NearestName(SphinxPostTransform):
    """A type by its bare name is the one of the module that the page is about, or else the first that people import."""

    default_priority = 5  # Before Sphinx looks for it anywhere.

    def run(self, **_: Any) -> None:
        """Write the whole name where there is one."""
        objects = self.env.domains.python_domain.objects
        for node in self.document.findall(pending_xref):
            name = str(node.get("reftarget", ""))
            if node.get("refdomain") == "py" and name and "." not in name:
                whole = (f"{module}.{name}" for module in (node.get("py:module"), *MODULES))
                node["reftarget"] = next((each for each in whole if each in objects), name)


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement) -> nodes.Element | None:
    """Called by Sphinx for a type that it cannot find: it may be documented under the name that people import."""
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].rpartition(".")[2]
    domain = env.domains.python_domain
    for module in MODULES:
        if f"{module}.{name}" in domain.objects and node["reftarget"].startswith(("tiltyard", name)):
            return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], f"{module}.{name}", node, content)
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    docstrings = Docstrings()
    app.connect("autodoc-process-docstring", docstrings.before, priority=400)
    app.connect("autodoc-process-docstring", docstrings.after, priority=600)
    app.connect("autodoc-process-signature", clean_signature)
    app.add_post_transform(NearestName)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
