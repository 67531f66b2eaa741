"""``penguins``: this project's own program, with the parameters and codes of the course; plays under anybody's game master."""

from __future__ import annotations

import contextlib
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import READER_GONE, discard_output, end_well
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.board_files import (
    BoardFile,
    BoardFileError,
    PlayerRow,
    Problem,
    check_players,
    read_board_file,
    write_board_file,
)
from tiltyard_penguins.champion import Champion
from tiltyard_penguins.positions import (
    MOVEMENT,
    PLACEMENT,
    Move,
    PenguinsPosition,
    file_after,
    has_something_to_do,
    next_number,
    position_of,
)

MOVED: Final = 0
NOTHING_TO_DO: Final = 1
BAD_INPUT: Final = 2
INTERNAL_ERROR: Final = 3
DEFAULT_NAME: Final = "tiltyard"
PERSONS_NAME: Final = "person"
"""The ID of somebody at the terminal: different from the champion's, so that the two can meet."""
INTERACTIVE: Final = "--interactive"
KEYS: Final = ("phase", "penguins", "id")
"""Of the parameters that have a value."""
PenguinsPlayer: TypeAlias = TurnAlgorithm[PenguinsPosition, Move] | TurnSeat[PenguinsPosition, Move]
NAME: Final = re.compile(r"[^\s\"']+")
HELP: Final = f"""\
usage: penguins phase=placement penguins=N INPUTBOARDFILE OUTPUTBOARDFILE
       penguins phase=movement INPUTBOARDFILE OUTPUTBOARDFILE
       penguins name
       penguins --interactive phase=... or name     the same, but a person decides
       penguins --interactive [PLAYER ...]          a whole game at this terminal; see its --help

Place or move one penguin, and write the new state. Both files may be the same. 'name' prints the player's ID.
id=ID sets the player's ID (default: '{DEFAULT_NAME}'), so that several copies of this program can play.
--interactive asks a person at the terminal for the placement or move; the ID is '{PERSONS_NAME}'.
Exit status: 0 moved; 1 nothing can be placed or moved; 2 the input file is wrong (the message says where); 3 any other error"""


class UsageError(Exception):
    """The command's parameters are wrong."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the command line asks for."""

    phase: str
    penguins: int
    source: str
    target: str
    name: str


def main(words: Sequence[str] | None = None) -> int:
    """The command; its statuses are those of the course."""
    words = list(sys.argv[1:] if words is None else words)
    default_name = DEFAULT_NAME
    try:
        if INTERACTIVE in words:
            words.remove(INTERACTIVE)
            default_name = PERSONS_NAME
            if "name" not in words and not any(word.partition("=")[0] in KEYS and "=" in word for word in words):
                from tiltyard_penguins.terminal.command import main as play_game

                return play_game(words)
        if "name" in words:
            return _print(_name(words, default_name))
        if {"-h", "--help"} & set(words):
            return _print(HELP)
        parameters = read_parameters(words, default_name)
        if default_name == PERSONS_NAME:
            return _ask_person(parameters)
        return play(parameters)
    except UsageError as error:
        say(f"{error}\n{HELP}")
    except KeyboardInterrupt:
        say("interrupted: nothing was written")
    except BrokenPipeError:
        discard_output()
        return READER_GONE
    except Exception as error:
        say(f"internal error: {''.join(traceback.format_exception_only(error)).strip()}")
    return INTERNAL_ERROR


def _print(text: str) -> int:
    """Print what is no turn, and end as any other command does if it cannot be printed."""

    def tell() -> int:
        print(text)
        return MOVED

    return end_well(tell, name="penguins")


