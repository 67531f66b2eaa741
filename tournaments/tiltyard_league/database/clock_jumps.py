"""The last jump of the machine's clock that the service has seen, for the pages of the staff."""

from __future__ import annotations

from typing import Final

import msgspec

from tiltyard_league.database.database import Database

CLOCK_JUMP: Final = "clock_jump"
"""The fact that has it."""


class ClockJump(msgspec.Struct, frozen=True, kw_only=True):
    """A jump. All times are as the tables have them."""

    before: str
    """What the clock said before, or would have said without it."""
    after: str
    until: str
    """Nothing is removed for its age before this."""

    @property
    def text(self) -> str:
        """As it is stored."""
        return msgspec.json.encode(self).decode()


def last_jump(database: Database) -> ClockJump | None:
    """The last one; None if there was none."""
    text = database.fact(CLOCK_JUMP)
    return msgspec.json.decode(text, type=ClockJump) if text else None
