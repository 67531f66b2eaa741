"""What students hand in for tanks: sound work in every form, broken work of many kinds, hostile work."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tests.classes.kinds import (
    Files,
    Kind,
    Work,
    broken_archives,
    changed,
    compiled,
    hostile_archives,
    hostile_makefiles,
    of_texts,
    python_at_home,
    python_forms,
)
from tests.intake.making import TANK_PLUGIN, tank_plugin
from tests.plugins.tanks.test_referee import TREE as ASSIGNMENT_2
from tests.plugins.tanks_native.test_recipes import COACH_CPP, MAKEFILE, PLAIN, TANK_CPP, TANK_H, TREE, cmake

from tiltyard_intake.report.team_report import Verdict
from tiltyard_tanks_native.builds import SOURCES


def _tree(files: Mapping[str, str]) -> Callable[[str], Files]:
    return lambda team: {
        f"hw3/{name}": f"// {team}\n{text}".encode() if name.endswith((".h", ".cpp")) else text.encode()
        for name, text in files.items()
    }


def _python(change: Callable[[str], str] = lambda text: text) -> Callable[[str], Files]:
    return lambda team: {"tank.py": f"# {team}\n{change(tank_plugin('tank'))}".encode()}


def _after(before: str, added: str) -> Callable[[str], str]:
    return lambda text: text.replace(before, before + added, 1)


def _headers_only() -> Mapping[str, str]:
    body = TANK_CPP.replace('#include "Tank.h"\n', "").replace("Tank::Tank(", "inline Tank::Tank(")
    body = body.replace("ActionRequest Tank", "inline ActionRequest Tank").replace("void Tank", "inline void Tank")
    rest = {name: text for name, text in TREE.items() if not name.startswith(("Algorithm/", "GameManager/"))}
    return {**rest, "Algorithm/Tank.h": TANK_H + body, "Algorithm/Coach.hpp": COACH_CPP}


@cache
def _shared_object() -> bytes:
    """PLAIN, built against the course's headers."""
    text = PLAIN
    for name in ("TankAlgorithmRegistration.h", "../common/PlayerRegistration.h", "common/BattleInfo.h"):
        text = text.replace(f'#include "{name}"\n', "")
    macros = "".join(line for line in TREE["common/Registration.h"].splitlines(keepends=True) if "once" not in line)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "tank.cpp")
        source.write_text(macros.replace('"Interface.h"', '"interface.hpp"') + text)
        options = ("-std=c++20", "-shared", "-fPIC", "-I", str(SOURCES))
        return compiled("Algorithm_1_2.so", "g++", *options, str(source), "-o", "PRODUCT")


NUMPY: Final = _after("hookimpl\n", "import numpy\n\nBOARD = numpy.zeros((3, 3))\n")

SEES: Final = "class Sees {\npublic:\n    virtual ~Sees() {}\n    virtual char at(size_t column, size_t row) const = 0;\n};\n"
"""A header that relies on what others include."""
SWAPPED: Final = changed(
    PLAIN,
    ("size_t, size_t, size_t, size_t)", "size_t width, size_t height, size_t, size_t) : width(width), height(height)"),
    ("SatelliteView&) override {", 'SatelliteView& view) override { if (!sees(view)) throw std::runtime_error("where am I?");'),
    (
        "tank.updateBattleInfo(info); }\n",
        """tank.updateBattleInfo(info); }
    bool sees(SatelliteView& view) {
        for (size_t row = 0; row < height; row++)
            for (size_t column = 0; column < width; column++)
                if (view.getObjectAt(row, column) == '%') return true;
        return false;
    }
    size_t width, height;
""",
    ),
    ("DoNothing", "GetBattleInfo"),
)
"""Takes the row first."""
STRICT_MAKEFILE: Final = changed(MAKEFILE, ("-Wall", "-Wall -Werror"))
TESTED: Final = """cmake_minimum_required(VERSION 3.14)
project(tanks CXX)
include_directories(common)
include(FetchContent)
FetchContent_Declare(googletest URL https://example.org/googletest.zip)
FetchContent_MakeAvailable(googletest)
add_executable(tanks_game src/main.cpp src/GameManager.cpp)
add_executable(tanks_tests tests/all.cpp)
target_link_libraries(tanks_tests PRIVATE GTest::gtest_main)
"""
TESTS: Final = "#include <gtest/gtest.h>\nTEST(Tank, Shoots) { EXPECT_TRUE(true); }\n"


