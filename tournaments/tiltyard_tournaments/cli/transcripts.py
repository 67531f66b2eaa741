"""What a game's engine prints while it plays, as a match to be looked at: from a pipe as it comes, or from a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_simulator.kept_replays import is_replay, unpack
from tiltyard_simulator.loading import load

STANDARD_INPUT: Final = "-"
HEAD_BYTES: Final = 1 << 14
"""So far a text is looked at to tell whose it is."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A match that may still be being played."""

    replay: Replay
    theme: Theme | None
    frames: Iterator[Frame]


def game_of_transcript(head: bytes, registry: Registry) -> Game[Any] | None:
    """The installed game whose engine prints texts that begin so."""
    for entry in registry.all(GAME):
        game: Game[Any] = load(entry.reference, Game)
        if game.is_transcript is not None and game.is_transcript(head):
            return game
    return None


def read_transcript(game: Game[Any], lines: Iterable[bytes], name: str) -> tuple[Replay, Iterator[Frame]]:
    """The match; errors, also those that come with the frames, name the text.

    Raises:
        UserError: it is not as it should be.
    """
    assert game.read_transcript is not None
    try:
        replay, frames = game.read_transcript(lines)
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
            theme = next((load(entry.reference, Game).theme for entry in registry.all(GAME) if entry.name == replay.game), None)
            return Transcript(replay, theme, iter(()))
        game = game_of_transcript(b"".join(head), registry)
        if game is not None:
            replay, frames = read_transcript(game, chain(head, iter(stream.readline, b"")), name)
            return Transcript(replay, game.theme, frames)
    raise UserError(f"{name}: is neither a replay nor what the engine of an installed game prints")