def read_parameters(words: Sequence[str], default_name: str = DEFAULT_NAME) -> Parameters:
    """Parameters in any order; the two file names are those without ``=``.

    Raises:
        UsageError: something is missing, unknown, double or wrong.
    """
    by_name: dict[str, str] = {}
    files: list[str] = []
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or key not in KEYS:
            files.append(word)
        elif key in by_name:
            raise UsageError(f"{key}= is set twice")
        else:
            by_name[key] = value
    phase = by_name.get("phase", "")
    if phase not in (PLACEMENT, MOVEMENT):
        raise UsageError(f"expected phase=placement or phase=movement, got 'phase={phase}'" if phase else "phase= is missing")
    penguins = by_name.get("penguins", "")
    if phase == PLACEMENT and not (penguins.isdecimal() and 0 < int(penguins) < 1000):
        raise UsageError(f"expected penguins=N with a number of at least 1, got 'penguins={penguins}'")
    if len(files) != 2:
        raise UsageError(f"expected the names of two files, got {len(files)}")
    return Parameters(phase, int(penguins) if phase == PLACEMENT else 0, files[0], files[1], _name(words, default_name))


def _name(words: Sequence[str], default: str) -> str:
    names = [word.removeprefix("id=") for word in words if word.startswith("id=")]
    name = names[0] if names else default
    if NAME.fullmatch(name) is None:
        raise UsageError(f"an ID cannot contain spaces or quotation marks, got {name!r}")
    return name


def play(parameters: Parameters, create: Callable[[int], PenguinsPlayer] = Champion) -> int:
    """One turn: read, choose, write. A message on standard error where nothing was written."""
    try:
        file = read_state(parameters)
    except BoardFileError as error:
        say(f"{parameters.source}: {error}")
        return BAD_INPUT
    except OSError as error:
        say(f"{parameters.source}: line 1, column 1: {Problem.CANNOT_OPEN.value}: {error.strerror}")
        return BAD_INPUT
    own = next((row for row in file.players if row.name == parameters.name), None)
    if own is None and (parameters.phase == MOVEMENT or not next_number(file.players)):
        return NOTHING_TO_DO
    number = own.number if own is not None else next_number(file.players)
    position = position_of(file, parameters.phase, parameters.penguins, number)
    if not has_something_to_do(position, position.board()):
        return NOTHING_TO_DO
    algorithm = create(number)
    algorithm.start(position)
    move = algorithm.choose(position)
    after = file_after(file, move, own or PlayerRow(parameters.name, number, 0))
    try:
        Path(parameters.target).write_bytes(write_board_file(after))
    except OSError as error:
        say(f"{parameters.target}: cannot be written: {error.strerror}")
        return INTERNAL_ERROR
    return MOVED


def _ask_person(parameters: Parameters) -> int:
    """One turn that a person plays; INTERNAL_ERROR where the person left, which changes no file."""
    # Not imported for every move that no person makes.
    from tiltyard_kit.terminal.console import LeftError
    from tiltyard_penguins.terminal.table import person_console, person_seat

    unchanged = f"nothing was written, and {parameters.source} is unchanged; to continue, run the same command again"
    with contextlib.ExitStack() as stack:
        try:
            return play(parameters, lambda _: person_seat(stack.enter_context(person_console()), parameters.name))
        except UserError as error:
            say(str(error))
        except LeftError as left:
            say(f"{left}: {unchanged}")
        except KeyboardInterrupt:
            say(f"interrupted: {unchanged}")
    return INTERNAL_ERROR


def read_state(parameters: Parameters) -> BoardFile:
    """The input file, every penguin of which is somebody's.

    Raises:
        BoardFileError: it is no state.
        OSError: it cannot be read.
    """
    file = read_board_file(Path(parameters.source).read_bytes())
    check_players(file)
    rows = [row for row in file.players if row.name == parameters.name]
    if len(rows) > 1:
        line = 2 + file.rows + file.players.index(rows[1])
        raise BoardFileError(Problem.INVALID_PLAYER_LINE, line, 1, f"a second row of '{parameters.name}'")
    if rows and parameters.phase == PLACEMENT:
        check_players(
            replace(file, cells=bytes(cell if cell % 10 == rows[0].number else 0 for cell in file.cells)), parameters.penguins
        )
    return file


def say(text: str) -> None:
    """A message on standard error."""
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
