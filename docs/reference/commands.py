"""commands.md: the ``--help`` of every command, from the commands that are installed."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path

from tiltyard_tournaments.cli.start import app

PAGE = Path(__file__).with_name("commands.md")
COMMANDS = ("tiltyard", "simulator", "tanks_game")
INTRODUCTION = """\
# Commands

What each command says about itself. `docs/make.py commands` makes this page; a test keeps it up to date.

`tiltyard` is for everything; `simulator` and `tanks_game` have the command lines of assignments 3 and 2. All three end with
status 0 if all went well, 1 if they found something wrong or could not write a results file, 2 after a user's mistake (with one
message on standard error), 130 after an interruption, and 141 if whoever reads the output goes away, as after `| head`.
"""


def help_of(command: Sequence[str]) -> str:
    """What the command prints for ``--help``, or without arguments if it has no such option."""
    # All of tiltyard's in this process: there are many, and each start takes a while.
    text = _help_in_this_process(command) if command[0] == "tiltyard" else _help_of_a_process(command)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _help_in_this_process(command: Sequence[str]) -> str:
    text = io.StringIO()
    with redirect_stdout(text), suppress(SystemExit):
        app([*command[1:], "--help"], prog_name=command[0])
    return text.getvalue()


def _help_of_a_process(command: Sequence[str]) -> str:
    words = [str(Path(sys.executable).parent / command[0]), *command[1:], "--help"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def with_subcommands(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The command and its help, then the same for each subcommand, in the order of the help."""
    text = help_of(command)
    yield " ".join(command), text
    _, found, listed = text.partition("\nCommands:\n")
    if found:
        for name in re.findall(r"^  (\S+)", listed.split("\n\n")[0], re.MULTILINE):
            yield from with_subcommands((*command, name))


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for command in COMMANDS:
        parts += [f"## {name}\n\n```text\n{text}\n```\n" for name, text in with_subcommands((command,))]
    return "\n".join(parts)


def files() -> Mapping[Path, str]:
    """The page."""
    return {PAGE: page()}
