"""A build that fails only by what this machine's compilers are like is tried again, and the report says so."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import need, plant, pool_of_builds

from tiltyard_intake.building.build import BuildRules, build
from tiltyard_intake.building.second_tries import Allowance, fails_by_warnings
from tiltyard_intake.recipes.program_recipes import recipes
from tiltyard_intake.recipes.recognition import recognise
from tiltyard_penguins.recipes import penguins_recipes

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
    made = build(recognised, tmp_path / "teams", team="anna", pool=pool_of_builds())
    assert (made.error, made.ways) == ("", (f"{way} without -Werror",)), made.log
    assert made.notes == (
        f"{way} treats warnings as errors and failed because of one ({WARNING}); the program was made without -Werror",
    )


def test_an_organiser_can_let_warnings_fail(tmp_path: Path) -> None:
    need("gcc", "make")
    recognised = recognise(plant(tmp_path / "tree", {"bot.c": UNUSED, "Makefile": MAKEFILE}), penguins_recipes())
    strict = build(recognised, tmp_path / "teams", BuildRules(warnings_fail=True), team="anna", pool=pool_of_builds())
    assert (strict.error, strict.products) == (WARNING, ())


BOT: Final = "int main(void) { return 0; }\n"
COMMON: Final = {
    "Makefile": "bot: bot.o more.o\n\tgcc -o $@ $^\n%.o: %.c\n\tgcc -c $<\n",
    "bot.c": '#include "all.h"\n' + BOT,
    "more.c": '#include "all.h"\n',
    "all.h": "int rows;\n",
}
TRIES: Final = {
    "a header that others brought along": (
        {
            "Makefile": "bot: bot.cpp\n\tg++ -o $@ $<\n",
            "bot.cpp": '#include "all.h"\n' + BOT,
            "all.h": "struct All { std::array<int, 2> a; };\n",
        },
        "with <array> included",
        "all.h:1: 'array' in namespace 'std' does not name a template type",
    ),
    "a size in C++": (
        {"Makefile": "bot: bot.cpp\n\tg++ -o $@ $<\n", "bot.cpp": "class View { virtual char at(size_t x) const; };\n" + BOT},
        "with <stddef.h>, <stdint.h> included",
        "bot.cpp:1: 'size_t' has not been declared",
    ),
    "first a warning, then a number of fixed width": (
        {
            "Makefile": "bot: a.c bot.c\n\tgcc -Wall -Werror -c a.c\n\tgcc -o $@ bot.c\n",
            "a.c": "static int spare;\n",
            "bot.c": "intmax_t n;\n" + BOT,
        },
        "without -Werror and with <stddef.h>, <stdint.h> included",
        "a.c:1: 'spare' defined but not used [-Werror=unused-variable]",
    ),
    "a variable in a header of C": (COMMON, "with -fcommon", "multiple definition of `rows'"),
    "another name of the compiler": (
        {"Makefile": "bot: bot.c\n\tgcc-4.9 -o $@ $<\n", "bot.c": BOT},
        "with gcc for gcc-4.9",
        "gcc-4.9: No such file or directory",
    ),
}


@pytest.mark.parametrize("case", list(TRIES))
def test_a_second_try_is_told(case: str, tmp_path: Path) -> None:
    need("gcc", "g++", "make")
    files, how, why = TRIES[case]
    made = build(recognise(plant(tmp_path / "tree", files), recipes()), tmp_path / "teams", team="anna", pool=pool_of_builds())
    assert (made.error, made.ways) == ("", (f"its Makefile {how}",)), made.log
    assert made.notes == (f"its Makefile failed ({why}); the program was made {how}",)


def test_what_fails_the_second_try_is_the_reason(tmp_path: Path) -> None:
    need("gcc", "make")
    files = {
        "Makefile": "bot: bot.c\n\tgcc -Wall -Werror -c a.c\n\tgcc -o $@ bot.c\n",
        "a.c": "static int spare;\n",
        "bot.c": "lost n;\n" + BOT,
    }
    made = build(recognise(plant(tmp_path / "tree", files), recipes()), tmp_path / "teams", team="anna", pool=pool_of_builds())
    assert made.error == "bot.c:1: unknown type name 'lost'"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("make: clang: No such file or directory\n", "with gcc for clang"),
        ("/bin/sh: 1: clang++-14: not found\n", "with gcc for clang++-14"),
        ("The CMAKE_CXX_COMPILER:\n\n    g++-11\n\nis not a full path and was not found in the PATH.\n", "with gcc for g++-11"),
        ("make: del: No such file or directory\n", ""),
        (
            "note: 'std::cout' is defined in header '<iostream>'; did you forget to '#include <iostream>'?\n",
            "",
        ),
        ("/usr/bin/ld: b.o:(.text+0x0): multiple definition of `move'; a.o:(.text+0x0): first defined here\n", ""),
    ],
)
def test_what_may_help_is_known_by_what_was_printed(output: str, words: str) -> None:
    assert Allowance().with_what_helps(output).in_words() == words


def test_no_sanitizer_is_built_in(tmp_path: Path) -> None:
    need("gcc", "make")
    files = {"Makefile": "bot: bot.c\n\tgcc -fsanitize=address -fsanitize-recover=all -o $@ $<\n", "bot.c": BOT}
    made = build(recognise(plant(tmp_path / "tree", files), recipes()), tmp_path / "teams", team="anna", pool=pool_of_builds())
    assert (made.error, made.ways, made.notes) == ("", ("its Makefile without -fsanitize",), ()), made.log
    assert b"__asan_init" not in (tmp_path / "teams" / "anna" / "bot").read_bytes()
