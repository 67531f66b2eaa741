"""Makes the pictures of the documentation: shipped maps as SVG.

Run as ``.venv/bin/python docs/pictures/make.py``. With ``--check`` it only says whether they are up to date: status 0 or 1.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MAPS = ("two-fortresses", "narrow-pass")


def main() -> int:
    """Draw each map; write what is new, or name it."""
    stale = 0
    for name in MAPS:
        command = [str(Path(sys.executable).parent / "tiltyard"), "tanks", "draw", name, "--svg"]
        drawn = subprocess.run(command, capture_output=True, check=True).stdout
        picture = FOLDER / f"{name}.svg"
        if picture.exists() and picture.read_bytes() == drawn:
            continue
        if "--check" in sys.argv[1:]:
            print(f"{picture} is out of date: run {Path(__file__).name}", file=sys.stderr)
            stale = 1
        else:
            picture.write_bytes(drawn)
    return stale


if __name__ == "__main__":
    sys.exit(main())
