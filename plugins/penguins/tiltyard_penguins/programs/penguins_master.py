"""``penguins-master``: the course's loop over the programs that are named, with a referee who cannot be cheated."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.exit_status import end_well, raised_by_signals
from tiltyard_engine.host import find_host
from tiltyard_engine.match import Match
from tiltyard_engine.programs import Call, Program, ProgramTeam
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_engine.seat_kinds.seat_ports import PortFailure
from tiltyard_engine.seat_kinds.turn_seats import PortTurnSeat, TurnPort, program_turn
from tiltyard_engine.texts.sanitize import one_line, with_own_options
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.sheet import table_lines
from tiltyard_kit.terminal.console import LeftError
from tiltyard_penguins.adapter import TWO_FILES, ProgramPlayer
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.board_files import BoardFile, PlayerRow, write_board_file
from tiltyard_penguins.command_options import board_size, create_parser, numbered, open_board, penguins_each
from tiltyard_penguins.map_files import DEFAULT_PENGUINS, PenguinsMap
from tiltyard_penguins.positions import Move, PenguinsPosition, place_name
from tiltyard_penguins.recording import PENGUINS, cells_of
from tiltyard_penguins.referee import PenguinsGameManager, PenguinsSeat
from tiltyard_penguins.rules import MOST_PLAYERS
from tiltyard_penguins.terminal.saved_games import is_name
from tiltyard_penguins.terminal.table import person_console, person_seat

DEFAULT_SECONDS: Final = 5.0
OPTIONS: Final = {"move_seconds": "--seconds", "wall_factor": "--seconds"}
GAME: Final = "penguins"
PROGRAM_PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
"""Where programs look for others: what is in an environment of Python's is not theirs to read."""
EXAMPLES: Final = """\
examples:
  penguins-master ./penguins1 ./penguins2              a new board, three penguins each
  penguins-master --board board01.txt --penguins 2 ./a.out "python3 bot.py"
  penguins-master --size 15x18 --seed 7 ./penguins1 penguins-champion
A PROGRAM is a command of one or several words, or one of the built-in penguins-champion, penguins-greedy and penguins-random,
or person:NAME. A person is asked at this terminal and has no time limit.
A command is run as 'PROGRAM name', 'PROGRAM phase=placement penguins=N board.txt board.txt' and 'PROGRAM phase=movement board.txt
board.txt', in a folder of its own, and gets a correct file each time.
"""

PERSON: Final = "person:"
"""Before the name of somebody who plays at this terminal."""


class PlayerPort(TurnPort[PenguinsPosition, Move]):
    """A person, or one of the game's own algorithms, in this process. Who leaves is out; the others play on."""

    call: Call | None = None
    """The last call, where the player is a program."""

    def __init__(self, player: TurnAlgorithm[PenguinsPosition, Move] | PenguinsSeat) -> None:
        self._player = player

    def start(self, position: PenguinsPosition) -> None:
        """Show the board to the player."""
        self._player.start(position)

    def choose(self, position: PenguinsPosition) -> Move:
        """Ask the player; one that leaves has given up."""
        try:
            return self._player.choose(position)
        except LeftError as left:
            raise PortFailure(Termination.FORFEIT, str(left)) from None


class ProgramPort(TurnPort[PenguinsPosition, Move]):
    """A program under a host's guard."""

    def __init__(self, program: Program, seconds: float) -> None:
        self._program = program
        self._seconds = seconds
        self._player = ProgramPlayer(program)

    @property
    def call(self) -> Call | None:
        """That of the last turn; None where it did not run to its end."""
        return self._player.call

    def start(self, position: PenguinsPosition) -> None:
        """Ask the program for its name."""
        program_turn(self._program, self._seconds, "name", self._player.start, position)

    def choose(self, position: PenguinsPosition) -> Move:
        """Run it for one turn."""
        self._player.call = None
        return program_turn(self._program, self._seconds, f"phase={position.phase}", self._player.choose, position)


class MasterSeat(PortTurnSeat[PenguinsPosition, Move]):
    """A player whose answers are timed and printed; ``columns`` are the board's, -1: nothing is printed."""

    port: PlayerPort | ProgramPort

    def __init__(self, index: int, name: str, port: PlayerPort | ProgramPort, columns: int) -> None:
        super().__init__(index, name, port)
        self._columns = columns
        self.slowest = 0.0
        """Seconds of the longest answer: CPU time for programs."""

    def choose(self, position: PenguinsPosition) -> Move:
        """Ask the player, and print the turn."""
        start, move = time.monotonic(), None
        try:
            move = super().choose(position)
        finally:
            seconds = time.monotonic() - start
            # On a busy machine, a program that is not slow waits for a core.
            self.slowest = max(self.slowest, seconds if self.port.call is None else self.port.call.cpu_seconds)
            if self._columns > 0 and (move is not None or self.port.call is not None):
                self._print_turn(position.phase, self.port.call, move, seconds)
        return move

    def _print_turn(self, phase: str, call: Call | None, move: Move | None, seconds: float) -> None:
        how = ""
        if call is not None:
            how = f"signal {call.signal}" if call.signal else f"code {call.exit_code}"
            seconds = call.wall_seconds
        outcome = f"OUT: {_in_words(self.fault) if self.fault else ''}" if move is None else _words(move, self._columns)
        remarks = f"  (note: {'; '.join(move.remarks)})" if move is not None and move.remarks else ""
        who = f"{PENGUINS[self.index]} {self.name}"
        print(f"{who:16} {phase:9} {how:9} {1000 * seconds:6.0f} ms  {outcome}{remarks}", flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """The command: 0 when the game was played to its end, whoever was thrown out; 1 where it could not be; 2 on a wrong call."""
    with raised_by_signals():
        return end_well(lambda: _run(_parser().parse_args(words)), name="penguins-master", failed=1)


def _parser() -> argparse.ArgumentParser:
    parser = create_parser(
        "penguins-master",
        "Let programs play Penguins against each other. Prints each call's outcome and wall time, then the table; its"
        " 'slowest' is CPU time.",
        EXAMPLES,
        usual_size="14 to 20 each",
        usual_penguins=str(DEFAULT_PENGUINS),
    )
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="one to nine programs, in the order of their turns")
    parser.add_argument("--seconds", type=_seconds, default=DEFAULT_SECONDS, help="time limit for one call (default: %(default)g)")
    parser.add_argument("--lenient", action="store_true", help="don't ask players that have nothing to do")
    parser.add_argument("--two-files", action="store_true", help="pass two file names, instead of the same name twice")
    parser.add_argument("--keep", metavar="FILE", help="write the last state to FILE")
    parser.add_argument("--quiet", action="store_true", help="print only the table")
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {text!r}")
    return seconds


