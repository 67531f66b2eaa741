"""What a command that pip installed needs to read: its virtual environment, and the Python that this was made from.

Such a command is a small script in the environment's ``bin``, whose first line names the environment's interpreter. Only there it
opens the environment: somebody who hands in a script elsewhere, with such a first line, gets to read nothing by it. In the
environment that runs the matches other teams are installed too; there a command may read what a team may that is written in Python
and comes from the command's own distribution. Sources: PEP 405 for ``pyvenv.cfg``, distlib for the two forms of the first line.
"""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Final

from tiltyard_engine.registry.sources import Origin, Source, normal_name
from tiltyard_simulator.guard.readable_paths import Paths, paths_for

FIRST_LINE: Final = re.compile(rb"#![ \t]*(/[^\n]*)\n")
LONG_PATH: Final = re.compile(rb"#!/bin/sh\n'''exec' \"?(/[^\n\"]*?)\"? \"\$0\" \"\$@\"\n")
"""How installers write it where the path is too long for the kernel, or has spaces."""
ABOUT: Final = "pyvenv.cfg"
HOME: Final = re.compile(r"^home\s*=\s*(/.*?)\s*$", re.MULTILINE)
VERSION: Final = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)
LOOKED_AT: Final = 4096
"""Bytes of a program's begin."""


def paths_of_environment(program: str) -> Paths | None:
    """What an installed command needs beside its own file; None where ``program`` is none.

    Args:
        program: the path of its file.
    """
    file = Path(program)
    folder = _environment_of(file)
    if folder is None:
        return None
    if folder.resolve() == Path(sys.prefix).resolve():
        return paths_for([Source(file.name, Origin.INSTALLED, "", distribution=_distribution_of(file))])
    return Paths((str(folder), *_base_of(folder)), ())


def _environment_of(file: Path) -> Path | None:
    """The environment in whose ``bin`` a script lies that this environment's Python is to run."""
    try:
        with file.open("rb") as opened:
            begin = opened.read(LOOKED_AT)
    except OSError:
        return None
    found = LONG_PATH.match(begin) or FIRST_LINE.match(begin)
    if found is None:
        return None
    interpreter = Path(found[1].decode(errors="replace").strip())
    folder = interpreter.parent.parent
    is_there = interpreter.parent.resolve() == file.parent.resolve() and (folder / ABOUT).is_file()
    return folder if is_there else None


def _base_of(folder: Path) -> tuple[str, ...]:
    """Programs and libraries of the Python that the environment was made from, if it is one."""
    try:
        about = (folder / ABOUT).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    home, version = HOME.search(about), VERSION.search(about)
    if home is None or version is None:
        return ()
    # Whoever made the environment wrote this file. It opens what is a Python, and nothing else.
    base = Path(home[1]).resolve().parent
    if not (base / "lib" / f"python{version[1]}" / "os.py").is_file():
        return ()
    return tuple(str(base / part) for part in ("bin", "lib") if (base / part).is_dir())


def _distribution_of(file: Path) -> str:
    """The installed distribution that brought a file of this environment; empty if none says so."""
    for distribution in metadata.distributions():
        if any(part.name == file.name and part.parts[-2:-1] == (file.parent.name,) for part in distribution.files or ()):
            return normal_name(distribution.metadata["Name"])
    return ""
