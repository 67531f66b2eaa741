"""What a team's code may use: one place for all limits and their defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from typing import Any, Final

from tiltyard_engine.errors import NotFoundError, UserError

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one seat in one match. Times are seconds, sizes bytes.

    Times count the CPU time of the team's process; ``wall_factor`` times as much wall time is the backstop, so that a
    busy machine costs nobody a game.
    """

    startup_seconds: float = 5.0
    """Importing the team's code and creating its Player or algorithm."""
    move_seconds: float = 1.0
    """One call of the team's code; asked at once, as many times that as tanks are asked."""
    match_seconds: float = 120.0
    """All calls of a match together, start-up included."""
    wall_factor: float = 5.0
    memory_bytes: int = 512 * MEBIBYTE
    """Address space beyond what the empty process has; of external programs the memory that they really hold."""
    processes: int = 1
    """Processes and threads together of a Python team; 1 is the team's own."""
    program_processes: int = 256
    """Processes and threads together of an external program: some runtimes start several threads a core."""
    file_bytes: int = 16 * MEBIBYTE
    """The largest single file."""
    scratch_bytes: int = 64 * MEBIBYTE
    """All files of the scratch folder together (held by confinement level A)."""
    output_bytes: int = 64 * 1024
    """What is kept of standard error and standard output; more is read and thrown away."""
    reply_bytes: int = MEBIBYTE
    """The largest answer."""

    def changed(self, changes: Mapping[str, Any], where: str = "limits") -> Limits:
        """These limits with some changed; ``where`` is for messages.

        Raises:
            UserError: a name is not a limit's, or a value is not a number above 0.
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
"""Of a GameManager that is not inline. A move is what it does between two questions to its seats; an answer may be a
result with a whole output file."""


@dataclass(frozen=True, slots=True)
class LimitChanges:
    """What a run sets otherwise than the game does: for all teams, and for single ones, which goes first.

    Raises:
        UserError: at once, for a name that is no limit's or a value that is no number above 0.
    """

    for_all: Mapping[str, float] = field(default_factory=dict)
    for_teams: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    where: str = "limits"
    """Where they were written, for messages."""
    for_managers: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        DEFAULT_LIMITS.changed(self.for_all, self.where)
        MANAGER_LIMITS.changed(self.for_managers, self.where)
        for changes in self.for_teams.values():
            DEFAULT_LIMITS.changed(changes, self.where)

    def check_teams(self, teams: Iterable[str]) -> None:
        """Raise NotFoundError for limits of a team that is not among those that play."""
        names = sorted(set(teams))
        for team in self.for_teams:
            if team not in names:
                raise NotFoundError(f"team in {self.where}", team, names)

    def of(self, team: str, game: Mapping[str, float]) -> Limits:
        """A team's limits in a game that sets ``game`` otherwise than the defaults."""
        limits = DEFAULT_LIMITS.changed(game, "the game's limits")
        return limits.changed(self.for_all, self.where).changed(self.for_teams.get(team, {}), self.where)

    def of_managers(self) -> Limits:
        """Every GameManager's."""
        return MANAGER_LIMITS.changed(self.for_managers, self.where)
