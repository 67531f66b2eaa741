"""What students hand in for penguins: C as the course's tools make it, with and without its interactive mode, and other forms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.classes.kinds import (
    IN_JAVA,
    PROGRAMS,
    Files,
    Kind,
    Work,
    broken_archives,
    broken_python,
    changed,
    compiled,
    hostile_archives,
    hostile_makefiles,
    of_texts,
    program,
    python_at_home,
    python_forms,
    python_programs,
)

from tiltyard_intake.report.team_report import Verdict

MAIN: Final = program("handed_in/penguins.c")
BOARD: Final = {"board.c": program("handed_in/board.c"), "board.h": program("handed_in/board.h")}
C: Final = {"main.c": MAIN, **BOARD}
SWITCH: Final = "-DINTERACTIVE"
RULES: Final = "penguins.out: main.o board.o\n\tgcc $(CFLAGS) -o $@ $^\n%.o: %.c\n\tgcc $(CFLAGS) -c $<\n"
BOTH: Final = (
    "all: penguins_interactive penguins_auto\npenguins_interactive:\n\tgcc -DINTERACTIVE main.c board.c -o $@\n"
    "penguins_auto:\n\tgcc main.c board.c -o $@\n"
)
WINDOWS: Final = "all: clean\n\tgcc main.c board.c -o penguins.exe\nclean:\n\tdel /Q penguins.exe\n"
CMAKE: Final = "cmake_minimum_required(VERSION 3.10)\nproject(penguins C)\nadd_executable(penguins main.c board.c)\n"
CODE_BLOCKS: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<CodeBlocks_project_file><FileVersion major="1" minor="6" /><Project>
<Option title="penguins" /><Option compiler="gcc" />
<Build><Target title="Debug"><Option output="bin/Debug/penguins" />
<Compiler><Add option="-DINTERACTIVE" /></Compiler></Target></Build>
<Unit filename="main.c"><Option compilerVar="CC" /></Unit>
<Unit filename="board.c"><Option compilerVar="CC" /></Unit>
<Unit filename="board.h" /></Project></CodeBlocks_project_file>
"""
ASKS: Final = """#include <stdio.h>
int main(void) {
    int row = 0;
    printf("Where to? ");
    return scanf("%d", &row) != 1;
}
"""
FETCHES_TESTS: Final = """include(FetchContent)
FetchContent_Declare(googletest URL https://example.org/googletest.zip)
FetchContent_MakeAvailable(googletest)
enable_language(CXX)
add_executable(board_tests tests.cpp board.c)
target_link_libraries(board_tests PRIVATE GTest::gtest_main)
"""
PYTHON: Final = (Path(__file__).parents[2] / "docs/how-to/bring-a-penguin-program.md").read_text(encoding="utf-8")
PROGRAM: Final = PYTHON.split("```python title=first.py\n", 1)[1].split("```", 1)[0]
PLUGIN: Final = """from tiltyard_engine import TurnTeam, hookimpl
from tiltyard_penguins.algorithms import RandomPlayer


class Ours(RandomPlayer):
    pass


@hookimpl
def algorithms():
    yield TurnTeam("TEAM", "penguins", Ours, "any legal move")
"""


def _with(name: str, before: str, after: str) -> Mapping[str, str]:
    return {**C, name: changed(C[name], (before, after))}


