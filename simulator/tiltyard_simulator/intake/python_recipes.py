"""Recipes for Python, which every game plays: one file, a package, a project, a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way

TILTYARD_API = 1
HELPERS: Final = str(Path(__file__).parent / "python_helpers")
MENTIONS: Final = ("tiltyard_engine",)
CHECKED: Final = Step(tool="python3", words=("-I", "{headers}/check_syntax.py", "{source}"))


@hookimpl
def recipes() -> Iterator[Recipe]:
    """The more special first."""
    yield Recipe(
        name="python-project",
        title="a Python project with a pyproject.toml",
        wants=("pyproject.toml", "*.py|**/*.py"),
        mentions=("tiltyard",),
        parts=(_whole("its project"),),
        headers=(HELPERS,),
        order=50,
    )
    yield Recipe(
        name="python-package",
        title="a Python package for tiltyard, also in src/",
        wants=("__init__.py|**/*.py", "__init__.py"),
        mentions=MENTIONS,
        parts=(_whole("its package"),),
        headers=(HELPERS,),
        order=52,
    )
    yield Recipe(
        name="python-file",
        title="one Python file for tiltyard",
        wants=("*.py",),
        rejects=("__init__.py", "pyproject.toml"),
        mentions=MENTIONS,
        parts=(
            Part(
                title="the file",
                ways=(
                    Way(
                        title="its Python file",
                        steps=(Step(tool="python3", words=("-I", "{headers}/pick_plugin.py", "{source}", "{out}")),),
                    ),
                ),
                product=Product(form="file", patterns=("plugin.py",), name="{team}.py"),
            ),
        ),
        headers=(HELPERS,),
        order=54,
    )
    yield Recipe(
        name="python-notebook",
        title="a notebook with one algorithm: its code cells, exported",
        wants=("*.ipynb",),
        mentions=MENTIONS,
        parts=(
            Part(
                title="the file",
                ways=(
                    Way(
                        title="its notebook's code cells",
                        steps=(
                            Step(tool="python3", words=("-I", "{headers}/export_notebook.py", "{source}", "{out}/plugin.py")),
                            Step(tool="python3", words=("-I", "{headers}/check_syntax.py", "{out}")),
                        ),
                    ),
                ),
                product=Product(form="file", patterns=("plugin.py",), name="{team}.py"),
            ),
        ),
        headers=(HELPERS,),
        order=56,
    )


SYNTAX: Final = Recipe(
    name="python-syntax",
    title="Python files",
    wants=("**/*.py",),
    parts=(
        Part(
            title="the files",
            ways=(Way(title="its Python files", steps=(CHECKED,)),),
            product=Product(form="file", patterns=("*.py", "**/*.py")),
        ),
    ),
    headers=(HELPERS,),
)
"""Makes no team: it finds out whether files that no recipe fits are Python at all."""


def _whole(title: str) -> Part:
    return Part(title="the team", ways=(Way(title=title, steps=(CHECKED,)),), product=Product(form="folder", patterns=()))
