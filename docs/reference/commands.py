"""commands.md and a page for each command in commands/: the ``--help`` of every command, from the commands that are installed."""

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
FOLDER = PAGE.with_suffix("")
OTHER_PROGRAMS = {
    "simulator": "The command line of assignment 3: -comparative and -competition",
    "tanks_game": "The command line of assignment 2: play one map, and write its output file",
}
INTRODUCTION = """\
# Commands

Each command has a page with what its `--help` says. `docs/make.py commands` makes these pages; a test keeps them up to date.

`tiltyard` is for everything; `simulator` and `tanks_game` have the command lines of assignments 3 and 2. All three end with
status 0 if all went well, 1 if they found something wrong or could not write a results file, 2 after a user's mistake (with one
message on standard error), 130 after an interruption, and 141 if whoever reads the output goes away, as after `| head`.

<!-- toctree: -->

"""
Helps = list[tuple[str, str]]
"""Commands and their helps: one, and below it its subcommands."""


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


def pages() -> dict[str, Helps]:
    """The name of each page, and what stands on it."""
    everything = list(with_subcommands(("tiltyard",)))
    by_page: dict[str, Helps] = {}
    for name, text in everything:
        by_page.setdefault("".join(name.split()[1:2]), []).append((name, text))
    return {**by_page, **{name: [(name, help_of((name,)))] for name in OTHER_PROGRAMS}}


def about(text: str) -> str:
    """The first sentence of a help, after how the command is used."""
    paragraph = " ".join(text.split("\n\n")[1].split())
    return paragraph.partition(". ")[0].rstrip(".")


def blocks(helps: Helps, level: str) -> str:
    """Each command with its help."""
    return "\n".join(f"{level} {name}\n\n```text\n{text}\n```\n" for name, text in helps)


def files() -> Mapping[Path, str]:
    """The pages."""
    by_page = pages()
    start = by_page.pop("")
    items = [
        f"- [{helps[0][0]}](commands/{name}.md): {OTHER_PROGRAMS.get(name) or about(helps[0][1])}\n"
        for name, helps in by_page.items()
    ]
    made = {PAGE: f"{INTRODUCTION}{''.join(items)}\n{blocks(start, '##')}"}
    for name, (first, *others) in by_page.items():
        page = blocks([first], "#") + ("\n" + blocks(others, "##") if others else "")
        made[FOLDER / f"{name}.md"] = page
    return made
