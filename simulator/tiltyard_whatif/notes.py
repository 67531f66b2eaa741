"""The file in which results lie beside a tournament's store, so that a search that was stopped can continue.

It has a line of JSON for each answer that was tried. Its name has the match's key, a hash over everything that the match depends
on, so what stands there can't be of other code.
A line of an earlier version that lacks something is left out, and its answer is tried again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_whatif.findings import Trial
from tiltyard_whatif.playing import Point

FOLDER: Final = "whatif"


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    turn: int
    part: int
    trial: Trial
    cpu_seconds: float


_ENCODER: Final = msgspec.json.Encoder()
_LINES: Final = msgspec.json.Decoder(_Line)


class Notes:
    """The results of one seat of one match.

    Args:
        folder: the tournament's output folder.
        key: the match's.
        seat: whose answers are changed.
    """

    def __init__(self, folder: Path, key: str, seat: int) -> None:
        self.path = folder / FOLDER / f"{key}-{seat}.jsonl"

    def read(self) -> Iterator[tuple[Point, Trial]]:
        """All results. A line that was not written to its end is left out.

        Raises:
            UserError: the file can't be read.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror}") from error
        for text in data.splitlines():
            try:
                line = _LINES.decode(text)
            except msgspec.MsgspecError:
                continue
            yield (line.turn, line.part), line.trial

    def add(self, point: Point, trial: Trial, cpu_seconds: float) -> None:
        """Write a result down at once.

        Raises:
            UserError: the file can't be written.
        """
        line = _Line(turn=point[0], part=point[1], trial=trial, cpu_seconds=cpu_seconds)
        try:
            self.path.parent.mkdir(exist_ok=True)
            with self.path.open("ab") as file:
                # It begins a line of its own, so that it can be read whatever was cut off before it.
                file.write(b"\n" + _ENCODER.encode(line) + b"\n")
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from error
