"""``penguins-master``: the course's loop over the programs that are named, with a referee who cannot be cheated."""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shlex
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn, TypeAlias

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.host import Host, find_host
from tiltyard_engine.match import Match
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.results import GameResult
from tiltyard_penguins.adapter import TWO_FILES, Asked
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.board_files import BoardFile, PlayerRow, write_board_file
from tiltyard_penguins.generate import MapWishes, generate_board
from tiltyard_penguins.map_files import DEFAULT_PENGUINS, PenguinsMap, read_map
from tiltyard_penguins.positions import Move, place_name
from tiltyard_penguins.program_seats import AlgorithmSeat, PersonSeat, ProgramSeat
from tiltyard_penguins.recording import PENGUINS
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_penguins.rules import MOST_PLAYERS
from tiltyard_penguins.table.saved_games import NAME
from tiltyard_penguins.table.terminal import controlling_terminal
from tiltyard_penguins.words import board_size, penguins_each, penguins_text

DEFAULT_SECONDS: Final = 5.0
INTERRUPTED: Final = 130
GAME: Final = "penguins"
PROGRAM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where programs look for others: what is in an environment of Python's is not theirs to read."""
EXAMPLES: Final = """\
examples:
  penguins-master ./penguins1 ./penguins2              a new board, three penguins each
  penguins-master --board board01.txt --penguins 2 ./a.out "python3 bot.py"
  penguins-master --size 15x18 --seed 7 ./penguins1 penguins-champion
A PROGRAM is a command of one or several words, or penguins-champion, penguins-greedy or penguins-random, which play in here,
or person:NAME, who is asked at this terminal and may take as long as it takes.
A command is run as 'PROGRAM name', 'PROGRAM phase=placement penguins=N board.txt board.txt' and 'PROGRAM phase=movement board.txt
board.txt', in a folder of its own, and is shown a correct file each time.
"""

PERSON: Final = "person:"
"""Before the name of somebody who plays at this terminal."""

MasterSeat: TypeAlias = ProgramSeat | AlgorithmSeat | PersonSeat


