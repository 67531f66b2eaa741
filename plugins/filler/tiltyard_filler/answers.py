"""A robot's answer: taken from what it writes, and understood.

Two ways to take it. The tolerant one reads to the end of the line and keeps what comes behind it for the next turn. The strict one
is the subject's: one read, and what that happens to bring is the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol

from tiltyard_engine.programs import ProgramError
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.program_turns import hint_on
from tiltyard_engine.texts.lines import LineBuffer
from tiltyard_filler.positions import Placement

ANSWER: Final = re.compile(rb"(-?[0-9]+) (-?[0-9]+)\n")
READ_BYTES: Final = 1024
LINE_BYTES: Final = READ_BYTES
"""A longer answer is none, its line feed included: the subject's one read would not hold it."""

END_OF_OUTPUT: Final = "Error reading the answer: EOF"
BROKEN_PIPE: Final = "Error sending data: write |1: broken pipe"
OUT_OF_TIME: Final = (Termination.TIMEOUT, Termination.STALL)
LEAST_SECONDS: Final = 1.0
"""For sending a turn, where no time is given for the answer."""
HUNG_UP: Final = (Termination.CRASH, Termination.DISCONNECT)


class Channel(Protocol):
    """A robot's standard streams; ``tiltyard_engine.programs.Program`` is one."""

    def begin(self, seconds: float, doing: str) -> None:
        """What follows may take that long in all."""

    def write(self, data: bytes) -> None:
        """To the robot's standard input; ProgramError where it is closed or the time is over."""

    def read(self, limit: int) -> bytes:
        """What it has written, as soon as there is any; empty at the end. ProgramError where the time is over."""


class OutOfTimeError(Exception):
    """No answer in time. The message says what more is known; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a robot said in its turn."""

    raw: bytes
    """As it was written."""
    placement: Placement | None
    """None: it is no answer at all, and the game is over."""
    errors: tuple[str, ...] = ()
    """Further lines about the answer, beside the general one."""
    hint: str = ""
    """What often goes wrong and shows here, for people."""


class Listener:
    """Asks one robot, turn after turn."""

    def __init__(self, channel: Channel, seconds: float, is_strict: bool = False) -> None:
        self._channel = channel
        self._seconds = seconds
        self._is_strict = is_strict
        self._output = LineBuffer()
        self._turns = 0
        self._is_lost = False
        """It hung up before its first turn; what it had said by then may still be an answer."""

    def ask(self, turn: bytes) -> Answer:
        """Send a turn, take the answer.

        Raises:
            OutOfTimeError: there was none in time.
        """
        self._turns += 1
        try:
            # A turn's time includes that for sending it: a robot that does not read is no reason to wait for ever.
            self._channel.begin(max(self._seconds, LEAST_SECONDS), "answering")
            self._channel.write(turn)
        except ProgramError as error:
            # Before its first turn a robot has hardly started, and the subject's engine gets rid of the board in any case.
            if self._turns > 1 or error.termination not in HUNG_UP:
                return self._failure(error, BROKEN_PIPE)
            self._is_lost = True
            self._output.add(error.received)
        if self._seconds <= 0:
            raise OutOfTimeError
        try:
            return self._take_one_read() if self._is_strict else self._take_line()
        except ProgramError as error:
            return self._failure(error, END_OF_OUTPUT)

    def _failure(self, error: ProgramError, line: str) -> Answer:
        if error.termination in OUT_OF_TIME:
            _, _, reason = error.message.partition("; ")
            raise OutOfTimeError(reason) from error
        notes = () if error.termination in HUNG_UP else (f"note: {error.message}",)
        return Answer(self._output.take(READ_BYTES), None, (line, *notes))

    def _read(self) -> bytes:
        return b"" if self._is_lost else self._channel.read(READ_BYTES)

    def _take_line(self) -> Answer:
        output = self._output
        while (line := output.take_line(LINE_BYTES)) is None:
            if output.is_too_long(LINE_BYTES):
                return Answer(output.take(READ_BYTES), None)
            piece = self._read()
            if not piece:
                rest = output.take(READ_BYTES)
                return Answer(rest, None, () if rest else (END_OF_OUTPUT,))
            output.add(piece)
        match = ANSWER.fullmatch(line)
        if match is None:
            return Answer(line + output.take(READ_BYTES - len(line)), None, hint=hint_on(line))
        return Answer(line, Placement(int(match[1]), int(match[2])))

    def _take_one_read(self) -> Answer:
        raw = self._output.take(READ_BYTES) or self._read()
        if not raw:
            return Answer(raw, None, (END_OF_OUTPUT,))
        match = ANSWER.match(raw)
        if match is None:
            return Answer(raw, None)
        # With anything behind the line the subject's engine takes the line feed for a part of the second number, which is then 0.
        return Answer(raw, Placement(int(match[1]), int(match[2]) if match.end() == len(raw) else 0))
