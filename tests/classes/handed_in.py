"""What a class of students hands in for tanks: sound work in every form, broken work of many kinds, hostile work.

All of it is made from a seed. Each piece says what becomes of it, so that whoever plays the class can hold everybody to it.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.plugins.tanks_native.test_recipes import COACH_CPP, MAKEFILE, PLAIN, TANK_CPP, TANK_H, TREE, cmake
from tests.simulator.intake.archives import with_field, zipped
from tests.simulator.intake.making import tank_plugin

from tiltyard_simulator.intake.team_report import Verdict
from tiltyard_tanks_native.builds import SOURCES

Files = Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """A kind of work."""

    name: str
    files: Callable[[str], Files]
    """From the team's name to its files. A single name that ends like an archive's is one that lies there as it is."""
    verdict: Verdict = Verdict.PLAYS
    words: str = ""
    """What the report must say."""
    tools: tuple[str, ...] = ()
    """Without which this machine cannot build it."""
    is_slow: bool = False
    """Whether it ends only when a limit of a build is reached."""
    is_dear: bool = False
    """Whether it takes a compiler more than two seconds or so."""


def _text(**files: str) -> Callable[[str], Files]:
    """Files of the same text for everybody; ``__`` is a slash and ``_dot_`` a dot."""
    return lambda team: {
        name.replace("__", "/").replace("_dot_", "."): text.replace("TEAM", team).encode() for name, text in files.items()
    }


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


def _locked(team: str) -> Files:
    # The flag says that it is encrypted.
    return {"locked.zip": with_field(zipped({"tank.py": tank_plugin(team).encode()}), 6, 8, "<H", 1)}


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
        name="an endless loop at the start",
        files=_python(lambda text: text.replace("        pass\n", "        while True:\n            pass\n", 1)),
        verdict=Verdict.FAULTY,
        words="timeout",
    ),
    Kind(
        name="an empty archive", files=lambda team: {"empty.zip": zipped({})}, verdict=Verdict.UNREADABLE, words="contains no files"
    ),
    Kind(
        name="a Word document alone",
        files=lambda team: {"report.docx": zipped({"word/document.xml": team.encode()})},
        verdict=Verdict.UNKNOWN,
        words=".docx",
    ),
    Kind(
        name="only bin and obj",
        files=lambda team: {"bin/Debug/tank.pdb": team.encode(), "obj/tank.cache": b"made"},
        verdict=Verdict.UNKNOWN,
        words="holds no sources",
    ),
    Kind(name="a locked archive", files=_locked, verdict=Verdict.UNREADABLE, words="is locked with a password"),
    Kind(
        name="an archive that was cut off",
        files=lambda team: {"tank.zip": zipped({"tank.py": tank_plugin(team).encode()})[:-40]},
        verdict=Verdict.UNREADABLE,
        words="is damaged",
    ),
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
        files=_text(Bot_dot_cs="class Bot { /* TEAM */ }\n"),
        verdict=Verdict.UNKNOWN,
        words="holds C# sources",
    ),
)
"""Work that does not play, and why."""


def _bomb(team: str) -> Files:
    return {"bomb.zip": zipped({"tank.py": tank_plugin(team).encode(), "map.txt": bytes(64 << 20)})}


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
    Kind(name="a bomb", files=_bomb, verdict=Verdict.UNREADABLE, words="times as large"),
    Kind(
        name="a path that leads out",
        files=lambda team: {"tank.zip": zipped({"../../../other/tank.py": tank_plugin(team).encode()})},
        verdict=Verdict.UNREADABLE,
        words="leads out of it",
    ),
    Kind(
        name="a fork bomb",
        is_dear=True,
        files=_makefile("printf 'while :; do sh ./b & done; wait' > b; sh ./b"),
        verdict=Verdict.UNBUILT,
        tools=("g++", "make"),
    ),
    Kind(
        name="a look at the others",
        files=_makefile("cat ../../*/*/*.cpp ../../*/*.py /etc/shadow; ls ../.. ../../..; exit 1"),
        verdict=Verdict.UNBUILT,
        tools=("g++", "make"),
    ),
    Kind(
        name="a build without end",
        files=_makefile("while :; do :; done"),
        verdict=Verdict.UNBUILT,
        words="the build was stopped: make",
        tools=("g++", "make"),
        is_slow=True,
    ),
)
"""Work that means harm."""

FIRST: Final = ("Ann", "Ben", "Çem", "Dee", "Eve", "Fay", "Gil", "Hana", "Ian", "Jo", "Kim", "Lea", "Max", "Noa", "Zoë")
LAST: Final = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "O'Pine", "Rowan", "van der Yew")


@dataclass(frozen=True, kw_only=True, slots=True)
class Student:
    """Who hands in, and what."""

    name: str
    number: int
    kind: Kind


def a_class(*, sound: int, broken: int, hostile: int, seed: int, is_cheap: bool = False) -> list[Student]:
    """A class in no particular order. What cannot be built here is left out.

    Args:
        sound: how many hand in what plays; kinds come round again.
        broken: how many hand in what doesn't.
        hostile: how many mean harm.
        seed: of names, numbers and the order.
        is_cheap: leave out what takes long.
    """
    chance = random.Random(seed)
    kinds = [kind for of, count in ((SOUND, sound), (BROKEN, broken), (HOSTILE, hostile)) for kind in _some(of, count, is_cheap)]
    chance.shuffle(kinds)
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    while len(names) < len(kinds):
        names += [f"{first}-{second} {last}" for last in LAST for first in FIRST for second in FIRST]
    chosen = chance.sample(names, len(kinds))
    numbers = chance.sample(range(100_000, 1_000_000), len(kinds))
    return [Student(name=name, number=number, kind=kind) for name, number, kind in zip(chosen, numbers, kinds)]


def _some(kinds: tuple[Kind, ...], count: int, is_cheap: bool) -> Iterator[Kind]:
    """Each kind once, and then those that cost least."""
    able = [kind for kind in kinds if all(shutil.which(tool) for tool in kind.tools)]
    able = [kind for kind in able if not (is_cheap and (kind.is_slow or kind.is_dear))]
    again = [kind for kind in able if not kind.tools] if is_cheap else able
    for number in range(count):
        yield able[number] if number < len(able) else again[number % len(again)]


PAGE: Final = a_class(sound=25, broken=11, hostile=4, seed=7, is_cheap=True)
"""The class of docs/how-to/from-moodle-to-standings.md."""
