"""The subject's folder: ``maps/``, ``robots/``, an empty ``solution/``, and ``game_engine`` in place.

``python -m tiltyard_filler.subject_folder FOLDER`` lays it out; then ``./game_engine -f maps/map01 -p1 robots/heat -p2
solution/robot`` works in it as in the subject's container. The robots are the project's own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final

from tiltyard_filler.robot_files import write_robots

USAGE: Final = "usage: python -m tiltyard_filler.subject_folder FOLDER\n"
GAME_ENGINE: Final = """\
#!{python}
import sys

from tiltyard_filler.game_engine import main

sys.exit(main())
"""


def lay_out(folder: Path) -> None:
    """Make the folder, or bring it up to date; what lies in ``solution/`` is left alone.

    Raises:
        OSError: it cannot be written.
    """
    maps = folder / "maps"
    for made in (maps, folder / "solution"):
        made.mkdir(parents=True, exist_ok=True)
    for file in resources.files("tiltyard_filler").joinpath("shipped_maps").iterdir():
        if not file.name.startswith((".", "__")):
            (maps / file.name).write_bytes(file.read_bytes())
    write_robots(folder / "robots")
    engine = folder / "game_engine"
    engine.write_text(GAME_ENGINE.format(python=sys.executable), encoding="utf-8")
    engine.chmod(0o755)


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    words = sys.argv[1:] if words is None else words
    if len(words) != 1 or words[0].startswith("-"):
        sys.stderr.write(USAGE)
        return 0 if list(words) in (["-h"], ["--help"]) else 2
    try:
        lay_out(Path(words[0]))
    except OSError as error:
        sys.stderr.write(f"error: {words[0]} cannot be laid out: {os.strerror(error.errno or 0)}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
