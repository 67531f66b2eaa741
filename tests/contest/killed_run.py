"""Runs all stages of a file and kills itself when so many games of a stage are stored: FILE STAGE GAMES."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from tiltyard_tournaments.cli.start import main
from tiltyard_tournaments.store import Store

if __name__ == "__main__":
    file, stage, number = sys.argv[1:]
    games = int(number)
    add = Store.add

    def add_and_count(self: Store, *arguments: Any, **more: Any) -> None:
        """Store a game, and end without a word when it was the last one."""
        global games
        add(self, *arguments, **more)
        games -= self.path.parent.name == stage
        if not games:
            os.kill(os.getpid(), signal.SIGKILL)

    Store.add = add_and_count  # type: ignore[method-assign]
    sys.argv = ["tiltyard", "run", file]
    main()
