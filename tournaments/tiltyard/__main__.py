"""``python -m tiltyard``: the command of that name, where it isn't among the programs that a shell finds."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # Python puts the current folder first. What lies there may be what strangers handed in, and must not be imported here.
        del sys.path[0]

    from tiltyard_tournaments.cli.start import main

    main()
