"""What each photograph and the film are drawn from, and whether that has changed since.

Those can't be made again by a test: they need a browser, or minutes. So whoever makes one notes a digest of its sources in
``drawn_from.json``, and a test compares it with the sources as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "docs" / "pictures"
NOTES: Final = FOLDER / "drawn_from.json"

SITE: Final = ("tournaments/tiltyard_site/pages/assets/*", "tournaments/tiltyard_site/pages/templates/**/*")
TANKS: Final = ("plugins/tanks/tiltyard_tanks/theme.py",)
SOURCES: Final = {
    "make_film.py": (*TANKS, "simulator/tiltyard_pictures/*.py", "plugins/dragoon/*/*.py", "plugins/coyote/*/*.py"),
    "make_league.py": (*TANKS, *SITE, "tournaments/tiltyard_league/web/assets/*", "tournaments/tiltyard_league/web/templates/*"),
    "make_notebook.py": (
        *TANKS,
        "tests/tournaments/library/executed_notebook.py",
        "tournaments/tiltyard_site/notebook/**/*",
        "tournaments/tiltyard_site/pages/templates/cells/*",
    ),
    "make_play.py": (
        "docs/examples/games/connect_four.py",
        "tournaments/tiltyard_site/pages/assets/*.css",
        "tournaments/tiltyard_web_play/assets/play.*",
    ),
    "make_site.py": (*TANKS, *SITE, "tests/site/cup.py", "tests/site/made_cups.py", "tournaments/tiltyard_contest/contest_page.py"),
}
"""By the program that makes them: what is seen on its pictures, besides the program itself."""


def sources(program: str) -> list[Path]:
    """The files that a program's pictures are drawn from, in order.

    Raises:
        FileNotFoundError: a pattern of ``SOURCES`` finds no file any more.
    """
    found: set[Path] = {FOLDER / program}
    for pattern in SOURCES[program]:
        files = {path for path in ROOT.glob(pattern) if path.is_file() and path.suffix != ".pyc"}
        if not files:
            raise FileNotFoundError(f"{pattern} in SOURCES of docs/pictures/drawn_from.py finds no file")
        found |= files
    return sorted(found)


def digest(program: str) -> str:
    """A digest of these files, with their names."""
    made = hashlib.sha256()
    for path in sources(program):
        made.update(f"{path.relative_to(ROOT)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return made.hexdigest()[:16]


def notes() -> dict[str, dict[str, str]]:
    """By the picture's name: the program that made it, and the digest of what it was drawn from."""
    read: dict[str, dict[str, str]] = json.loads(NOTES.read_text(encoding="utf-8"))
    return read


def note(picture: str, program: str) -> None:
    """Write down that a picture was made just now."""
    every = {**(notes() if NOTES.exists() else {}), picture: {"by": program, "from": digest(program)}}
    NOTES.write_text(json.dumps(dict(sorted(every.items())), indent=1) + "\n", encoding="utf-8")


def out_of_date() -> Iterator[str]:
    """A sentence for each picture that is older than what it shows, or of which nobody knows what it shows."""
    known = notes()
    digests = {program: digest(program) for program in SOURCES}
    for path in sorted(path for path in FOLDER.iterdir() if path.suffix in (".gif", ".png")):
        made = known.get(path.name)
        if made is None:
            yield f"docs/pictures/{path.name} was made by no program of docs/pictures/drawn_from.py"
        elif digests[made["by"]] != made["from"]:
            command = f".venv/bin/python docs/pictures/{made['by']}"
            yield f"docs/pictures/{path.name} is older than what it shows: run {command}, and look at it"
    for name in sorted(known.keys() - {path.name for path in FOLDER.iterdir()}):
        yield f"docs/pictures/{name} is missing: run .venv/bin/python docs/pictures/{known[name]['by']}"
