"""What a GameManager in a cell has recorded, checked and handed on to the match's own recorder."""

from __future__ import annotations

from typing import Final

import msgspec

from tiltyard_engine.replay import Recorder
from tiltyard_simulator.guard.manager_messages import RECORDS, RecordedStart

MOST_BYTES: Final = 64 << 20
"""Of one match: about 400,000 rounds of four tanks. They are in memory many times as large."""


class RecordingError(Exception):
    """What was recorded is no replay; the message is for the manager's author."""


class Forwarder:
    """Hands records on to ``recorder``."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._room = MOST_BYTES
        self._width = self._height = 0

    def take(self, records: list[msgspec.Raw]) -> None:
        """Check some and hand them on.

        Raises:
            RecordingError: they are of the wrong types, do not fit the board, or are too many.
        """
        for data in records:
            self._room -= len(data)
            if self._room < 0:
                raise RecordingError(f"more than {MOST_BYTES >> 20} MiB was recorded")
            self._take_one(data)

    def _take_one(self, data: msgspec.Raw) -> None:
        try:
            record = RECORDS.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise RecordingError(f"what was recorded has the wrong types: {error}") from error
        if isinstance(record, RecordedStart):
            width, height = record.width, record.height
            if min(width, height) < 1 or len(record.squares) != width * height or not all(record.squares):
                raise RecordingError(f"the recorded board has not {width} x {height} squares with a token each")
            self._width, self._height = width, height
            self._recorder.start(width, height, record.squares)
            return
        size = self._width * self._height
        for square, token in record.changes:
            if not (0 <= square < size and token):
                where = f"{self._width} x {self._height}"
                raise RecordingError(f"a recorded change puts '{token:.20}' on square {square} of a board of {where}")
        self._recorder.frame(record.changes, record.actions, record.scores, record.notes)
