"""What can be wrong with a recipe, as far as it is known without building anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final, get_args

from tiltyard_engine.recipes import Contents, Form, Part, Product, Recipe, Step, Way

_PLACE: Final = re.compile(r"\{([^{}]*)\}")
_PLACES: Final = ("source", "out", "headers", "team", "packages")
_LISTS: Final = ("files:", "folders:")
_TOOL: Final = re.compile(r"[A-Za-z0-9_.+-]+")


def recipe_problems(recipe: Any) -> Iterator[str]:
    """The problems of a recipe; empty strings where there is none."""
    yield _not_all("wants", recipe.wants, str) or ("" if recipe.wants else "wants is empty: it would fit every tree")
    for field in ("rejects", "mentions"):
        yield _not_all(field, getattr(recipe, field), str)
    yield from map(_pattern_problem, (*recipe.wants, *recipe.rejects))
    yield "" if isinstance(recipe.title, str) and recipe.title else "title is empty, expected a few words for people"
    yield "" if type(recipe.order) is int else f"order is {recipe.order!r}, expected a number"
    yield _not_all("headers", recipe.headers, str)
    yield from (
        f"headers: there is no {path}" for path in recipe.headers if not Path(path).is_absolute() or not Path(path).exists()
    )
    yield _not_all("parts", recipe.parts, Part) or ("" if recipe.parts else "parts is empty: nothing would come out")
    for part in recipe.parts:
        yield from _part_problems(recipe, part)


def _part_problems(recipe: Recipe, part: Any) -> Iterator[str]:
    where = f"the part {part.title!r}"
    yield _not_all(f"{where}: ways", part.ways, Way) or ("" if part.ways else f"{where} has no ways")
    if not isinstance(part.product, Product):
        yield f"{where}: product is {part.product!r:.60}, expected a Product"
        return
    product = part.product
    yield "" if product.form in get_args(Form) else f"{where}: form is {product.form!r}"
    yield "" if product.contents in get_args(Contents) else f"{where}: contents is {product.contents!r}"
    yield _not_all(f"{where}: patterns", product.patterns, str)
    yield "" if product.patterns or product.form == "folder" else f"{where}: its product has no patterns"
    for way in part.ways:
        yield _not_all(f"{where}: steps", way.steps, Step)
        yield from map(_pattern_problem, (*way.wants, *way.rejects))
        for step in way.steps:
            yield "" if _TOOL.fullmatch(step.tool) else f"{where}: the tool {step.tool!r} is not the name of a program"
            texts = (*step.words, step.folder, *(value for _, value in step.environment))
            yield from (_place_problem(text, recipe.headers) for text in texts)


def _not_all(field: str, values: object, kind: type[Any]) -> str:
    if isinstance(values, tuple) and all(isinstance(value, kind) for value in values):
        return ""
    return f"{field} is {values!r:.60}, expected a tuple of {kind.__name__}"


def _pattern_problem(pattern: str) -> str:
    for each in pattern.split("|"):
        if not each or PurePosixPath(each).is_absolute() or ".." in each.split("/"):
            return f"the pattern {pattern!r} is not a path below the root"
    return ""


def _place_problem(text: str, headers: tuple[str, ...]) -> str:
    for place in _PLACE.findall(text):
        if place == "headers" and not headers:
            return f"{text!r} stands for the recipe's own files, but headers is empty"
        if place not in _PLACES and not place.startswith(_LISTS):
            return f"{text!r} has an unknown place; there are {{{'}, {'.join(_PLACES)}}}, {{files:...}} and {{folders:...}}"
    return ""
