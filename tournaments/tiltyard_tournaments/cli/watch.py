"""``tiltyard watch``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltyard_engine.errors import LogError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.choosing import choose
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.replay import Replay
from tiltyard_simulator.choosing import choose_map, game_reference
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.live import LiveMatch
from tiltyard_simulator.loading import load
from tiltyard_simulator.reports import fault_report
from tiltyard_simulator.specs import MapSource, MatchSpec
from tiltyard_simulator.viewer import watch as show
from tiltyard_tournaments.cli.options import Block, Isolate, Limit, Only, TrustNames, Unconfined, application, holding, registry

app = application()


@app.command()
def watch(
    what: Annotated[
        list[str], typer.Argument(help="An output file of assignment 2; or the algorithms of a match to play, player 1 first.")
    ],
    game_map: Annotated[str, typer.Option("--map", help="The map: a file, or the name of a shipped one.")],
    manager: Annotated[
        str, typer.Option("--manager", "-m", help="The GameManager that plays, or the rules that an output file is held against.")
    ] = "reference",
    players: Annotated[int, typer.Option(min=2, max=9, help="Players of an output file's match.")] = 2,
    speed: Annotated[float, typer.Option("--speed", "-s", min=0.01, help="Rounds a second.")] = 8.0,
    step: Annotated[bool, typer.Option("--step", help="Begin paused; the arrow keys step.")] = False,
    every_round: Annotated[bool, typer.Option("--every-round", help="Print every round instead of playing.")] = False,
    color: Annotated[bool | None, typer.Option("--color/--no-color", help="By default as the terminal and NO_COLOR say.")] = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII only.")] = False,
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Show a match in the terminal: played now, or rebuilt from anyone's output file.

    Keys: space plays and pauses, arrows step, + and - change the speed, Home and End jump, h j k l move over a board
    that does not fit, ? helps, q quits. In a pipe the final board is printed. An output file that breaks the chosen
    rules is shown up to its first bad line, which is named; the status is then 1.

    \b
    Examples:
      tiltyard watch acorn bramble --map narrow-pass
      tiltyard watch output_arena.txt --map arena.txt
      tiltyard watch output_arena.txt --map arena.txt --manager tanks-first --step
    """
    held = holding(isolation, unconfined, limit, trust)
    found = registry(held, block, only)
    options: dict[str, Any] = {"speed": speed, "step": step, "every_round": every_round, "color": color, "ascii_only": ascii_only}
    if len(what) == 1:
        raise typer.Exit(_watch_file(Path(what[0]), found, game_map, manager, players, options))
    raise typer.Exit(_watch_match(what, found, game_map, manager, held, options))


def _watch_file(path: Path, found: Registry, game_map: str, manager: str, players: int, options: dict[str, Any]) -> int:
    rules = found.find(MANAGER, manager).reference
    game: Game[Any] = load(game_reference(found, rules.game), Game)
    if game.read_log is None:
        raise UserError(f"the game {game.name} cannot rebuild a match from an output file")
    source = choose_map(game_map, found, game.name)
    board = game.read_map(game_map, source.data, players)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        hint = "; to play a match name one algorithm a player" if not path.suffix else ""
        raise UserError(f"{path}: cannot be read: {error.strerror}{hint}") from error
    replay: Replay | None
    problem = ""
    try:
        replay = game.read_log(board, text, rules.name)
    except LogError as error:
        replay, problem = error.replay, f"{path}, {error}"
    if replay is not None and replay.squares:
        replay.message = problem or replay.message
        show(replay, game.theme, **options)
    if problem:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problem else 0


def _watch_match(what: list[str], found: Registry, game_map: str, manager: str, held: Holding, options: dict[str, Any]) -> int:
    referee = choose(manager, MANAGER, found)
    game = game_reference(found, referee.game)
    source: MapSource = choose_map(game_map, found, game.name)
    record: Game[Any] = load(game, Game)
    if len(what) not in record.seats:
        raise UserError(f"{len(what)} algorithms: {game.name} is for {record.seats[0]} to {record.seats[-1]} players")
    record.read_map(game_map, source.data, len(what))
    teams = tuple(choose(text, ALGORITHM, found, game.name) for text in what)
    spec = held.apply(MatchSpec(game, referee, source, teams))
    # The match is played in a thread that takes standard output away from the teams; the screen keeps its own.
    screen = sys.stdout
    match = LiveMatch(game.name, spec)
    if match.started():
        show(match.replay, record.theme, frames=match.frames(), stdout=screen, **options)
    if match.outcome is None:
        return 0
    report = fault_report([(spec, match.outcome)])
    if report:
        print(report, file=sys.stderr)
    return 0
