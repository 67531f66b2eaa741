"""Kinds of work that students hand in, and what is the same for every game: archives that are broken or mean harm.

Each piece says what becomes of it, so that whoever plays the class can hold everybody to it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.intake.made_archives import with_field, zipped

from tiltyard_intake.report.team_report import Verdict

Files = Mapping[str, bytes]
PROGRAMS: Final = Path(__file__).parents[1] / "programs"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """A kind of work."""

    name: str
    files: Callable[[str], Files]
    """From the team's name to its files. A single name that ends like an archive's is one that lies there as it is."""
    verdict: Verdict = Verdict.PLAYS
    words: str = ""
    """What the report, and the text for the student, must say."""
    recipe: str = ""
    """By which it must be read; empty: whichever fits."""
    tools: tuple[str, ...] = ()
    """Without which this machine cannot build it."""
    unless: tuple[str, ...] = ()
    """Where this machine has one of these, something else is said of it, so it is left out."""
    alike: str = ""
    """The kind that it is a copy of, as the organiser must be told."""
    is_slow: bool = False
    """Whether it ends only when a limit of a build is reached."""
    is_dear: bool = False
    """Whether it takes a compiler more than two seconds or so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What a class hands in for one game."""

    sound: tuple[Kind, ...]
    broken: tuple[Kind, ...]
    hostile: tuple[Kind, ...]


def of_texts(files: Mapping[str, str]) -> Callable[[str], Files]:
    """Files that differ from team to team where their text says ``TEAM``."""
    return lambda team: {name: text.replace("TEAM", file_word(team)).encode() for name, text in files.items()}


def changed(text: str, *replacements: tuple[str, str]) -> str:
    """A text with parts of it replaced, all of which are in it."""
    for before, after in replacements:
        assert before in text, before
        text = text.replace(before, after)
    return text


def file_word(team: str) -> str:
    """A team's name as a word that any source file can hold between quotes."""
    return "".join(letter for letter in team if letter.isascii() and letter.isalnum()) or "team"


def program(name: str) -> str:
    """The text of a program that lies in ``tests/programs``."""
    return (PROGRAMS / name).read_text(encoding="utf-8")


@cache
def compiled(name: str, *command: str) -> bytes:
    """What a compiler makes under this name; ``PRODUCT`` in its command is where."""
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder, name)
        subprocess.run([word.replace("PRODUCT", str(product)) for word in command], check=True, capture_output=True)
        return product.read_bytes()


def locked(files: Callable[[str], Files]) -> Callable[[str], Files]:
    """The same in an archive whose flag says that it is encrypted."""
    return lambda team: {"locked.zip": with_field(zipped(files(team)), 6, 8, "<H", 1)}


def cut_off(files: Callable[[str], Files]) -> Callable[[str], Files]:
    """The same in an archive whose end is missing."""
    return lambda team: {"work.zip": zipped(files(team))[:-40]}


def bomb(files: Callable[[str], Files]) -> Callable[[str], Files]:
    """The same in an archive that becomes far larger."""
    return lambda team: {"bomb.zip": zipped({**files(team), "map.txt": bytes(64 << 20)})}


def leading_out(files: Callable[[str], Files]) -> Callable[[str], Files]:
    """The same in an archive with paths that lead out of it."""
    return lambda team: {"work.zip": zipped({f"../../../other/{name}": data for name, data in files(team).items()})}


EMPTY_ARCHIVE: Final = Kind(
    name="an empty archive", files=lambda team: {"empty.zip": zipped({})}, verdict=Verdict.UNREADABLE, words="contains no files"
)
DOCUMENT: Final = Kind(
    name="a Word document alone",
    files=lambda team: {"report.docx": zipped({"word/document.xml": team.encode()})},
    verdict=Verdict.UNKNOWN,
    words=".docx",
)
ONLY_BUILT: Final = Kind(
    name="only bin and obj",
    files=lambda team: {"bin/Debug/tank.pdb": team.encode(), "obj/tank.cache": b"made"},
    verdict=Verdict.UNKNOWN,
    words="holds no sources",
)
IN_JAVA: Final = Kind(name="work in Java", files=of_texts({"Main.java": "class Main { }\n"}), verdict=Verdict.UNKNOWN, words="Java")


def broken_archives(files: Callable[[str], Files]) -> tuple[Kind, ...]:
    """What happens to the work of any course."""
    return (
        EMPTY_ARCHIVE,
        DOCUMENT,
        ONLY_BUILT,
        Kind(name="a locked archive", files=locked(files), verdict=Verdict.UNREADABLE, words="is locked with a password"),
        Kind(name="an archive that was cut off", files=cut_off(files), verdict=Verdict.UNREADABLE, words="is damaged"),
    )


def hostile_archives(files: Callable[[str], Files]) -> tuple[Kind, ...]:
    """Archives that mean harm to whoever unpacks them."""
    return (
        Kind(name="a bomb", files=bomb(files), verdict=Verdict.UNREADABLE, words="times as large"),
        Kind(name="a path that leads out", files=leading_out(files), verdict=Verdict.UNREADABLE, words="leads out of it"),
    )


FORK_BOMB: Final = "printf 'while :; do sh ./b & done; wait' > b; sh ./b"
LOOK_AT_OTHERS: Final = "cat ../../*/*/*.c* ../../*/*.py /etc/shadow; ls ../.. ../../..; exit 1"
WITHOUT_END: Final = "while :; do :; done"


