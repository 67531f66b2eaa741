"""Where a replay comes from: its own file, a tournament's store, an output file, or what a game's engine prints as it plays."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import typer

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.errors.named_paths import near_path, refuse_address
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.replay import Frame, LogError, Replay, Theme
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import COMPRESSED_SUFFIX, is_replay, unpack
from tiltyard_tournaments.cli.options import PluginOptions
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.publishers.results import SHOWN_KEY, find_replay
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.store import STORE_NAME

TOURNAMENT_SUFFIXES: Final = (".yaml", ".yml")
STANDARD_INPUT: Final = "-"
HEAD_BYTES: Final = 1 << 14
"""So far a text is looked at to tell whose it is."""

MatchChoice = Annotated[
    str | None,
    typer.Option(
        "--match",
        help="With a tournament file: the match's number in the schedule, or the start of its key.",
        show_default=False,
    ),
]
StageChoice = Annotated[
    str | None,
    typer.Option("--stage", help="With --match, for a tournament file with stages: the match's stage.", show_default=False),
]
MapOfOutput = Annotated[
    str | None,
    typer.Option("--map", "--maps", help="The map of an output file: a file, or a shipped map's name.", show_default=False),
]
RulesOfOutput = Annotated[
    str | None,
    typer.Option("--manager", "-m", help="The rules to check an output file against. Default: the game's own.", show_default=False),
]
PlayersOfOutput = Annotated[int, typer.Option("--players", min=2, max=9, help="Number of players in an output file's match.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """What the command line says about where a replay is."""

    path: Path
    match: str | None
    game_map: str | None
    manager: str | None
    players: int
    plugins: PluginOptions
    game: str | None = None
    stage: str | None = None


@dataclass(frozen=True, slots=True)
class ReplaySource:
    """A replay, how it looks, and what is wrong with where it came from."""

    replay: Replay | None
    """None: not even the start board could be read."""
    theme: Theme | None
    """None: its game is not installed."""
    name: str
    """For files that are made of it."""
    problem: str = ""


def open_source(options: SourceOptions, policy: IsolationPolicy) -> ReplaySource:
    """The replay that is asked for. Plugins are loaded only where they are needed, isolated as ``policy`` says.

    Raises:
        UserError: there is no such file or match, or the file is not a replay. The message says what to do.
    """
    refuse_address(str(options.path))
    if (options.path / STORE_NAME).is_file():
        folder = shlex.quote(str(options.path))
        raise UserError(
            f"{options.path}: is the output folder of a run, expected a replay or a tournament file;"
            f" 'tiltyard replay {folder} --match {options.match or 'N'} -o game.jsonl' writes the replay of a match"
        )
    if options.path.suffix in TOURNAMENT_SUFFIXES:
        return _from_store(options)
    if options.stage is not None:
        raise UserError(f"--stage {options.stage}: only a tournament file has stages, not {options.path}")
    if options.match is not None:
        raise UserError(f"--match {options.match}: only a tournament file has matches to choose from, not {options.path}")
    try:
        data = options.path.read_bytes()
    except OSError as error:
        hint = "; to play a match, give one algorithm per player" if not options.path.suffix else ""
        raise UserError(f"{options.path}: cannot be read: {error.strerror}{near_path(options.path) or hint}") from error
    if is_replay(data) or options.path.suffix == COMPRESSED_SUFFIX:
        replay = unpack(data, str(options.path))
        return ReplaySource(
            replay=replay,
            theme=_theme(replay.game, options.plugins.registry(policy)),
            name=options.path.name.removesuffix(COMPRESSED_SUFFIX).rpartition(".")[0],
        )
    registry = options.plugins.registry(policy)
    game = game_of_transcript(data[:HEAD_BYTES], registry)
    if game is not None:
        replay, frames = read_transcript(game, data.splitlines(keepends=True), str(options.path))
        replay.frames.extend(frames)
        return ReplaySource(replay=replay, theme=game.display.theme, name=options.path.stem)
    return _from_output(options, data.decode("utf-8", errors="replace"), registry)


def _from_store(options: SourceOptions) -> ReplaySource:
    if options.match is None:
        stage = f" --stage {shlex.quote(options.stage)}" if options.stage else ""
        raise UserError(f"{options.path}: choose a match with --match; 'tiltyard replay {options.path}{stage}' lists them")
    tournament = TournamentOptions(options.path, options.plugins.block, options.plugins.only, options.stage).tournament(as_run=True)
    with open_store(tournament) as store:
        key, replay = find_replay(tournament, store, options.match, str(options.path))
    return ReplaySource(
        replay=replay, theme=tournament.game.load_as(Game).display.theme, name=f"{options.path.stem}-{key[:SHOWN_KEY]}"
    )


def _from_output(options: SourceOptions, text: str, registry: Registry) -> ReplaySource:
    if options.game_map is None:
        raise UserError(f"{options.path}: isn't a replay file; to rebuild a match from an output file, give its map with --map")
    game_name = options.game or (None if options.manager else _only_game_with_output_files(registry))
    referee = Finder(registry).referee(game=game_name, manager=options.manager, maps=[options.game_map])
    rules, game = referee.manager, referee.game.load_as(Game)
    if game.logs.read is None:
        raise UserError(f"the game {game.name} cannot rebuild a match from an output file")
    source = Finder(registry).map(options.game_map, game.name)
    board = read_map(game, options.game_map, source.data, options.players)
    replay: Replay | None
    problem = ""
    try:
        replay = game.logs.read(board, text, rules.name)
    except LogError as error:
        replay, problem = error.replay, f"{options.path}, {error}"
    if replay is not None:
        replay.message = problem or replay.message
        replay = replay if replay.shows_anything else None
    return ReplaySource(replay=replay, theme=game.display.theme, name=options.path.stem, problem=problem)


def _only_game_with_output_files(registry: Registry) -> str | None:
    games = [entry.name for entry in registry.all(GAME) if registry.game(entry.name).logs.read is not None]
    return games[0] if len(games) == 1 else None


def _theme(name: str, registry: Registry) -> Theme | None:
    try:
        game: Game[Any] = Finder(registry).game(name).load_as(Game)
    except NotFoundError:
        return None
    return game.display.theme


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a game's engine prints while it plays, as a match that may not be over."""

    replay: Replay
    theme: Theme | None
    frames: Iterator[Frame]


