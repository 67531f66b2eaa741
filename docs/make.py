"""Makes the pages and pictures that come from the code, or says which of them are out of date.

Run as ``.venv/bin/python docs/make.py``; with names it makes only those. With ``--check`` it writes nothing, and ends with status 1
if a file is out of date. Photographs and the film have programs of their own, ``docs/pictures/make_*.py``; ``drawn_from.py``
beside them says which are out of date.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
MAKERS: Final = {
    "commands": "reference.commands",
    "league": "reference.league",
    "tournament-file": "reference.tournament_file",
    "courses": "pictures.courses",
    "explanations": "pictures.explanations",
    "frames": "pictures.frames",
    "maps": "pictures.maps",
    "panels": "pictures.panels",
    "rooms": "pictures.rooms",
    "terminal": "pictures.terminal",
}
"""By name: the module beside what it makes. Its function ``files`` gives each file with the text that belongs into it."""
ENVIRONMENT: Final = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
"""What commands print must not depend on whose terminal it is."""


def main(arguments: list[str] | None = None) -> int:
    """Make what is asked for, or name what is out of date."""
    parser = argparse.ArgumentParser(description="Make the pages and pictures that come from the code.")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"what to make: {', '.join(MAKERS)} (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing, but name what is out of date; status 1 if anything is")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in MAKERS:
            parser.error(f"there is no '{name}': expected some of {', '.join(MAKERS)}")
    os.environ |= ENVIRONMENT
    status = 0
    for name in options.names or MAKERS:
        for path, text in out_of_date(import_module(MAKERS[name]).files()):
            if options.check:
                print(f"{path.relative_to(ROOT)} is out of date: run docs/make.py {name}", file=sys.stderr)
                status = 1
            else:
                path.write_text(text, encoding="utf-8")
                print(path.relative_to(ROOT))
    return status


def out_of_date(files: Mapping[Path, str]) -> Iterator[tuple[Path, str]]:
    """The files that are missing or hold another text."""
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


if __name__ == "__main__":
    sys.exit(main())