def _assignment(number: int, files: Mapping[str, str]) -> Mapping[str, str]:
    return {f"assignment{number}/{name}": text for name, text in files.items()}


SOUND: Final = (
    *python_forms(TANK_PLUGIN.replace("NAME", "TEAM")),
    Kind(name="Python with numpy", files=_python(NUMPY)),
    Kind(name="plain C++", files=lambda team: {"my tank.cpp": f"// {team}\n{PLAIN}".encode()}, tools=("g++",)),
    Kind(name="assignment 3", is_dear=True, files=_tree(TREE), tools=("g++",)),
    Kind(
        name="assignment 3 with CMake",
        is_dear=True,
        files=_tree({**TREE, "Algorithm/CMakeLists.txt": cmake("Algorithm"), "GameManager/CMakeLists.txt": cmake("GameManager")}),
        tools=("g++", "cmake", "make"),
    ),
    Kind(
        name="assignment 3 with a Makefile",
        is_dear=True,
        files=_tree({**TREE, "Algorithm/Makefile": MAKEFILE}),
        tools=("g++", "make"),
    ),
    Kind(name="assignment 3 in headers", files=_tree(_headers_only()), tools=("g++",)),
    Kind(
        name="a compiled file",
        files=lambda team: {"readme.txt": team.encode(), "Algorithm_1_2.so": _shared_object()},
        tools=("g++",),
    ),
    *python_at_home(TANK_PLUGIN.replace("NAME", "TEAM")),
    Kind(
        name="assignment 3 with -Werror and a header that others brought along",
        is_dear=True,
        files=_tree(
            {
                **TREE,
                "UserCommon/Sees.h": SEES,
                "Algorithm/Coach.cpp": '#include "../UserCommon/Sees.h"\nstatic int spare;\n' + COACH_CPP,
                "Algorithm/Makefile": STRICT_MAKEFILE,
            }
        ),
        tools=("g++", "make"),
        words="without -Werror and with <stddef.h>, <stdint.h> included",
    ),
    Kind(
        name="assignment 3 whose Makefile names a missing file",
        is_dear=True,
        files=_tree({**TREE, "Algorithm/Makefile": MAKEFILE.replace("Coach.o", "Player.o")}),
        tools=("g++", "make"),
        words="No rule to make target 'Player.o'",
    ),
    Kind(
        name="assignment 3 for a newer CMake",
        is_dear=True,
        files=_tree({**TREE, "Algorithm/CMakeLists.txt": cmake("Algorithm").replace("VERSION 3.10", "VERSION 99.0")}),
        tools=("g++", "cmake", "make"),
        words="needs CMake 99.0 or newer",
    ),
    Kind(
        name="several assignments, and others' compiled files",
        is_dear=True,
        files=lambda team: {
            **_tree({**_assignment(2, ASSIGNMENT_2), **_assignment(3, TREE)})(team),
            "others/Algorithm_7.so": _shared_object(),
        },
        tools=("g++",),
        words="only the folder hw3/assignment3/ was taken",
    ),
)
"""Work that plays."""


def _cpp(change: Callable[[str], str]) -> Callable[[str], Files]:
    return lambda team: {"tank.cpp": f"// {team}\n{change(PLAIN)}".encode()}


SECOND_FILE: Final = "int shells() { return 4; }\n"

