"""The command ``tiltyard``, also as ``python -m tiltyard`` where it isn't among the programs that a shell finds."""

from __future__ import annotations

import gc
import sys
from typing import Final

OBJECTS_BEFORE_COLLECTION: Final = 100_000
"""How many objects may be made before garbage is looked for; of the usual size they take some 20 MB."""


def main() -> None:
    """Run the command; see ``tiltyard_tournaments.cli.start``."""
    # Importing makes many objects and no garbage. With Python's own threshold a twentieth of a start goes into looking for it.
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    from tiltyard_tournaments.cli.start import main as run_command

    run_command()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # Python puts the current folder first. What lies there may be what strangers handed in, and must not be imported here.
        del sys.path[0]
    main()
