"""All tables of a server: who may play whom, and how much of the machine each visitor may use."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_web_play.orders import HOUR, BusyError
from tiltyard_web_play.table import GameTable, GameTableOptions
from tiltyard_web_play.venue import PERSON, Venue

END_SECONDS: Final = 5.0
"""In which a table's processes end when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyLimits:
    """What visitors may use."""

    most_tables: int = 4
    """At once, of all visitors; each has processes of its own."""
    most_an_address: int = 1
    """Games at once from one address; 0: as many as there are tables."""
    machine_seconds: float = 300.0
    """In which the machine may work for one address within an hour; 0: without end."""
    kept_tables: int = 50
    """Finished games whose replay can still be had."""


@dataclass(slots=True)
class _Seat:
    table: GameTable
    address: str
    began: float


class Lobby:
    """Opens tables, and finds them by their names.

    Args:
        venue: what can be played.
        options: what a person may do at a table.
        limits: what visitors may use.
        replaces: whether a new game ends the one before from the same address; else it is refused.
    """

    def __init__(
        self, venue: Venue, options: GameTableOptions | None = None, limits: LobbyLimits | None = None, replaces: bool = False
    ) -> None:
        self.venue, self.options, self.limits = venue, options or GameTableOptions(), limits or LobbyLimits()
        self._replaces = replaces
        self._lock = threading.Lock()
        self._tables: dict[str, _Seat] = {}
        self._is_closed = False

    def open(self, address: str, names: Sequence[str], seat: int, map_name: str) -> str:
        """Begin a game, and return the name of its table, which nobody can guess.

        Args:
            address: where the visitor is.
            names: who plays, seat 1 first; ``PERSON`` stands for the visitor.
            seat: the visitor's.
            map_name: one of the venue's.

        Raises:
            UserError: what is asked for isn't here, or there is no room for it.
        """
        if not (1 <= seat <= len(names) and names[seat - 1] == PERSON and list(names).count(PERSON) == 1):
            raise UserError(f"one seat is yours: expected a seat from 1 to {len(names)}")
        self.venue.check(names, map_name)
        with self._lock:
            self._admit(address)
            player = self.venue.player(names, seat, map_name, secrets.randbelow(2**31))
            table = GameTable(self.venue.game, names, seat, player.play, options=self.options, on_end=player.close)
            name = secrets.token_urlsafe(12)
            self._tables[name] = _Seat(table, address, time.monotonic())
        return name

    def find(self, name: str) -> GameTable:
        """A table by its name.

        Raises:
            UserError: there is none.
        """
        with self._lock:
            seat = self._tables.get(name)
        if seat is None:
            raise UserError("this game is no longer here")
        return seat.table

    def close(self) -> None:
        """End all games and their processes."""
        with self._lock:
            self._is_closed = True
            tables = [seat.table for seat in self._tables.values()]
        for table in tables:
            table.close()
        for table in tables:
            table.join(END_SECONDS)

    def _admit(self, address: str) -> None:
        limits = self.limits
        if self._is_closed:
            raise BusyError("the server is being stopped")
        own = [seat for seat in self._tables.values() if seat.address == address and not seat.table.is_over]
        if self._replaces:
            for seat in own:
                seat.table.close()
            own = []
        if limits.most_an_address and len(own) >= limits.most_an_address:
            raise BusyError("a game is being played from your address already: end it first, or wait until it is over")
        now = time.monotonic()
        recent = [seat for seat in self._tables.values() if seat.address == address and now - seat.began < HOUR]
        if limits.machine_seconds and sum(seat.table.busy_seconds for seat in recent) > limits.machine_seconds:
            raise BusyError(f"the games from your address took more than {limits.machine_seconds:g} s of CPU time; try again later")
        if sum(not seat.table.is_over for seat in self._tables.values()) >= limits.most_tables:
            raise BusyError(f"all {limits.most_tables} tables are taken; try again in a few minutes")
        self._forget()

    def _forget(self) -> None:
        """Let go of the oldest finished games."""
        over = [name for name, seat in self._tables.items() if seat.table.is_over]
        for name in over[: max(0, len(over) - self.limits.kept_tables)]:
            with contextlib.suppress(KeyError):
                del self._tables[name]
