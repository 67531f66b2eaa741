"""The ``simulator`` command with the argument syntax of assignment 3."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_simulator.modes import (
    ComparativeOptions,
    CompetitionOptions,
    prepare_comparative,
    prepare_competition,
    run_comparative,
    run_competition,
)

USAGE: Final = """\
usage:
  simulator -comparative game_map=<file> game_managers_folder=<dir> algorithm1=<alg> algorithm2=<alg> [num_threads=<n>] [-verbose]
  simulator -competition game_maps_folder=<dir> game_manager=<gm> algorithms_folder=<dir> [num_threads=<n>] [-verbose]

Arguments come in any order. <alg> and <gm> are a .py file, a package folder, FILE:NAME where a file registers several,
or the name of an installed plugin. In place of a folder, 'installed' means all installed plugins of the kind."""

COMPARATIVE: Final = "-comparative"
COMPETITION: Final = "-competition"
VERBOSE: Final = "-verbose"
FLAGS: Final = (COMPARATIVE, COMPETITION, VERBOSE)
THREADS: Final = "num_threads"
KEYS: Final = {
    COMPARATIVE: ("game_map", "game_managers_folder", "algorithm1", "algorithm2"),
    COMPETITION: ("game_maps_folder", "game_manager", "algorithms_folder"),
}


@dataclass(slots=True)
class Arguments:
    """The command line taken apart; nothing is judged yet."""

    flags: list[str] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    """Words that are neither a flag nor part of a ``key=value``."""


def take_apart(words: Sequence[str]) -> Arguments:
    """Find flags and ``key=value`` pairs; the ``=`` may stand in a word of its own or at an end of one."""
    arguments = Arguments()
    left = list(words)
    while left:
        word = left.pop(0)
        if word in FLAGS:
            arguments.flags.append(word)
            continue
        key, equals, value = word.partition("=")
        if not equals and left and left[0].startswith("="):
            equals, value = "=", left.pop(0)[1:]
        if not equals or not key:
            arguments.strays.append(word)
            continue
        if not value and left and left[0] not in FLAGS and not _starts_pair(left):
            value = left.pop(0)
        arguments.values.append((key.strip(), value.strip()))
    return arguments


def _starts_pair(words: Sequence[str]) -> bool:
    """Whether the next words are another ``key=value`` of a known key."""
    known = {THREADS, *KEYS[COMPARATIVE], *KEYS[COMPETITION]}
    key, equals, _ = words[0].partition("=")
    return key.strip() in known and (bool(equals) or (len(words) > 1 and words[1].startswith("=")))


def parse(words: Sequence[str]) -> ComparativeOptions | CompetitionOptions:
    """The options of the mode that is asked for.

    Raises:
        UserError: wrong usage; the message names all unsupported, all missing and all doubled arguments.
    """
    arguments = take_apart(words)
    modes = [flag for flag in dict.fromkeys(arguments.flags) if flag != VERBOSE]
    if len(modes) != 1:
        raise UserError("both modes at once" if modes else f"no mode is given: expected {COMPARATIVE} or {COMPETITION}")
    mode = modes[0]
    given = [key for key, _ in arguments.values]
    values = dict(arguments.values)
    problems = [
        _list("unsupported", [*arguments.strays, *[f"{k}={v}" for k, v in arguments.values if k not in (*KEYS[mode], THREADS)]]),
        _list("missing", [key for key in KEYS[mode] if not values.get(key)]),
        _list("given more than once", _doubled([*arguments.flags, *given])),
    ]
    threads = values.get(THREADS, "1")
    if not (threads.isascii() and threads.isdigit() and int(threads) >= 1):
        problems.append(f"{THREADS} must be a positive number, found '{threads}'")
    if any(problems):
        raise UserError("; ".join(problem for problem in problems if problem))
    workers, verbose = int(threads), VERBOSE in arguments.flags
    if mode == COMPARATIVE:
        game_map, folder, algorithm1, algorithm2 = (values[key] for key in KEYS[mode])
        return ComparativeOptions(game_map, folder, algorithm1, algorithm2, workers, verbose)
    maps_folder, manager, algorithms_folder = (values[key] for key in KEYS[mode])
    return CompetitionOptions(maps_folder, manager, algorithms_folder, workers, verbose)


def _list(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(names)}" if names else ""


def _doubled(names: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; 0, 1 if results could not be written, 2 for wrong usage, 130 if interrupted."""
    words = sys.argv[1:] if words is None else words
    if not words or any(word in ("-h", "-help", "--help") for word in words):
        print(USAGE)
        return 0 if words else 2
    try:
        options = parse(words)
        registry = Registry.installed()
        if isinstance(options, ComparativeOptions):
            comparison = prepare_comparative(options, registry)
        else:
            competition = prepare_competition(options, registry)
    except UserError as error:
        print(f"{USAGE}\n\nerror: {error}", file=sys.stderr)
        return 2
    try:
        if isinstance(options, ComparativeOptions):
            return run_comparative(comparison, options)
        return run_competition(competition, options)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