def hostile_makefiles(with_makefile: Callable[[str], Callable[[str], Files]], tools: tuple[str, ...]) -> tuple[Kind, ...]:
    """Makefiles that mean harm to whoever builds with them.

    Args:
        with_makefile: from the text of a Makefile to work that can't be built in any other way.
        tools: without which it is not even tried.
    """

    def with_rule(rule: str) -> Callable[[str], Files]:
        return with_makefile(f"# TEAM\nall:\n\t{rule}\n")

    unbuilt = Verdict.UNBUILT
    return (
        Kind(name="a fork bomb", is_dear=True, files=with_rule(FORK_BOMB), verdict=unbuilt, tools=tools),
        Kind(name="a look at the others", files=with_rule(LOOK_AT_OTHERS), verdict=unbuilt, tools=tools),
        Kind(
            name="a build without end",
            files=with_rule(WITHOUT_END),
            verdict=unbuilt,
            words="the build was stopped: make",
            tools=tools,
            is_slow=True,
        ),
    )


def python_forms(plugin: str) -> tuple[Kind, ...]:
    """Teams in Python, which any game takes.

    Args:
        plugin: a file that registers a team and needs no other.
    """
    half = plugin.index("@hookimpl")
    cells = [{"cell_type": "markdown", "source": ["# The team of TEAM"]}]
    cells += [{"cell_type": "code", "source": text.splitlines(keepends=True)} for text in (plugin[:half], plugin[half:])]
    project = '[project]\nname = "ours"\nversion = "1.0"\n\n[project.entry-points.tiltyard]\nours = "ours.team"\n'
    return (
        Kind(name="a Python file", files=of_texts({"ours.py": plugin}), recipe="python-file"),
        Kind(
            name="a Python package",
            files=of_texts({"ours/__init__.py": "from .team import algorithms\n", "ours/team.py": plugin}),
            recipe="python-package",
        ),
        Kind(name="a Python package in src", files=of_texts({"src/ours/__init__.py": plugin, "notes.txt": "TEAM"})),
        Kind(
            name="a Python project",
            files=of_texts({"hw/pyproject.toml": project, "hw/src/ours/__init__.py": "", "hw/src/ours/team.py": plugin}),
        ),
        Kind(name="a notebook", files=of_texts({"Ours.ipynb": json.dumps({"cells": cells, "nbformat": 4})})),
    )


def python_at_home(plugin: str) -> tuple[Kind, ...]:
    """Teams in Python as they ran at home, with what lies beside them, and with what students send along.

    Args:
        plugin: a file that registers a team and needs no other.
    """

    def taking(line: str) -> str:
        return line + "\n" + changed(plugin, ('"TEAM"', "NAME"))

    name = 'NAME = "TEAM"\n'
    broken = plugin.replace("def algorithms():", "def algorithms()")
    text = of_texts({"ours.py": plugin})
    return (
        Kind(
            name="a Python file beside its helper",
            files=of_texts({"ours.py": taking("from helper import NAME"), "helper.py": name}),
        ),
        Kind(
            name="a Python folder that goes by its own name",
            files=of_texts({"mybot/ours.py": taking("from mybot.conf import NAME"), "mybot/conf.py": name}),
        ),
        Kind(
            name="a Python file that opens another",
            files=of_texts({"ours.py": taking('NAME = open("name.txt").read()'), "name.txt": "TEAM"}),
        ),
        Kind(
            name="an archive in the archive, and a list of students",
            files=lambda team: {"students.txt": f"{team} 1\n".encode(), "work.zip": zipped(text(team))},
        ),
        Kind(
            name="documents beside the work",
            files=lambda team: {**text(team), "Report.docx": zipped({"word/document.xml": team.encode()}), "board.png": b"\x89PNG"},
        ),
        Kind(name="two READMEs", files=of_texts({"ours.py": plugin, "README.md": "# TEAM\n", "readme.md": "TEAM\n"})),
        Kind(
            name="a file that was downloaded twice",
            files=of_texts({"ours.py": broken, "ours (1).py": plugin}),
            words="'ours (1).py' counts instead of 'ours.py'",
        ),
    )


def python_programs(game: str, text: str) -> tuple[Kind, ...]:
    """Programs in Python that answer over pipes, as games for programs take them."""
    manifest = f'game = "{game}"\ncommand = ["python3", "ours.py"]\n'
    return (
        Kind(name="a program in Python", files=of_texts({"ours.py": text, "words.txt": "TEAM"}), recipe="python-program"),
        Kind(
            name="a program with its manifest",
            files=of_texts({"ours.py": text, "program.toml": manifest}),
            recipe="program-manifest",
        ),
        Kind(name="a script", files=of_texts({"ours": f"#!/usr/bin/env python3\n{text}"}), recipe="script"),
    )


def broken_python(plugin: str) -> Kind:
    """A plugin with a line that Python can't read."""
    text = plugin.replace("def algorithms():", "def algorithms()")
    return Kind(
        name="a syntax error in Python",
        files=of_texts({"ours.py": text}),
        verdict=Verdict.UNBUILT,
        words="SyntaxError: expected ':'",
    )
