"""Running the ``console`` blocks of a Markdown page, in order, in a folder of their own."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(
    r"<!-- file: (?P<hidden>\S+)\n(?P<hidden_text>.*?)-->|^```(?P<kind>\S*)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Command:
    """A line after ``$ `` and what it is said to print."""

    line: str
    number: int
    expected: list[str] = field(default_factory=list)


@dataclass
class File:
    """A file that the page shows, or one that it needs and does not show."""

    name: str
    text: str


def steps(page: str) -> Iterator[Command | File]:
    """The commands and files of a page, in order.

    A block of another kind is a file if its first line says so: three backticks, the language, ``title=NAME``.
    """
    for match in BLOCK.finditer(page):
        if match["hidden"]:
            yield File(match["hidden"], match["hidden_text"])
        elif match["kind"] == "console":
            yield from _commands(match["text"], page.count("\n", 0, match.start()) + 2)
        elif "title=" in match["rest"]:
            yield File(match["rest"].split("title=")[1].strip(), match["text"])


def _commands(text: str, first_line: int) -> Iterator[Command]:
    command: Command | None = None
    for number, line in enumerate(text.splitlines(), start=first_line):
        if line.startswith("$ "):
            if command is not None:
                yield command
            command = Command(line[2:], number)
        elif command is not None:
            command.expected.append(line)
    if command is not None:
        yield command


def matches(expected: str, found: str) -> bool:
    """Whether the output is as shown; ``...`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, found, re.DOTALL) is not None


def run(command: Command, folder: Path, environment: Mapping[str, str]) -> str:
    """What the command prints, both streams together, without spaces at line ends."""
    done = subprocess.run(
        ["bash", "-c", command.line],
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())


def is_setup(command: Command) -> bool:
    """Commands that set a machine up: the continuous integration runs them, not the tests."""
    words = shlex.split(command.line)
    return words[:2] == ["python3", "dev.py"] or words[:1] in (["git"], ["cd"])
