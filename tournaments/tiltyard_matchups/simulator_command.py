"""The ``simulator`` command with the argument syntax of assignment 3."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import end_well
from tiltyard_matchups.comparative import ComparativeOptions, prepare_comparative, run_comparative
from tiltyard_matchups.competition import CompetitionOptions, prepare_competition, run_competition
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

USAGE: Final = """\
usage:
  simulator -comparative game_map=<file> game_managers_folder=<dir> algorithm1=<alg> algorithm2=<alg> [num_threads=<n>] [-verbose]
  simulator -competition game_maps_folder=<dir> game_manager=<gm> algorithms_folder=<dir> [num_threads=<n>] [-verbose]

Arguments come in any order. <alg> and <gm> are a .py or .so file, a package folder, FILE:NAME where a file registers several,
or the name of an installed plugin. Instead of a folder, use 'installed' for all installed plugins of that kind."""

COMPARATIVE: Final = "-comparative"
COMPETITION: Final = "-competition"
VERBOSE: Final = "-verbose"
FLAGS: Final = (COMPARATIVE, COMPETITION, VERBOSE)
THREADS: Final = "num_threads"
KEYS: Final = {
    COMPARATIVE: ("game_map", "game_managers_folder", "algorithm1", "algorithm2"),
    COMPETITION: ("game_maps_folder", "game_manager", "algorithms_folder"),
}
"""By mode; the mode's options have fields of these names."""


@dataclass(slots=True)
class Arguments:
    """The parts of the command line, not checked yet."""

    flags: list[str] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    """Words that are neither a flag nor part of a ``key=value``."""


def split_arguments(words: Sequence[str]) -> Arguments:
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
    keys = {THREADS, *KEYS[COMPARATIVE], *KEYS[COMPETITION]}
    key, equals, _ = words[0].partition("=")
    return key.strip() in keys and (bool(equals) or (len(words) > 1 and words[1].startswith("=")))


def parse(words: Sequence[str]) -> ComparativeOptions | CompetitionOptions:
    """Parse the options of the chosen mode.

    Raises:
        UserError: wrong usage; the message names all unsupported, all missing and all doubled arguments.
    """
    arguments = split_arguments(words)
    modes = [flag for flag in dict.fromkeys(arguments.flags) if flag != VERBOSE]
    keys = {THREADS, *(key for mode in modes or KEYS for key in KEYS[mode])}
    values = dict(arguments.values)
    problems = [
        "" if modes else f"no mode given; expected {COMPARATIVE} or {COMPETITION}",
        "both modes given; use only one" if len(modes) > 1 else "",
        _list("unsupported", [*arguments.strays, *[f"{key}={value}" for key, value in arguments.values if key not in keys]]),
        _list("missing", [key for key in KEYS[modes[0]] if not values.get(key)] if len(modes) == 1 else []),
        _list("given more than once", _doubled([*arguments.flags, *[key for key, _ in arguments.values]])),
    ]
    threads = values.get(THREADS, "1")
    if not re.fullmatch("0*[1-9][0-9]{0,8}", threads):
        problems.append(f"{THREADS} must be a positive number, found '{threads[:40]}'")
    if any(problems):
        raise UserError("; ".join(problem for problem in problems if problem))
    mode = modes[0]
    fields: dict[str, Any] = {key: values[key] for key in KEYS[mode]}
    fields |= {
        "workers": int(threads),
        "verbose": VERBOSE in arguments.flags,
        "isolation_policy": IsolationPolicy.from_environment(),
    }
    return ComparativeOptions(**fields) if mode == COMPARATIVE else CompetitionOptions(**fields)


def _list(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(names)}" if names else ""


def _doubled(names: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; 0, 1 if the run failed or could not be written, 2 for wrong usage, 130 if interrupted."""
    arguments = sys.argv[1:] if words is None else words
    return end_well(lambda: _run(arguments))


def _run(words: Sequence[str]) -> int:
    if any(word in ("-h", "-help", "--help") for word in words):
        print(USAGE)
        return 0
    try:
        options = parse(words)
        registry = open_registry(options.isolation_policy)
        if isinstance(options, ComparativeOptions):
            play = partial(run_comparative, prepare_comparative(options, registry), options)
        else:
            play = partial(run_competition, prepare_competition(options, Finder(registry)), options)
    except UserError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}")
    try:
        return play()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _refuse(why: str) -> int:
    print(f"{USAGE}\n\nerror: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
