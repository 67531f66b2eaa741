"""``tiltyard play GAME``: a game that states its rules, by hand at the terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import INTERRUPTED
from tiltyard_engine.match import Match
from tiltyard_engine.records import Game, Manager, MapFile, TurnInterface, check_players, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import MANAGER, MAP
from tiltyard_engine.replay import ReplayRecorder, Theme
from tiltyard_engine.results import GameResult
from tiltyard_engine.rules import Picture, Rules
from tiltyard_engine.rules.derived import PARTNERS
from tiltyard_engine.rules.referee import RulesGameManager
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.rules_game import RulesGame
from tiltyard_kit.terminal.saved_game import SavedGame, file_of_game, read_saved_game
from tiltyard_kit.terminal.table_game import TableGame
from tiltyard_simulator.play.host import GuardHost
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import PluginOptions
from tiltyard_viewer.drawing.draw import draw_board
from tiltyard_viewer.drawing.options import DrawOptions, detect_options, render
from tiltyard_viewer.drawing.panels import draw_panels
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_web_play.open_game import FirstGame, open_game
from tiltyard_web_play.options import WebOptions

app = application()

PERSON: Final = "me"
FORMAT: Final = "tiltyard game by hand"
KINDS: Final = {"game": str, "map": str, "players": list, "seed": int}
ENOUGH: Final = "random, greedy and mcts play every game that states its rules"


@dataclass(frozen=True, slots=True)
class SavedGameOptions:
    """Where a game is saved, and which is resumed."""

    save: Annotated[Path | None, typer.Option("--save", help="File for the unfinished game.", show_default="GAME-game.json")] = None
    resume: Annotated[Path | None, typer.Option("--resume", help="Resume a saved game.", show_default=False)] = None


@app.command()
def play_game(
    *,
    game: Annotated[str, typer.Argument(help="An installed game, or one of a plugin that is trusted.")],
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays another seat: a name, a file or folder, 'me'. Can be repeated.",
            show_default="mcts, or random where nobody can look ahead",
        ),
    ] = None,
    seat: Annotated[int, typer.Option(min=1, help="Your seat; the others are filled from seat 1.")] = 1,
    game_map: Annotated[str, typer.Option("--map", help="The map: a shipped one or a file.", show_default="the first")] = "",
    seed: Annotated[int, typer.Option(help="Random seed of the match.")] = 0,
    files: SavedGameOptions,
    in_browser: WebOptions,
    plugins: PluginOptions,
) -> None:
    """Play a game yourself, in the terminal or the browser, against algorithms or against people beside you.

    You can play every game that states its rules. Type ? for help, moves for the legal answers, hint for a proposal, and undo to
    take a move back. The game is saved after each move, so you can leave it and resume it with --resume. The algorithms are
    confined as in any match.

    \b
    Examples:
      tiltyard play connect-four
      tiltyard play connect-four --against ./my_player.py --seat 2
      tiltyard play pig-race --against random --against greedy --trust ./pig_race.py
      tiltyard play connect-four --against me
      tiltyard play tanks --web --against acorn
      tiltyard play connect-four --resume connect-four-game.json
    """
    policy = IsolationPolicy.from_environment(plugins.trust or ())
    registry = plugins.registry(policy)
    record = registry.game(game)
    rules = record.rules
    if not isinstance(rules, Rules):
        raise UserError(f"{game} doesn't state its rules, so nobody can play it by hand; see 'tiltyard play --help' for others")
    if not rules.can_guess:
        raise UserError(f"{game} hides something, so its rules need guess(view, seat, chance) to be played by hand")
    if in_browser.web:
        if files.resume is not None or files.save is not None or PERSON in (against or ()):
            raise UserError("--web has one person and no file: leave out --resume, --save and --against me")
        open_game(record, registry, policy, FirstGame(tuple(against or ()), seat, game_map), in_browser)
        return
    if files.resume is not None:
        saved = read_saved_game(files.resume, ("format", FORMAT), KINDS)
        if saved.content["game"] != record.name:
            raise UserError(f"{files.resume}: a game of {saved.content['game']!r:.60}, not of {record.name}")
        if files.save not in (None, files.resume):
            saved.path = file_of_game(files.save, files.resume)
    else:
        map_file = _map(game_map, record, registry)
        players = _players(record, list(against or ()), seat)
        path = file_of_game(files.save, Path(f"{record.name.replace('/', '-')}-game.json"))
        content = {"format": FORMAT, "game": record.name, "map": map_file.name, "players": players, "seed": seed, "moves": []}
        saved = SavedGame(path, content)
    status = _play(record, registry, policy, saved, Console(sys.stdin, sys.stdout))
    if saved.content["moves"] and saved.path.exists():
        trusted = [word for name in plugins.trust or () for word in ("--trust", name)]
        print(f"  {shlex.join(['tiltyard', 'play', record.name, '--resume', str(saved.path), *trusted])}")
    raise typer.Exit(status)


def _players(game: Game[Any], against: list[str], seat: int) -> list[str]:
    """Who sits where. Who isn't named is the best partner that the game has.

    Raises:
        UserError: the game isn't for so many.
    """
    number = max(len(against) + 1, usual_players(game))
    check_players(game, number, "name one for each of the other players with --against")
    if seat > number:
        raise UserError(f"--seat {seat}: there are {number} players")
    assert isinstance(game.rules, Rules)
    usual = "mcts" if game.rules.can_look_ahead else "random"
    others = [*against, *[usual] * (number - 1 - len(against))]
    return [*others[: seat - 1], PERSON, *others[seat - 1 :]]


def _map(text: str, game: Game[Any], registry: Registry) -> MapFile:
    """The named map, or the first one of the game.

    Raises:
        UserError: there is none.
    """
    if text:
        source = Finder(registry).map(text, game.name)
        return MapFile(text, game.name, source.data, 0)
    shipped = registry.all(MAP, game.name)
    if not shipped:
        raise UserError(f"{game.name} has no map: name a file with --map")
    return MapFile(shipped[0].name, game.name, shipped[0].contribution.data, 0)


def _play(game: Game[Any], registry: Registry, policy: IsolationPolicy, saved: SavedGame, console: Console) -> int:
    """Play, and say how it ended; the exit status."""
    assert isinstance(game.rules, Rules)
    names = [str(player) for player in saved.content["players"]]
    check_players(game, len(names))
    map_file = _map(saved.content["map"], game, registry)
    board = game.maps.read(map_file.name, map_file.data, len(names))
    is_by_turns = isinstance(game.interface, TurnInterface)
    managers = registry.all(MANAGER, game.name)
    referee = next((entry for entry in managers if entry.name == game.default_manager), managers[0]).reference.load_as(Manager)
    # Other games' teams can't be asked by the rules alone: people and sparring partners play them.
    create = referee.create if is_by_turns else partial(RulesGameManager, game.rules)
    options = detect_options(sys.stdout)
    theme = game.display.theme or Theme(styles={})
    status = 0
    with GuardHost(policy=policy) as host, ExitStack() as stack:
        seats: list[tuple[str, TurnAlgorithm[Any, Any] | TurnSeat[Any, Any] | None]] = []
        for number, name in enumerate(names, start=1):
            if name == PERSON:
                seats.append((_own_name(number, names), None))
            elif is_by_turns:
                seats.append((name, stack.enter_context(host.open_player(name, game.name, number))))
            elif name in PARTNERS:
                seats.append((name, PARTNERS[name][0](game.rules, number)))
            else:
                raise UserError(f"'{name}' can't play {game.name} against people: choose {', '.join(PARTNERS)} or {PERSON}")
        rules_game = RulesGame(game.rules, _Drawing(theme, options))
        table = TableGame(console, rules_game, seats, saved, confirms=False)

        def run(table_seats: Sequence[Any]) -> GameResult:
            recorder, seed = ReplayRecorder(game.name, names), saved.content["seed"]
            rules_game.replay = recorder.replay
            return create().run(Match(map=board, map_name=map_file.name, seats=table_seats, seed=seed, recorder=recorder))

        try:
            result = table.play(run)
        except LeftError as left:
            why = str(left)
        except KeyboardInterrupt:
            why, status = "interrupted", INTERRUPTED
        else:
            faults = [f"{seat.name}: {seat.fault.termination.value}: {seat.fault.message}" for seat in table.seats if seat.fault]
            console.say("; ".join([result.message, *faults]))
            saved.path.unlink(missing_ok=True)
            return 0
    if saved.content["moves"]:
        console.say(f"{why}; the game is saved. To resume it:")
    else:
        saved.path.unlink(missing_ok=True)
        console.say(f"{why}; nothing was played")
    return status


def _own_name(number: int, names: Sequence[str]) -> str:
    return "you" if names.count(PERSON) == 1 else f"player {number}"


class _Drawing:
    """Draws pictures as ``tiltyard watch`` does."""

    def __init__(self, theme: Theme, options: DrawOptions) -> None:
        self._theme, self._options = theme, options

    def __call__(self, picture: Picture, names: Sequence[str], console: Console) -> list[str]:
        squares = [token for row in picture.rows for token in row]
        width = len(picture.rows[0]) if picture.rows else 0
        lines = draw_board(squares, width, self._theme, self._options) if squares else []
        if picture.panels:
            recorder = ReplayRecorder("", names)
            recorder.start(width, len(picture.rows), squares, picture.panels)
            panel_lines = draw_panels(Timeline(recorder.replay), names, self._theme, self._options, console.width)
            lines += [render(line, console.width, self._options) for line in panel_lines]
        return lines
