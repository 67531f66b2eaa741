"""Recipes for what students of the course hand in for penguins: C with a Makefile, CMake, a Code::Blocks project, or bare files.

The course's programs have two modes. ``INTERACTIVE`` switches to the one for people, which cannot play here, so it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiltyard_engine.recipes import BUILD_HELPERS, CMAKE_OPTIONS, KEEP_GOING, Part, Product, Recipe, Step, Way

HELPERS: Final = str(Path(__file__).parent / "build_helpers")
SOURCES: Final = "**/*.c|**/*.cpp|**/*.cc|**/*.cxx"
AUTONOMOUS: Final = Step(tool="python3", words=("-I", "{headers}/autonomous.py", "{source}", "{out}/bin"))
WRAPPED: Final = (("PATH", "{out}/bin"),)
"""Compilers that leave the switch out come first."""
COMPILED: Final = ("-I", "{headers}/build_c.py", "{source}", "{out}/{team}", "--together", "--prefers", "penguin")
BARE: Final = Step(tool="python3", words=COMPILED, environment=WRAPPED)
PROGRAM: Final = Product(
    form="program",
    patterns=("**/*",),
    contents="executable",
    prefers=("auto", "penguin"),
    avoids=("inter", "test", "manual", "master", "server", "generat"),
)


def penguins_recipes() -> Iterator[Recipe]:
    """The recipes for the course's programs, the more special ones first."""
    yield Recipe(
        name="penguins-c-project",
        title="a C or C++ project with a Makefile, a CMakeLists.txt or a Code::Blocks project",
        game="penguins",
        wants=("Makefile|makefile|GNUmakefile|CMakeLists.txt|*.cbp", SOURCES),
        parts=(Part(title="the program", ways=(*_project_ways(), _bare("its C files")), product=PROGRAM),),
        headers=(HELPERS, BUILD_HELPERS),
        order=20,
    )
    yield Recipe(
        name="penguins-c",
        title="C or C++ files",
        game="penguins",
        wants=("*.c|*.cpp|*.cc|*.cxx|src/*.c|src/*.cpp",),
        parts=(Part(title="the program", ways=(_bare("its C files"),), product=PROGRAM),),
        headers=(HELPERS, BUILD_HELPERS),
        order=22,
    )


def _project_ways() -> Iterator[Way]:
    yield Way(
        title="its Makefile",
        wants=("Makefile|makefile|GNUmakefile",),
        steps=(AUTONOMOUS, Step(tool="make", words=("-k",), environment=WRAPPED)),
        uses=("gcc",),
    )
    configure = ("-S", "{source}", "-B", "{out}/build", *CMAKE_OPTIONS)
    yield Way(
        title="its CMakeLists.txt",
        wants=("CMakeLists.txt",),
        steps=(
            AUTONOMOUS,
            Step(tool="cmake", words=configure, environment=WRAPPED),
            Step(tool="cmake", words=("--build", "{out}/build", *KEEP_GOING), environment=WRAPPED),
        ),
        uses=("make", "gcc"),
    )
    yield _bare("its Code::Blocks project", "*.cbp")


def _bare(title: str, *wants: str) -> Way:
    return Way(title=title, wants=wants, steps=(AUTONOMOUS, BARE), uses=("gcc",))
