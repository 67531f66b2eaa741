"""The command ``advance``: one move in the way that the course asks its programs for one.

    advance white|black IN OUT      read the board in IN, make a move, write the board to OUT, which may be the same file
    advance name                    print the name

Options come first; an option goes before the variable in the environment.

    --level LEVEL   4, 5, 6, 7 or champion; ADVANCE_LEVEL; champion if neither says otherwise
    --seed NUMBER   choose the same among equally good moves each time; ADVANCE_SEED
    --interactive   let a person make the move: at this terminal, or at the one that ADVANCE_TERMINAL names, such as /dev/pts/3

Exit status: 0 when the board was written, 1 when it cannot be read or written or there is no legal move, 2 on a wrong call.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from tiltyard_advance.algorithms import CHAMPION, STRENGTHS, choose_board
from tiltyard_advance.board_files import BoardFileError, read_board_file, write_board_file
from tiltyard_advance.positions import SIDES
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.exit_status import end_well

OPTIONS: Final = {"--level": "ADVANCE_LEVEL", "--seed": "ADVANCE_SEED"}
INTERACTIVE: Final = "--interactive"
PERSON: Final = "person"
"""In place of a strength."""
Chooser: TypeAlias = Callable[[str, int], str]
"""``choose(board, side)``: the board after a move; empty where there is no legal one."""
LONGEST_FILE: Final = 1 << 20
"""Bytes; a board takes ninety."""


class CallError(Exception):
    """The command line is wrong."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``advance`` and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return end_well(lambda: run(words, os.environ), name="advance", failed=1)
    except CallError as error:
        print(f"advance: {error}\nexpected: advance white|black IN OUT, or: advance name; see advance --help", file=sys.stderr)
        return 2


def run(arguments: list[str], environment: Mapping[str, str]) -> int:
    """Do what the words say.

    Raises:
        CallError: they say nothing that can be done.
        UserError: no move could be made, or it could not be written.
    """
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    words, strength, chance = _read_options(arguments, environment)
    if not words:
        raise CallError("no arguments")
    if words[0] == "name":
        if len(words) > 1:
            raise CallError(f"too many arguments: 'name' takes no arguments, got {len(words) - 1}")
        print(f"tiltyard {strength}" if strength in (CHAMPION, PERSON) else f"tiltyard level {strength}")
        return 0
    if words[0] not in SIDES:
        raise CallError(f"the first argument is '{words[0]}', expected white, black or name")
    if len(words) != 3:
        few = "too few arguments" if len(words) < 3 else "too many arguments"
        raise CallError(f"{few}: expected two files after {words[0]}, got {len(words) - 1}")
    choose: Chooser = partial(choose_board, strength=strength, chance=chance)
    if strength == PERSON:
        # Not imported for every move that no person makes.
        from tiltyard_advance.terminal.one_move import ask_person

        choose = partial(ask_person, environment=environment)
    move(words[0], Path(words[1]), Path(words[2]), choose)
    return 0


def move(colour: str, source: Path, target: Path, choose: Chooser) -> None:
    """Read a board, make a move, write the board.

    Raises:
        UserError: what stands in the way.
    """
    with file_errors(source, "read"), source.open("rb") as file:
        data = file.read(LONGEST_FILE)
    try:
        board = read_board_file(data)
    except BoardFileError as error:
        raise UserError(f"{source}: {error}") from error
    after = choose(board, SIDES.index(colour))
    if not after:
        raise UserError(f"{source}: {colour} has no legal move and has lost")
    with file_errors(target, "written"):
        target.write_bytes(write_board_file(after))


def _read_options(arguments: list[str], environment: Mapping[str, str]) -> tuple[list[str], str, random.Random]:
    """What is left of the arguments, the strength, and the chance to choose by."""
    values = {name: environment.get(variable, "") for name, variable in OPTIONS.items()}
    origins = dict(OPTIONS)
    rest = list(arguments)
    asks = False
    while rest and rest[0].startswith("--"):
        name, has_value, value = rest.pop(0).partition("=")
        if name == INTERACTIVE and not has_value:
            asks = True
            continue
        if name not in OPTIONS:
            raise CallError(f"unknown option '{name}'")
        if not has_value:
            if not rest:
                raise CallError(f"{name} needs a value")
            value = rest.pop(0)
        values[name], origins[name] = value, name
    if asks:
        return rest, PERSON, random.Random()
    strength, seed = values["--level"] or CHAMPION, values["--seed"]
    if strength not in STRENGTHS:
        raise CallError(f"{origins['--level']} is '{strength}', expected one of {', '.join(STRENGTHS)}")
    if not seed:
        return rest, strength, random.Random()
    if not seed.removeprefix("-").isdecimal():
        raise CallError(f"{origins['--seed']} is '{seed}', expected a whole number")
    return rest, strength, random.Random(seed)


if __name__ == "__main__":
    sys.exit(main())
