"""Records what each seat was asked, shown and answered, also for GameManagers that write no output file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, TypeAlias

from tiltyard_engine.seat_kinds.seat_ports import SeatObserver
from tiltyard_simulator.guard.seats.kinds import SeatKind

Views: TypeAlias = list[tuple[tuple[int, int, int], str]]
"""Views: (number of answers before, seat, part), such as (round, seat, tank index), and the sha256 of the view's text."""
Requests: TypeAlias = tuple[int, int, tuple[str, ...]]
"""(seat, part, answers)."""


class Trace(SeatObserver):
    """What one seat was shown and answered, as its kind of seat writes it."""

    def __init__(self, kind: SeatKind, setting: Any, view_key: tuple[int, int, int] | None = None) -> None:
        self.views: Views = []
        self.kept_view = ""
        """The text of the view with that key, once it was shown."""
        self._view_key = view_key
        self._answers: dict[tuple[int, int], list[str]] = {}
        self._kind = kind
        self._setting = setting

    def requests(self) -> Iterator[Requests]:
        """The answers of each part."""
        for (seat, part), answers in self._answers.items():
            yield seat, part, tuple(answers)

    def began(self, seat: int, part: int) -> None:
        """Start a list of answers."""
        self._answers.setdefault((seat, part), [])

    def saw(self, seat: int, part: int, view: Any) -> None:
        """Add the view, as its digest."""
        text = self._kind.picture(self._setting, view)
        key = (len(self._answers[seat, part]), seat, part)
        self.views.append((key, hashlib.sha256(text.encode()).hexdigest()))
        if key == self._view_key:
            self.kept_view = text

    def answered(self, seat: int, part: int, answer: Any) -> None:
        """Add the answer to those of the part."""
        self._answers[seat, part].append(self._kind.words(answer))
