"""Readers of what students hand in for a class: archives, exports of platforms, their metadata, and lists of students."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import zstandard
from tests.fuzz.trial import Reader, at
from tests.simulator.intake.archives import tarred, zipped
from tests.simulator.intake.exports import CANVAS, GRADESCOPE, METADATA, MOODLE_FOLDERS

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.environments import environment_of
from tiltyard_simulator.intake.entries import read_entries
from tiltyard_simulator.intake.environments.allowed import Allowed, judge
from tiltyard_simulator.intake.environments.requirements import RequirementsError, read_requirements
from tiltyard_simulator.intake.gradescope import read_metadata
from tiltyard_simulator.intake.roster import read_roster
from tiltyard_simulator.intake.sources import Source
from tiltyard_simulator.intake.trees import make_tree

FILES: Final = {"bot/main.cpp": b"int main() {}\n" * 9, "bot/tank.h": bytes(range(256)), "bot/build/x.o": b""}
ROSTER: Final = 'Name;ID;Group\nAlder, Ann;1001;Team A\nZoë Birch;1002;Team A\n"Cem\nÇelik";1003;\n'
REQUIREMENTS: Final = [
    b"numpy>=2,<3  # arrays\nscipy==1.17.1 \\\n  --hash=sha256:00\nnetworkx[extra]~=3.0\n-r other.txt\na @ https://b/c.whl\n",
    b'colorama; sys_platform == "win32" and python_version < "3.11" or extra == "x"\ntiltyard-engine===0.1\n',
    "numpy\r\nscipy!=1.*\r\n".encode("utf-16"),
]
DEPENDENCIES: Final = b'[project]\nname = "bot"\ndependencies = ["numpy>=2", "tomli; python_version < \'3.11\'"]\n'
TEAMS: Final = b'{"ann.py": "0123456789abcdef0123456789abcdef01234567", "ben": "0123456789abcdef0123456789abcdef01234568"}'


@cache
def _tars() -> Sequence[bytes]:
    tar = tarred(FILES)
    return [tar, gzip.compress(tar), bz2.compress(tar), lzma.compress(tar), zstandard.compress(tar)]


@cache
def _exports() -> Sequence[bytes]:
    return [zipped(files) for files in (MOODLE_FOLDERS, CANVAS, GRADESCOPE, {"ann.zip": zipped(FILES), "bob.py": b""})]


def _tree(path: Path) -> None:
    make_tree([Source(path, path.name)], path.parent / "tree")


def _entries(path: Path) -> None:
    for number, entry in enumerate(read_entries(path, work=path.parent / "work").entries):
        make_tree(entry.sources, path.parent / "teams" / str(number))


def _requirements(path: Path) -> None:
    try:
        judge(read_requirements(path.parent, [path.name], ""), Allowed())
    except RequirementsError as error:
        raise UserError(str(error)) from error


def _environments(path: Path) -> None:
    environment_of(path.parents[1] / "ann.py")


HANDED_IN: Final = (
    Reader(name="intake-zip", samples=lambda: [zipped(FILES), zipped({"in.zip": zipped(FILES)})], read=at("a.zip", _tree)),
    Reader(name="intake-tar", samples=_tars, read=at("a.tar.gz", _tree)),
    Reader(
        name="intake-compressed", samples=lambda: [gzip.compress(b"x" * 99), lzma.compress(b"x" * 99)], read=at("a.py.gz", _tree)
    ),
    Reader(name="intake-export", samples=_exports, read=at("export.zip", _entries)),
    Reader(
        name="intake-roster",
        samples=lambda: [ROSTER.encode(code) for code in ("utf-8", "cp1252", "utf-16")],
        read=at("students.csv", read_roster),
    ),
    Reader(name="intake-requirements", samples=lambda: REQUIREMENTS, read=at("requirements.txt", _requirements)),
    Reader(name="intake-dependencies", samples=lambda: [DEPENDENCIES], read=at("pyproject.toml", _requirements)),
    Reader(name="teams-environments", samples=lambda: [TEAMS], read=at("teams/.environments/teams.json", _environments)),
    Reader(name="intake-gradescope", samples=lambda: [METADATA], read=at("submission_metadata.yml", read_metadata)),
)
"""A line a reader, as in ``files``."""