def game_of_transcript(head: bytes, registry: Registry) -> Game[Any] | None:
    """The installed game whose engine prints texts that begin so."""
    for entry in registry.all(GAME):
        game: Game[Any] = entry.reference.load_as(Game)
        if game.logs.is_transcript is not None and game.logs.is_transcript(head):
            return game
    return None


def read_transcript(game: Game[Any], lines: Iterable[bytes], name: str) -> tuple[Replay, Iterator[Frame]]:
    """The match; errors, also those that come with the frames, name the text.

    Raises:
        UserError: it is not as it should be.
    """
    assert game.logs.read_transcript is not None
    try:
        replay, frames = game.logs.read_transcript(lines)
    except UserError as error:
        raise UserError(f"{name}: {error}") from error
    return replay, _naming(frames, name)


def _naming(frames: Iterator[Frame], name: str) -> Iterator[Frame]:
    try:
        yield from frames
    except UserError as error:
        raise UserError(f"{name}: {error}") from error


def open_transcript(stream: BinaryIO, name: str, registry: Registry) -> Transcript:
    """The match that is being printed into ``stream``; or the one of a whole replay file.

    Raises:
        UserError: it is neither.
    """
    head: list[bytes] = []
    while sum(map(len, head)) < HEAD_BYTES and (line := stream.readline()):
        head.append(line)
        if is_replay(line):
            replay = unpack(line + stream.read(), name)
            return Transcript(replay, _theme(replay.game, registry), iter(()))
        game = game_of_transcript(b"".join(head), registry)
        if game is not None:
            replay, frames = read_transcript(game, chain(head, iter(stream.readline, b"")), name)
            return Transcript(replay, game.display.theme, frames)
    raise UserError(f"{name}: isn't a replay or the output of an installed game's engine")
