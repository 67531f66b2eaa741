"""What students hand in for tanks: sound work in every form, broken work of many kinds, hostile work."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tests.classes.kinds import (
    DOCUMENT,
    EMPTY_ARCHIVE,
    FORK_BOMB,
    LOOK_AT_OTHERS,
    ONLY_BUILT,
    WITHOUT_END,
    Files,
    Kind,
    Work,
    cut_off,
    hostile_archives,
    locked,
)
from tests.plugins.tanks_native.test_recipes import COACH_CPP, MAKEFILE, PLAIN, TANK_CPP, TANK_H, TREE, cmake
from tests.simulator.intake.making import tank_plugin

from tiltyard_simulator.intake.team_report import Verdict
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


def _notebook(team: str) -> Files:
    code, coach = tank_plugin("tank").split("\n\n\nclass Coach")
    cells = [{"cell_type": "markdown", "source": [f"# The tank of {team}"]}]
    cells += [{"cell_type": "code", "source": text.splitlines(keepends=True)} for text in (code, "class Coach" + coach)]
    return {"Tank.ipynb": json.dumps({"cells": cells, "nbformat": 4}).encode()}


def _headers_only() -> Mapping[str, str]:
    body = TANK_CPP.replace('#include "Tank.h"\n', "").replace("Tank::Tank(", "inline Tank::Tank(")
    body = body.replace("ActionRequest Tank", "inline ActionRequest Tank").replace("void Tank", "inline void Tank")
    rest = {name: text for name, text in TREE.items() if not name.startswith(("Algorithm/", "GameManager/"))}
    return {**rest, "Algorithm/Tank.h": TANK_H + body, "Algorithm/Coach.hpp": COACH_CPP}


@cache
def _shared_object() -> bytes:
    """PLAIN, built against the course's headers."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "tank.cpp")
        includes = ("TankAlgorithmRegistration.h", "../common/PlayerRegistration.h", "common/BattleInfo.h")
        text = PLAIN
        for name in includes:
            text = text.replace(f'#include "{name}"\n', "")
        macros = "".join(line for line in TREE["common/Registration.h"].splitlines(keepends=True) if "once" not in line)
        source.write_text(macros.replace('"Interface.h"', '"interface.hpp"') + text)
        product = Path(folder, "Algorithm_1_2.so")
        command = ["g++", "-std=c++20", "-shared", "-fPIC", "-I", str(SOURCES), str(source), "-o", str(product)]
        subprocess.run(command, check=True, capture_output=True)
        return product.read_bytes()


PYPROJECT: Final = """[project]
name = "tank"
version = "1.0"

[project.entry-points.tiltyard]
tank = "tank.team"
"""
NUMPY: Final = _after("hookimpl\n", "import numpy\n\nBOARD = numpy.zeros((3, 3))\n")

SOUND: Final = (
    Kind(name="a Python file", files=_python()),
    Kind(
        name="a Python package",
        files=lambda team: {"mine/__init__.py": b"from .team import algorithms\n", "mine/team.py": tank_plugin(team).encode()},
    ),
    Kind(
        name="a Python package in src", files=lambda team: {"src/mine/__init__.py": tank_plugin(team).encode(), "notes.txt": b"x"}
    ),
    Kind(
        name="a Python project",
        files=lambda team: {
            "hw/pyproject.toml": PYPROJECT.encode(),
            "hw/src/tank/__init__.py": b"",
            "hw/src/tank/team.py": tank_plugin(team).encode(),
        },
    ),
    Kind(name="a notebook", files=_notebook),
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
    EMPTY_ARCHIVE,
    DOCUMENT,
    ONLY_BUILT,
    Kind(name="a locked archive", files=locked(_python()), verdict=Verdict.UNREADABLE, words="is locked with a password"),
    Kind(name="an archive that was cut off", files=cut_off(_python()), verdict=Verdict.UNREADABLE, words="is damaged"),
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
)
"""Work that does not play, and why."""


def _makefile(rule: str) -> Callable[[str], Files]:
    """A tree of assignment 3 whose Makefile is all that could build it."""
    files = {
        "Algorithm/Makefile": f"all:\n\t{rule}\n",
        "Algorithm/tank.cpp": "#error built by its Makefile alone\n",
        "students.txt": "we\n",
        "maps/a.txt": "",
    }
    return _tree(files)


HOSTILE: Final = (
    *hostile_archives(_python()),
    Kind(
        name="a fork bomb",
        is_dear=True,
        files=_makefile(FORK_BOMB),
        verdict=Verdict.UNBUILT,
        tools=("g++", "make"),
    ),
    Kind(
        name="a look at the others",
        files=_makefile(LOOK_AT_OTHERS),
        verdict=Verdict.UNBUILT,
        tools=("g++", "make"),
    ),
    Kind(
        name="a build without end",
        files=_makefile(WITHOUT_END),
        verdict=Verdict.UNBUILT,
        words="the build was stopped: make",
        tools=("g++", "make"),
        is_slow=True,
    ),
)
"""Work that means harm."""

TANKS: Final = Work(sound=SOUND, broken=BROKEN, hostile=HOSTILE, map="narrow-pass")
