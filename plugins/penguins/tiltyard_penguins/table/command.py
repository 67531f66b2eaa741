"""``penguins --interactive``: who plays on which board, and what is said when somebody leaves."""

from __future__ import annotations

import argparse
import contextlib
import random
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from tiltyard_engine.errors import UserError
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.generate import MapWishes, generate_board
from tiltyard_penguins.map_files import DEFAULT_PENGUINS, PenguinsMap, read_map
from tiltyard_penguins.table.game import TableGame
from tiltyard_penguins.table.saved_games import SavedGame, TablePlayer, check_players, free_file, read_saved_game
from tiltyard_penguins.table.terminal import LeftError, Terminal
from tiltyard_penguins.words import board_size, penguins_each, penguins_text

ROWS: Final = 10
COLUMNS: Final = 12
"""Of a new board: one that is seen at once, and a game of some minutes."""
FEWER_PENGUINS: Final = 2
"""Each player's, where more than three play."""
PREFIX: Final = "penguins-"
INTERRUPTED: Final = 130
EXAMPLES: Final = """\
examples:
  penguins --interactive                              asks who plays
  penguins --interactive Anna Ben                     two people at this terminal
  penguins --interactive Anna champion greedy         one, and two algorithms
  penguins --interactive Anna Ben --board board01.txt --penguins 2
  penguins --interactive --resume penguins-game.json
A PLAYER is a person's name, or champion, greedy or random, which play by themselves.
For a single turn under a game master: penguins --interactive phase=placement penguins=N IN OUT, or phase=movement IN OUT
"""


def main(words: Sequence[str]) -> int:
    """0 when the game was played to its end or left; 1 where it could not be played; 2 on a wrong call; 130 by Ctrl-C."""
    options = _parser().parse_args(words)
    terminal = Terminal(sys.stdin, sys.stdout, clears=sys.stdin.isatty())
    try:
        with _ended_from_outside():
            return _play(options, terminal)
    except UserError as error:
        print(f"penguins: {error}", file=sys.stderr)
        return 1
    except LeftError as left:
        # Nobody has begun yet.
        terminal.say(f"{left}.")
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penguins --interactive",
        description="Play Penguins at this terminal: 2 to 9 players, some of them algorithms.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="in the order of their turns")
    parser.add_argument("--board", metavar="FILE", help="a board file without players (default: a new board)")
    parser.add_argument("--size", metavar="MxN", type=board_size, help=f"of a new board (default: {ROWS}x{COLUMNS})")
    parser.add_argument("--seed", type=int, help="of a new board (default: any)")
    usual = f"{DEFAULT_PENGUINS}, or {FEWER_PENGUINS} where more than three play"
    parser.add_argument("--penguins", type=penguins_each, metavar="N", help=f"each player's (default: {usual})")
    parser.add_argument("--save", metavar="FILE", help="keep the game there (default: a file in this folder until the game ends)")
    parser.add_argument("--resume", metavar="FILE", help="go on with a game that was kept")
    return parser


def _play(options: argparse.Namespace, terminal: Terminal) -> int:
    game, path = _opened(options, terminal)
    table = TableGame(terminal, game, path)
    try:
        table.play()
    except LeftError as left:
        terminal.say(f"{str(left)[0].upper()}{str(left)[1:]}. {_how_to_go_on(path)}")
        return 0
    except KeyboardInterrupt:
        terminal.say(f"Interrupted. {_how_to_go_on(path)}")
        return INTERRUPTED
    if not (options.save or options.resume):
        path.unlink(missing_ok=True)
    return 0


def _how_to_go_on(path: Path) -> str:
    return f"The game is kept; to go on: penguins --interactive --resume {shlex.quote(str(path))}"


def _opened(options: argparse.Namespace, terminal: Terminal) -> tuple[SavedGame, Path]:
    """The game, and where it is kept."""
    if options.resume:
        given = [
            name for name in ("players", "board", "size", "seed", "penguins", "save") if getattr(options, name) not in (None, [])
        ]
        if given:
            raise UserError(f"--resume goes on with what is in its file; leave out {', '.join(given)}")
        path = Path(options.resume)
        game = read_saved_game(path)
        terminal.say(f"{path}: {_about(game)}, {len(game.moves)} moves made")
        return game, path
    names = options.players or _ask_for_players(terminal)
    players = _distinct([_player(name) for name in names])
    check_players(players)
    board, about = _board(options, len(players))
    game = SavedGame(board, players)
    path = Path(options.save) if options.save else free_file(Path())
    if options.save and path.exists():
        raise UserError(f"{path}: exists already; go on with it by --resume, or name another file")
    terminal.say(f"{about}: {_about(game)}; kept in {path}")
    return game, path


def _about(game: SavedGame) -> str:
    board, names = game.board, [player.name for player in game.players]
    return f"{' against '.join(names)}, {board.rows} x {board.columns}, {penguins_text(board.penguins)} each"


def _ask_for_players(terminal: Terminal) -> list[str]:
    terminal.say("Who plays? 2 to 9 names with spaces between them; champion, greedy and random play by themselves.")
    while True:
        names = terminal.ask("[you champion]").split() or ["you", "champion"]
        try:
            check_players(_distinct([_player(name) for name in names]))
        except UserError as error:
            terminal.say(f"{error}.")
            continue
        return names


def _player(name: str) -> TablePlayer:
    for algorithm in (name, f"{PREFIX}{name}"):
        if algorithm in ALGORITHMS:
            return TablePlayer(algorithm.removeprefix(PREFIX), algorithm)
    return TablePlayer(name)


def _distinct(players: Sequence[TablePlayer]) -> tuple[TablePlayer, ...]:
    """Algorithms that play several times get a number."""
    names = [player.name for player in players]
    return tuple(
        replace(player, name=f"{player.name}#{names[:index].count(player.name) + 1}")
        if player.algorithm and names.count(player.name) > 1
        else player
        for index, player in enumerate(players)
    )


def _board(options: argparse.Namespace, players: int) -> tuple[PenguinsMap, str]:
    usual = DEFAULT_PENGUINS if players <= 3 else FEWER_PENGUINS
    if options.board:
        if options.size or options.seed is not None:
            raise UserError("--size and --seed are of new boards; leave them out, or --board")
        path = Path(options.board)
        try:
            board = read_map(str(path), path.read_bytes(), players)
        except OSError as error:
            raise UserError(f"{path}: cannot open the file: {error.strerror}") from error
        return replace(board, penguins=options.penguins or board.penguins), str(path)
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    rows, columns = options.size or (ROWS, COLUMNS)
    return generate_board(MapWishes(rows, columns, options.penguins or usual), seed, players), f"a new board, --seed {seed}"


@contextlib.contextmanager
def _ended_from_outside() -> Iterator[None]:
    """A closed window or ``kill`` ends the game as Ctrl-C does: it is kept."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, _stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