def _below(folder: str, files: Mapping[str, str]) -> Mapping[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def _makefile(flags: str = "") -> str:
    return f"CFLAGS = -Wall {flags}\n{RULES}"


def _prebuilt(team: str) -> Files:
    sources = [str(PROGRAMS / "handed_in" / name) for name in ("penguins.c", "board.c")]
    return {"readme.txt": team.encode(), "penguins": compiled("penguins", "gcc", "-O2", *sources, "-o", "PRODUCT")}


GCC: Final = ("gcc",)
MAKE: Final = ("gcc", "make")
CMAKE_TOOLS: Final = ("gcc", "cmake", "make")
PROJECT: Final = "penguins-c-project"
SOUND: Final = (
    Kind(name="a Makefile", files=of_texts({**C, "Makefile": _makefile()}), tools=MAKE, recipe=PROJECT),
    Kind(name="a Makefile with the switch", files=of_texts({**C, "makefile": _makefile(SWITCH)}), tools=MAKE, recipe=PROJECT),
    Kind(name="a Makefile for both modes", files=of_texts({**C, "Makefile": BOTH}), tools=MAKE, recipe=PROJECT),
    Kind(name="a Makefile for Windows", files=of_texts({**C, "Makefile": WINDOWS}), tools=MAKE, recipe=PROJECT),
    Kind(
        name="a Makefile that makes errors of warnings",
        files=of_texts(
            {
                **_with("main.c", "int own = player_called(board, OWN_ID);", "int own = player_called(board, OWN_ID), spare;"),
                "Makefile": _makefile("-Wextra -Werror"),
            }
        ),
        tools=MAKE,
        recipe=PROJECT,
    ),
    Kind(name="CMake", files=of_texts({**C, "CMakeLists.txt": CMAKE}), tools=CMAKE_TOOLS, recipe=PROJECT),
    Kind(
        name="CMake with the switch",
        files=of_texts({**C, "CMakeLists.txt": CMAKE + "add_definitions(-DINTERACTIVE)\n"}),
        tools=CMAKE_TOOLS,
        recipe=PROJECT,
    ),
    Kind(
        name="Code::Blocks",
        files=of_texts(_below("penguins", {**C, "penguins.cbp": CODE_BLOCKS})),
        tools=GCC,
        recipe=PROJECT,
    ),
    Kind(name="bare files", files=of_texts(C), tools=GCC, recipe="penguins-c"),
    Kind(
        name="bare files with the switch",
        files=of_texts(_with("board.h", "#define MOST 64", "#define MOST 64\n#define INTERACTIVE")),
        tools=GCC,
        recipe="penguins-c",
    ),
    Kind(
        name="bare files in folders",
        files=of_texts({"src/main.c": MAIN, "src/board.c": BOARD["board.c"], "include/board.h": BOARD["board.h"]}),
        tools=GCC,
        recipe="penguins-c",
    ),
    Kind(
        name="two main functions",
        files=of_texts({**C, "main_interactive.c": "#include <conio.h>\nint main() { return getch(); }\n"}),
        tools=GCC,
        recipe="penguins-c",
    ),
    Kind(
        name="C++", files=of_texts({"main.cpp": MAIN, "board.cpp": BOARD["board.c"], "board.h": BOARD["board.h"]}), tools=("g++",)
    ),
    Kind(name="a compiled program", files=_prebuilt, tools=GCC, recipe="prebuilt"),
    *python_programs("penguins", PROGRAM),
    *python_forms(PLUGIN),
    *python_at_home(PLUGIN),
    Kind(
        name="main.c beside autonomous-mode.c",
        files=of_texts({"main.c": ASKS, "autonomous-mode.c": MAIN, **BOARD}),
        tools=GCC,
        words="the program of autonomous-mode.c was taken",
    ),
    Kind(
        name="two programs in folders",
        files=of_texts({**_below("autonomous_mode", C), "interactive_mode/main.c": ASKS}),
        tools=GCC,
    ),
    Kind(
        name="two programs with parts of one name",
        files=of_texts({"main.c": ASKS, "auto.c": MAIN, **BOARD, "ask.c": "int is_free(void) { return 1; }\n"}),
        tools=GCC,
        words="the program of auto.c was taken",
    ),
    Kind(
        name="a switch that is a value",
        files=of_texts({**C, "main.c": "#define INTERACTIVE 0\n" + changed(MAIN, ("#ifdef INTERACTIVE", "#if INTERACTIVE"))}),
        tools=GCC,
    ),
    Kind(
        name="a switch for the mode that plays",
        files=of_texts({**_with("main.c", "#ifdef INTERACTIVE", "#ifndef AUTONOMOUS"), "Makefile": _makefile()}),
        tools=MAKE,
    ),
    Kind(
        name="milestones",
        files=of_texts({**_below("T2", {"main.c": ASKS}), **_below("T5", {"main.c": ASKS}), **_below("T10", C)}),
        tools=GCC,
        words="T10",
    ),
    Kind(name="a folder with spaces", files=of_texts(_below("Penguin game (final)", C)), tools=GCC),
    Kind(
        name="a variable in a header, as before gcc 10",
        files=of_texts({**_with("board.h", "#define MOST 64", "#define MOST 64\nint floes;"), "Makefile": _makefile()}),
        tools=MAKE,
        words="",
    ),
    Kind(
        name="CMake with tests that fetch a library",
        files=of_texts({**C, "CMakeLists.txt": CMAKE + FETCHES_TESTS, "tests.cpp": "#include <gtest/gtest.h>\n"}),
        tools=(*CMAKE_TOOLS, "g++"),
    ),
)
"""Work that plays."""

UNBUILT: Final = Verdict.UNBUILT
BROKEN: Final = (
    Kind(
        name="a syntax error in C",
        files=of_texts(_with("main.c", "return 0;\n}\n\nstatic int move", "return 0\n}\n\nstatic int move")),
        verdict=UNBUILT,
        words="main.c:",
        tools=GCC,
    ),
    Kind(
        name="a header of Windows",
        files=of_texts(_with("main.c", "#include <stdlib.h>", "#include <windows.h>")),
        verdict=UNBUILT,
        words="windows.h: No such file or directory",
        tools=GCC,
    ),
    Kind(
        name="a missing file",
        files=of_texts({name: text for name, text in C.items() if name != "board.c"}),
        verdict=UNBUILT,
        words="undefined reference to",
        tools=GCC,
    ),
    Kind(
        name="a Makefile that names what is not there, and no main function",
        files=of_texts({**BOARD, "Makefile": "penguins: main.o board.o\n\tgcc -o $@ $^\n"}),
        verdict=UNBUILT,
        words="No rule to make target",
        tools=MAKE,
    ),
    Kind(
        name="a crash in the first move",
        files=of_texts(
            _with("main.c", "int own = player_called(board, OWN_ID), placed = 0;", "abort();\n    int own = 0, placed = 0;")
        ),
        verdict=Verdict.FAULTY,
        words="crash",
        tools=GCC,
    ),
    Kind(
        name="a wrong score",
        files=of_texts(_with("main.c", "board->score[own]++;", "board->score[own] += 2;")),
        verdict=Verdict.FAULTY,
        words="wrong score",
        tools=GCC,
    ),
    Kind(
        name="an endless move",
        files=of_texts(_with("main.c", "if (placed == penguins) return 0;", "while (placed < penguins) {}")),
        verdict=Verdict.FAULTY,
        words="time",
        tools=GCC,
    ),
    Kind(
        name="a program for Windows",
        files=lambda team: {"penguins.exe": b"MZ\x90\x00" + bytes(200) + team.encode()},
        verdict=Verdict.UNKNOWN,
        words=".exe",
    ),
    broken_python(PLUGIN),
    IN_JAVA,
    *broken_archives(of_texts(C)),
    Kind(
        name="a jump over water",
        files=of_texts(
            _with(
                "main.c",
                "to_column = column + right[way];",
                "to_column = column + right[way];\n"
                "                if (to_row >= 0 && to_row < board->rows && to_column >= 0 && to_column < board->columns\n"
                "                    && !board->fish[to_row][to_column] && !board->penguin[to_row][to_column])\n"
                "                    to_row += down[way], to_column += right[way];",
            )
        ),
        verdict=Verdict.FAULTY,
        words="jumped over",
        tools=GCC,
    ),
    Kind(
        name="a program that empties its file before it reads it",
        files=of_texts(_with("main.c", "if (!read_board(", 'fclose(fopen(argv[argc - 1], "w"));\n    if (!read_board(')),
        verdict=Verdict.FAULTY,
        words="one file",
        tools=GCC,
    ),
    Kind(
        name="a program for people alone",
        files=of_texts({"main.c": ASKS}),
        verdict=Verdict.FAULTY,
        words="",
        tools=GCC,
    ),
    Kind(
        name="a program of an older handout, without phase=",
        files=of_texts(_with("main.c", "argv[argc - 2]", "argv[1]")),
        verdict=Verdict.FAULTY,
        words="",
        tools=GCC,
    ),
    Kind(
        name="a penguin too many",
        files=of_texts(_with("main.c", "if (placed == penguins) return 0;", "")),
        verdict=Verdict.FAULTY,
        words="placed more than",
        tools=GCC,
    ),
)
"""Work that does not play, and why."""

HOSTILE: Final = (
    *hostile_archives(of_texts(C)),
    *hostile_makefiles(lambda makefile: of_texts({"main.c": "#error built by its Makefile alone\n", "Makefile": makefile}), MAKE),
)
"""Work that means harm."""

PENGUINS: Final = Work(sound=SOUND, broken=BROKEN, hostile=HOSTILE)
