"""A recipe for assignment 2: one program with a GameManager and two players in it, which plays a map and writes the output file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiltyard_engine.recipes import BUILD_HELPERS, CMAKE_OPTIONS, KEEP_GOING, Part, Product, Recipe, Step, Way

ASSIGNMENT_2: Final = "tanks-assignment-2"
SOURCES: Final = "**/*.cpp|**/*.cc|**/*.cxx"
MAINS: Final = "|".join(
    f"{folder}{name}" for folder in ("", "src/", "*/") for name in ("main.cpp", "Main.cpp", "main.cc", "tanks_game.cpp")
)
MAKEFILE: Final = "Makefile|makefile|GNUmakefile"
PROGRAM: Final = Product(
    form="program",
    patterns=("**/tanks_game*", "**/*"),
    contents="executable",
    prefers=("tanks_game", "tank", "game", "main"),
    avoids=("test", "visual", "bench"),
    folder="assignment-2",
)
FLAG: Final = "-ffile-prefix-map={source}=."


def tanks_recipes() -> Iterator[Recipe]:
    """The whole program. Those for teams of assignment 3 are the plugin's that loads compiled files."""
    configure = ("-S", "{source}", "-B", "{out}/build", *CMAKE_OPTIONS)
    includes = ("-I{source}", "-I{folders:**/*.h|**/*.hpp}")
    yield Recipe(
        name=ASSIGNMENT_2,
        title="assignment 2's whole program, in C++",
        description="It is no team. 'tiltyard tanks referee' compares its output files with the rules.",
        game="tanks",
        wants=(MAINS, "**/GameManager*|**/gameManager*|**/game_manager*|**/Game_Manager*"),
        rejects=("Algorithm/**/*", "Simulator/**/*", "**/*Registration*"),
        mentions=("GameManager", "gameManager", "game_manager", "Game"),
        parts=(
            Part(
                title="the program",
                ways=(
                    Way(
                        title="its CMakeLists.txt",
                        wants=("CMakeLists.txt",),
                        steps=(
                            Step(tool="cmake", words=configure, environment=(("CXXFLAGS", FLAG),)),
                            Step(tool="cmake", words=("--build", "{out}/build", *KEEP_GOING)),
                        ),
                        uses=("make", "g++"),
                    ),
                    Way(title="its Makefile", wants=(MAKEFILE,), steps=(Step(tool="make", words=("-k",)),), uses=("g++",)),
                    Way(
                        title="its C++ files",
                        steps=(
                            Step(
                                tool="g++",
                                words=(
                                    "-std=c++20",
                                    "-O2",
                                    "-pthread",
                                    FLAG,
                                    *includes,
                                    f"{{files:{SOURCES}}}",
                                    "-o",
                                    "{out}/tanks_game",
                                ),
                            ),
                        ),
                    ),
                    Way(
                        title="its C++ files, each alone",
                        steps=(Step(tool="python3", words=("-I", "{headers}/build_c.py", "{source}", "{out}/tanks_game")),),
                        uses=("gcc", "g++"),
                        is_again=True,
                    ),
                ),
                product=PROGRAM,
            ),
        ),
        headers=(BUILD_HELPERS,),
        order=15,
    )
