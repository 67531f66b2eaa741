"""Small files in a league's folder that can be removed at any time: what the service does, and the game's looks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_league.database import clock
from tiltyard_simulator.output.result_files import write_over

STATE: Final = "steward.json"
ALIVE_SECONDS: Final = 60.0
"""A service that runs writes what it does more often."""
THEME: Final = "theme.js"
"""The game's looks as a script. The web process loads no game, so ``league serve`` writes it."""

TABLES: Final = "tables.sock"
"""The socket of the process in which teams play by hand."""
VISITOR: Final = "X-Tiltyard-Visitor"
"""The header in which the web process tells that process who asks."""
TEAM: Final = "team "
"""What its value begins with, before the team's number."""
LONGEST_SOCKET: Final = 100
"""Bytes of a path that every system takes for a socket."""


@contextmanager
def socket_path(folder: Path) -> Iterator[str]:
    """A path for the socket of a league's folder, which is short enough however deep the folder lies.

    Raises:
        OSError: the folder can't be opened.
    """
    path = str(folder / TABLES)
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        yield path
        return
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{place}/{TABLES}"
    finally:
        os.close(place)


def team_of_visitor(visitor: str) -> int:
    """The team of a visitor, as that header says it; 0: none."""
    number = visitor.removeprefix(TEAM)
    return int(number) if number != visitor and number.isascii() and number.isdigit() else 0


class ServiceState(msgspec.Struct, frozen=True, kw_only=True):
    """What the service does, for the pages of the staff."""

    at: str = ""
    pid: int = 0
    workers: int = 0
    in_flight: int = msgspec.field(default=0, name="flying")
    """Matches that are being played."""
    checking: int = 0
    """How many checks run."""
    games: int = 0
    last_hour: int = 0
    left: int = 0
    """Fixtures that are still to be played."""
    free_bytes: int = 0
    maps: list[str] = []
    """Of the league: the web process loads no game, and asking all games for them takes long."""
    broken: dict[str, str] = {}
    stopped: str = ""
    """Why no games are begun; empty: they are."""


def read_state(folder: Path) -> ServiceState:
    """What the service did last; an empty state if it never ran."""
    try:
        return msgspec.json.decode((folder / STATE).read_bytes(), type=ServiceState)
    except (OSError, msgspec.MsgspecError):
        return ServiceState()


def is_running(folder: Path) -> bool:
    """Whether the service runs, so that what staff want is done at once."""
    try:
        # A file of the future was written before the clock was set back.
        return abs(clock.CLOCK.wall() - (folder / STATE).stat().st_mtime) < ALIVE_SECONDS
    except OSError:
        return False


def write_state(folder: Path, state: ServiceState) -> None:
    """Keep what the service does.

    Raises:
        UserError: it cannot be written.
    """
    write_over(folder / STATE, msgspec.json.encode(state).decode())
