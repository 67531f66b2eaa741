"""A build that its own flags fail only for a warning is tried again without these flags, and the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.simulator.intake.making import need, plant

from tiltyard_penguins.recipes import penguins_recipes
from tiltyard_simulator.intake.allowed_warnings import fails_by_warnings
from tiltyard_simulator.intake.building import build
from tiltyard_simulator.intake.recognition import recognise

UNUSED = "int main(void) { int spare; return 0; }\n"
MAKEFILE = "bot: bot.c\n\tgcc -Wall -Werror -o bot bot.c\n"
CMAKE = (
    "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_compile_options(-Wall -Werror=unused-variable)\n"
    "add_executable(bot bot.c)\n"
)
WARNING = "bot.c:1: unused variable 'spare' [-Werror=unused-variable]"


@pytest.mark.parametrize(
    ("output", "is_so"),
    [
        ("a.c:1:22: error: unused variable 'x' [-Werror=unused-variable]\ncc1: all warnings being treated as errors\n", True),
        ("a.cpp:3:7: error: unused variable 'x' [-Werror,-Wunused-variable]\n1 error generated.\n", True),
        ("a.c:1:2: error: unused variable 'x' [-Werror=unused]\na.c:4:1: error: expected ';' before '}' token\n", False),
        ("a.c:1:22: warning: unused variable 'x' [-Wunused-variable]\n/usr/bin/ld: cannot find -lncurses\n", False),
        ("make: *** No rule to make target 'x'.\n", False),
        ("", False),
    ],
)
def test_it_is_known_when_warnings_alone_are_in_the_way(output: str, is_so: bool) -> None:
    assert fails_by_warnings(output) is is_so


@pytest.mark.parametrize(
    ("name", "text", "way"), [("Makefile", MAKEFILE, "its Makefile"), ("CMakeLists.txt", CMAKE, "its CMakeLists.txt")]
)
def test_the_second_build_allows_warnings_and_is_told(name: str, text: str, way: str, tmp_path: Path) -> None:
    need("gcc", "make", "cmake")
    recognised = recognise(plant(tmp_path / "tree", {"bot.c": UNUSED, name: text}), penguins_recipes())
    made = build(recognised, tmp_path / "teams", team="anna")
    assert (made.error, made.ways) == ("", (f"{way} without -Werror",)), made.log
    assert made.notes == (
        f"{way} treats warnings as errors and failed because of one ({WARNING}); the program was made without -Werror",
    )


def test_an_organiser_can_let_warnings_fail(tmp_path: Path) -> None:
    need("gcc", "make")
    recognised = recognise(plant(tmp_path / "tree", {"bot.c": UNUSED, "Makefile": MAKEFILE}), penguins_recipes())
    strict = build(recognised, tmp_path / "teams", team="anna", warnings_fail=True)
    assert (strict.error, strict.products) == (WARNING, ())
