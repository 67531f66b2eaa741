"""A recipe for what is handed in for filler as the subject lays it out: the robot is in ``solution/``, others are beside it.

Sources of any language, there or elsewhere, are built by the recipes for every game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiltyard_engine.recipes import Contents, Part, Product, Recipe, Way

PATTERNS: Final = ("solution/*", "solution/**/*")


def filler_recipes() -> Iterator[Recipe]:
    """A program, and a script."""
    yield _recipe("filler-solution", "a robot in solution/ that is built already", "\x7fELF", "executable", 84)
    yield _recipe("filler-solution-script", "a script in solution/", "#!/", "script", 86)


def _recipe(name: str, title: str, mark: str, contents: Contents, order: int) -> Recipe:
    product = Product(form="program", patterns=PATTERNS, contents=contents, avoids=("test", ".sh"), also=("**/*",))
    return Recipe(
        name=name,
        title=title,
        game="filler",
        wants=("solution/**/*",),
        mentions=(mark,),
        parts=(Part(title="the robot", ways=(Way(title="what is in solution/"),), product=product),),
        order=order,
    )
