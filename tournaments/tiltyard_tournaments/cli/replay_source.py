"""Where a replay comes from: its own file, a tournament's store, or anyone's output file that is rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiltyard_engine.errors import LogError, NotFoundError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import MANAGER
from tiltyard_engine.replay import Replay, Theme
from tiltyard_simulator.choosing import choose_map, game_reference
from tiltyard_simulator.kept_replays import COMPRESSED_SUFFIX, is_replay, unpack
from tiltyard_simulator.loading import load
from tiltyard_tournaments.cli.tournament_options import tournament_of
from tiltyard_tournaments.cli.transcripts import HEAD_BYTES, game_of_transcript, read_transcript
from tiltyard_tournaments.running.finding import SHOWN_KEY, find_replay
from tiltyard_tournaments.store import Store

TOURNAMENT_SUFFIXES: Final = (".yaml", ".yml")

MatchChoice = Annotated[
    str | None,
    typer.Option(
        "--match",
        help="Of a tournament file: the match's number in the schedule, or its key or the beginning of it.",
        show_default=False,
    ),
]
MapOfOutput = Annotated[
    str | None,
    typer.Option("--map", help="The map of an output file: a file, or the name of a shipped one.", show_default=False),
]
RulesOfOutput = Annotated[str, typer.Option("--manager", "-m", help="The rules that an output file is held against.")]
PlayersOfOutput = Annotated[int, typer.Option("--players", min=2, max=9, help="Players of an output file's match.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says of a replay."""

    path: Path
    match: str | None
    game_map: str | None
    manager: str
    players: int
    block: list[str] | None = None
    only: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A replay, how it looks, and what is wrong with where it came from."""

    replay: Replay | None
    """None: not even the start board could be read."""
    theme: Theme | None
    """None: its game is not installed."""
    name: str
    """For files that are made of it."""
    problem: str = ""


def open_source(asked: Asked, registry: Callable[[], Registry]) -> Source:
    """The replay that is asked for; ``registry`` is called where plugins are needed.

    Raises:
        UserError: there is no such file or match, or it is no replay; says what to do.
    """
    if asked.path.suffix in TOURNAMENT_SUFFIXES:
        return _from_store(asked)
    if asked.match is not None:
        raise UserError(f"--match {asked.match}: only a tournament file has matches to choose from, not {asked.path}")
    try:
        data = asked.path.read_bytes()
    except OSError as error:
        hint = "; to play a match name one algorithm a player" if not asked.path.suffix else ""
        raise UserError(f"{asked.path}: cannot be read: {error.strerror}{hint}") from error
    if is_replay(data) or asked.path.suffix == COMPRESSED_SUFFIX:
        replay = unpack(data, str(asked.path))
        return Source(replay, _theme(replay.game, registry()), asked.path.name.removesuffix(COMPRESSED_SUFFIX).rpartition(".")[0])
    found = registry()
    game = game_of_transcript(data[:HEAD_BYTES], found)
    if game is not None:
        replay, frames = read_transcript(game, data.splitlines(keepends=True), str(asked.path))
        replay.frames.extend(frames)
        return Source(replay, game.theme, asked.path.stem)
    return _from_output(asked, data.decode("utf-8", errors="replace"), found)


def _from_store(asked: Asked) -> Source:
    if asked.match is None:
        raise UserError(f"{asked.path}: say which match by --match; 'tiltyard replay {asked.path}' lists them")
    tournament = tournament_of(asked.path, asked.block, asked.only, quiet=True)
    with Store(tournament.folder, writable=False) as store:
        found = find_replay(tournament, store, asked.match, str(asked.path))
    return Source(found.replay, load(tournament.game, Game).theme, f"{asked.path.stem}-{found.key[:SHOWN_KEY]}")


def _from_output(asked: Asked, text: str, registry: Registry) -> Source:
    if asked.game_map is None:
        raise UserError(f"{asked.path}: is no replay; to rebuild the match of an output file say its map by --map")
    rules = registry.find(MANAGER, asked.manager).reference
    game: Game[Any] = load(game_reference(registry, rules.game), Game)
    if game.read_log is None:
        raise UserError(f"the game {game.name} cannot rebuild a match from an output file")
    source = choose_map(asked.game_map, registry, game.name)
    board = game.read_map(asked.game_map, source.data, asked.players)
    replay: Replay | None
    problem = ""
    try:
        replay = game.read_log(board, text, rules.name)
    except LogError as error:
        replay, problem = error.replay, f"{asked.path}, {error}"
    if replay is None or not replay.squares:
        return Source(None, game.theme, asked.path.stem, problem)
    replay.message = problem or replay.message
    return Source(replay, game.theme, asked.path.stem, problem)


def _theme(name: str, registry: Registry) -> Theme | None:
    try:
        game: Game[Any] = load(game_reference(registry, name), Game)
    except NotFoundError:
        return None
    return game.theme
