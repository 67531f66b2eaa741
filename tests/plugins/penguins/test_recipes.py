"""C programs of penguins, as students hand them in, become programs in the mode that plays."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, need, plant

from tiltyard_intake.recipes.program_recipes import recipes
from tiltyard_penguins.recipes import penguins_recipes

RECIPES: Final = [*recipes(), *penguins_recipes()]
MAIN: Final = """#include <stdio.h>
#include "board.h"

int main(int argc, char *argv[]) {
#ifdef INTERACTIVE
    puts("interactive");
#else
    puts(name());
#endif
    return 0;
}
"""
VALUE: Final = (
    MAIN.replace("#ifdef INTERACTIVE", "    if (INTERACTIVE)").replace("#else", "    else").replace("#endif", "") + "\n"
).replace("int main", "#define INTERACTIVE 0\nint main")
MODE: Final = VALUE.replace("INTERACTIVE 0", "INTERACTIVE_MODE 1").replace("(INTERACTIVE)", "(INTERACTIVE_MODE)")
FILES: Final = {
    "main.c": MAIN,
    "board.c": '#include "board.h"\nconst char *name(void) { return "autonomous"; }\n',
    "board.h": "#pragma once\n/* #define INTERACTIVE */\nconst char *name(void);\n",
}
MAKEFILE: Final = "CFLAGS = -Wall%s\npenguins.out: main.o board.o\n\tgcc $(CFLAGS) -o $@ $^\n%%.o: %%.c\n\tgcc $(CFLAGS) -c $<\n"
CMAKE: Final = (
    "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_definitions(-DINTERACTIVE)\nadd_executable(game main.c board.c)\n"
)
PROJECT: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<CodeBlocks_project_file><Project><Option title="penguins" />
<Unit filename="code\\main.c"><Option compilerVar="CC" /></Unit>
<Unit filename="code\\board.c"><Option compilerVar="CC" /></Unit>
<Unit filename="code\\board.h" /></Project></CodeBlocks_project_file>
"""


def below(folder: str) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in FILES.items()}


CASES: Final = {
    "a Makefile": ({**FILES, "Makefile": MAKEFILE % ""}, "its Makefile"),
    "a Makefile with the switch": ({**FILES, "makefile": MAKEFILE % " -DINTERACTIVE"}, "its Makefile"),
    "a Makefile with both": (
        {
            **FILES,
            "Makefile": "all:\n\tgcc -DINTERACTIVE main.c board.c -o penguins_interactive\n\tgcc main.c board.c -o penguins_auto\n",
        },
        "its Makefile",
    ),
    "CMake with the switch": ({**FILES, "CMakeLists.txt": CMAKE}, "its CMakeLists.txt"),
    "Code::Blocks": (
        {**below("code"), "penguins.cbp": PROJECT, "code/old.c": "int main(void) { broken"},
        "its Code::Blocks project",
    ),
    "bare files": (FILES, "its C files"),
    "bare files with the switch": ({**FILES, "board.h": "#define INTERACTIVE\n" + FILES["board.h"]}, "its C files"),
    "bare files in folders": ({**below("src"), "readme.md": "ours"}, "its C files"),
    "two main functions": (
        {**FILES, "main_interactive.c": "#include <conio.h>\nint main() { return getch(); }\n"},
        "its C files",
    ),
    "a switch with a value": ({**FILES, "main.c": VALUE}, "its C files"),
    "a switch of another name that is a number": ({**FILES, "main.c": MODE}, "its C files"),
    "a switch that is on unless it is defined": (
        {
            **FILES,
            "main.c": MODE.replace("#define INTERACTIVE_MODE 1", "#ifndef INTERACTIVE_MODE\n#define INTERACTIVE_MODE (1)\n#endif"),
        },
        "its C files",
    ),
    "a switch of another name that is defined or isn't": (
        {**FILES, "main.c": "#define IS_INTERACTIVE 1 // ours\n" + MAIN.replace("INTERACTIVE", "IS_INTERACTIVE")},
        "its C files",
    ),
    "a number from the Makefile": (
        {
            **FILES,
            "main.c": VALUE.replace("#define INTERACTIVE 0\n", ""),
            "Makefile": "penguins: main.c board.c\n\tgcc -Werror -DINTERACTIVE=1 -o $@ $^\n",
        },
        "its Makefile",
    ),
    "one of two modes, which stays": (
        {
            **FILES,
            "main.c": "#define INTERACTIVE 1\n#define AUTO 2\n#define MODE AUTO\n"
            + MAIN.replace("#ifdef INTERACTIVE", "#if MODE == INTERACTIVE"),
        },
        "its C files",
    ),
    "a header's guard, which stays": (
        {
            **FILES,
            "INTERACTIVE.h": "#ifndef INTERACTIVE_H\n#define INTERACTIVE_H\nenum { ONE };\n#endif\n",
            "main.c": '#include "INTERACTIVE.h"\n#include "INTERACTIVE.h"\n' + MAIN,
        },
        "its C files",
    ),
    "a switch for the mode that plays": (
        {**FILES, "main.c": MAIN.replace("#ifdef INTERACTIVE", "#ifndef AUTONOMOUS"), "Makefile": MAKEFILE % ""},
        "its Makefile",
    ),
    "two programs with parts of one name": (
        {
            **FILES,
            "main.c": "#include <conio.h>\nint main() { return getch(); }\n",
            "main_autonomous.c": MAIN,
            "move.c": 'const char *name(void) { return "interactive"; }\nint ask(void) { return 0; }\n',
            "tests/unity.c": "int main(void) { return ask(); }\n",
        },
        "its C files",
    ),
    "variables in headers, as before gcc 10": (
        {
            **FILES,
            "board.h": FILES["board.h"] + "int floes;\n",
            "Makefile": "penguins: main.c board.c\n\tcc -o $@ $^\n",
        },
        "its Makefile",
    ),
    "a Makefile for Windows": (
        {**FILES, "Makefile": "all: clean\n\tgcc main.c board.c -o game.exe\nclean:\n\tdel /Q game.exe\n"},
        "its C files",
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_the_mode_that_plays_comes_out(case: str, tmp_path: Path) -> None:
    need("gcc", "make", "cmake")
    files, way = CASES[case]
    made = built(plant(tmp_path / "tree", {f"Group 7/{name}": text for name, text in files.items()}), RECIPES)
    assert (made.error, made.ways) == ("", (way,)), made.log
    (folder,) = made.products
    (program,) = [path for path in folder.iterdir() if path.suffix not in (".toml", ".json")]
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"autonomous\n"
    assert f'command = ["./{program.name}"]' in (folder / "program.toml").read_text()


def test_what_windows_alone_has_is_named(tmp_path: Path) -> None:
    need("gcc")
    made = built(plant(tmp_path / "tree", {**FILES, "main.c": "#include <windows.h>\n" + MAIN}), RECIPES)
    assert made.error == "main.c:1: windows.h: No such file or directory"
