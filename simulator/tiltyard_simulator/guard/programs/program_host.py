"""The engine's Host with the guard behind it, for plugins' own commands."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tiltyard_engine.host import NO_LIMITS, Host
from tiltyard_engine.host_matches import HostMatch, HostOutcome, HostPlayer
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.registry.submissions import Submissions
from tiltyard_engine.replay import Replay
from tiltyard_engine.seats import TurnSeat
from tiltyard_simulator.guard.confinement import Level
from tiltyard_simulator.guard.holding import Cells
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import DEFAULT_LIMITS
from tiltyard_simulator.guard.trust import Holding

if TYPE_CHECKING:
    from tiltyard_simulator.host_playing import HostPlaying


class GuardHost(Host):
    """Opens programs in cells, in a sandbox unless TILTYARD_ISOLATION says otherwise."""

    def __init__(self, isolation: Isolation | None = None) -> None:
        self._isolation = isolation or Holding.from_environment().isolation or Isolation.SANDBOX
        self._cells: Cells | None = None
        self._open = 0
        self._matches: HostPlaying | None = None
        if self._isolation is not Isolation.SANDBOX:
            self.held = "a process group of its own, not confined"

    @contextlib.contextmanager
    def open_program(self, team: ProgramTeam, limits: Mapping[str, float] = NO_LIMITS) -> Iterator[Program]:
        """A program in a cell of its own; whoever names its folder on a command line may say what is in it."""
        cells = self._started()
        source = Source(team.name, Origin.PROGRAM, "", folder=team.folder)
        self._open += 1
        try:
            program = cells.open_program(team, source, DEFAULT_LIMITS.changed(limits), self._isolation)
            try:
                yield program
            finally:
                program.cell.retire()
        finally:
            self._open -= 1
            if not self._open:
                cells.end_match()

    def find_player(self, text: str, game: str) -> HostPlayer:
        return self._playing().find_player(text, game)

    def find_submissions(self, folder: str, game: str) -> Submissions:
        return self._playing().find_submissions(folder, game)

    def keys(self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS) -> list[str]:
        return self._playing().keys(matches, limits)

    def play(
        self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS, workers: int = 0
    ) -> Generator[tuple[int, HostOutcome], None, None]:
        return self._playing().play(matches, limits, workers)

    def _playing(self) -> HostPlaying:
        if self._matches is None:
            # It needs all that plays matches, which a command that runs one program does without.
            from tiltyard_simulator.host_playing import HostPlaying

            self._matches = HostPlaying()
        return self._matches

    def close(self) -> None:
        """End all programs, and what they came from."""
        if self._cells is not None:
            self._cells.close()
            self._cells = None

    def _started(self) -> Cells:
        if self._cells is None:
            self._cells = Cells(preload=())
            if self._isolation is Isolation.SANDBOX:
                level = self._cells.confinement.level
                self.held = f"a sandbox of level {level}"
                if level is Level.C:
                    print("note: this machine cannot confine programs; 'tiltyard doctor' tells more", file=sys.stderr)
        return self._cells

    def open_player(
        self, text: str, game: str, seat: int, limits: Mapping[str, float] = NO_LIMITS
    ) -> contextlib.AbstractContextManager[TurnSeat[Any, Any]]:
        """See Host."""
        # It needs the registry, which a command that runs one program does without.
        from tiltyard_simulator.host_seats import open_player

        return open_player(text, game, seat, limits)

    def replay_file(self, replay: Replay) -> bytes:
        """See Host."""
        from tiltyard_simulator.replay_files import encode

        return encode(replay)
