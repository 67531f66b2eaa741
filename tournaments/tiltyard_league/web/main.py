"""The web process: ``python -m tiltyard_league.web.main FOLDER PARENT HOST PORT ADDRESS``."""

from __future__ import annotations

import logging
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_league.database.private import OTHERS
from tiltyard_league.league_file.loading import read_settings
from tiltyard_league.web.app import make_app
from tiltyard_league.web.http.access import emit
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_site.web.addresses import is_local
from tiltyard_site.web.server import MOST_CONNECTIONS, listen, make_server

STOP_SECONDS: Final = 5
"""In which answers may end that are being made when the league stops."""


class LogLines(logging.Handler):
    """What the server has to say, as lines of the league's log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write what the server says as a line of the log."""
        error = record.exc_info[1] if record.exc_info else None
        about = {} if error is None else {"error": f"{type(error).__name__}: {error}"}
        emit("server", level=record.levelname.lower(), message=record.getMessage().strip(), **about)


def main(folder: Path, host: str, port: int, address: str) -> None:
    """Serve until told to stop; ``address`` is the one that people open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        limit = MOST_CONNECTIONS + 500
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit if hard == resource.RLIM_INFINITY else min(hard, limit)), hard))
    try:
        settings = read_settings(folder)
    except UserError as error:
        emit("failed", reason=str(error))
        sys.exit(2)
    try:
        listening = listen(host, port)
    except OSError as error:
        # Somebody else may go away again: the supervisor tries once more after a while.
        emit("failed", reason=f"{host}:{port}: {error.strerror}")
        sys.exit(3)
    logging.basicConfig(level=logging.WARNING, handlers=[LogLines()])
    with listening:
        # Whoever opens it now gets an answer.
        print(f"{address.rstrip('/')}/ serves {settings.title}; press Ctrl-C to stop", file=sys.stderr, flush=True)
        emit("started", host=host, port=port, pid=os.getpid())
        make_server(make_app(settings, local=is_local(host)), STOP_SECONDS).run([listening])


if __name__ == "__main__":
    end_with_parent(int(sys.argv[2]))
    os.umask(OTHERS)
    main(Path(sys.argv[1]), sys.argv[3], int(sys.argv[4]), sys.argv[5])