BROKEN: Final = (
    Kind(
        name="a syntax error in Python",
        files=_python(lambda text: text.replace("def get_action(self):", "def get_action(self)")),
        verdict=Verdict.UNBUILT,
        words="SyntaxError: expected ':'",
    ),
    Kind(
        name="a syntax error in C++",
        files=_cpp(lambda text: text.replace("REGISTER_PLAYER(Coach);", "REGISTER_PLAYER(Coach;")),
        verdict=Verdict.UNBUILT,
        words="tank.cpp:",
        tools=("g++",),
    ),
    Kind(
        name="a missing header",
        files=_cpp(lambda text: '#include "MyBoard.h"\n' + text),
        verdict=Verdict.UNBUILT,
        words="tank.cpp:2: MyBoard.h: No such file or directory",
        tools=("g++",),
    ),
    Kind(
        name="a link error",
        is_dear=True,
        files=lambda team: {
            "tank.cpp": f"// {team}\n{SECOND_FILE}{PLAIN}".encode(),
            "shells.cpp": SECOND_FILE.encode(),
        },
        verdict=Verdict.UNBUILT,
        words="multiple definition of `shells()'",
        tools=("g++",),
    ),
    Kind(
        name="a wrong class name",
        is_dear=True,
        files=_cpp(lambda text: text.replace("REGISTER_TANK_ALGORITHM(Tank)", "REGISTER_TANK_ALGORITHM(Tnak)")),
        verdict=Verdict.UNBUILT,
        words="Tnak",
        tools=("g++",),
    ),
    Kind(
        name="a crash at the start",
        files=_python(lambda text: text.replace("        pass\n", "        raise ValueError('no shells today')\n", 1)),
        verdict=Verdict.FAULTY,
        words="no shells today",
    ),
    Kind(
        # Not at the start, which may take five times as long.
        name="an endless loop in the first round",
        files=_python(lambda text: text.replace("        return ActionRequest.SHOOT\n", "        while True:\n            pass\n")),
        verdict=Verdict.FAULTY,
        words="timeout",
    ),
    *broken_archives(_python()),
    Kind(
        name="nothing registered",
        is_dear=True,
        files=_cpp(lambda text: text.replace("REGISTER_TANK_ALGORITHM(Tank);", "// REGISTER_TANK_ALGORITHM")),
        verdict=Verdict.FAULTY,
        words="TankAlgorithm",
        tools=("g++",),
    ),
    Kind(
        name="a compiled file of another system",
        files=lambda team: {"Algorithm_1.so": b"\xcf\xfa\xed\xfe" + bytes(60)},
        verdict=Verdict.UNBUILT,
        words="was built for macOS",
    ),
    Kind(
        name="work for another game",
        files=lambda team: {"Bot.cs": f"class Bot {{ /* {team} */ }}\n".encode()},
        verdict=Verdict.UNKNOWN,
        words="holds C# sources",
    ),
    Kind(
        name="rows taken for columns",
        is_dear=True,
        files=_cpp(lambda text: f"#include <stdexcept>\n{SWAPPED}"),
        verdict=Verdict.FAULTY,
        words="it never asked for column",
        tools=("g++",),
    ),
    Kind(
        name="a file left out of the Makefile",
        is_dear=True,
        files=_tree(
            {
                **TREE,
                "Algorithm/Coach.cpp": changed(
                    COACH_CPP,
                    ("info;", "info; wait();"),
                    ("namespace Algorithm_123_456 {", "int wait();\nnamespace Algorithm_123_456 {"),
                ),
                "GameManager/wait.cpp": "int wait() { return 0; }\n",
                "Algorithm/Makefile": MAKEFILE,
            }
        ),
        verdict=Verdict.FAULTY,
        words="undefined symbol wait()",
        tools=("g++", "make"),
    ),
    Kind(
        name="a submodule that is missing",
        files=lambda team: {
            **_cpp(lambda text: f'#include "logger/log.h"\n{text}')(team),
            ".gitmodules": b'[submodule "logger"]\n\tpath = logger\n\turl = https://example.org/logger.git\n',
        },
        verdict=Verdict.UNBUILT,
        words="these git submodules have no files, since a download leaves them out: logger",
        tools=("g++",),
    ),
    Kind(
        name="assignment 2",
        files=of_texts(ASSIGNMENT_2),
        verdict=Verdict.WHOLE,
        words="plays in no tournament",
        tools=("g++",),
        is_dear=True,
    ),
    Kind(
        name="assignment 2 with tests that fetch a library",
        files=of_texts({**ASSIGNMENT_2, "CMakeLists.txt": TESTED, "tests/all.cpp": TESTS}),
        verdict=Verdict.WHOLE,
        words="from its CMakeLists.txt",
        tools=("g++", "cmake", "make"),
        is_dear=True,
    ),
)
"""Work that does not play, and why."""


def _by_makefile(makefile: str) -> Callable[[str], Files]:
    """A tree of assignment 3 whose Makefile is all that could build it."""
    sources = {"Algorithm/tank.cpp": "#error built by its Makefile alone\n", "students.txt": "we\n", "maps/a.txt": ""}
    return _tree({"Algorithm/Makefile": makefile, **sources})


HOSTILE: Final = (
    *hostile_archives(_python()),
    *hostile_makefiles(_by_makefile, ("g++", "make")),
)
"""Work that means harm."""

TANKS: Final = Work(sound=SOUND, broken=BROKEN, hostile=HOSTILE)
