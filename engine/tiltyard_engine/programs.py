"""External programs: how a game's adapter speaks to one, in the game's own protocol.

A team's program is a command. The host starts it, confined and limited; the game's adapter (``GamePrograms.adapter``) turns
positions into what the program reads and what it writes into answers. There are two ways to speak, and an adapter uses one of
them: one process a call (``Program.call``), or a resident process (``write``, ``read_line``), which is started when it is first
used.
"""

from __future__ import annotations

import re
import signal
import stat
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.results import Termination

DEFAULT_LINE_BYTES = 1 << 16
"""The longest line that is taken where an adapter does not say."""
DENIED = "denied by the sandbox"
"""What follows these words in a fault's message was denied to the program, and may be the reason why it ended."""
SAID_BYTES = 400
"""How much of a failed program's output is quoted in the fault."""
SEARCHED_BYTES: Final = 1 << 14
"""Of the end of its output, in which its reason is looked for."""
QUOTED_BYTES = 60
"""How much of a line is quoted there."""
LAST_ANSWER_SECONDS = 0.5
"""How long a program that is late may take to write what it has kept, once its input is closed."""
RESIDENT_ENVIRONMENT: Mapping[str, str] = {"PYTHONUNBUFFERED": "1"}
"""What is set for a resident program, which else would keep its lines in a buffer. Its manifest may set something else."""


class ProgramError(Exception):
    """A program failed. The host charges its seat; an adapter raises it too, for answers that it cannot read.

    A program that has failed once does not recover: each later use of it raises the same.
    """

    def __init__(self, termination: Termination, message: str, received: bytes = b"", not_started: str = "") -> None:
        super().__init__(message)
        self.termination = termination
        self.message = message
        self.received = received
        """What had arrived of the answer."""
        self.not_started = not_started
        """Why the system did not start it, such as ``Permission denied``; empty if it ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One process that has run to its end."""

    exit_code: int
    """As the program gave it; 0 where a signal ended it."""
    signal: int
    """The number of the signal that ended it, or 0."""
    stdout: bytes
    stderr: bytes
    """Both up to a limit; the rest is read and thrown away."""
    files: Mapping[str, bytes]
    """Those of the wanted outputs that are regular files now."""
    left: Mapping[str, str] = field(default_factory=dict)
    """Those that are something else now, and what, such as ``a symbolic link``."""
    cpu_seconds: float = 0.0
    """Of the process and all that it waited for."""
    wall_seconds: float = 0.0

    def missing(self, name: str) -> str:
        """Why there is no such output: ``did not write it``, in words, or what was left in its place."""
        what = self.left.get(name)
        return f"did not write {name}" if what is None else f"left {what} as {name}, expected a regular file"

    def expect(self, *exit_codes: int) -> None:
        """Check that it ended with one of ``exit_codes``.

        Raises:
            ProgramError: it ended with another exit code or by a signal; the message quotes the end of its output.
        """
        words = last_words(self.stderr or self.stdout)
        if self.signal:
            # What it printed before is no reason.
            how = f"was killed by {signal_name(self.signal)}{f', after it printed: {words}' if words else ''}"
        elif self.exit_code not in exit_codes:
            how = f"exited with code {self.exit_code}{f': {words}' if words else ''}"
        else:
            return
        raise ProgramError(Termination.CRASH, f"the program {how}", self.stdout)


def last_words(output: bytes) -> str:
    """What is quoted of a program's output: its end, or the last line that isn't indented, and what follows, if that is longer.

    .NET, Java and others print the reason of a crash first, and then a line for each call that led there.
    """
    output = output.rstrip()[-SEARCHED_BYTES:]
    reason = max((match.start() for match in re.finditer(rb"^\S", output, re.MULTILINE)), default=len(output))
    begin = min(reason, max(len(output) - SAID_BYTES, 0))
    return output[begin : begin + SAID_BYTES].decode("utf-8", "backslashreplace").strip()


