"""``penguins --interactive``: who plays on which board, and what is said when somebody leaves."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import INTERRUPTED, raised_by_signals
from tiltyard_engine.match import Match
from tiltyard_engine.results import GameResult
from tiltyard_engine.texts.quantities import counted
from tiltyard_kit.sheet import table_lines
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.palette import Palette
from tiltyard_kit.terminal.saved_game import SavedGame, file_of_game
from tiltyard_kit.terminal.table_game import TableGame
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.command_options import board_size, create_parser, numbered, open_board, penguins_each
from tiltyard_penguins.map_files import DEFAULT_PENGUINS, PenguinsMap
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_penguins.terminal.drawing import player_mark
from tiltyard_penguins.terminal.saved_games import Player, check_names, new_game, read_game
from tiltyard_penguins.terminal.table import PenguinsTable

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
    saved, board = _open_game(options, console)
    saved.write()
    players = saved.content["players"]
    seats = [
        (player["name"], ALGORITHMS[player["algorithm"]][0](number) if player["algorithm"] else None)
        for number, player in enumerate(players, start=1)
    ]
    resume = f"The game is saved. To resume it: penguins --interactive --resume {shlex.quote(str(saved.path))}"
    try:
        result = TableGame(console, PenguinsTable(), seats, saved).play(
            lambda table_seats: PenguinsGameManager(asks_when_done=False).run(Match(map=board, map_name="", seats=table_seats))
        )
    except LeftError as left:
        console.say(f"{str(left)[0].upper()}{str(left)[1:]}. {resume}")
        return 0
    except KeyboardInterrupt:
        console.say(f"Interrupted. {resume}")
        return INTERRUPTED
    _tell_end(console, result, [player["name"] for player in players])
    if not (options.save or options.resume):
        saved.path.unlink(missing_ok=True)
    return 0


def _tell_end(console: Console, result: GameResult, names: Sequence[str]) -> None:
    console.say("Nobody can move any more.", "")
    rows = [("place", "player", "fish")]
    for rank, number in sorted(zip(result.ranks, range(1, len(names) + 1))):
        rows.append((str(rank), f"{player_mark(number, Palette())} {names[number - 1]}", f"{result.scores[number - 1]:g}"))
    console.say(*table_lines(rows))
    winners = [name for rank, name in zip(result.ranks, names) if rank == 1]
    console.say(f"{winners[0]} wins." if len(winners) == 1 else f"Shared by {' and '.join(winners)}.")


def _open_game(options: argparse.Namespace, console: Console) -> tuple[SavedGame, PenguinsMap]:
    """The game and its board."""
    if options.resume:
        others = ("players", "board", "size", "seed", "penguins", "save")
        if unwanted := [name for name in others if getattr(options, name) not in (None, [])]:
            raise UserError(f"--resume continues the game in its file; leave out {', '.join(unwanted)}")
        saved, board = read_game(Path(options.resume))
        moves = counted(len(saved.content["moves"]), "move")
        console.say(f"{saved.path}: {_summary(board, saved.content['players'])}, {moves} made")
        return saved, board
    players = _players(options.players) if options.players else _ask_for_players(console)
    usual = DEFAULT_PENGUINS if len(players) <= 3 else FEWER_PENGUINS
    board, name, seed = open_board(options, len(players), (ROWS, COLUMNS), usual)
    path = file_of_game(Path(options.save) if options.save else None, DEFAULT_FILE)
    console.say(f"{name}{seed}: {_summary(board, players)}; saved in {path}")
    return new_game(path, board, players), board


def _summary(board: PenguinsMap, players: Sequence[Player]) -> str:
    return f"{' against '.join(player['name'] for player in players)}, {board_size(board)}, {penguins_each(board)}"


def _ask_for_players(console: Console) -> Sequence[Player]:
    console.say("Who plays? Type 2 to 9 names with spaces between them. champion, greedy and random are algorithms.")
    while True:
        try:
            return _players(console.ask("[you champion]").split() or ["you", "champion"])
        except UserError as error:
            console.say(f"{error}.")


def _players(words: Sequence[str]) -> Sequence[Player]:
    """Who these words are; algorithms that play several times get a number.

    Raises:
        UserError: they cannot play together.
    """
    algorithms = [next((name for name in (word, f"{PREFIX}{word}") if name in ALGORITHMS), "") for word in words]
    names = [algorithm.removeprefix(PREFIX) or word for word, algorithm in zip(words, algorithms)]
    names = [copy if algorithm else name for name, copy, algorithm in zip(names, numbered(names), algorithms)]
    check_names(names)
    return [{"name": name, "algorithm": algorithm} for name, algorithm in zip(names, algorithms)]
