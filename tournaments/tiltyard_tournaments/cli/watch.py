"""``tiltyard watch``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.choosing import choose
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.choosing import choose_map, game_reference
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.live import LiveMatch
from tiltyard_simulator.loading import load
from tiltyard_simulator.reports import fault_report
from tiltyard_simulator.specs import MapSource, MatchSpec
from tiltyard_simulator.viewer import watch as show
from tiltyard_tournaments.cli.options import Block, Isolate, Limit, Only, TrustNames, Unconfined, application, holding, registry
from tiltyard_tournaments.cli.replay_source import Asked, MatchChoice, open_source
from tiltyard_tournaments.cli.transcripts import STANDARD_INPUT, open_transcript

app = application()


@app.command()
def watch(
    what: Annotated[
        list[str],
        typer.Argument(
            help="A replay file, a tournament file with --match, an output file of assignment 2, or what a game's engine printed"
            " (- for standard input); or the algorithms of a match to play, player 1 first."
        ),
    ],
    game_map: Annotated[
        str | None,
        typer.Option("--map", help="The map of what is no replay: a file, or the name of a shipped one.", show_default=False),
    ] = None,
    match: MatchChoice = None,
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
    """Show a match in the terminal: from its replay, played now, or rebuilt from anyone's output file.

    Keys: space plays and pauses, arrows step, + and - change the speed, Home and End jump, h j k l move over a board
    that does not fit, s shows how the scores grew, ? helps, q quits. In a pipe the final board is printed. An output
    file that breaks the chosen rules is shown up to its first bad line, which is named; the status is then 1.

    \b
    Examples:
      tiltyard watch final.jsonl
      tiltyard watch cup.yaml --match 12
      tiltyard watch acorn bramble --map narrow-pass
      tiltyard watch output_arena.txt --map arena.txt
      tiltyard watch output_arena.txt --map arena.txt --manager tanks-first --step
      game_engine -f map00 -p1 ./mine -p2 ./theirs | tiltyard watch -
    """
    held = holding(isolation, unconfined, limit, trust)
    options: dict[str, Any] = {"speed": speed, "step": step, "every_round": every_round, "color": color, "ascii_only": ascii_only}
    if what == [STANDARD_INPUT]:
        _watch_standard_input(registry(held, block, only), options)
        return
    if len(what) == 1:
        asked = Asked(Path(what[0]), match, game_map, manager, players, block, only)
        raise typer.Exit(_watch_source(asked, lambda: registry(held, block, only), options))
    if match is not None:
        raise UserError(f"--match {match}: is for one tournament file, not for {len(what)} algorithms")
    if game_map is None:
        raise UserError("to play a match say its map by --map")
    raise typer.Exit(_watch_match(what, registry(held, block, only), game_map, manager, held, options))


def _watch_standard_input(found: Registry, options: dict[str, Any]) -> None:
    transcript = open_transcript(sys.stdin.buffer, "standard input", found)
    show(transcript.replay, transcript.theme, frames=transcript.frames, **options)


def _watch_source(asked: Asked, found: Callable[[], Registry], options: dict[str, Any]) -> int:
    source = open_source(asked, found)
    if source.replay is not None:
        show(source.replay, source.theme, **options)
    if source.problem:
        print(f"error: {source.problem}", file=sys.stderr)
    return 1 if source.problem else 0


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
