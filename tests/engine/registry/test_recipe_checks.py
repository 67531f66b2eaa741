"""A recipe that could not work is refused when it is read, with a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way
from tiltyard_engine.registry.checks import GAME_NAME_IN_WORDS, problem_of

PRODUCT = Product(form="file", patterns=("*.so",))
PART = Part(title="it", ways=(Way(title="by hand", steps=(Step(tool="g++", words=("{files:*.cpp}",)),)),), product=PRODUCT)
RECIPE = Recipe(name="plain", title="plain files", wants=("*.cpp",), parts=(PART,))


def with_step(**changes: Any) -> Recipe:
    step = replace(Step(tool="g++"), **changes)
    return replace(RECIPE, parts=(replace(PART, ways=(Way(title="by hand", steps=(step,)),)),))


def with_product(**changes: Any) -> Recipe:
    return replace(RECIPE, parts=(replace(PART, product=replace(PRODUCT, **changes)),))


def test_a_whole_recipe_has_no_problem_with_and_without_a_game() -> None:
    assert problem_of("recipes", RECIPE) == ""
    assert problem_of("recipes", replace(RECIPE, game="tanks")) == ""


@pytest.mark.parametrize(
    ("recipe", "problem"),
    [
        (replace(RECIPE, wants=()), "wants is empty: it would fit every tree"),
        (
            replace(RECIPE, wants="*.cpp"),  # type: ignore[arg-type]
            "wants is '*.cpp', expected a tuple of str",
        ),
        (replace(RECIPE, wants=("../*.cpp",)), "the pattern '../*.cpp' is not a path below the root"),
        (replace(RECIPE, wants=("a|/etc/*",)), "the pattern 'a|/etc/*' is not a path below the root"),
        (replace(RECIPE, title=""), "title is empty, expected a few words for people"),
        (replace(RECIPE, parts=()), "parts is empty: nothing would come out"),
        (replace(RECIPE, headers=("no/such",)), "headers: there is no no/such"),
        (
            replace(RECIPE, game="a game"),
            f"the game 'a game' is not a valid name: use {GAME_NAME_IN_WORDS}",
        ),
        (with_step(tool="/bin/sh"), "the part 'it': the tool '/bin/sh' is not the name of a program"),
        (with_step(words=("-I{headers}",)), "'-I{headers}' stands for the recipe's own files, but headers is empty"),
        (
            with_step(words=("{home}",)),
            (
                "'{home}' has an unknown place; there are {source}, {out}, {headers}, {team}, {packages}, {files:...} and"
                " {folders:...}"
            ),
        ),
        (with_product(form="jar"), "the part 'it': form is 'jar'"),
        (with_product(patterns=()), "the part 'it': its product has no patterns"),
    ],
)
def test_what_is_wrong_is_named(recipe: Recipe, problem: str) -> None:
    assert problem_of("recipes", recipe) == problem
