"""``penguins --interactive``: who plays on which board, and what is said when somebody leaves."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import INTERRUPTED, raised_by_signals
from tiltyard_engine.texts.quantities import counted
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.saved_game import free_path
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.command_options import board_size, create_parser, numbered, open_board, penguins_each
from tiltyard_penguins.map_files import DEFAULT_PENGUINS
from tiltyard_penguins.terminal.game import TerminalGame
from tiltyard_penguins.terminal.saved_games import SavedGame, TablePlayer, check_players, read_game

ROWS: Final = 10
COLUMNS: Final = 12
"""Of a new board: one that is seen at once, and a game of some minutes."""
FEWER_PENGUINS: Final = 2
"""Each player's, where more than three play."""
PREFIX: Final = "penguins-"
DEFAULT_FILE: Final = Path("penguins-game.json")
EXAMPLES: Final = """\
examples:
  penguins --interactive                              asks who plays
  penguins --interactive Anna Ben                     two people at this terminal
  penguins --interactive Anna champion greedy         one, and two algorithms
  penguins --interactive Anna Ben --board board01.txt --penguins 2
  penguins --interactive --resume penguins-game.json
A PLAYER is a person's name, or one of the algorithms champion, greedy and random.
For a single turn under a game master: penguins --interactive phase=placement penguins=N IN OUT, or phase=movement IN OUT
"""


def main(words: Sequence[str]) -> int:
    """0 when the game was played to its end or left; 1 where it could not be played; 2 on a wrong call; 130 by Ctrl-C."""
    options = _parser().parse_args(words)
    console = Console(sys.stdin, sys.stdout, clears=sys.stdin.isatty())
    try:
        with raised_by_signals(KeyboardInterrupt):
            return _play(options, console)
    except UserError as error:
        print(f"penguins: {error}", file=sys.stderr)
        return 1
    except LeftError as left:
        # Nobody has begun yet.
        console.say(f"{left}.")
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = create_parser(
        "penguins --interactive",
        "Play Penguins at this terminal. 2 to 9 players can play, and some can be algorithms.",
        EXAMPLES,
        usual_size=f"{ROWS}x{COLUMNS}",
        usual_penguins=f"{DEFAULT_PENGUINS}, or {FEWER_PENGUINS} with more than three players",
    )
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="the players, in the order of their turns")
    parser.add_argument("--save", metavar="FILE", help="save the game to FILE (default: a file in this folder until the game ends)")
    parser.add_argument("--resume", metavar="FILE", help="resume a saved game")
    return parser


def _play(options: argparse.Namespace, console: Console) -> int:
    game, path = _open_game(options, console)
    how_to_go_on = f"The game is saved. To resume it: penguins --interactive --resume {shlex.quote(str(path))}"
    try:
        TerminalGame(console, game, path).play()
    except LeftError as left:
        console.say(f"{str(left)[0].upper()}{str(left)[1:]}. {how_to_go_on}")
        return 0
    except KeyboardInterrupt:
        console.say(f"Interrupted. {how_to_go_on}")
        return INTERRUPTED
    if not (options.save or options.resume):
        path.unlink(missing_ok=True)
    return 0


def _open_game(options: argparse.Namespace, console: Console) -> tuple[SavedGame, Path]:
    """The game, and where it is kept."""
    if options.resume:
        given = [
            name for name in ("players", "board", "size", "seed", "penguins", "save") if getattr(options, name) not in (None, [])
        ]
        if given:
            raise UserError(f"--resume continues the game in its file; leave out {', '.join(given)}")
        path = Path(options.resume)
        game = read_game(path)
        console.say(f"{path}: {_about(game)}, {counted(len(game.moves), 'move')} made")
        return game, path
    players = _players(options.players) if options.players else _ask_for_players(console)
    usual = DEFAULT_PENGUINS if len(players) <= 3 else FEWER_PENGUINS
    board, name, seed = open_board(options, len(players), (ROWS, COLUMNS), usual)
    game = SavedGame(board, players)
    path = Path(options.save) if options.save else free_path(DEFAULT_FILE)
    if options.save and path.exists():
        raise UserError(f"{path}: already exists; resume it with --resume, or choose another file")
    console.say(f"{name}{seed}: {_about(game)}; saved in {path}")
    return game, path


def _about(game: SavedGame) -> str:
    names = " against ".join(player.name for player in game.players)
    return f"{names}, {board_size(game.board)}, {penguins_each(game.board)}"


def _ask_for_players(console: Console) -> tuple[TablePlayer, ...]:
    console.say("Who plays? Type 2 to 9 names with spaces between them. champion, greedy and random are algorithms.")
    while True:
        try:
            return _players(console.ask("[you champion]").split() or ["you", "champion"])
        except UserError as error:
            console.say(f"{error}.")


def _players(names: Sequence[str]) -> tuple[TablePlayer, ...]:
    """Who these names are; algorithms that play several times get a number.

    Raises:
        UserError: they cannot play together.
    """
    found = [_player(name) for name in names]
    copies = numbered([player.name for player in found])
    players = tuple(replace(player, name=copy) if player.algorithm else player for player, copy in zip(found, copies))
    check_players(players)
    return players


def _player(name: str) -> TablePlayer:
    for algorithm in (name, f"{PREFIX}{name}"):
        if algorithm in ALGORITHMS:
            return TablePlayer(algorithm.removeprefix(PREFIX), algorithm)
    return TablePlayer(name)
