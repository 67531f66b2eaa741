"""What a team's code may use: one place for all limits and their defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

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
    """Address space beyond what the empty process has."""
    processes: int = 1
    """Processes and threads together; 1 is the team's own."""
    file_bytes: int = 16 * MEBIBYTE
    """The largest single file."""
    scratch_bytes: int = 64 * MEBIBYTE
    """All files of the scratch folder together (held by confinement level A)."""
    output_bytes: int = 64 * 1024
    """What is kept of standard error and standard output; more is read and thrown away."""
    reply_bytes: int = MEBIBYTE
    """The largest answer."""

    def changed(self, changes: dict[str, Any], where: str = "limits") -> Limits:
        """These limits with some changed; ``where`` is for messages.

        Raises:
            UserError: a name is not a limit's, or a value is not a number above 0.
        """
        names = [field.name for field in fields(self)]
        for name, value in changes.items():
            if name not in names:
                raise NotFoundError(f"limit in {where}", name, names)
            if isinstance(value, bool) or not isinstance(value, int | float) or not (value > 0 and isfinite(value)):
                raise UserError(f"{where}: {name} must be a number above 0, found {value!r}")
        whole: dict[str, Any] = {
            name: int(value) if isinstance(getattr(self, name), int) else float(value) for name, value in changes.items()
        }
        return replace(self, **whole)
