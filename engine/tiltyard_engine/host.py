"""What a plugin's own command needs of tiltyard itself: a way to run programs under guard, and to have matches played.

A game's command, such as one that lets two robots meet, asks ``find_host``. With the simulator installed the programs are
confined like a team's in any match; without it they run in a plain process group, and the command says so.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import metadata
from types import TracebackType
from typing import Any, Final

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.host_matches import HostMatch, HostOutcome, HostPlayer
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.registry.submissions import Submissions
from tiltyard_engine.replay import Replay
from tiltyard_engine.seats import TurnSeat

HOST_GROUP: Final = "tiltyard.host"
"""The entry-point group in which the simulator offers its Host."""
NEEDS_TILTYARD: Final = "that needs tiltyard itself to be installed"
OWN_DISTRIBUTION: Final = "tiltyard"
"""Of no other distribution a host is taken: it runs in the command's own process, unguarded."""
NO_LIMITS: Final[Mapping[str, float]] = {}
NO_MATCHES: Final = "matches are played by tiltyard's simulator, which is not installed here"


class Host(ABC):
    """Runs programs. A context manager: at its end none of them is left."""

    held: str = ""
    """How they are held, in a few words."""

    @abstractmethod
    def open_program(self, team: ProgramTeam, limits: Mapping[str, float] = NO_LIMITS) -> AbstractContextManager[Program]:
        """A program, ended and its scratch folder removed with the context. Call its ``begin`` before each turn.

        Args:
            team: the command; ``name`` and ``game`` are for messages alone.
            limits: limits that differ from the defaults, by the names of docs/reference/isolation.md.

        Raises:
            UserError: the program cannot be opened.
        """

    def find_player(self, text: str, game: str) -> HostPlayer:
        """Who plays a game under what people write: an installed algorithm, a file or folder of one, a program.

        Raises:
            UserError: there is none, or it cannot be used; or this host plays no matches.
        """
        raise UserError(NO_MATCHES)

    def find_submissions(self, folder: str, game: str) -> Submissions:
        """All that a folder holds of them; errors as ``find_player``."""
        raise UserError(NO_MATCHES)

    def keys(self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS) -> list[str]:
        """The keys that the outcomes of these matches have, without playing them; errors as ``play``."""
        raise UserError(NO_MATCHES)

    def play(
        self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS, workers: int = 0
    ) -> Generator[tuple[int, HostOutcome], None, None]:
        """Play matches and yield (place, outcome) as they end, in any order. Close it to stop.

        Args:
            matches: the schedule; places count from 0.
            limits: limits of the players that differ from the game's own, by the names of docs/reference/isolation.md.
            workers: processes; 0: one a core.

        Raises:
            UserError: a match cannot be set up; or this host plays no matches.
        """
        raise UserError(NO_MATCHES)

    def close(self) -> None:
        """End all that is left."""
        return

    def __enter__(self) -> Host:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def open_player(
        self, text: str, game: str, seat: int, limits: Mapping[str, float] = NO_LIMITS
    ) -> AbstractContextManager[TurnSeat[Any, Any]]:
        """The algorithm of a turn-based game that people name so on any command line, in a seat of its own, held as in a match.

        Args:
            text: an installed name, a file or folder, ``FILE:NAME``, or a program.
            game: the game's name.
            seat: its number, from 1.
            limits: limits that differ from the game's, by the names of docs/reference/isolation.md.

        Raises:
            UserError: there is none, or it cannot be used.
        """
        raise UserError(f"'{text}' cannot be played: {NEEDS_TILTYARD}")

    def replay_file(self, replay: Replay) -> bytes:
        """The bytes of a replay's file, which viewers can show.

        Raises:
            UserError: it cannot be written.
        """
        raise UserError(f"no replay file can be written: {NEEDS_TILTYARD}")


def find_host() -> Host:
    """The simulator's, or a plain one where it is not installed; the latter says so on standard error, once."""
    because = "tiltyard itself is not installed"
    for entry in _entries():
        try:
            host = entry.load()()
        except Exception as error:
            because = f"{entry.value} cannot be loaded: {describe(error)}"
            continue
        if isinstance(host, Host):
            return host
        because = f"{entry.value} is no Host"
    from tiltyard_engine.plain_host import PlainHost

    print(f"note: programs run unguarded, in a plain process group ({because})", file=sys.stderr)
    return PlainHost()


def _entries() -> list[Any]:
    found = metadata.entry_points(group=HOST_GROUP)
    own = [entry for entry in found if entry.dist is not None and _normal(entry.dist.name) == OWN_DISTRIBUTION]
    return sorted(own, key=lambda entry: entry.name)


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
