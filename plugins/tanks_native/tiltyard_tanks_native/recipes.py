"""Recipes for what teams of the course hand in for tanks: assignment 3's folders, plain C++ files, compiled files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import BUILD_HELPERS, CMAKE_OPTIONS, KEEP_GOING, Part, Product, Recipe, Step, Way
from tiltyard_tanks_native.builds import SOURCES

TILTYARD_API = 1
HEADERS: Final = (str(SOURCES / "interface.hpp"), str(Path(__file__).parent / "course_headers"), BUILD_HELPERS)
"""The course's headers under their names, for those who hand in only their own files."""
MAKEFILE: Final = "Makefile|makefile|GNUmakefile"
CPP: Final = "*.cpp|*.cc|*.cxx"
MANAGERS: Final = "game_managers"
"""Where GameManagers go: a folder of teams holds what plays."""
FLAGS: Final = ("-std=c++20", "-O2", "-shared", "-fPIC", "-pthread", "-ffile-prefix-map={source}=.")
INCLUDES: Final = ("-I{source}", "-I{folders:**/*.h|**/*.hpp}", "-I{headers}", "-I{headers}/common")
CMAKE_FLAGS: Final = "-ffile-prefix-map={source}=."


@hookimpl
def recipes() -> Iterator[Recipe]:
    """The recipes for C++ tanks, the more special ones first."""
    yield Recipe(
        name="tanks-assignment-3",
        title="assignment 3's folders Algorithm/ and GameManager/, in C++",
        game="tanks",
        wants=(f"{_sources('Algorithm')}|{_headers('Algorithm')}",),
        parts=(
            Part(title="the algorithm", ways=tuple(_ways("Algorithm")), product=_library("Algorithm")),
            Part(title="the GameManager", ways=tuple(_ways("GameManager")), product=_library("GameManager"), is_required=False),
        ),
        headers=HEADERS,
        order=10,
    )
    yield Recipe(
        name="tanks-cpp",
        title="C++ files of one algorithm",
        game="tanks",
        wants=(f"{CPP}|src/*.cpp|src/*.cc",),
        mentions=("TankAlgorithm", "Registration", "REGISTER_"),
        parts=(
            Part(
                title="the algorithm",
                ways=(
                    *_own_ways("."),
                    Way(title="its C++ files", steps=(_compile((f"{{files:{CPP}|src/**/*.cpp|src/**/*.cc}}",), "Algorithm"),)),
                ),
                product=_library("Algorithm"),
            ),
        ),
        headers=HEADERS,
        order=20,
    )
    yield Recipe(
        name="tanks-prebuilt",
        title="compiled files, Algorithm_*.so",
        game="tanks",
        wants=("**/*.so",),
        parts=(
            Part(
                title="the algorithm",
                ways=(Way(title="its compiled file"),),
                product=_library("Algorithm", ("**/Algorithm*.so", "**/*lgo*.so")),
                is_required=False,
            ),
            Part(
                title="the GameManager",
                ways=(Way(title="its compiled file"),),
                product=_library("GameManager", ("**/GameManager*.so",)),
                is_required=False,
            ),
        ),
        order=90,
    )


def _sources(folder: str) -> str:
    return "|".join(f"{folder}/**/*{suffix}" for suffix in (".cpp", ".cc", ".cxx"))


def _headers(folder: str) -> str:
    return f"{folder}/**/*.h|{folder}/**/*.hpp"


def _library(kind: str, patterns: tuple[str, ...] = ()) -> Product:
    return Product(
        form="file",
        patterns=patterns or (f"**/{kind}_*.so", f"**/{kind}*.so", f"**/lib{kind}*.so", f"{kind}/**/*.so"),
        contents="library",
        name=f"{kind}_{{team}}.so",
        folder=MANAGERS if kind == "GameManager" else "",
    )


def _ways(folder: str) -> Iterator[Way]:
    """The folder's own CMakeLists.txt or Makefile, that of the whole tree, and at last its files by the recipe's own command."""
    yield from _own_ways(folder)
    yield from _own_ways(".")
    files = f"{{files:{_sources(folder)}|{_sources('UserCommon')}|{_sources('common')}}}"
    yield Way(title=f"the C++ files of {folder}/", wants=(_sources(folder),), steps=(_compile((files,), folder),))
    # Registrations in headers may stand in one object file only.
    headers = (f"-include{{files:{_headers(folder)}}}", "-x", "c++", "/dev/null")
    yield Way(
        title=f"the headers of {folder}/",
        wants=(_headers(folder),),
        rejects=tuple(_sources(folder).split("|")),
        steps=(_compile(headers, folder),),
    )


def _own_ways(folder: str) -> Iterator[Way]:
    below = "" if folder == "." else f"{folder}/"
    build = "{out}/build-" + (folder if folder != "." else "all")
    configure = ("-S", "{source}/" + folder, "-B", build, *CMAKE_OPTIONS)
    yield Way(
        title=f"{below}CMakeLists.txt",
        wants=(f"{below}CMakeLists.txt",),
        steps=(
            Step(tool="cmake", words=configure, environment=(("CXXFLAGS", CMAKE_FLAGS),)),
            Step(tool="cmake", words=("--build", build, *KEEP_GOING)),
        ),
        uses=("make", "g++"),
    )
    makefile = "|".join(f"{below}{name}" for name in MAKEFILE.split("|"))
    yield Way(
        title=f"{below}Makefile",
        wants=(makefile,),
        steps=(Step(tool="make", folder=folder.replace(".", ""), words=("-j2", "-k")),),
        uses=("g++",),
    )


def _compile(files: tuple[str, ...], kind: str) -> Step:
    return Step(tool="g++", words=(*FLAGS, *INCLUDES, *files, "-o", f"{{out}}/{kind}_{{team}}.so"))
