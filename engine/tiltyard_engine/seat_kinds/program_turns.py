"""What was said in a turn of a program, for messages about it: in the words of the protocol, with what often goes wrong."""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.programs import QUOTED_BYTES, ProgramTeam

TURN: Final = re.compile(r" \((?:sent: .*; |expected: .*; )?command: .*\)$", re.DOTALL)
"""What ``ProgramTurn.in_words`` adds to a message. It differs from turn to turn."""
CARRIAGE_RETURN: Final = "it ends with a carriage return: end lines with \\n alone, not with \\r\\n"
BYTE_ORDER_MARK: Final = "it begins with a byte order mark: write UTF-8 without one"
TWO_BYTES: Final = "it is UTF-16: write UTF-8"
EARLY: Final = "an answer was there before its question: of two lines written in one turn, the second one counts as the next answer"


def hint_on(line: bytes) -> str:
    """What often goes wrong in lines and shows in this one; empty if nothing does."""
    if line.startswith(codecs.BOM_UTF8):
        return BYTE_ORDER_MARK
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return TWO_BYTES
    return CARRIAGE_RETURN if line.endswith(b"\r\n") else ""


def without_turn(message: str) -> str:
    """A fault's message without what was sent in that turn: faults of one kind have it in common."""
    return TURN.sub("", message)


@dataclass(slots=True)
class ProgramTurn:
    """What was said in one turn of a program."""

    team: ProgramTeam
    request: bytes = b""
    """To a resident program."""
    arguments: Sequence[str] = ()
    """What was added to the command of one that runs for each call."""
    answer: bytes = b""
    """The last line that it wrote."""
    was_early: bool = False
    """Whether something was there before this question or an earlier one."""

    @property
    def hint(self) -> str:
        """What may explain a wrong answer, after a semicolon; empty if nothing is known."""
        hints = [hint_on(self.answer), EARLY if self.was_early and self.answer else ""]
        return "".join(f"; {hint}" for hint in hints if hint)

    def in_words(self, expected: str) -> str:
        """What was sent, what was expected, and the command line, in parentheses; without paths of this machine."""
        first, _, rest = self.request.partition(b"\n")
        more = len(rest.splitlines())
        lines = f" and {more} more {'line' if more == 1 else 'lines'}" if more else ""
        parts = [
            f"sent: {first[:QUOTED_BYTES].decode('utf-8', 'backslashreplace')!r}{lines}" if self.request else "",
            f"expected: {expected}" if expected else "",
            f"command: {self._command()}",
        ]
        return f" ({'; '.join(part for part in parts if part)})"

    def _command(self) -> str:
        return shlex.join([*map(self._public_word, self.team.command), *self.arguments])

    def _public_word(self, word: str) -> str:
        path = Path(word)
        if not path.is_absolute():
            return word
        is_own = self.team.folder and path.is_relative_to(self.team.folder)
        return str(path.relative_to(self.team.folder)) if is_own else path.name