def main(words: Sequence[str] | None = None) -> int:
    """The command: 0 when the game was played to its end, whoever was thrown out; 1 where it could not be; 2 on a wrong call."""
    options = _parser().parse_args(words)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        return _run(options)
    except UserError as error:
        print(f"penguins-master: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever reads has seen enough. Python would try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penguins-master",
        description="Let programs play Penguins against each other: each call's outcome, then the table.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="one to nine, in the order of their turns")
    parser.add_argument("--board", metavar="FILE", help="a board file without players (default: a new board)")
    parser.add_argument("--size", metavar="MxN", type=board_size, help="of a new board (default: 14 to 20 each)")
    parser.add_argument("--seed", type=int, help="of a new board (default: any)")
    parser.add_argument("--penguins", type=penguins_each, metavar="N", help=f"each player's (default: {DEFAULT_PENGUINS})")
    parser.add_argument("--seconds", type=_seconds, default=DEFAULT_SECONDS, help="for one call (default: %(default)g)")
    parser.add_argument("--lenient", action="store_true", help="do not ask players that have nothing to do")
    parser.add_argument("--two-files", action="store_true", help="give two names, not the same name twice")
    parser.add_argument("--keep", metavar="FILE", help="write the last state there")
    parser.add_argument("--quiet", action="store_true", help="print the table alone")
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, found {text!r}")
    return seconds


def _run(options: argparse.Namespace) -> int:
    teams = [_team(text, options.two_files) for text in options.programs]
    if len(teams) > MOST_PLAYERS:
        raise UserError(f"{len(teams)} programs, at most {MOST_PLAYERS} play")
    board, about = _board(options, len(teams))
    _say(options, f"{about}; {penguins_text(board.penguins)} each")
    with find_host() as host, contextlib.ExitStack() as stack:
        limits = {"move_seconds": options.seconds, "match_seconds": 1e6}
        seats: list[MasterSeat] = []
        for index, team in enumerate(_distinct(teams), start=1):
            reporter = _Reporter(options, index, team.name, board.columns)
            if options.programs[index - 1].startswith(PERSON):
                terminal = stack.enter_context(controlling_terminal())
                seats.append(PersonSeat(index, team.name, terminal, reporter.answered))
                continue
            if not team.command:
                create, _ = ALGORITHMS[teams[index - 1].name]
                seats.append(AlgorithmSeat(index, team.name, create, reporter.answered))
                continue
            program = stack.enter_context(host.open_program(team, limits))
            seats.append(ProgramSeat(index, team.name, program, options.seconds, reporter))
        _say(options, f"programs are held in {_held(host)}")
        manager = PenguinsGameManager(asks_when_done=not options.lenient)
        result = manager.run(Match(board, about, seats))
    _print_table(result, seats)
    if options.keep:
        _keep(Path(options.keep), board, result, seats)
    return 0


def _held(host: Host) -> str:
    return host.held or "cells"


def _board(options: argparse.Namespace, players: int) -> tuple[PenguinsMap, str]:
    """The board, and what it is."""
    if options.board:
        if options.size or options.seed is not None:
            raise UserError("--size and --seed are of new boards; leave them out, or --board")
        path = Path(options.board)
        try:
            board = read_map(str(path), path.read_bytes(), players)
        except OSError as error:
            raise MapError(f"{path}: cannot open the file: {error.strerror}") from error
        board = replace(board, penguins=options.penguins or board.penguins)
        return board, f"{path}: {board.rows} x {board.columns}"
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    rows, columns = options.size or (0, 0)
    board = generate_board(MapWishes(rows, columns, options.penguins or DEFAULT_PENGUINS), seed, players)
    return board, f"a new board, {board.rows} x {board.columns}, --seed {seed}"


def _team(text: str, two_files: bool) -> ProgramTeam:
    """A command; files that its words name are found from any folder. Algorithms of the game's own and people have no command.

    Raises:
        UserError: there is no such program.
    """
    if text.startswith(PERSON):
        name = text.removeprefix(PERSON)
        if NAME.fullmatch(name) is None or not name.isprintable():
            raise UserError(f"{text}: expected {PERSON} and a name of up to 20 characters without spaces and quotation marks")
        return ProgramTeam(name, GAME, ())
    if text in ALGORITHMS and not Path(text).is_file():
        return ProgramTeam(text, GAME, ())
    try:
        words = [text] if Path(text).is_file() else shlex.split(text)
    except ValueError as error:
        raise UserError(f"{text}: {error}") from error
    if not words:
        raise UserError("a PROGRAM is empty")
    first = Path(words[0])
    if "/" in words[0] or first.is_file():
        if not first.is_file():
            raise UserError(f"{words[0]}: no such program")
        if not os.access(first, os.X_OK):
            raise UserError(f"{words[0]}: not executable; build it, make it executable, or name what runs it")
    elif shutil.which(words[0]) is None:
        raise UserError(f"{words[0]}: no such program; write ./{words[0]} for one in this folder")
    elif shutil.which(words[0], path=PROGRAM_PATH) is None:
        words[0] = str(shutil.which(words[0]))
    files = [word for word in words if Path(word).is_file()]
    folder = str(Path(files[-1]).absolute().parent) if files and not _is_system(files[-1]) else ""
    words = [os.path.abspath(word) if Path(word).is_file() else word for word in words]  # noqa: PTH100 -- links are kept
    name = Path(files[-1] if files else words[0]).stem
    return ProgramTeam(name, GAME, tuple(words), folder, protocol=TWO_FILES if two_files else "")


def _is_system(path: str) -> bool:
    """Whether a path is where all programs may read anyway."""
    return str(Path(path).absolute()).startswith(("/usr/", "/bin/"))


def _distinct(teams: Sequence[ProgramTeam]) -> list[ProgramTeam]:
    """The same programs, copies with a number behind their names."""
    names = [team.name for team in teams]
    return [
        replace(team, name=f"{team.name}#{names[:index].count(team.name) + 1}") if names.count(team.name) > 1 else team
        for index, team in enumerate(teams)
    ]


class _Reporter:
    """Prints a line for each call."""

    def __init__(self, options: argparse.Namespace, seat: int, name: str, columns: int) -> None:
        self._options, self._columns = options, columns
        self._who = f"{PENGUINS[seat]} {name}"

    def __call__(self, asked: Asked) -> None:
        """A program was called."""
        call = asked.call
        how = f"signal {call.signal}" if call.signal else f"code {call.exit_code}"
        self._line(asked.arguments[0].removeprefix("phase="), how, call.wall_seconds, self._outcome(asked))

    def answered(self, phase: str, move: Move, seconds: float) -> None:
        """An algorithm in this process has chosen."""
        self._line(phase, "", seconds, _words(move, self._columns))

    def _line(self, phase: str, how: str, seconds: float, outcome: str) -> None:
        _say(self._options, f"{self._who:16} {phase:9} {how:9} {1000 * seconds:6.0f} ms  {outcome}")

    def _outcome(self, asked: Asked) -> str:
        move = asked.move
        if move is None:
            return f"OUT: {asked.problem}"
        remarks = f"  (note: {'; '.join(move.remarks)})" if move.remarks else ""
        return f"{_words(move, self._columns)}{remarks}"


def _words(move: Move, columns: int) -> str:
    if move.target < 0:
        return "nothing to do"
    if move.origin < 0:
        return f"places at {place_name(move.target, columns)}"
    return f"{place_name(move.origin, columns)} to {place_name(move.target, columns)}"


def _print_table(result: GameResult, seats: Sequence[MasterSeat]) -> None:
    rows = [("place", "player", "fish", "slowest", "how it ended")]
    for rank, seat in sorted(zip(result.ranks, seats), key=lambda pair: (pair[0], pair[1].index)):
        fault = seat.fault
        end = "finished" if fault is None else f"out: {fault.termination.value}: {fault.message}"
        fish = f"{result.scores[seat.index - 1]:g}"
        rows.append((str(rank), f"{PENGUINS[seat.index]} {seat.name}", fish, f"{1000 * seat.slowest:.0f} ms", end))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    print()
    for row in rows:
        place, player, fish, slowest, end = row
        print(f"{place:{widths[0]}}  {player:{widths[1]}}  {fish:>{widths[2]}}  {slowest:>{widths[3]}}  {end}")


def _keep(path: Path, board: PenguinsMap, result: GameResult, seats: Sequence[MasterSeat]) -> None:
    """The last state as a board file; players have the numbers of their seats."""
    cells = bytes(_cell(character) for row in result.final_state for character in row)
    players = tuple(PlayerRow(seat.name, seat.index, int(result.scores[seat.index - 1])) for seat in seats)
    try:
        path.write_bytes(write_board_file(BoardFile(board.rows, board.columns, cells, players)))
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def _cell(character: str) -> int:
    """A square of the plain view as board files count it."""
    if character.isdigit():
        return 10 * int(character)
    return PENGUINS.index(character) if character in PENGUINS else 0


def _say(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, flush=True)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Ended from outside, the game ends its programs first."""
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
