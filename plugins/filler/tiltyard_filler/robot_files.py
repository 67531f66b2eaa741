"""The project's robots as files: each a program in one executable file that needs Python and nothing else.

``python -m tiltyard_filler.robot_files robots`` writes them into a folder. Any engine of the subject can run them there, with
``-p1 robots/champion``. A file is a zip archive behind a first line, as Python's zipapp makes them: the algorithms' own modules
and what they import.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Final

from tiltyard_engine.exit_status import end_well

ROBOTS: Final = ("nearest", "heat", "voronoi", "champion")
FIRST_LINE: Final = b"#!/usr/bin/env python3\n"
ENGINE_MODULES: Final = (
    "errors/__init__.py",
    "exit_status.py",
    "texts/__init__.py",
    "texts/near_names.py",
    "texts/sanitize.py",
    "turns.py",
)
"""What robots need of ``tiltyard_engine``; its ``__init__`` is left out, as it imports the rest."""
GAME_MODULES: Final = ("__init__.py", "anfield.py", "pieces.py", "positions.py", "rules.py", "standalone.py")
LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
"""The time of all files in an archive: the same sources make the same bytes."""


def robot_file(name: str) -> bytes:
    """The bytes of one robot's file."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path, text in _sources():
            target.writestr(zipfile.ZipInfo(path, LONG_AGO), text)
        start = f"from tiltyard_filler.algorithms.{name} import main\n\nmain()\n"
        target.writestr(zipfile.ZipInfo("__main__.py", LONG_AGO), start)
    return FIRST_LINE + archive.getvalue()


def write_robots(folder: Path) -> list[Path]:
    """Write all of them; the folder is made where it does not exist, files of the same names are replaced.

    Raises:
        OSError: they cannot be written there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for name in ROBOTS:
        path = folder / name
        path.write_bytes(robot_file(name))
        path.chmod(0o755)
        paths.append(path)
    return paths


def _sources() -> Iterator[tuple[str, str]]:
    engine, game = resources.files("tiltyard_engine"), resources.files("tiltyard_filler")
    yield "tiltyard_engine/__init__.py", ""
    for name in ENGINE_MODULES:
        yield f"tiltyard_engine/{name}", engine.joinpath(name).read_text(encoding="utf-8")
    for name in GAME_MODULES:
        yield f"tiltyard_filler/{name}", game.joinpath(name).read_text(encoding="utf-8")
    for file in sorted(game.joinpath("algorithms").iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".py"):
            yield f"tiltyard_filler/algorithms/{file.name}", file.read_text(encoding="utf-8")


def read_folder(command: str, about: str, words: Sequence[str] | None) -> Path:
    """The one argument of a command that writes a folder."""
    parser = argparse.ArgumentParser(prog=f"python -m {command}", description=about)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    folder: Path = parser.parse_args(words).folder
    return folder


def main(words: Sequence[str] | None = None) -> int:
    """The command: prints the files that it has written."""

    def run() -> int:
        for path in write_robots(read_folder("tiltyard_filler.robot_files", "Write the robots as files.", words)):
            print(path)
        return 0

    return end_well(run)


if __name__ == "__main__":
    sys.exit(main())
