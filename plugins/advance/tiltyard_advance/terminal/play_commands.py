"""``tiltyard play advance``: a person against an algorithm, or two people. Needs typer, which ``tiltyard`` brings."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_advance.algorithms import STRENGTHS
from tiltyard_advance.manager import AdvanceGameManager, AdvanceSeat
from tiltyard_advance.map_files import AdvanceMap, generate_opening, read_map
from tiltyard_advance.positions import SIDES
from tiltyard_advance.terminal.drawing import STRONG
from tiltyard_advance.terminal.saved_games import new_game, read_game
from tiltyard_advance.terminal.table import AdvanceTable
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.exit_status import INTERRUPTED, errors_told
from tiltyard_engine.host import Host, find_host, names_of
from tiltyard_engine.match import Match
from tiltyard_engine.replay import Replay, ReplayRecorder
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_engine.texts.sanitize import one_line, with_own_options
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.saved_game import SavedGame, file_of_game, free_path
from tiltyard_kit.terminal.table_game import TableGame

PERSON: Final = "me"
GAME: Final = "advance"
PLAYERS: Final = names_of("algorithms", game=GAME, also=(PERSON, *STRENGTHS))
"""What the shell offers for a player."""
GAME_FILE: Final = Path("advance-game.json")
REPLAY_FILE: Final = Path("advance-game.jsonl")
SAVE_HELP: Final = "File for the unfinished game."
LIMIT_OPTIONS: Final = {"move_seconds": "--time", "wall_factor": "--time"}
"""What people are told to change where a limit was reached."""
OUTPUT_HELP: Final = "File for the finished game's replay."

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def advance(
    *,
    white: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="The player of white. 'me' is you.", show_default="me", autocompletion=PLAYERS),
    ] = None,
    black: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="The player of black.", show_default="champion", autocompletion=PLAYERS),
    ] = None,
    board: Annotated[Path | None, typer.Option(help="Start from this board file; white moves first.", show_default=False)] = None,
    plies: Annotated[int, typer.Option(help="Start with an opening of this many random moves.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Random seed.", show_default="a new one each time")] = None,
    limit: Annotated[float | None, typer.Option("--time", "-t", min=0.001, help="Seconds per move of an algorithm.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Resume a saved game.", show_default=False)] = None,
    save: Annotated[Path | None, typer.Option(help=SAVE_HELP, rich_help_panel="Files", show_default=str(GAME_FILE))] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=OUTPUT_HELP, rich_help_panel="Files", show_default=str(REPLAY_FILE))
    ] = None,
    confirm: Annotated[bool, typer.Option(help="Ask for confirmation before each move.", rich_help_panel="Display")] = True,
    color: Annotated[
        bool | None,
        typer.Option("--color/--no-color", help="Default: follow the terminal and NO_COLOR.", rich_help_panel="Display"),
    ] = None,
) -> None:
    """Play Advance against an algorithm, or against another person at the same terminal.

    PLAYER is me, a level (4, 5, 6, 7), champion, the name of an installed algorithm, a Python file, or a program that you call as
    in the course: PROGRAM white|black IN OUT. Programs and strangers' code run in a sandbox.

    Type moves as c8 c7. Type ? for help. Each move is saved in a file, so you can resume after Ctrl-C or a lost connection with
    --resume. At the end you get a replay. Show it with 'tiltyard watch' and 'tiltyard picture'.

    \b
    Examples:
      tiltyard play advance
      tiltyard play advance --white 6 --black me
      tiltyard play advance --black ./mybot
      tiltyard play advance --white me --black me
      tiltyard play advance --resume advance-game.json
    """
    limits = {} if limit is None else {"move_seconds": limit}
    with errors_told():
        try:
            if resume is None:
                game = _new_game(save, white, black, board=board, plies=plies, seed=seed)
            elif board is not None or plies or seed is not None:
                raise UserError("--resume: the saved game has its own start; leave out --board, --plies and --seed")
            else:
                game = read_game(resume)
                if save not in (None, resume):
                    game.path = file_of_game(save, resume)
                for side, player in zip(SIDES, (white, black)):
                    game.content[side] = _full_name(player or game.content[side])
            console = Console(sys.stdin, sys.stdout, color=color)
            status = _play(game, console, output, limits=limits, confirms=confirm)
        except KeyboardInterrupt:
            typer.echo("interrupted before the game began", err=True)
            status = INTERRUPTED
    raise typer.Exit(status)


def _new_game(
    save: Path | None, white: str | None, black: str | None, *, board: Path | None, plies: int, seed: int | None
) -> SavedGame:
    """The game that the options ask for.

    Raises:
        UserError: they contradict each other, or something cannot be read.
    """
    if board is not None and plies:
        raise UserError("--board and --plies cannot be used together")
    number = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    white = white or PERSON
    players = (_full_name(white), _full_name(black or ("champion" if white == PERSON else PERSON)))
    if board is None:
        start = generate_opening(plies, number)
    else:
        with file_errors(board, "read"):
            start = read_map(str(board), board.read_bytes()).board
    return new_game(file_of_game(save, GAME_FILE), players, start, number)


def _play(game: SavedGame, console: Console, output: Path | None, *, limits: Mapping[str, float], confirms: bool) -> int:
    """Play, and say how it ended; the exit status."""
    players = [game.content[side] for side in SIDES]
    if PERSON not in players:
        raise UserError(f"neither player is 'me'; to watch algorithms, use 'tiltyard watch {' '.join(players)} --map ...'")
    if output is not None:
        check_output(output, "a replay", lambda head: b"tiltyard replay" in head[:100])
    with find_host() as host, ExitStack() as stack:
        seats = [
            None if player == PERSON else stack.enter_context(host.open_player(player, GAME, number, limits))
            for number, player in enumerate(players, start=1)
        ]
        names = [player if seat is None else seat.name for player, seat in zip(players, seats)]
        start = AdvanceMap("".join(game.content["start"]), game.content["plies"])
        recorder = ReplayRecorder(GAME)

        def run(table_seats: Sequence[AdvanceSeat]) -> GameResult:
            nonlocal recorder
            recorder = ReplayRecorder(GAME, [seat.name for seat in table_seats], GAME)
            match = Match(map=start, map_name=GAME, seats=table_seats, seed=game.content["seed"], recorder=recorder)
            return AdvanceGameManager().run(match)

        # Who plays black against an algorithm sits below.
        rules = AdvanceTable(start.plies, is_turned=seats[0] is not None)
        table = TableGame(console, rules, list(zip(names, seats)), game, confirms=confirms)
        try:
            result = table.play(run)
        except LeftError as left:
            why, status = str(left), 0
        except KeyboardInterrupt:
            why, status = "interrupted", INTERRUPTED
        else:
            faults = [_fault_text(seat.fault) for seat in table.seats if seat.fault is not None]
            recorder.replay.message = "; ".join([result.message, *faults])
            _tell_end(console, host, recorder.replay, output or free_path(REPLAY_FILE))
            game.path.unlink(missing_ok=True)
            return 0
    if game.content["moves"]:
        typer.echo(f"{why}; the game is saved. To resume it:\n  tiltyard play advance --resume {game.path}")
    else:
        game.path.unlink(missing_ok=True)
        typer.echo(f"{why}; nothing was played")
    return status


def _full_name(player: str) -> str:
    """What a player is called in files and on the screen: ``7`` is ``advance-level-7``; paths are whole, for a later resume."""
    if player in STRENGTHS:
        return f"advance-{player}" if player.isalpha() else f"advance-level-{player}"
    path = Path(player)
    return str(path.resolve()) if player != PERSON and path.exists() else player


def _fault_text(fault: Fault) -> str:
    who = SIDES[fault.seat - 1]
    if fault.termination is Termination.FORFEIT:
        return f"{who} resigned"
    return f"{who}: {fault.termination.value}: {one_line(with_own_options(fault.message, LIMIT_OPTIONS))}"


def _tell_end(console: Console, host: Host, replay: Replay, path: Path) -> None:
    console.say(console.palette.paint(replay.message, STRONG))
    with file_errors(path, "written"):
        path.write_bytes(host.replay_file(replay))
    console.say(f"saved the replay in {path}. To show it:", f"  tiltyard watch {path}", f"  tiltyard picture {path} -o game.gif")
