"""The interface between a plugin's own command and tiltyard.

A command that lets players play asks its Host for them by name, and for the matches with ``Host.play``: they are then confined,
limited, judged and spread over the machine's cores like those of any tournament.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.records import Game, MapFile
from tiltyard_engine.registry.registry import ALGORITHM, Reference
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, Origin, Source
from tiltyard_engine.replay import Recorder, Replay
from tiltyard_engine.seat_kinds.seat_ports import SeatPort
from tiltyard_engine.seats import TurnSeat

if TYPE_CHECKING:
    from tiltyard_engine.match_record import PlayedMatch

NEEDS_TILTYARD: Final = "tiltyard is not installed"
NO_LIMITS: Final[Mapping[str, float]] = {}
NO_MATCHES: Final = "playing matches needs tiltyard's simulator, which is not installed"


@dataclass(frozen=True, slots=True)
class HostPlayer:
    """Somebody who can be given a seat."""

    label: str
    """What people called it; unique among those that a folder holds."""
    reference: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class HostMatch:
    """A match that a game's command has played: the map, the players, the seed."""

    game: str
    manager: str
    map_name: str
    map_data: bytes
    """The bytes of a map file."""
    players: tuple[HostPlayer, ...]
    """Seat 1 first."""
    seed: int = 0
    watch_denials: bool = False
    """Whether faults of programs name what the sandbox denied to them (see ``programs.DENIED``). It slows programs down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedMatch:
    """One match whose code is isolated in a given way, for tests of games."""

    game: Reference
    manager: Reference
    map_name: str
    map_data: bytes
    players: tuple[Reference, ...]
    """Seat 1 first."""
    seed: int = 0
    rounds: int | None = None
    """End after so many rounds; None: play to the end."""
    isolation: str = "inline"
    """Of the players: ``inline``, ``process`` or ``sandbox``."""
    manager_isolation: str = "inline"
    """The isolation of the GameManager."""


@dataclass(slots=True)
class Submissions:
    """The players that a folder holds, by label in the order of the names, and what was left out and why."""

    players: list[tuple[str, Reference]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def own_player(label: str, game: str) -> HostPlayer:
    """Stands in ``HostMatch.players`` for a seat that the caller itself holds; see ``Host.play_with``."""
    source = Source(name=label, origin=Origin.INSTALLED, value="", distribution=HOST_DISTRIBUTION)
    return HostPlayer(label, Reference(kind=ALGORITHM, name=label, game=game, source=source))


class Host(ABC):
    """Runs programs. A context manager: at its end none of them is left."""

    isolation_words: str = ""
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

    def take_in(
        self,
        handed_in: str,
        game: str,
        folder: Path,
        *,
        recipe: str = "",
        workers: int = 0,
        tell: Callable[[str], None] = lambda text: None,
    ) -> Submissions:
        """All who play in what people handed in: the shapes that ``tiltyard intake`` takes, and all that ``find_submissions`` does.

        Archives are unpacked, and sources are built in a sandbox. What plays as it is stays where it lies. Whoever cannot be built
        is left out, with the reason. What was built before is not built again.

        Args:
            handed_in: an archive, a file of sources, or a folder.
            game: what they play.
            folder: where the report of the intake, what was built, and what is kept of it go; made if something is to be built.
            recipe: the name of the recipe for all; empty: for each the one that fits.
            workers: the number of builds at once; 0 means one per core.
            tell: called with a line for each team that was built or could not be.

        Raises:
            UserError: nothing can be read there, or this machine can build nothing for strangers; or this host plays no matches.
        """
        return self.find_submissions(handed_in, game)

    def preload(self, who: Iterable[HostPlayer | ProgramTeam]) -> None:
        """Tell who will play, or which programs will be opened, before the first of them.

        What they need is then prepared once for all. Nothing but time depends on it.
        """
        return

    def keys(self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS) -> list[str]:
        """The keys that the outcomes of these matches have, without playing them; errors as ``play``."""
        raise UserError(NO_MATCHES)

    def play(
        self, matches: Iterable[HostMatch], limits: Mapping[str, float] = NO_LIMITS, workers: int = 0
    ) -> Generator[PlayedMatch, None, None]:
        """Play matches and yield their records as they end, in any order, each with its place and key. Close it to stop.

        Args:
            matches: the schedule; places count from 0. Each is taken only when it can start, but for the first ones, one a worker:
                so it can depend on the results of those before.
            limits: limits of the players that differ from the game's own, by the names of docs/reference/isolation.md.
            workers: the number of processes; 0 means one per core.

        Raises:
            UserError: a match cannot be set up; or this host plays no matches.
        """
        raise UserError(NO_MATCHES)

    def isolations(self) -> Mapping[str, str]:
        """The ways to isolate code, each with the reason why this machine does not have it; empty where it does."""
        return {"inline": "", "process": NO_MATCHES, "sandbox": NO_MATCHES}

    def play_isolated(self, match: IsolatedMatch) -> PlayedMatch:
        """Play one match now, recorded; for tests, which trust the code of its game.

        Raises:
            UserError: it cannot be set up, or this host plays no matches.
        """
        raise UserError(NO_MATCHES)

    def wire_form(self, value: object, kind: type[Any] | None) -> bytes:
        """The bytes in which a position or an answer travels to another process. There it must be of ``kind`` and equal again.

        Raises:
            UserError: it cannot travel, or is another value afterwards; says why. Or this host has no other processes.
        """
        raise UserError(NO_MATCHES)

    def find_game(self, name: str) -> Game[Any]:
        """The game of that name; errors as ``find_player``."""
        raise UserError(NO_MATCHES)

    def find_manager(self, text: str, game: str) -> str:
        """The name of an installed GameManager for the game; of its default one for an empty text. Errors as ``find_player``."""
        raise UserError(NO_MATCHES)

    def find_map(self, text: str, game: str) -> MapFile:
        """A map that is installed under this name, or one in a file; for an empty text the only one. Errors as ``find_player``."""
        raise UserError(NO_MATCHES)

    def play_with(
        self, match: HostMatch, ports: Mapping[int, SeatPort], recorder: Recorder, limits: Mapping[str, float] = NO_LIMITS
    ) -> PlayedMatch:
        """Play a match in this thread, with some seats in the caller's own hands. Not from two threads at a time.

        The other players are confined as in any match. What is kept of them between matches goes with ``close``.

        Args:
            match: the players at the caller's seats are made by ``own_player``.
            ports: to these seats, by number from 1. What a port raises is a fault of its seat if it is a PortFailure, and ends the
                match if not.
            recorder: gets the match as it goes.
            limits: limits of the other players that differ from the game's own, by the names of docs/reference/isolation.md.

        Raises:
            UserError: the match cannot be set up; or this host plays no matches.
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
        raise UserError(f"cannot play '{text}': {NEEDS_TILTYARD}")

    def replay_file(self, replay: Replay) -> bytes:
        """The bytes of a replay's file, which viewers can show.

        Raises:
            UserError: it cannot be written.
        """
        raise UserError(f"cannot write a replay file: {NEEDS_TILTYARD}")
