"""The subject's folder: ``maps/``, ``robots/``, an empty ``solution/``, and ``game_engine`` in place.

``python -m tiltyard_filler.subject_folder FOLDER`` lays it out; then ``./game_engine -f maps/map01 -p1 robots/heat -p2
solution/robot`` works in it as in the subject's container. The robots are the project's own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.exit_status import end_well
from tiltyard_filler.map_files import shipped_maps
from tiltyard_filler.robot_files import read_folder, write_robots

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
    for subfolder in (maps, folder / "solution"):
        subfolder.mkdir(parents=True, exist_ok=True)
    for name, file in shipped_maps().items():
        (maps / name).write_bytes(file.read_bytes())
    write_robots(folder / "robots")
    engine = folder / "game_engine"
    engine.write_text(GAME_ENGINE.format(python=sys.executable), encoding="utf-8")
    engine.chmod(0o755)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that lays out the folder, and return its exit status."""

    def run() -> int:
        lay_out(read_folder("tiltyard_filler.subject_folder", "Create the subject's folder, or update it.", words))
        return 0

    return end_well(run)


if __name__ == "__main__":
    sys.exit(main())
