"""``tiltyard watch``: a match in the terminal."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.records import Game
from tiltyard_engine.registry.registry import ALGORITHM, MAP
from tiltyard_engine.registry.sources import MANIFEST, PLUGIN_SUFFIXES
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.reports import fault_report, without_any_result
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import GameName, IsolationOptions, PluginOptions
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_viewer.command.live_match import LiveMatch
from tiltyard_viewer.command.replay_source import (
    STANDARD_INPUT,
    MatchChoice,
    SourceOptions,
    StageChoice,
    open_source,
    open_transcript,
)
from tiltyard_viewer.player.play import Display
from tiltyard_viewer.player.play import watch as show

app = application()


@dataclass(frozen=True, slots=True)
class ShownMatchOptions:
    """Which match is shown, where the words before do not say it."""

    game_map: Annotated[
        str | None,
        typer.Option(
            "--map", "--maps", help="The map of a match or an output file: a file, or a shipped map's name.", show_default=False
        ),
    ] = None
    match: MatchChoice = None
    stage: StageChoice = None
    manager: Annotated[
        str | None,
        typer.Option(
            "--manager",
            "-m",
            help="The GameManager, or the rules to check an output file against. Default: the game's own.",
            show_default=False,
        ),
    ] = None
    game: GameName = None
    players: Annotated[int, typer.Option(min=2, max=9, help="Number of players in an output file's match.")] = 2


@dataclass(frozen=True, slots=True)
class DisplayOptions(Display):
    """How the match is shown."""

    speed: Annotated[float, typer.Option("--speed", "-s", min=0.01, help="Rounds per second.", rich_help_panel="Display")] = 8.0
    step: Annotated[bool, typer.Option("--step", help="Start paused; step with the arrow keys.", rich_help_panel="Display")] = False
    every_round: Annotated[
        bool, typer.Option("--every-round", help="Print every round instead of playing the match.", rich_help_panel="Display")
    ] = False
    color: Annotated[
        bool | None,
        typer.Option("--color/--no-color", help="Default: follow the terminal and NO_COLOR.", rich_help_panel="Display"),
    ] = None
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII only.", rich_help_panel="Display")] = False


@app.command()
def watch(
    *,
    what: Annotated[
        list[str],
        typer.Argument(
            help="A replay file, a tournament file with --match, an output file of assignment 2, or what a game's engine printed"
            " (- for standard input); or the algorithms of a match to play, player 1 first."
        ),
    ],
    choice: ShownMatchOptions,
    display: DisplayOptions,
    isolation: IsolationOptions,
    plugins: PluginOptions,
) -> None:
    """Show a match in the terminal: a replay, a match that is played now, or one rebuilt from an output file.

    Keys: space plays and pauses, arrows step, + and - change the speed, Home and End jump, h j k l move over a board
    that does not fit, s shows the scores by round, t the panels, ? helps, q quits. In a pipe only the last round is
    printed. An output file that breaks the rules is shown up to its first bad line, which is reported; the exit status
    is then 1, as after a match that the GameManager failed in.

    \b
    Examples:
      tiltyard watch final.jsonl
      tiltyard watch cup.yaml --match 12
      tiltyard watch acorn bramble --map narrow-pass
      tiltyard watch output_arena.txt --map arena.txt
      tiltyard watch output_arena.txt --map arena.txt --manager tanks-first --step
      game_engine -f map00 -p1 ./mine -p2 ./theirs | tiltyard watch -
    """
    policy = isolation.policy(plugins.trust)
    if what == [STANDARD_INPUT]:
        transcript = open_transcript(sys.stdin.buffer, "standard input", plugins.registry(policy))
        show(transcript.replay, transcript.theme, display, frames=transcript.frames)
        return
    if len(what) == 1:
        _refuse_one_team(what[0], choice.game_map, plugins, policy)
        source = SourceOptions(
            path=Path(what[0]),
            match=choice.match,
            stage=choice.stage,
            game_map=choice.game_map,
            manager=choice.manager,
            players=choice.players,
            game=choice.game,
            plugins=plugins,
        )
        raise typer.Exit(_watch_source(source, policy, display))
    for option, value in (("--match", choice.match), ("--stage", choice.stage)):
        if value is not None:
            raise UserError(f"{option} {value}: only works with one tournament file, not with {len(what)} algorithms")
    finder = Finder(plugins.registry(policy))
    if choice.game_map is None:
        game = finder.referee(game=choice.game, manager=choice.manager, algorithms=what).game.name
        maps = [entry.name for entry in finder.registry.all(MAP, game)]
        raise UserError(f"to play a match, give its map with --map: {some_of(maps) or 'a file'}")
    spec = finder.match(what, choice.game_map, choice.manager, choice.game)
    raise typer.Exit(_watch_match(policy.apply(spec), display))


def _refuse_one_team(text: str, game_map: str | None, plugins: PluginOptions, policy: IsolationPolicy) -> None:
    """Raise UserError if one team is named, and nothing that can be shown without another one."""
    path = Path(text)
    is_team = path.suffix in PLUGIN_SUFFIXES or path.name == MANIFEST or (path.is_dir() and not (path / STORE_NAME).is_file())
    if not is_team and not path.exists() and not path.suffix:
        is_team = any(entry.name == text for entry in plugins.registry(policy).all(ALGORITHM))
    if is_team:
        board = shlex.quote(game_map) if game_map is not None else "MAP"
        raise UserError(
            f"{text}: is one team, and a match needs one for each player: 'tiltyard watch {shlex.quote(text)} OTHER --map {board}'"
        )


def _watch_source(source_options: SourceOptions, policy: IsolationPolicy, display: Display) -> int:
    source = open_source(source_options, policy)
    if source.replay is not None:
        show(source.replay, source.theme, display)
    if source.problem:
        print(f"error: {one_line(source.problem)}", file=sys.stderr)
    return 1 if source.problem else 0


def _watch_match(spec: MatchSpec, display: Display) -> int:
    theme = spec.input.game.load_as(Game).display.theme
    # The match is played in a thread that takes standard output away from the teams; the screen keeps its own.
    screen = sys.stdout
    match = LiveMatch(spec.input.game.name, spec)
    if match.started():
        show(match.replay, theme, display, frames=match.frames(), stdout=screen)
    if theme is None and match.replay.squares:
        print(f"note: {_missing_theme(spec.input.game.name)}", file=sys.stderr)
    if match.record is None:
        return 0
    report = fault_report([match.record.outcome])
    if report:
        print(report, file=sys.stderr)
    if failed := without_any_result([match.record.outcome]):
        print(f"error: {failed}", file=sys.stderr)
    return 1 if failed else 0


def _missing_theme(game: str) -> str:
    """A board without a theme can only be shown as characters."""
    return (
        f"the game {game} has no theme, so that squares are shown as characters without colours: "
        "give its Game display=GameDisplay(theme=Theme(...))"
    )