def kind_of_file(mode: int) -> str:
    """What lies under a name, in words with an article; empty for a regular file. ``mode`` is ``st_mode`` of ``lstat``."""
    if stat.S_ISREG(mode):
        return ""
    kinds = (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((words for is_kind, words in kinds if is_kind(mode)), "a device")


class Program(ABC):
    """A program under guard, in a scratch folder of its own that lasts for one match.

    Everything may raise ProgramError: a limit was reached, or the program ended, hung up or wrote too much. An adapter lets it
    pass through, unless the game's rules want something else done.
    """

    protocol: str = ""
    """What the manifest says about the protocol; empty where it says nothing. Which words there are is the game's business."""
    expected: str = ""
    """What an answer looks like in the protocol's words, such as ``X Y``, for messages. An adapter sets it."""

    @property
    def hint(self) -> str:
        """What may explain that the turn's answer is wrong, after a semicolon; empty if nothing is known."""
        return ""

    @property
    def turn_in_words(self) -> str:
        """What was sent in this turn, what was expected, and the command line, in parentheses; empty where a host does not say."""
        return ""

    @property
    def stderr(self) -> bytes:
        """What it wrote to standard error, up to a limit; complete when it has been closed. Empty where a host keeps none."""
        return b""

    @abstractmethod
    def begin(self, seconds: float, doing: str) -> None:
        """Begin a turn: the calls that follow may take that long in all. In a match the host does it; a command does it itself.

        ``doing`` names the turn in error messages, such as ``choose``.
        """

    @abstractmethod
    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        """Run the command with ``arguments`` added, to its end, and kill whatever it leaves behind.

        Args:
            arguments: come after the command's own words.
            files: written into the scratch folder before; names are relative to it.
            outputs: names of files to read afterwards.
            stdin: what it can read; without any, its standard input is at its end.
        """

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write to the resident process's standard input."""

    @abstractmethod
    def read(self, limit: int) -> bytes:
        """What the resident process has written to standard output, as soon as there is any: at most ``limit`` bytes.

        Empty at the end of the output.
        """

    @abstractmethod
    def read_line(self, limit: int = DEFAULT_LINE_BYTES) -> bytes:
        """The next line, its newline included. What comes after it stays for the next time.

        The end of the output is an error, and so is a line of more than ``limit`` bytes.
        """

    @abstractmethod
    def close_input(self) -> None:
        """Close the resident process's standard input: it then reads the end of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramTeam:
    """An algorithm that is a program in any language; plain data."""

    name: str
    game: str
    command: tuple[str, ...]
    """The program and its arguments. A word that names a file or folder below ``folder`` stands for that."""
    folder: str = ""
    """The program's own folder, absolute: it may read what is in it. Empty: only the files that the command names."""
    files: tuple[str, ...] = ()
    """Files and folders below ``folder`` that are copied into the scratch folder before a match."""
    readable: tuple[str, ...] = ()
    """Other absolute paths that it needs, such as that of a language's runtime."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that are set for it, by name."""
    protocol: str = ""
    description: str = field(default="", compare=False)


def command_of(team: ProgramTeam) -> list[str]:
    """The words of a team's command; those that name something in its folder with their whole path."""
    folder = Path(team.folder)
    if not team.folder:
        return list(team.command)
    program, *arguments = team.command
    # A name without a slash is looked for where programs are installed, as a shell does.
    first = str(folder / program) if "/" in program else program
    return [first, *(str(folder / word) if word and (folder / word).exists() else word for word in arguments)]


def late_answer(answer: bytes, how_to_flush: str = "") -> str:
    """What to say of a program that was late, and wrote ``answer`` only when its input was closed.

    ``how_to_flush`` is what one writes for that in its language.
    """
    line, newline, _ = answer.partition(b"\n")
    how = f", with {how_to_flush}" if how_to_flush else ""
    end = "" if newline else "end each line with \\n and "
    when = f"its answer came when its input ended, {(line + newline)[:QUOTED_BYTES]!r}"
    # Which of the two it is can't be seen from outside: either way it waits, and answers at the end.
    return f"; {when}: it reads more lines than were sent, or must {end}flush after each line{how}"


def signal_name(number: int) -> str:
    """The name of a signal, such as SIGSEGV; a number that has none is named as it is."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
