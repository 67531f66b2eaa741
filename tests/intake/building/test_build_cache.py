"""Only what has changed is built again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import need, plant, pool_of_builds

from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way
from tiltyard_intake.building import build as build_module
from tiltyard_intake.building.build import Built, build
from tiltyard_intake.building.build_cache import BuildCache
from tiltyard_intake.building.toolchains import Tool, find_tool
from tiltyard_intake.recipes.recognition import recognise

STEP: Final = Step(tool="gcc", words=("{files:*.c}", "-o", "{out}/{team}"))
PART: Final = Part(
    title="the program",
    ways=(Way(title="its files", steps=(STEP,)),),
    product=Product(form="program", patterns=("**/*",), contents="executable"),
)
RECIPE: Final = Recipe(name="c", title="C", game="penguins", wants=("*.c",), parts=(PART,))
GOOD: Final = "int main(void) { return 0; }\n"


def made(tmp_path: Path, source: str = GOOD, recipe: Recipe = RECIPE, team: str = "anna", *, retries: bool = False) -> Built:
    need("gcc")
    found = recognise(plant(tmp_path / "tree", {"main.c": source}), [recipe])
    cache = BuildCache(tmp_path / "kept", retries)
    return build(found, tmp_path / "teams", team=team, cache=cache, pool=pool_of_builds())


def test_the_same_sources_are_not_built_again(tmp_path: Path) -> None:
    first = made(tmp_path)
    program = tmp_path / "teams" / "anna" / "anna"
    before = program.read_bytes()
    program.unlink()
    again = made(tmp_path)
    assert (first.is_reused, again.is_reused) == (False, True)
    assert (again.digest, again.log, again.ways, again.products) == (first.digest, first.log, first.ways, first.products)
    assert program.read_bytes() == before


def test_other_sources_another_recipe_and_another_team_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = {made(tmp_path).digest}
    other = replace(
        RECIPE, parts=(replace(PART, ways=(Way(title="its files", steps=(replace(STEP, words=("-O2", *STEP.words)),)),)),)
    )
    for changed in (made(tmp_path, GOOD + "\n"), made(tmp_path, recipe=other), made(tmp_path, team="ben")):
        assert not changed.is_reused
        digests.add(changed.digest)
    newer = find_tool("gcc")
    assert isinstance(newer, Tool)
    monkeypatch.setattr(build_module, "find_tool", lambda name: replace(newer, version="gcc 99"))
    changed = made(tmp_path)
    assert not changed.is_reused
    assert len({*digests, changed.digest}) == 5


def test_a_failed_build_is_tried_again_only_if_that_is_wanted(tmp_path: Path) -> None:
    first = made(tmp_path, "broken")
    again = made(tmp_path, "broken")
    assert (again.error, again.log, again.is_reused) == (first.error, first.log, True)
    assert not made(tmp_path, "broken", retries=True).is_reused


def test_a_damaged_store_is_built_anew(tmp_path: Path) -> None:
    first = made(tmp_path)
    (tmp_path / "kept" / first.digest / "build.msgpack").write_bytes(b"damaged")
    again = made(tmp_path)
    assert (again.error, again.is_reused) == ("", False)


def test_the_same_sources_make_the_same_bytes(tmp_path: Path) -> None:
    dated = "#include <stdio.h>\nint main(void) { puts(__DATE__ __TIME__ __FILE__); return 0; }\n"
    step = replace(STEP, words=("-ffile-prefix-map={source}=.", *STEP.words))
    recipe = replace(RECIPE, parts=(replace(PART, ways=(Way(title="its files", steps=(step,)),)),))
    programs: list[bytes] = []
    for place in ("one", "two"):
        assert made(tmp_path / place, dated, recipe).error == ""
        programs.append((tmp_path / place / "teams" / "anna" / "anna").read_bytes())
    assert programs[0] == programs[1]
