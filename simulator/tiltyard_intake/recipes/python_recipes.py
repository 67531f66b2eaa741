"""Recipes for Python, which every game plays: one file, a package, a project, a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way
from tiltyard_engine.registry import python_folders

TILTYARD_API = 1
HELPERS: Final = str(Path(__file__).parent / "python_helpers")
MENTIONS: Final = ("tiltyard_engine",)
PICKING: Final = (HELPERS, str(python_folders.__file__))
"""The builds tell which folder is one team's as the registry does."""
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
        mentions=("hookimpl",),
        parts=(_picked("its package"),),
        headers=PICKING,
        order=52,
    )
    yield Recipe(
        name="python-file",
        title="one Python file for tiltyard",
        wants=("*.py",),
        rejects=("__init__.py",),
        mentions=MENTIONS,
        parts=(_picked("its Python file"),),
        headers=PICKING,
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


def _picked(title: str) -> Part:
    step = Step(tool="python3", words=("-I", "{headers}/pick_plugin.py", "{source}", "{out}"))
    # A file that needs others becomes a folder with all of them.
    product = Product(form="file", patterns=("plugin.py", "team-folder/*"), name="{team}.py", also=("**/*",))
    return Part(title="the team", ways=(Way(title=title, steps=(step,)),), product=product)


def _whole(title: str) -> Part:
    return Part(title="the team", ways=(Way(title=title, steps=(CHECKED,)),), product=Product(form="folder", patterns=()))
