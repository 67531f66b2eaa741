"""``tiltyard play advance``: a person against an algorithm, or two people. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_advance.generate import generate_opening
from tiltyard_advance.map_files import read_map
from tiltyard_advance.terminal.console import Console
from tiltyard_advance.terminal.game import Finished, Left, TerminalGame
from tiltyard_advance.terminal.players import PERSON, full_name, is_person, open_seats
from tiltyard_advance.terminal.saved_games import SavedGame, free_path, read_game
from tiltyard_engine.errors import UserError
from tiltyard_engine.host import Host, find_host

HELP: Final = "Sit down at the board: a person against algorithms, in the terminal."
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells have it."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help=HELP)


@app.callback()
def play() -> None:
    """Sit down at the board: a person against algorithms, in the terminal."""


@app.command()
def advance(
    white: Annotated[
        str | None, typer.Option("--white", metavar="PLAYER", help="Who plays white; me is you.", show_default="me")
    ] = None,
    black: Annotated[
        str | None, typer.Option("--black", metavar="PLAYER", help="Who plays black.", show_default="champion")
    ] = None,
    board: Annotated[
        Path | None, typer.Option("--board", help="A board file to begin with; white moves first.", show_default=False)
    ] = None,
    plies: Annotated[int, typer.Option("--plies", help="Begin with an opening of so many moves by chance.")] = 0,
    seed: Annotated[int | None, typer.Option("--seed", help="That of all chance.", show_default="another each time")] = None,
    limit: Annotated[float | None, typer.Option("--time", "-t", min=0.001, help="Seconds for an algorithm's move.")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Go on with a saved game.", show_default=False)] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Where the unfinished game is kept.", show_default="advance-game.json")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The finished game's replay.", show_default="advance-game.jsonl")
    ] = None,
    confirm: Annotated[bool, typer.Option("--confirm/--no-confirm", help="Show each move before it is played.")] = True,
    color: Annotated[bool | None, typer.Option("--color/--no-color", help="By default as the terminal and NO_COLOR say.")] = None,
) -> None:
    """Play Advance against an algorithm, or against somebody beside you.

    PLAYER is me, a level (4, 5, 6, 7), champion, the name of an installed algorithm, a Python file, or any program that makes
    a move in the course's way: PROGRAM white|black IN OUT. Programs and strangers' code run in a sandbox.

    Type moves as c8 c7; ? tells the rest. Each move is kept in a file, so Ctrl-C or a lost connection costs nothing:
    --resume goes on. At the end there is a replay, which 'tiltyard watch' and 'tiltyard picture' show.

    \b
    Examples:
      tiltyard play advance
      tiltyard play advance --white 6 --black me
      tiltyard play advance --black ./mybot
      tiltyard play advance --white me --black me
      tiltyard play advance --resume advance-game.json
    """
    raise typer.Exit(
        _run(lambda: _prepare(white, black, board, plies, seed, resume), save or resume, output, limit, confirm, color)
    )


def _prepare(
    white: str | None, black: str | None, board: Path | None, plies: int, seed: int | None, resume: Path | None
) -> SavedGame:
    """The game that the options ask for.

    Raises:
        UserError: they contradict each other, or something cannot be read.
    """
    if resume is not None:
        if board is not None or plies or seed is not None:
            raise UserError("--resume: the saved game has its own beginning; leave out --board, --plies and --seed")
        game = read_game(resume)
        first, second = game.players
        game.players = (full_name(white or first), full_name(black or second))
    else:
        if board is not None and plies:
            raise UserError("--board and --plies: expected one of them")
        number = random.SystemRandom().randrange(1 << 30) if seed is None else seed
        players = (full_name(white or PERSON), full_name(black or ("champion" if (white or PERSON) == PERSON else PERSON)))
        game = SavedGame(players, _read_board(board) if board is not None else generate_opening(plies, number), seed=number)
    if not any(map(is_person, game.players)):
        raise UserError(f"nobody sits at the board; 'tiltyard watch {' '.join(game.players)} --map ...' shows algorithms' games")
    return game


def _read_board(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    return read_map(str(path), data).board


def _run(
    prepare: Callable[[], SavedGame],
    save: Path | None,
    output: Path | None,
    limit: float | None,
    confirm: bool,
    color: bool | None,
) -> int:
    """Play, and tell what came of it; a user's mistake is one message and status 2."""
    try:
        game = prepare()
        path = save or free_path("advance-game", ".json", Path())
        console = Console(sys.stdin, sys.stdout, color)
        limits = {} if limit is None else {"move_seconds": limit}
        with find_host() as host, open_seats(host, game.players, limits) as seats:
            ended = TerminalGame(console, game, seats, path, confirm).play()
            if isinstance(ended, Finished):
                _tell_end(console, host, ended, output or free_path("advance-game", ".jsonl", Path()))
                path.unlink(missing_ok=True)
                return 0
    except UserError as error:
        typer.echo(f"error: {error}", err=True)
        return 2
    except KeyboardInterrupt:
        typer.echo("interrupted before the game began", err=True)
        return INTERRUPTED
    if game.moves:
        typer.echo(f"{ended.value}: the game is saved; go on with:\n  tiltyard play advance --resume {path}")
    else:
        typer.echo(f"{ended.value}: nothing had been played yet")
    return INTERRUPTED if ended is Left.INTERRUPTED else 0


def _tell_end(console: Console, host: Host, ended: Finished, path: Path) -> None:
    console.say(console.look.paint(ended.replay.message, "strong"))
    try:
        path.write_bytes(host.replay_file(ended.replay))
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    console.say(f"the game is in {path}; show it with:", f"  tiltyard watch {path}", f"  tiltyard picture {path} --gif")
