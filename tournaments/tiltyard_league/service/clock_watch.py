"""Watches the machine's clock: whether it jumped, and whether what it says may be the reason to remove something for good."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from tiltyard_league.database import clock
from tiltyard_league.database.clock import as_stored, here, now
from tiltyard_league.database.clock_jumps import CLOCK_JUMP, ClockJump, last_jump
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.log_lines import Emit
from tiltyard_league.database.tokens import EXPIRED_STAYS

JUMP: Final = timedelta(minutes=1)
"""By so much the clock is set at once only if it was wrong before, or is now."""
PAUSE: Final = timedelta(days=7)
"""A league that was stopped for longer can't tell from its own times whether the clock is right."""
_NEWEST: Final = """
    SELECT max(at) FROM (SELECT max(at) AS at FROM log UNION ALL SELECT max(made_at) FROM tokens
    UNION ALL SELECT max(asked_at) FROM requests UNION ALL SELECT max(asked_at) FROM questions
    UNION ALL SELECT max(uploaded_at) FROM versions
    UNION ALL SELECT max(checked_at) FROM versions)
"""


class ClockWatch:
    """Compares the clock that people set with the one that nobody sets, and at the start with the newest time that is stored.

    Args:
        database: of the league; what is found is kept there, for staff.
        tell: told of what happens, for the log lines.
    """

    def __init__(self, database: Database, emit: Emit) -> None:
        self._database = database
        self._emit = emit
        self._ahead = _ahead()

    def begin(self, running_at: str, games: Games) -> None:
        """See at the start whether the time can be right.

        Args:
            running_at: when the league ran last; empty: that is told by the newest time that is stored.
            games: the games.
        """
        newest = running_at or max(
            (
                str(row[0])
                for row in [*self._database.rows(_NEWEST), *games.rows("SELECT max(ended_at) FROM league_games")]
                if row[0]
            ),
            default="",
        )
        if not newest:
            return
        before = datetime.fromisoformat(newest)
        jump = last_jump(self._database)
        # Times of the future stay where they are, and are told once.
        is_told = jump is not None and jump.before == newest
        if here() > before + PAUSE:
            self._jumped(before, "the clock jumped, or the league was stopped for a long time")
        elif here() < before - JUMP and not is_told:
            self._jumped(before)

    def look(self) -> None:
        """See whether the clock was set since this was last called."""
        ahead = _ahead()
        moved, self._ahead = timedelta(seconds=ahead - self._ahead), ahead
        if abs(moved) >= JUMP:
            self._jumped(here() - moved)

    @property
    def is_trusted(self) -> bool:
        """Whether something may be removed for good since it is old: the clock has not jumped for a long time."""
        jump = last_jump(self._database)
        return jump is None or jump.until <= now()

    def _jumped(self, before: datetime, what: str = "the clock jumped") -> None:
        jump = ClockJump(before=as_stored(before), after=now(), until=as_stored(here() + EXPIRED_STAYS))
        with self._database.writing():
            self._database.set_fact(CLOCK_JUMP, jump.text)
            self._database.log("league", what, before=jump.before, after=jump.after)
        self._emit(what, before=jump.before, after=jump.after, nothing_is_removed_until=jump.until)


def _ahead() -> float:
    return clock.CLOCK.wall() - clock.CLOCK.steady()
