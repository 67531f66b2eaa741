"""What a team's code may use: one place for all limits and their defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass, field, fields, replace
from tiltyard_engine.errors import NotFoundError, UserError

MEBIBYTE = 1 << 20
LONG_WAIT: Final = 10.0
"""Seconds that somebody waits for an import before they are told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one seat in one match. Times are seconds, sizes bytes.

    Times are CPU time of the team's process. The limit on wall time is ``wall_factor`` times as high, so that nobody loses a game
    because the machine is busy.
    """

    startup_seconds: float = 5.0
    """Importing the team's code and creating its Player or algorithm."""
    move_seconds: float = 1.0
    """One call of the team's code. If several tanks are asked in one call, it is multiplied by their number."""
    match_seconds: float = 120.0
    """All calls of a match together, start-up included."""
    wall_factor: float = 5.0
    memory_bytes: int = 512 * MEBIBYTE
    """Address space in addition to that of the empty process. For external programs, the memory that they hold."""
    processes: int = 1
    """Processes and threads of a Python team together; 1 is the team's own process."""
    program_processes: int = 256
    """Processes and threads of an external program together. Some runtimes start several threads for each core."""
    file_bytes: int = 16 * MEBIBYTE
    """The largest single file."""
    scratch_bytes: int = 64 * MEBIBYTE
    """All files of the scratch folder together (enforced by confinement level A)."""
    output_bytes: int = 64 * 1024
    """How much of standard output and standard error is kept. The rest is read and discarded."""
    reply_bytes: int = MEBIBYTE
    """The largest answer."""

    def changed(self, changes: Mapping[str, Any], where: str = "limits") -> Limits:
        """These limits with some changed; ``where`` is for messages.

        Raises:
            UserError: there is no such limit, or a value is not a number above 0.
        """
        if not changes:
            return self
        names = [each.name for each in fields(self)]
        for name, value in changes.items():
            if name not in names:
                raise NotFoundError(f"limit in {where}", name, names)
            if isinstance(value, bool) or not isinstance(value, int | float) or not (value > 0 and isfinite(value)):
                raise UserError(f"{where}: {name} must be a number above 0, found {value!r}")
        whole: dict[str, Any] = {
            name: int(value) if isinstance(getattr(self, name), int) else float(value) for name, value in changes.items()
        }
        return replace(self, **whole)


DEFAULT_LIMITS: Final = Limits()

MANAGER_LIMITS: Final = Limits(move_seconds=5.0, match_seconds=600.0, memory_bytes=1024 * MEBIBYTE, reply_bytes=16 * MEBIBYTE)
"""The limits of a GameManager that is not inline. A move is the time between two questions to its seats. An answer may be a
result with a whole output file."""


@dataclass(frozen=True, slots=True)
class LimitChanges:
    """The limits that a run changes: for all teams, and for single teams, which take precedence.

    Raises:
        UserError: when it is created, if there is no such limit or a value is not a number above 0.
    """

    for_all: Mapping[str, float] = field(default_factory=dict)
    for_teams: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    where: str = "limits"
    """Where they are written, for messages."""
    for_managers: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        DEFAULT_LIMITS.changed(self.for_all, self.where)
        MANAGER_LIMITS.changed(self.for_managers, self.where)
        for changes in self.for_teams.values():
            DEFAULT_LIMITS.changed(changes, self.where)

    def check_teams(self, teams: Iterable[str]) -> None:
        """Raise NotFoundError if limits are set for a team that is not among ``teams``."""
        names = sorted(set(teams))
        for team in self.for_teams:
            if team not in names:
                raise NotFoundError(f"team in {self.where}", team, names)

    def of(self, team: str, game: Mapping[str, float]) -> Limits:
        """A team's limits in a game that changes the defaults by ``game``."""
        limits = DEFAULT_LIMITS.changed(game, "the game's limits")
        return limits.changed(self.for_all, self.where).changed(self.for_teams.get(team, {}), self.where)

    def of_managers(self) -> Limits:
        """The limits of all GameManagers."""
        return MANAGER_LIMITS.changed(self.for_managers, self.where)