def _run(options: argparse.Namespace) -> int:
    teams = [_team(text, options.two_files) for text in options.programs]
    if len(teams) > MOST_PLAYERS:
        raise UserError(f"{len(teams)} programs; the limit is {MOST_PLAYERS}")
    board, name, seed = open_board(options, len(teams), (0, 0), DEFAULT_PENGUINS)
    about = f"{name}{', ' if seed else ': '}{board_size(board)}{seed}"
    _say(options, f"{about}; {penguins_each(board)}")
    with find_host() as host, contextlib.ExitStack() as stack:
        limits = {"move_seconds": options.seconds, "match_seconds": 1e6}
        seats: list[MasterSeat] = []
        host.preload(team for team in teams if team.command)
        for index, (team, name) in enumerate(zip(teams, numbered([team.name for team in teams])), start=1):
            port: PlayerPort | ProgramPort
            if options.programs[index - 1].startswith(PERSON):
                port = PlayerPort(person_seat(stack.enter_context(person_console()), name))
            elif not team.command:
                port = PlayerPort(ALGORITHMS[team.name][0](index))
            else:
                program = stack.enter_context(host.open_program(replace(team, name=name), limits))
                port = ProgramPort(program, options.seconds)
            seats.append(MasterSeat(index, name, port, -1 if options.quiet else board.columns))
        _say(options, f"Program isolation: {host.isolation_words or 'cells'}")
        manager = PenguinsGameManager(asks_when_done=not options.lenient)
        result = manager.run(Match(map=board, map_name=about, seats=seats))
    _print_table(result, seats)
    if options.keep:
        _keep(Path(options.keep), board, result, seats)
    return 0


def _team(text: str, two_files: bool) -> ProgramTeam:
    """A command; files that its words name are found from any folder. Algorithms of the game's own and people have no command.

    Raises:
        UserError: there is no such program.
    """
    if text.startswith(PERSON):
        name = text.removeprefix(PERSON)
        if not is_name(name):
            raise UserError(f"{text}: expected {PERSON} and a name of up to 20 characters without spaces or quotation marks")
        return ProgramTeam(name=name, game=GAME, command=())
    if text in ALGORITHMS and not Path(text).is_file():
        return ProgramTeam(name=text, game=GAME, command=())
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
            raise UserError(f"{words[0]}: not executable; build it, make it executable, or put its interpreter before it")
    elif shutil.which(words[0]) is None:
        raise UserError(f"{words[0]}: no such program; write ./{words[0]} for a program in this folder")
    elif shutil.which(words[0], path=PROGRAM_PATH) is None:
        words[0] = str(shutil.which(words[0]))
    files = [word for word in words if Path(word).is_file()]
    folder = str(Path(files[-1]).absolute().parent) if files and not _is_system(files[-1]) else ""
    words = [os.path.abspath(word) if Path(word).is_file() else word for word in words]  # noqa: PTH100 -- links are kept
    name = Path(files[-1] if files else words[0]).stem
    return ProgramTeam(name=name, game=GAME, command=tuple(words), folder=folder, protocol=TWO_FILES if two_files else "")


def _is_system(path: str) -> bool:
    """Whether a path is where all programs may read anyway."""
    return str(Path(path).absolute()).startswith(("/usr/", "/bin/"))


def _words(move: Move, columns: int) -> str:
    if move.target < 0:
        return "nothing to do"
    if move.origin < 0:
        return f"places at {place_name(move.target, columns)}"
    return f"{place_name(move.origin, columns)} to {place_name(move.target, columns)}"


def _in_words(fault: Fault) -> str:
    return one_line(with_own_options(fault.message, OPTIONS))


def _print_table(result: GameResult, seats: Sequence[MasterSeat]) -> None:
    rows = [("place", "player", "fish", "slowest", "how it ended")]
    for rank, seat in sorted(zip(result.ranks, seats), key=lambda pair: (pair[0], pair[1].index)):
        fault = seat.fault
        end = "finished" if fault is None else f"out: {fault.termination.value}: {_in_words(fault)}"
        fish = f"{result.scores[seat.index - 1]:g}"
        rows.append((str(rank), f"{PENGUINS[seat.index]} {seat.name}", fish, f"{1000 * seat.slowest:.0f} ms", end))
    print("", *table_lines(rows, right=(2, 3)), sep="\n")


def _keep(path: Path, board: PenguinsMap, result: GameResult, seats: Sequence[MasterSeat]) -> None:
    """The last state as a board file; players have the numbers of their seats."""
    players = tuple(PlayerRow(seat.name, seat.index, int(result.scores[seat.index - 1])) for seat in seats)
    with file_errors(path, "written"):
        path.write_bytes(write_board_file(BoardFile(board.rows, board.columns, cells_of(result.final_state), players)))


def _say(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
